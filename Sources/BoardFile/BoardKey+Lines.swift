public import Indication
internal import Orientation

// The keys that name lines, and what the code makes of them.
extension BoardKey {
  /// The key of line `index` of `code`, 0 up to its count of lines.
  public init(line index: Int, of code: LineCode) {
    let first: BoardKey
    switch (code, index) {
    case (.leds, _): first = .portrait
    case (_, 0): self = .valid; return
    case (.oneHot, _): first = .portrait
    case (.binary, _): first = .bit0
    }
    let place = UInt8(truncatingIfNeeded: code == .leds ? index : index &- 1)
    self = BoardKey(rawValue: first.rawValue &+ place) ?? .valid
  }

  /// Whether its value is the GPIO of a line.
  public var namesLine: Bool { pose != nil || self == .valid || isBit }

  /// Whether it is of use with lines of `code`.
  public func belongs(to code: LineCode) -> Bool {
    if pose != nil { return code != .binary }
    if self == .valid { return code != .leds }
    return !isBit || code == .binary
  }

  /// Whether a file with lines of `code` must have it.
  public func isRequired(with code: LineCode) -> Bool {
    switch self {
    case .bus, .model, .address, .chip: true
    default: namesLine && belongs(to: code)
    }
  }

  private var isBit: Bool { self == .bit0 || self == .bit1 || self == .bit2 }
}

extension LineCode {
  /// The code that board files call `name`.
  init?(named name: BoardDraft.Text) {
    for index in 0..<Self.count {
      guard let code = Self(rawValue: UInt8(truncatingIfNeeded: index)), name == code.name else { continue }
      self = code
      return
    }
    return nil
  }
}
