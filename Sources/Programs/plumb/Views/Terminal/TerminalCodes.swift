/// All codes sent to the terminal; no other code writes them.
///
/// - Source: ECMA-48 (CSI sequences, SGR); the xterm control sequences,
///   https://invisible-island.net/xterm/ctlseqs/ctlseqs.html (private modes);
///   https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036 (mode 2026). A terminal that does not
///   know a private mode ignores it.
package enum Escape {
  /// Starts drawing: alternate screen, cleared, without cursor and line wrap, and with mouse button reports.
  package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[0m\u{1B}[2J"
  /// Ends drawing, cancels an unfinished sequence (CAN), and restores all modes.
  package static let leave = "\u{18}\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private static let beginUpdate = "\u{1B}[?2026h"
  private static let endUpdate = "\u{1B}[?2026l"
  private static let erase = "\u{1B}[0m\u{1B}[2J"

  /// The codes that turn a terminal showing `old` into one showing `new`, in one update; empty if they are equal.
  ///
  /// `old` is nil if it is unknown what the terminal shows.
  package static func update(from old: Grid?, to new: Grid, _ look: TextStyle) -> [UInt8] {
    let isFresh = old?.width != new.width || old?.height != new.height
    let base = isFresh ? Grid(width: new.width, height: new.height) : old ?? new
    var pen = Pen(look)
    for row in 0..<new.height {
      for column in 0..<new.width where base[column, row] != new[column, row] {
        pen.put(new[column, row], column, row)
      }
    }
    guard isFresh || !pen.bytes.isEmpty else { return [] }
    pen.set(.plain)
    return Array((beginUpdate + (isFresh ? erase : "")).utf8) + pen.bytes + Array(endUpdate.utf8)
  }

  /// The bytes so far, and the position and style in which they leave the terminal.
  private struct Pen {
    private(set) var bytes: [UInt8] = []
    private let look: TextStyle
    private var place: (column: Int, row: Int)?
    private var style = Style.plain

    init(_ look: TextStyle) { self.look = look }

    mutating func put(_ cell: Cell, _ column: Int, _ row: Int) {
      if place?.row != row || place?.column != column { send("\u{1B}[\(row + 1);\(column + 1)H") }
      set(cell.style)
      // Every scalar has an encoding.
      if let code = UTF8.encode(cell.scalar) { bytes.append(contentsOf: code) }
      place = (column + 1, row)
    }

    mutating func set(_ wanted: Style) {
      let wanted = look.hasColour ? wanted : wanted.colourless
      guard wanted != style else { return }
      style = wanted
      var codes = ["0"]
      if wanted.isBold { codes.append("1") }
      if wanted.isDim { codes.append("2") }
      if wanted.isInverse { codes.append("7") }
      if wanted.colour != .normal { codes.append("3\(wanted.colour.rawValue)") }
      send("\u{1B}[\(codes.joined(separator: ";"))m")
    }

    private mutating func send(_ text: String) { bytes.append(contentsOf: text.utf8) }
  }
}

/// A key that has a meaning while a program draws.
package enum Key: Equatable, Sendable {
  case character(Unicode.Scalar)
  /// The arrows.
  case up, down, left, right
  case pageUp, pageDown, home, end
  /// A notch of the mouse wheel.
  case wheelUp, wheelDown
}

/// Finds the keys in a terminal's input, and ignores the letters inside the codes of other keys.
///
/// - Source: The xterm control sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html (PC-style function
///   keys, mouse tracking).
package struct KeyReader: Sendable {
  private enum Place: Sendable {
    case text, escape, sequence, shift
    /// Within the three bytes of an old-style mouse report; the number of bytes read so far.
    case mouse(Int)
  }

  private var place = Place.text
  /// The parameter and intermediate bytes of the sequence.
  private var parameters: [UInt8] = []

  /// More than any known sequence has.
  private static let longest = 32

  package init() {}

  /// Takes a byte and returns the key that it completes, if any. Only ASCII characters are keys.
  package mutating func key(_ byte: UInt8) -> Key? {
    switch place {
    case .text where byte == 0x1B: place = .escape
    case .text: return byte < 0x80 ? .character(Unicode.Scalar(byte)) : nil
    case .escape where byte == 0x5B: (place, parameters) = (.sequence, [])
    case .escape where byte == 0x4F: place = .shift
    // A key with Alt.
    case .escape where byte != 0x1B: place = .text
    case .escape: break
    // A terminal without SGR reports sends three arbitrary bytes.
    case .sequence where byte == 0x4D && parameters.isEmpty: place = .mouse(0)
    // CSI: parameters and intermediates, then a final byte.
    case .sequence where byte >= 0x40 && byte <= 0x7E:
      place = .text
      return sequence(byte)
    // The sequence was cut off, and another begins.
    case .sequence where byte == 0x1B: place = .escape
    case .sequence: if parameters.count < Self.longest { parameters.append(byte) }
    case .shift where byte == 0x1B: place = .escape
    case .shift:
      place = .text
      return Self.cursor(byte)
    case .mouse(let count):
      place = count == 2 ? .text : .mouse(count + 1)
      return count == 0 ? Self.wheel(Int(byte) - 32) : nil
    }
    return nil
  }

  /// Call this when no byte follows within a moment: a lone escape was the Esc key.
  package mutating func pause() {
    if case .escape = place { place = .text }
  }

  private func sequence(_ final: UInt8) -> Key? {
    let isMouse = parameters.first == 0x3C
    let fields = parameters.dropFirst(isMouse ? 1 : 0).split(separator: 0x3B, omittingEmptySubsequences: false)
    let number = fields.first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    switch final {
    // `M` is a press, `m` a release.
    case 0x4D where isMouse: return number.flatMap(Self.wheel)
    case 0x7E where !isMouse:
      switch number {
      case 1, 7: return .home
      case 4, 8: return .end
      case 5: return .pageUp
      case 6: return .pageDown
      default: return nil
      }
    default: return isMouse ? nil : Self.cursor(final)
    }
  }

  private static func cursor(_ final: UInt8) -> Key? {
    switch final {
    case 0x41: .up
    case 0x42: .down
    case 0x43: .right
    case 0x44: .left
    case 0x48: .home
    case 0x46: .end
    default: nil
    }
  }

  /// The key for a button's number, with or without Shift (4), Alt (8) and Ctrl (16).
  private static func wheel(_ button: Int) -> Key? {
    switch button & ~0x1C {
    case 64: .wheelUp
    case 65: .wheelDown
    default: nil
    }
  }
}
