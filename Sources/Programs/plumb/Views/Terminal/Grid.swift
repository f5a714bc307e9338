/// The cells of a terminal, row by row.
package struct Grid: Equatable, Sendable {
  package let width: Int
  package let height: Int
  private var cells: [Cell]

  /// An empty screen.
  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
    cells = Array(repeating: .blank, count: self.width * self.height)
  }

  /// The cell in a column and a row, counted from 0 at the upper left. Outside the grid, reading returns a blank and
  /// writing does nothing.
  package subscript(column: Int, row: Int) -> Cell {
    get { contains(column, row) ? cells[row * width + column] : .blank }
    set { if contains(column, row) { cells[row * width + column] = newValue } }
  }

  private func contains(_ column: Int, _ row: Int) -> Bool {
    column >= 0 && row >= 0 && column < width && row < height
  }

  /// Writes `text` from a cell to the right, in at most `room` columns; `cut` marks the end of text that does not fit.
  package mutating func put(
    _ text: String, _ column: Int, _ row: Int, _ style: Style = .plain, room: Int = .max, cut: Unicode.Scalar? = nil
  ) {
    let scalars = Array(text.unicodeScalars)
    let room = min(room, width - column)
    for (index, scalar) in scalars.prefix(max(0, room)).enumerated() {
      let isCut = index == room - 1 && scalars.count > room
      self[column + index, row] = Cell(isCut ? cut ?? scalar : scalar, style)
    }
  }

  /// Fills a part of a row with one cell.
  package mutating func fill(_ columns: Range<Int>, _ row: Int, _ cell: Cell) {
    for column in columns { self[column, row] = cell }
  }
}

/// A part of the screen.
package struct Frame: Equatable, Sendable {
  package var column: Int
  package var row: Int
  package var width: Int
  package var height: Int

  package init(column: Int, row: Int, width: Int, height: Int) {
    (self.column, self.row, self.width, self.height) = (column, row, max(0, width), max(0, height))
  }

  /// The space inside a box drawn along its edge, with a blank on each side.
  package var inside: Frame { Frame(column: column + 2, row: row + 1, width: width - 4, height: height - 2) }
}

extension Grid {
  /// Draws a box along the edge of `frame`, with a title in its top edge.
  mutating func box(_ frame: Frame, _ title: String, _ look: TextStyle) {
    let (right, bottom) = (frame.column + frame.width - 1, frame.row + frame.height - 1)
    let parts = Array(look.mark("─│╭╮╰╯", "-|++++").unicodeScalars)
    for row in [frame.row, bottom] { fill(frame.column..<right + 1, row, Cell(parts[0], .dim)) }
    for row in frame.row + 1..<max(frame.row + 1, bottom) {
      for column in [frame.column, right] { self[column, row] = Cell(parts[1], .dim) }
    }
    self[frame.column, frame.row] = Cell(parts[2], .dim)
    self[right, frame.row] = Cell(parts[3], .dim)
    self[frame.column, bottom] = Cell(parts[4], .dim)
    self[right, bottom] = Cell(parts[5], .dim)
    put(" \(title) ", frame.column + 2, frame.row, room: frame.width - 4)
  }
}

/// The content of one position of the terminal.
package struct Cell: Equatable, Sendable {
  /// A character that is one column wide.
  package var scalar: Unicode.Scalar
  package var style: Style

  package init(_ scalar: Unicode.Scalar, _ style: Style = .plain) {
    self.scalar = scalar
    self.style = style
  }

  /// An empty cell.
  package static let blank = Cell(" ")
}

/// The style of a cell. The colours are those of the terminal's palette, which its user has chosen to be readable.
package struct Style: Equatable, Sendable {
  package var colour: Colour
  package var isBold: Bool
  package var isDim: Bool
  /// Whether the colours of character and background are swapped.
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

  /// The same, with the colours swapped.
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

/// The eight colours of every terminal, and its default colour.
package enum Colour: UInt8, Sendable {
  case black, red, green, yellow, blue, magenta, cyan, white, normal
}
