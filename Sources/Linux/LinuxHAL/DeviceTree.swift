internal import CSupport
public import HAL
public import Text

/// What Linux reports about its I2C buses: the clock frequency in the device tree, and the names in `/sys`.
public enum DeviceTree {
  /// The path of a file.
  public typealias File = ShortText<128>

  /// The bus on a Raspberry Pi's header.
  public static var headerBus: StaticString { "/dev/i2c-1" }

  /// Where the kernel lists its I2C adapters.
  package static var adapterFolder: File { File("/sys/class/i2c-adapter") }

  /// The N of `/dev/i2c-N` as text; nil for any other path.
  public static func number<let size: Int>(ofBus path: ShortText<size>) -> ShortText<8>? {
    let prefix = ShortText<16>("/dev/i2c-")
    for index in 0..<prefix.count where path[index] != prefix[index] { return nil }
    var number = ShortText<8>()
    for index in prefix.count..<max(prefix.count, path.count) {
      guard path[index] >= 0x30 && path[index] <= 0x39 else { return nil }
      number.append(byte: path[index])
    }
    return number.count > 0 && !number.isCut ? number : nil
  }

  /// The file that holds the clock frequency of the adapter of `path`; nil if the path has no adapter number.
  public static func clockFrequencyFile<let size: Int>(ofBus path: ShortText<size>) -> File? {
    clockFrequencyFile(ofBus: path, below: adapterFolder)
  }

  private static func clockFrequencyFile<let size: Int>(
    ofBus path: ShortText<size>, below folder: File
  ) -> File? {
    guard let number = number(ofBus: path) else { return nil }
    var file = folder
    file.append("/i2c-")
    file.append(number)
    file.append("/of_node/clock-frequency")
    return file.isCut ? nil : file
  }

  /// The clock frequency in hertz in a `clock-frequency` property of `count` bytes that begins with `cell`: one 32-bit
  /// cell, big-endian, not 0. Nil for anything else.
  ///
  /// - Source: Devicetree Specification v0.4, 2.2.4 (`<u32>`).
  public static func clockFrequency(_ cell: InlineArray<4, UInt8>, count: Int) -> UInt32? {
    let hertz = UInt32(cell[0]) &<< 24 | UInt32(cell[1]) &<< 16 | UInt32(cell[2]) &<< 8 | UInt32(cell[3])
    return count == 4 && hertz > 0 ? hertz : nil
  }

  /// The clock frequency in hertz that the device tree gives for the adapter of `path`; nil if it gives none. `folder`
  /// lists the adapters.
  static func clockFrequency<let size: Int>(
    ofBus path: ShortText<size>, below folder: File = adapterFolder
  ) -> UInt32? {
    guard let file = clockFrequencyFile(ofBus: path, below: folder) else { return nil }
    // One byte more than a valid property has, to detect a longer one.
    var bytes = InlineArray<5, UInt8>(repeating: 0)
    let count = unsafe file.withCString { file in
      var span = bytes.mutableSpan
      return unsafe span.withUnsafeMutableBufferPointer { unsafe csupport_view_read(file, $0.baseAddress, $0.count) }
    }
    return clockFrequency([bytes[0], bytes[1], bytes[2], bytes[3]], count: Int(truncatingIfNeeded: count))
  }

  /// The kernel's name for the device at `address` on a bus, such as 1-0053; nil if `path` has no adapter number.
  public static func device<let size: Int>(at address: I2CAddress, ofBus path: ShortText<size>) -> ShortText<16>? {
    guard let number = number(ofBus: path) else { return nil }
    var device = ShortText<16>()
    device.append(number)
    // Lower case; only the second digit can be a letter.
    device.append("-00")
    device.append(byte: 0x30 &+ (address.rawValue &>> 4))
    let low = address.rawValue & 0x0F
    device.append(byte: low < 10 ? 0x30 &+ low : 0x57 &+ low)
    return device
  }
}
