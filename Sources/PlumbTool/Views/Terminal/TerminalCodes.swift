/// All codes that the terminal is sent, and the only place where they are written.
///
/// - Source: ECMA-48 (CSI sequences, SGR); the xterm control sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
///   (private modes); https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036 (mode 2026). A terminal that
///   does not know a private mode leaves it alone.
package enum Escape {
  /// Begins drawing: the other screen, no cursor, and lines that do not go on in the next row; empty.
  package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[0m\u{1B}[2J"
  /// Ends drawing, whatever was being sent (CAN): everything is as it was.
  package static let leave = "\u{18}\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private static let beginUpdate = "\u{1B}[?2026h"
  private static let endUpdate = "\u{1B}[?2026l"
  private static let erase = "\u{1B}[0m\u{1B}[2J"

  /// What turns a terminal that shows `old` into one that shows `new`, in one piece; nothing where they are alike.
  ///
  /// `old` is nil where nobody knows what the terminal shows.
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

  /// What has been sent, and what the terminal does next.
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

/// Finds the keys in what a terminal sends: letters as they are, and not the letters inside the codes of other keys.
package struct KeyReader: Sendable {
  private enum Place: Sendable {
    case text, escape, sequence, shift
  }

  private var place = Place.text

  package init() {}

  /// Takes a byte in; returns the key that it completes, if it is one of ASCII.
  package mutating func key(_ byte: UInt8) -> Unicode.Scalar? {
    switch place {
    case .text where byte == 0x1B: place = .escape
    case .text: return byte < 0x80 ? Unicode.Scalar(byte) : nil
    case .escape where byte == 0x5B: place = .sequence
    case .escape where byte == 0x4F: place = .shift
    // Any other key with Alt.
    case .escape where byte != 0x1B: place = .text
    case .escape: break
    // CSI: parameters and intermediates, then a final byte.
    case .sequence where byte >= 0x40 && byte <= 0x7E: place = .text
    case .sequence: break
    case .shift: place = .text
    }
    return nil
  }

  /// Nothing follows at once: an escape that came alone was the key of that name.
  package mutating func pause() {
    if place == .escape { place = .text }
  }
}
