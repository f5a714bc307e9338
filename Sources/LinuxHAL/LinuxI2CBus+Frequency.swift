internal import Glibc

extension LinuxI2CBus {
  /// Where the kernel lists its I2C adapters.
  package static var adapterFolder: String { "/sys/class/i2c-adapter" }

  /// The clock frequency in hertz that the device tree gives the adapter of `path`; nil where it gives none.
  ///
  /// The property `clock-frequency` is one 32-bit cell, big-endian; anything else counts as none. So does a path that is
  /// not `/dev/i2c-` and a number, because it does not tell the adapter. `folder` lists the adapters.
  ///
  /// - Source: Devicetree Specification v0.4, 2.2.4 (`<u32>`); hardware.md §3.5.
  static func frequency(path: String, below folder: String) -> UInt32? {
    let prefix = "/dev/i2c-"
    let number = path.dropFirst(prefix.utf8.count).utf8
    guard path.hasPrefix(prefix), !number.isEmpty, number.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let file = unsafe open("\(folder)/i2c-\(Substring(number))/of_node/clock-frequency", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // One byte more than there may be: a longer property is another one.
    var bytes: [UInt8] = [0, 0, 0, 0, 0]
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    guard count == 4 else { return nil }
    let hertz = bytes[..<4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return hertz > 0 ? hertz : nil
  }
}
