/// A picture of dots, two columns by four rows per cell, as in braille.
struct DotCanvas {
  let width: Int
  let height: Int
  private let columns: Int
  private var dots: [UInt8]
  private var styles: [Style]

  /// An empty canvas of `columns` by `rows` cells.
  init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    width = self.columns * 2
    height = max(0, rows) * 4
    dots = Array(repeating: 0, count: self.columns * max(0, rows))
    styles = Array(repeating: .plain, count: dots.count)
  }

  /// Sets a dot, counted from (0, 0) at the upper left; ignores dots outside. The cell takes the style of its latest
  /// dot.
  mutating func set(_ x: Int, _ y: Int, _ style: Style) {
    guard x >= 0, y >= 0, x < width, y < height else { return }
    let index = y / 4 * columns + x / 2
    dots[index] |= 1 << UInt8(y % 4 * 2 + x % 2)
    styles[index] = style
  }

  /// Draws a straight line between two points, in dots.
  mutating func line(_ a: Point, _ b: Point, _ style: Style) {
    let steps = min(4_096, Int(max(abs(b.x - a.x), abs(b.y - a.y)).rounded(.up)))
    for step in 0...steps {
      let part = steps == 0 ? 0 : Double(step) / Double(steps)
      set(Int((a.x + (b.x - a.x) * part).rounded()), Int((a.y + (b.y - a.y) * part).rounded()), style)
    }
  }

  /// Draws the cells that have dots.
  func draw(on grid: inout Grid, _ column: Int, _ row: Int, _ look: TextStyle) {
    for index in dots.indices where dots[index] != 0 {
      let scalar = look.hasUnicode ? Self.braille(dots[index]) : Self.ascii(dots[index])
      grid[column + index % columns, row + index / columns] = Cell(scalar, styles[index])
    }
  }

  /// A point in dots.
  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  /// The braille character for the dots, two in each of four rows.
  ///
  /// - Source: The Unicode Standard, chapter 21.1: U+2800 and a bit for each of dots 1 to 8, of which 1, 2, 3 and 7 are
  ///   on the left.
  private static func braille(_ dots: UInt8) -> Unicode.Scalar {
    let order: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
    var bits: UInt32 = 0
    for index in 0..<8 where dots >> UInt8(index) & 1 == 1 { bits |= order[index] }
    return Unicode.Scalar(0x2800 + bits) ?? "*"
  }

  /// The ASCII character that looks most like the dots.
  private static func ascii(_ dots: UInt8) -> Unicode.Scalar {
    let rows = (0..<4).filter { dots >> UInt8($0 * 2) & 3 != 0 }
    if dots & 0b0101_0101 == 0 || dots & 0b1010_1010 == 0 { if rows.count > 2 { return "|" } }
    switch rows {
    case [0]: return "\""
    case [0, 1], [0, 1, 2]: return "'"
    case [1], [2], [1, 2]: return "-"
    case [3]: return "_"
    case [2, 3], [1, 2, 3]: return "."
    default:
      if dots.nonzeroBitCount > 5 { return "#" }
      if dots & 0b1000_0001 == 0b1000_0001 { return "\\" }
      return dots & 0b0100_0010 == 0b0100_0010 ? "/" : "|"
    }
  }
}
