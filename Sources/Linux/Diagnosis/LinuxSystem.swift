public import BoardFile
internal import CSupport
public import HAL
internal import IIO
internal import LinuxHAL
internal import Sensors

/// The Linux that the program runs on, for a diagnosis. It needs no heap, so the daemon has it too.
public struct LinuxSystem: ~Copyable, SystemView {
  /// The system; there is only one.
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

  /// Reads the description of the kernel's device.
  public mutating func device(of sensor: BoardDescription.Sensor) -> DeviceView {
    let name = sensor.device?.name ?? IIODevice.Name()
    do throws(IIOError) {
      let device = try IIODevice(
        named: name, usesGyroscope: sensor.configuration.usesGyroscope,
        needsGyroscope: sensor.device?.needsGyroscope == true)
      return .usable(number: device.number, hasBuffer: device.hasBuffer())
    } catch {
      return .failed(error)
    }
  }

  /// Opens a device and closes it again.
  public mutating func opening(of path: FilePath) -> DeviceOpening {
    let code = unsafe 0 &- path.withCString { unsafe csupport_view_open($0) }
    guard code != 0 else { return .possible }
    switch csupport_meaning(code) {
    case CSUPPORT_UNAVAILABLE: return .absent
    case CSUPPORT_NOT_PERMITTED: return .notPermitted
    default: return .impossible(code: code)
    }
  }

  /// According to /etc/group, and to the groups of this process.
  public mutating func membership(of group: StaticString) -> Membership {
    let name = FilePath(group)
    return switch unsafe name.withCString({ unsafe csupport_view_group($0) }) {
    case CSUPPORT_NO_SUCH_GROUP: .noSuchGroup
    case CSUPPORT_NO_MEMBER: .none
    case CSUPPORT_MEMBER_AT_NEXT_LOGIN: .atNextLogin
    default: .active
    }
  }

  /// Asks `/dev/gpiochip<number>`.
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

  /// Asks the chip about a line.
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
  public mutating func ask(_ address: I2CAddress, on path: ShortText<64>) -> PlaceView {
    do throws(LinuxI2CError) {
      var bus = try LinuxI2CBus(path: path)
      try bus.claim(address)
      guard let finding = bus.probe(address) else { return .silent }
      return .answer(finding.answer)
    } catch {
      guard error.address != nil else { return .noBus(error.fault) }
      return error.fault == .busy ? .held : .answer(.fault(error.fault))
    }
  }
}
