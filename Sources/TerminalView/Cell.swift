/// What one place of the terminal shows.
package struct Cell: Equatable, Sendable {
  /// A character that takes one column.
  package var scalar: Unicode.Scalar
  package var style: Style

  package init(_ scalar: Unicode.Scalar, _ style: Style = .plain) {
    self.scalar = scalar
    self.style = style
  }

  /// Nothing.
  package static let blank = Cell(" ")
}

/// How a cell looks. Colours are those of the terminal's own palette, which its user has chosen to be readable.
package struct Style: Equatable, Sendable {
  package var colour: Colour
  package var isBold: Bool
  package var isDim: Bool
  /// Whether the colours of character and background change places.
  package var isInverse: Bool

  package init(_ colour: Colour = .normal, bold: Bool = false, dim: Bool = false, inverse: Bool = false) {
    self.colour = colour
    isBold = bold
    isDim = dim
    isInverse = inverse
  }

  package static let plain = Style()
  package static let bold = Style(bold: true)
  package static let dim = Style(dim: true)

  /// The same, with the colours changed about.
  package var inverse: Style {
    var copy = self
    copy.isInverse = true
    return copy
  }

  /// The same without a colour.
  package var colourless: Style {
    var copy = self
    copy.colour = .normal
    return copy
  }
}

/// The eight colours of every terminal, and the one it writes in.
package enum Colour: UInt8, Sendable {
  case black, red, green, yellow, blue, magenta, cyan, white, normal
}

/// What a terminal can show.
package struct Look: Equatable, Sendable {
  package var hasColour: Bool
  /// Whether there is more than ASCII: lines of boxes, and the dots of braille.
  package var hasUnicode: Bool

  package init(hasColour: Bool, hasUnicode: Bool) {
    self.hasColour = hasColour
    self.hasUnicode = hasUnicode
  }

  /// The first where it can be shown, else the second.
  package func mark(_ unicode: String, _ ascii: String) -> String { hasUnicode ? unicode : ascii }
}
