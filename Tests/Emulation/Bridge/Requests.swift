import Bridge
import CBridge
import Emulation
import HAL

/// The address of all requests but one.
let address = EmulatedADXL345.address

/// A step of a script: a write, or with a reply a write and read.
typealias ScriptStep = BusScript.Step

func wrote(_ bytes: [UInt8], throwing fault: I2CFault? = nil) -> ScriptStep {
  .write(bytes, to: address, throwing: fault)
}

func exchanged(_ bytes: [UInt8], _ reply: [UInt8], throwing fault: I2CFault? = nil) -> ScriptStep {
  .writeRead(bytes, reply: reply, at: address, throwing: fault)
}

/// An adapter on a scripted bus, and an open file with the address 0x53.
///
/// Request numbers are copied from the kernel's documentation, not from the headers.
struct Requests: ~Copyable {
  var adapter: Adapter<ScriptedBus>
  var file: UInt16 = 0x53

  init(_ script: BusScript, _ kind: AdapterKind = .bcm2835) { adapter = Adapter(ScriptedBus(script), kind) }

  /// The answer of `ioctl` to a request whose argument is a number: a value or -errno.
  mutating func control(_ request: UInt, _ number: UInt) -> Int32 {
    unsafe control(request, UnsafeMutableRawPointer(bitPattern: number))
  }

  mutating func control(_ request: UInt, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    do throws(KernelError) { return try unsafe adapter.control(request, argument, address: &file) } catch {
      return -error.code
    }
  }

  /// The value that `I2C_FUNCS` stores.
  mutating func functions() -> (answer: Int32, value: UInt) {
    var value: UInt = 0
    let answer = unsafe withUnsafeMutablePointer(to: &value) { unsafe control(0x0705, UnsafeMutableRawPointer($0)) }
    return (answer, value)
  }

  /// The answer of `I2C_SMBUS`, and the data after it; nil for no data.
  mutating func smbus(_ size: UInt32, _ direction: UInt8, _ command: UInt8, _ data: [UInt8]?) -> (Int32, [UInt8]?) {
    var block = (data ?? []) + [UInt8](repeating: 0xEE, count: 34 - (data?.count ?? 0))
    let answer = unsafe block.withUnsafeMutableBytes { bytes in
      let start = unsafe data == nil ? nil : bytes.baseAddress?.assumingMemoryBound(to: i2c_smbus_data.self)
      var request = unsafe i2c_smbus_ioctl_data(read_write: direction, command: command, size: size, data: start)
      return unsafe withUnsafeMutablePointer(to: &request) { unsafe control(0x0720, UnsafeMutableRawPointer($0)) }
    }
    return (answer, data == nil ? nil : block)
  }

  /// One message of `I2C_RDWR`.
  struct Message {
    var address: UInt16 = 0x53
    var flags: UInt16 = 0
    var bytes: [UInt8] = []
    /// The length of a read.
    var count: Int?

    static func write(_ bytes: [UInt8], to address: UInt16 = 0x53) -> Message {
      Message(address: address, bytes: bytes)
    }
    static func read(_ count: Int, at address: UInt16 = 0x53) -> Message {
      Message(address: address, flags: 1, count: count)
    }
  }

  /// The answer of `I2C_RDWR`, and the bytes read.
  mutating func combined(_ messages: [Message]) -> (answer: Int32, read: [[UInt8]]) {
    // The bytes of all messages, one after another.
    var memory = messages.flatMap { message in
      message.count.map { [UInt8](repeating: 0xEE, count: $0) } ?? message.bytes
    }
    let ends = messages.reduce(into: [0]) { $0.append(($0.last ?? 0) + ($1.count ?? $1.bytes.count)) }
    let answer: Int32 = unsafe memory.withUnsafeMutableBufferPointer { memory in
      var table: [i2c_msg] = unsafe []
      for (index, message) in messages.enumerated() {
        let start = unsafe memory.baseAddress.map { unsafe $0 + ends[index] }
        unsafe table.append(
          i2c_msg(
            addr: message.address, flags: message.flags, len: UInt16(ends[index + 1] - ends[index]), buf: start))
      }
      return unsafe table.withUnsafeMutableBufferPointer { table in
        var request = unsafe i2c_rdwr_ioctl_data(msgs: table.baseAddress, nmsgs: UInt32(table.count))
        return unsafe withUnsafeMutablePointer(to: &request) { unsafe control(0x0707, UnsafeMutableRawPointer($0)) }
      }
    }
    let read = messages.indices.filter { messages[$0].count != nil }.map { Array(memory[ends[$0]..<ends[$0 + 1]]) }
    return (answer, read)
  }
}
