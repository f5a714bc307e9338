public import BoardFile
internal import CSupport
internal import HAL
public import Sensors

/// The Linux that the program runs on, for a diagnosis: no heap, so that the daemon has it too.
public struct LinuxSystem: ~Copyable, SystemView {
  /// The system; there is but one.
  public init() {}

  /// Reads the first bytes of a file.
  public mutating func read(_ path: FilePath, into buffer: inout InlineArray<4096, UInt8>) -> FileReading {
    let count = unsafe path.withCString { path in
      var span = buffer.mutableSpan
      return unsafe span.withUnsafeMutableBufferPointer { unsafe csupport_view_read(path, $0.baseAddress, $0.count) }
    }
    if count >= 0 { return .bytes(Int(truncatingIfNeeded: count)) }
    return csupport_meaning(0 &- count) == CSUPPORT_UNAVAILABLE ? .absent : .unreadable
  }

  /// Opens a device and closes it.
  public mutating func opening(of path: FilePath) -> DeviceOpening {
    let code = unsafe 0 &- path.withCString { unsafe csupport_view_open($0) }
    guard code != 0 else { return .possible }
    switch csupport_meaning(code) {
    case CSUPPORT_UNAVAILABLE: return .absent
    case CSUPPORT_NOT_PERMITTED: return .notPermitted
    default: return .impossible(code: code)
    }
  }

  /// By /etc/group, and by the groups of this process.
  public mutating func membership(of group: StaticString) -> Membership {
    let name = FilePath(group)
    return switch unsafe name.withCString({ unsafe csupport_view_group($0) }) {
    case CSUPPORT_NO_SUCH_GROUP: .noSuchGroup
    case CSUPPORT_NO_MEMBER: .none
    case CSUPPORT_MEMBER_AT_NEXT_LOGIN: .atNextLogin
    default: .active
    }
  }

  /// Asks `/dev/gpiochip` and `number`.
  public mutating func chip(_ number: Int32) -> ChipView {
    var name = InlineArray<32, CChar>(repeating: 0)
    var lineCount: UInt32 = 0
    var span = name.mutableSpan
    let code =
      unsafe 0 &- span.withUnsafeMutableBufferPointer { unsafe csupport_view_chip(number, $0.baseAddress, &lineCount) }
    guard code != 0 else { return .chip(label: text(name), lineCount: lineCount) }
    switch csupport_meaning(code) {
    case CSUPPORT_UNAVAILABLE: return .absent
    case CSUPPORT_NOT_PERMITTED: return .notPermitted
    default: return .unreadable
    }
  }

  /// Asks the chip for a line.
  public mutating func line(_ offset: UInt32, ofChip number: Int32) -> LineView {
    var name = InlineArray<32, CChar>(repeating: 0)
    var span = name.mutableSpan
    let result = unsafe span.withUnsafeMutableBufferPointer {
      unsafe csupport_view_line(number, offset, $0.baseAddress)
    }
    return result == 0 ? .free : result > 0 ? .held(by: text(name)) : .unknown
  }

  private func text(_ name: InlineArray<32, CChar>) -> ShortText<32> {
    var text = ShortText<32>()
    for index in 0..<32 {
      guard name[index] != 0 else { break }
      text.append(byte: UInt8(bitPattern: name[index]))
    }
    return text
  }

  /// Opens the bus for one transaction.
  public mutating func ask(_ place: Probe.Place, on bus: ShortText<64>) -> PlaceView {
    var kernel = unsafe AskedBus(handle: csupport_i2c())
    let opened = unsafe 0 &- bus.withCString { unsafe csupport_i2c_open(&kernel.handle, $0) }
    guard opened == 0 else { return .noBus(AskedBus.fault(opened)) }
    let claimed = unsafe 0 &- csupport_i2c_claim(&kernel.handle, place.rawValue)
    guard claimed == 0 else {
      let fault = AskedBus.fault(claimed)
      return fault == .busy ? .held : .answer(.fault(fault))
    }
    guard let finding = kernel.probe(place) else { return .silent }
    return .answer(finding.answer)
  }
}

/// A bus of the kernel's for a transaction or two.
@safe private struct AskedBus: ~Copyable, I2CBus {
  var handle: csupport_i2c

  init(handle: csupport_i2c) { unsafe self.handle = handle }

  deinit {
    var handle = unsafe handle
    unsafe csupport_i2c_close(&handle)
  }

  static func fault(_ code: Int32) -> I2CFault {
    switch csupport_meaning(code) {
    case CSUPPORT_NO_ACKNOWLEDGE: .noAcknowledge
    case CSUPPORT_TIMED_OUT: .timedOut
    case CSUPPORT_ARBITRATION_LOST: .arbitrationLost
    case CSUPPORT_UNSUPPORTED: .unsupported
    case CSUPPORT_NOT_PERMITTED: .notPermitted
    case CSUPPORT_BUSY: .busy
    case CSUPPORT_UNAVAILABLE: .unavailable
    default: .other(code: code)
    }
  }

  /// Not done: a diagnosis changes nothing.
  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) { throw .unsupported }

  mutating func writeRead(
    _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    let expected = buffer.count
    let received = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        unsafe csupport_i2c_write_read(
          &handle, address.rawValue, bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count)
      }
    }
    guard received >= 0 else { throw Self.fault(0 &- received) }
    let count = Int(truncatingIfNeeded: received)
    guard count == expected else { throw .shortRead(expected: expected, received: count) }
  }
}
