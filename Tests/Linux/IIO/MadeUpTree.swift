import Foundation
import IIO
import TestSupport
import Testing
import Text

/// A made-up tree of the kernel's industrial I/O below a folder. Its buffer is a FIFO.
final class MadeUpTree {
  let root: String
  /// Our end of the FIFO; negative if it is closed.
  private var end: Int32 = -1

  /// An empty tree below `root`.
  init(_ root: String) throws {
    self.root = root
    try make("sys/bus/iio/devices")
    try make("sys/kernel/config/iio/triggers/hrtimer")
    try make("dev")
  }

  deinit { if end >= 0 { close(end) } }

  var tree: IIOTree { IIOTree(root: ShortText(cutting: root)) }

  private func make(_ folder: String) throws {
    try FileManager.default.createDirectory(atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
  }

  static func folder(_ number: Int) -> String { "sys/bus/iio/devices/iio:device\(number)" }

  /// Writes the file at `path` below the root, in a folder that is made if need be.
  func write(_ text: String, to path: String) throws {
    if let slash = path.lastIndex(of: "/") { try make(String(path[..<slash])) }
    try (text + "\n").write(toFile: "\(root)/\(path)", atomically: false, encoding: .utf8)
  }

  /// The text of a file; nil if there is none.
  func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: "\(root)/\(path)").map {
      String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: "\(root)/\(path)") }

  /// Writes files of a device.
  func describe(_ files: KeyValuePairs<String, String>, of number: Int = 0) throws {
    for (file, text) in files { try write(text, to: "\(Self.folder(number))/\(file)") }
  }

  /// What a file of a device says.
  func says(_ file: String, _ number: Int = 0) -> String? { text("\(Self.folder(number))/\(file)") }

  /// An accelerometer without a buffer: 1 count is 0.01 g.
  func addAccelerometer(_ number: Int = 0, name: String = "bmi160") throws {
    try describe(
      [
        "name": name, "in_accel_scale": "0.0980665", "in_accel_x_raw": "1", "in_accel_y_raw": "-2",
        "in_accel_z_raw": "100",
      ], of: number)
  }

  /// Gives it a buffer with a time stamp, whose axes have `type`; a trigger of its own is there.
  func addBuffer(_ number: Int = 0, type: String = "le:s16/16>>0") throws {
    for (index, axis) in ["x", "y", "z"].enumerated() { try addElement(number, "in_accel_\(axis)", index, type) }
    try addElement(number, "in_timestamp", 9, "le:s64/64>>0")
    try describe(
      [
        "buffer/enable": "0", "buffer/length": "2", "trigger/current_trigger": "",
        "current_timestamp_clock": "realtime", "sampling_frequency": "25.000000",
        "sampling_frequency_available": "12.500000 25.000000 50.000000 100.000000 200.000000",
      ], of: number)
    try write("\(says("name", number) ?? "")-dev\(number)", to: "sys/bus/iio/devices/trigger0/name")
    try connect(number)
  }

  /// Adds a gyroscope to a device with a buffer: 1 count is 0.001 rad/s.
  func addGyroscope(_ number: Int = 0) throws {
    try describe(
      ["in_anglvel_scale": "0.001", "in_anglvel_x_raw": "0", "in_anglvel_y_raw": "0", "in_anglvel_z_raw": "0"],
      of: number)
    for (index, axis) in ["x", "y", "z"].enumerated() {
      try addElement(number, "in_anglvel_\(axis)", index + 3, "be:s16/16>>0")
    }
  }

  func addElement(_ number: Int, _ name: String, _ index: Int, _ type: String, isOn: Bool = false) throws {
    try describe(
      [
        "scan_elements/\(name)_en": isOn ? "1" : "0", "scan_elements/\(name)_index": "\(index)",
        "scan_elements/\(name)_type": type,
      ], of: number)
  }

  /// Makes the character device.
  func connect(_ number: Int = 0) throws {
    let path = "\(root)/dev/iio:device\(number)"
    try unsafe require(that: mkfifo(path, 0o600) == 0)
    end = unsafe open(path, O_RDWR | O_NONBLOCK)
    try require(that: end >= 0)
  }

  /// Puts a record into the buffer.
  func send(_ bytes: [UInt8]) throws {
    let end = end
    let count = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(end, $0.baseAddress, $0.count) }
    try #require(count == bytes.count)
  }

  /// Takes the device away, with its character device.
  func unplug(_ number: Int = 0) throws {
    close(end)
    end = -1
    try remove(Self.folder(number))
    try remove("dev/iio:device\(number)")
  }
}

/// A number in little-endian bytes.
func little(_ value: some FixedWidthInteger) -> [UInt8] {
  (0..<(type(of: value).bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

/// A record of three axes of 16 bits, aligned, with a time stamp in µs.
func record(_ x: Int16, _ y: Int16, _ z: Int16, at microseconds: Int64) -> [UInt8] {
  little(x) + little(y) + little(z) + [0xEE, 0xEE] + little(microseconds * 1_000)
}
