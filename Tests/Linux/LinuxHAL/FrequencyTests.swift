import Foundation
import Glibc
import HAL
import LinuxHAL
import TestSupport
import Testing
import Text

/// `text` as a file of a device tree.
private func text(_ text: String) -> DeviceTree.File {
  var short = DeviceTree.File()
  for byte in text.utf8 { short.append(byte: byte) }
  return short
}

/// The folder of adapters is a fake, with contents in the kernel's form of a device tree.
extension `A Linux I2C bus` {
  /// The frequency of a bus at `path`, opened while `content` was the property of `adapter`; nil for an adapter
  /// without it.
  private func frequency(_ path: String, _ content: [UInt8]?, of adapter: String = "i2c-1") throws -> UInt32? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "plumb-\(UUID().uuidString)")
    let node = folder.appending(path: "\(adapter)/of_node")
    try FileManager.default.createDirectory(at: node, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    if let content { try Data(content).write(to: node.appending(path: "clock-frequency")) }
    FakeKernel.reset(functions: 0x0EFF_0009)
    let bus = try unsafe LinuxI2CBus(
      path: text(path), descriptor: Glibc.open("/dev/null", O_RDWR), calls: FakeKernel.calls,
      adapters: text(folder.path))
    return bus.frequency
  }

  @Test(
    arguments: [
      ([0x00, 0x01, 0x86, 0xA0], 100_000), ([0x00, 0x06, 0x1A, 0x80], 400_000), ([0x00, 0x0F, 0x42, 0x40], 1_000_000),
      ([0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295),
    ] as [([UInt8], UInt32)])
  func `the clock frequency is that of the device tree`(content: [UInt8], hertz: UInt32) throws {
    try expect(frequency("/dev/i2c-1", content), equals: hertz)
    try expect(frequency("/dev/i2c-22", content, of: "i2c-22"), equals: hertz)
  }

  @Test(arguments: [nil, [], [0, 6, 0x1A], [0, 6, 0x1A, 0x80, 0], [0, 0, 0, 0], Array(repeating: 1, count: 4_096)])
  func `a property that is absent or not a number leaves the frequency unknown`(content: [UInt8]?) throws {
    try expect(frequency("/dev/i2c-1", content), equals: nil)
  }

  @Test(arguments: ["/dev/i2c-2", "/dev/i2c-", "/dev/i2c-1x", "/dev/i2c-/1", "/dev/sensors", "/dev/i2c-1/../i2c-1", ""])
  func `only the adapter of the path counts`(path: String) throws {
    try expect(frequency(path, [0x00, 0x06, 0x1A, 0x80]), equals: nil)
  }
}
