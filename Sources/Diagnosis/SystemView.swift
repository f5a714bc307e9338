public import BoardFile
public import HAL
public import Sensors

/// The path of a file, with room for the longest that a diagnosis asks for.
public typealias FilePath = ShortText<128>

/// What a diagnosis asks of a system: the seam between it and Linux, so that every finding is tested with a system that
/// has the fault.
public protocol SystemView: ~Copyable {
  /// Reads the first bytes of a file.
  mutating func read(_ path: FilePath, into buffer: inout InlineArray<4096, UInt8>) -> FileReading

  /// Whether a device can be opened for reading and writing.
  mutating func opening(of path: FilePath) -> DeviceOpening

  /// What this process has to do with a group.
  mutating func membership(of group: StaticString) -> Membership

  /// GPIO chip `number`.
  mutating func chip(_ number: Int32) -> ChipView

  /// A line of GPIO chip `number`.
  mutating func line(_ offset: UInt32, ofChip number: Int32) -> LineView

  /// Asks for the identity at one place of a bus, in one transaction.
  mutating func ask(_ place: Probe.Place, on bus: ShortText<64>) -> PlaceView
}

/// What came of reading a file.
public enum FileReading: Equatable, Sendable {
  /// So many bytes were read.
  case bytes(Int)
  /// There is no such file.
  case absent
  /// It is there and cannot be read.
  case unreadable
}

/// What came of opening a device.
public enum DeviceOpening: Equatable, Sendable {
  /// It can be opened.
  case possible
  /// It is not there.
  case absent
  /// The process may not.
  case notPermitted
  /// It is there and cannot be opened: the system's `errno`.
  case impossible(code: Int32)
}

/// What a process has to do with a group.
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

/// What is known of a GPIO chip.
public enum ChipView: Equatable, Sendable {
  /// There is none of that number.
  case absent
  /// There is one, and the process may not open it.
  case notPermitted
  /// There is one, and it does not tell its label.
  case unreadable
  /// Its label and how many lines it has.
  case chip(label: ShortText<32>, lineCount: UInt32)
}

/// What is known of a line.
public enum LineView: Equatable, Sendable {
  /// It can be requested.
  case free
  /// Somebody has it; the name is empty where the holder gave none.
  case held(by: ShortText<32>)
  /// It does not tell.
  case unknown
}

/// What came of asking for an identity.
public enum PlaceView: Equatable, Sendable {
  /// The bus could not be opened.
  case noBus(I2CFault)
  /// A driver of the kernel's has the address.
  case held
  /// Nobody acknowledged.
  case silent
  /// Somebody answered, or the bus failed.
  case answer(Probe.Answer)
}
