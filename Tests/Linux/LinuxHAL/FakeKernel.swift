import CSupport
import Glibc

/// Replaces the kernel below `csupport_i2c`: records its requests, and answers as scripted.
///
/// C functions capture nothing, so there is one for all; suites that use it are serialised. Numbers and layouts are
/// copied from the kernel's documentation, not from a header that the code under test also uses.
enum FakeKernel {
  /// One request as it would go to the kernel.
  enum Request: Equatable {
    case functions
    case address(UInt8)
    case combined([Message])
    case readBlock(command: UInt8, length: UInt8)
    case writeBlock(command: UInt8, bytes: [UInt8])
    case writeByte(UInt8)
    case unknown(UInt)
  }

  /// One message of a combined transaction.
  enum Message: Equatable {
    case write(address: UInt16, bytes: [UInt8])
    case read(address: UInt16, count: Int)
  }

  nonisolated(unsafe) static var functions: UInt = 0
  nonisolated(unsafe) static var memory: [UInt8] = []
  /// Answers to the next requests after the first (`I2C_FUNCS`); nil, also at the end, is the answer of a working
  /// bus.
  nonisolated(unsafe) static var answers: [Int32?] = []
  nonisolated(unsafe) static var requests: [Request] = []

  static func reset(functions: UInt, memory: [UInt8] = [], answers: [Int32?] = []) {
    unsafe Self.functions = functions
    unsafe Self.memory = memory
    unsafe Self.answers = answers
    unsafe requests = []
  }

  /// The requests since the last call.
  static func takeRequests() -> [Request] {
    defer { unsafe requests = [] }
    return unsafe requests
  }

  /// The table of calls; never freed.
  nonisolated(unsafe) static let calls: UnsafePointer<csupport_i2c_calls> = {
    let table = UnsafeMutablePointer<csupport_i2c_calls>.allocate(capacity: 1)
    unsafe table.initialize(
      to: csupport_i2c_calls(
        control: { _, request, argument in unsafe FakeKernel.control(request, argument) },
        read_block: { _, command, length, values in
          FakeKernel.answer(.readBlock(command: command, length: length)) {
            let count = unsafe min(Int(length), memory.count)
            for i in 0..<count { unsafe values?[i] = unsafe memory[i] }
            return Int32(count)
          }
        },
        write_block: { _, command, length, values in
          let bytes = unsafe Array(UnsafeBufferPointer(start: values, count: Int(length)))
          return FakeKernel.answer(.writeBlock(command: command, bytes: bytes)) { 0 }
        },
        write_byte: { _, value in FakeKernel.answer(.writeByte(value)) { 0 } }))
    return unsafe UnsafePointer(table)
  }()

  private static func answer(_ request: Request, otherwise perform: () -> Int32) -> Int32 {
    unsafe requests.append(request)
    if request != .functions, unsafe !answers.isEmpty, let scripted = unsafe answers.removeFirst() { return scripted }
    return perform()
  }

  private static func control(_ request: UInt, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    switch request {
    case 0x705:
      return answer(.functions) {
        unsafe argument?.storeBytes(of: functions, as: UInt.self)
        return 0
      }
    case 0x703: return answer(.address(UInt8(truncatingIfNeeded: UInt(bitPattern: argument)))) { 0 }
    case 0x707:
      guard let argument = unsafe argument else { return -EFAULT }
      return unsafe combined(UnsafeRawPointer(argument))
    default: return answer(.unknown(request)) { -ENOTTY }
    }
  }

  /// `struct i2c_rdwr_ioctl_data { struct i2c_msg *msgs; u32 nmsgs; }`,
  /// `struct i2c_msg { u16 addr, flags, len; u8 *buf; }`.
  private static func combined(_ data: UnsafeRawPointer) -> Int32 {
    let word = MemoryLayout<UInt>.size
    let messages = unsafe data.load(as: UnsafeRawPointer.self)
    let count = unsafe Int(data.load(fromByteOffset: word, as: UInt32.self))
    var seen: [Message] = []
    var reads: [UnsafeMutableBufferPointer<UInt8>] = unsafe []
    for i in 0..<count {
      let message = unsafe messages + i * 2 * word
      let address = unsafe message.load(as: UInt16.self)
      let length = unsafe Int(message.load(fromByteOffset: 4, as: UInt16.self))
      let bytes = unsafe message.load(fromByteOffset: 8, as: UnsafeMutablePointer<UInt8>.self)
      let buffer = unsafe UnsafeMutableBufferPointer(start: bytes, count: length)
      if unsafe message.load(fromByteOffset: 2, as: UInt16.self) & 1 == 1 {
        seen.append(.read(address: address, count: length))
        unsafe reads.append(buffer)
      } else {
        seen.append(.write(address: address, bytes: unsafe Array(buffer)))
      }
    }
    return answer(.combined(seen)) {
      for i in unsafe reads.indices {
        for k in unsafe reads[i].indices { unsafe reads[i][k] = unsafe memory[k] }
      }
      return Int32(count)
    }
  }
}
