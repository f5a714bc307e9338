public import BoardFile
public import HAL
public import IIO
public import Sensors

/// The path of a file, with room for the longest one that a diagnosis reads.
public typealias FilePath = ShortText<128>

/// What a diagnosis asks of a system. It separates the diagnosis from Linux, so that every finding can be tested with a
/// system that has the fault.
public protocol SystemView: ~Copyable {
  /// Reads the first bytes of a file.
  mutating func read(_ path: FilePath, into buffer: inout InlineArray<4096, UInt8>) -> FileReading

  /// Whether a device can be opened for reading and writing.
  mutating func opening(of path: FilePath) -> DeviceOpening

  /// How this process relates to a group.
  mutating func membership(of group: StaticString) -> Membership

  /// Looks at GPIO chip `number`.
  mutating func chip(_ number: Int32) -> ChipView

  /// Looks at a line of GPIO chip `number`.
  mutating func line(_ offset: UInt32, ofChip number: Int32) -> LineView

  /// Looks for the kernel's device that is `sensor`.
  mutating func device(of sensor: BoardDescription.Sensor) -> DeviceView

  /// Reads the identity of the part at `place` on a bus, in one transaction.
  mutating func ask(_ place: I2CAddress, on bus: ShortText<64>) -> PlaceView
}

/// The result of reading a file.
public enum FileReading: Equatable, Sendable {
  /// How many bytes were read.
  case bytes(Int)
  /// There is no such file.
  case absent
  /// It exists but cannot be read.
  case unreadable
}

/// The result of opening a device.
public enum DeviceOpening: Equatable, Sendable {
  /// It can be opened.
  case possible
  /// It does not exist.
  case absent
  /// The process has no permission.
  case notPermitted
  /// It exists but cannot be opened; the system's `errno`.
  case impossible(code: Int32)
}

/// How a process relates to a group.
public enum Membership: Equatable, Sendable {
  /// There is no such group.
  case noSuchGroup
  /// The user is not in it.
  case none
  /// The user is in it, but was not when the process's session began.
  case atNextLogin
  /// The process is in it.
  case active
}

/// What is known about a GPIO chip.
public enum ChipView: Equatable, Sendable {
  /// There is no chip with that number.
  case absent
  /// There is a chip, but the process has no permission to open it.
  case notPermitted
  /// There is a chip, but its label cannot be read.
  case unreadable
  /// Its label and its number of lines.
  case chip(label: ShortText<32>, lineCount: UInt32)
}

/// What is known about a line.
public enum LineView: Equatable, Sendable {
  /// It can be requested.
  case free
  /// It is in use; the name is empty if the holder gave none.
  case held(by: ShortText<32>)
  /// It cannot be read.
  case unknown
}

/// What is known about a device of the kernel.
public enum DeviceView: Equatable, Sendable {
  /// It can be used: its number, and whether it has a buffer.
  case usable(number: Int32, hasBuffer: Bool)
  /// It cannot be used.
  case failed(IIOError)
}

/// The result of asking for an identity.
public enum PlaceView: Equatable, Sendable {
  /// The bus could not be opened.
  case noBus(I2CFault)
  /// A kernel driver uses the address.
  case held
  /// No acknowledge.
  case silent
  /// The answer of a part, or a fault of the bus.
  case answer(Probe.Answer)
}

/// The first 4096 bytes of a file.
struct FileText {
  var bytes = InlineArray<4096, UInt8>(repeating: 0)
  var count = 0

  /// The byte at `index`; 0 beyond the end.
  subscript(index: Int) -> UInt8 { index >= 0 && index < min(count, 4_096) ? bytes[index] : 0 }

  /// Whether `words` are at `start`.
  func has(_ words: StaticString, at start: Int = 0) -> Bool {
    words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count where unsafe self[start &+ index] != buffer[index] { return false }
      return true
    }
  }

  /// Whether the text contains `words`.
  func contains(_ words: StaticString) -> Bool {
    for start in 0..<min(count, 4_096) where has(words, at: start) { return true }
    return false
  }

  /// The text up to the first zero or line feed, cut if it does not fit.
  func line<let size: Int>() -> ShortText<size> {
    var line = ShortText<size>()
    for index in 0..<min(count, 4_096) {
      guard self[index] != 0 && self[index] != 0x0A else { break }
      line.append(byte: self[index])
    }
    return line
  }

  /// The rest of the first line that begins with `words`; nil if there is none.
  func value(of words: StaticString) -> ShortText<32>? {
    for start in 0..<min(count, 4_096) where (start == 0 || self[start &- 1] == 0x0A) && has(words, at: start) {
      var value = ShortText<32>()
      var index = start &+ words.utf8CodeUnitCount
      while self[index] > 0x20 {
        value.append(byte: self[index])
        index &+= 1
      }
      return value
    }
    return nil
  }

  /// Whether a Raspberry Pi OS config.txt switches on I2C on the header, according to its last mention; nil if it has
  /// none.
  ///
  /// Does not distinguish sections such as `[pi4]`.
  var switchesI2COn: Bool? {
    var answer: Bool?
    var start = 0
    while start < min(count, 4_096) {
      var item = start
      while self[item] == 0x20 || self[item] == 0x09 { item &+= 1 }
      if has("dtparam=", at: item) { answer = parameters(from: item &+ 8) ?? answer }
      while start < min(count, 4_096) && self[start] != 0x0A { start &+= 1 }
      start &+= 1
    }
    return answer
  }

  /// The same for the comma-separated parameters that begin at `start`.
  private func parameters(from start: Int) -> Bool? {
    var answer: Bool?
    var item = start
    while true {
      answer = parameter(at: item) ?? answer
      while self[item] > 0x20 && self[item] != UInt8(ascii: ",") { item &+= 1 }
      guard self[item] == UInt8(ascii: ",") else { return answer }
      item &+= 1
    }
  }

  private func parameter(at start: Int) -> Bool? {
    let length = has("i2c_arm", at: start) ? 7 : has("i2c1", at: start) ? 4 : has("i2c", at: start) ? 3 : 0
    guard length > 0 else { return nil }
    let end = start &+ length
    guard self[end] == UInt8(ascii: "=") else { return ends(at: end) ? true : nil }
    for word in 0..<4 {
      let isOn =
        switch word {
        case 0: has("on", at: end &+ 1) && ends(at: end &+ 3)
        case 1: has("yes", at: end &+ 1) && ends(at: end &+ 4)
        case 2: has("true", at: end &+ 1) && ends(at: end &+ 5)
        default: has("1", at: end &+ 1) && ends(at: end &+ 2)
        }
      if isOn { return true }
    }
    return false
  }

  private func ends(at index: Int) -> Bool { self[index] <= 0x20 || self[index] == UInt8(ascii: ",") }
}

extension SystemView where Self: ~Copyable {
  /// The first bytes of a file; nil if it does not exist or cannot be read.
  mutating func text(of path: FilePath) -> FileText? {
    var text = FileText()
    guard case .bytes(let count) = read(path, into: &text.bytes) else { return nil }
    text.count = count
    return text
  }

  /// Whether the file exists.
  mutating func has(_ path: FilePath) -> Bool {
    var text = FileText()
    return read(path, into: &text.bytes) != .absent
  }

  /// Whether the device tree's node behind `alias` has the `status` `okay`, which is the default; nil if there is no
  /// such alias.
  ///
  /// - Source: Devicetree Specification v0.4, 2.3.4 (status) and 3.3 (aliases).
  mutating func isSwitchedOn(alias: StaticString) -> Bool? {
    var path = FilePath("/proc/device-tree/aliases/")
    path.append(alias)
    guard let node = text(of: path) else { return nil }
    path = FilePath("/proc/device-tree")
    let name: ShortText<96> = node.line()
    guard name[0] == UInt8(ascii: "/") else { return nil }
    path.append(name)
    path.append("/status")
    guard let status = text(of: path) else { return true }
    return status.has("okay") || status.has("ok\0")
  }
}
