/// The history of x, y and z as three lines above a band of poses.
struct StripChart {
  private let history: History
  private let look: TextStyle
  /// How many of the latest slices are hidden.
  private let newer: Int

  private static let names: [Unicode.Scalar] = ["x", "y", "z"]
  private static let styles = [Style(.red), Style(.green), Style(.cyan)]
  /// The width of the scale on the left.
  private static let margin = 6
  /// The width on the right for a blank and the names of the three lines.
  private static let nameRoom = 4

  init(_ history: History, _ look: TextStyle, newer: Int = 0) {
    self.history = history
    self.look = look
    self.newer = newer
  }

  /// How many slices fit into one column.
  private var density: Int { look.hasUnicode ? 2 : 1 }

  /// The slices shown in `columns`, the latest last; nil where there is no history yet.
  private func shown(_ columns: Int) -> [History.Slice?] {
    let count = columns * density
    let past = history.slices.dropLast(newer).suffix(count)
    return Array(repeating: nil, count: count - past.count) + past.map { $0 }
  }

  /// The duration that fits into `width`, in s.
  func span(_ width: Int) -> Double { Double(room(width)) * history.interval }

  /// How many slices fit into `width`.
  func room(_ width: Int) -> Int { max(0, width - Self.margin - Self.nameRoom) * density }

  func draw(on grid: inout Grid, _ frame: Frame) {
    let columns = frame.width - Self.margin - Self.nameRoom
    let rows = frame.height - 1
    guard columns > 0 && rows > 0 else { return }
    let slices = shown(columns)
    let top = scale(of: slices)
    drawScale(top, frame, rows, &grid)
    let place = Frame(column: frame.column + Self.margin, row: frame.row, width: columns, height: rows)
    if look.hasUnicode { drawLines(slices, top, place, &grid) } else { drawLetters(slices, top, place, &grid) }
    drawNames(slices, top, place, &grid)
    drawBand(slices, frame.row + rows, place, &grid)
  }

  /// The smallest round scale that shows everything, in g.
  private func scale(of slices: [History.Slice?]) -> Double {
    var greatest = 0.0
    for slice in slices {
      for range in slice?.ranges ?? [] {
        greatest = max(greatest, range.upperBound.magnitude, range.lowerBound.magnitude)
      }
    }
    return [1.2, 2, 4, 8].first { greatest <= $0 } ?? 16
  }

  private func drawScale(_ top: Double, _ frame: Frame, _ rows: Int, _ grid: inout Grid) {
    let places = top == top.rounded() ? 0 : 1
    for (value, row) in [(top, 0), (0, rows / 2), (-top, rows - 1)] {
      let text = value == 0 ? "0" : figure(value, places: places, width: 0)
      grid.put(text, frame.column + 5 - text.count, frame.row + row, .dim)
    }
    let zero = Cell(look.mark("┈", ".").unicodeScalars.first ?? ".", .dim)
    grid.fill(frame.column + Self.margin..<frame.column + frame.width - Self.nameRoom, frame.row + rows / 2, zero)
  }

  /// Draws lines of dots: two slices and four heights per cell.
  private func drawLines(_ slices: [History.Slice?], _ top: Double, _ place: Frame, _ grid: inout Grid) {
    var canvas = DotCanvas(columns: place.width, rows: place.height)
    for axis in [2, 1, 0] {
      var last: ClosedRange<Int>?
      for (x, slice) in slices.enumerated() {
        guard let range = slice?.ranges?[axis] else {
          last = nil
          continue
        }
        let dots = height(range.upperBound, top, canvas.height)...height(range.lowerBound, top, canvas.height)
        // Reaches to the previous slice, so that a jump shows as a line.
        let from = min(dots.lowerBound, last.map { $0.upperBound + 1 } ?? dots.lowerBound)
        let to = max(dots.upperBound, last.map { $0.lowerBound - 1 } ?? dots.upperBound)
        for y in from...max(from, to) { canvas.set(x, y, Self.styles[axis]) }
        last = dots
      }
    }
    canvas.draw(on: &grid, place.column, place.row, look)
  }

  /// Draws the lines as letters, one slice and one height per cell.
  private func drawLetters(_ slices: [History.Slice?], _ top: Double, _ place: Frame, _ grid: inout Grid) {
    for axis in [2, 1, 0] {
      for (x, slice) in slices.enumerated() {
        guard let range = slice?.ranges?[axis] else { continue }
        let rows = height(range.upperBound, top, place.height)...height(range.lowerBound, top, place.height)
        for row in rows { grid[place.column + x, place.row + row] = Cell(Self.names[axis], Self.styles[axis]) }
      }
    }
  }

  /// How far down `value` is, in `count` heights.
  private func height(_ value: Double, _ top: Double, _ count: Int) -> Int {
    let part = (top - value) / (2 * top) * Double(count)
    return min(count - 1, max(0, Int(part.rounded(.down))))
  }

  /// Names the lines in the rows where they end, side by side if several end in the same row.
  private func drawNames(_ slices: [History.Slice?], _ top: Double, _ place: Frame, _ grid: inout Grid) {
    guard let ranges = slices.last??.ranges else { return }
    var taken: [Int: Int] = [:]
    for axis in 0..<3 {
      let middle = (ranges[axis].lowerBound + ranges[axis].upperBound) / 2
      let row = height(middle, top, place.height)
      let before = taken[row, default: 0]
      taken[row] = before + 1
      var style = Self.styles[axis]
      style.isBold = true
      grid[place.column + place.width + 1 + before, place.row + row] = Cell(Self.names[axis], style)
    }
  }

  /// Draws a band for each pose, with its name if it fits.
  private func drawBand(_ slices: [History.Slice?], _ row: Int, _ place: Frame, _ grid: inout Grid) {
    grid.put("pose", place.column - 5, row, .dim)
    let cells = (0..<place.width).map { slices[$0 * density + density - 1] }
    var start = 0
    while start < cells.count {
      var end = start + 1
      while end < cells.count && isAlike(cells[start], cells[end]) { end += 1 }
      if let slice = cells[start] { drawPart(slice.pose, place.column + start..<place.column + end, row, &grid) }
      start = end
    }
  }

  private func isAlike(_ a: History.Slice?, _ b: History.Slice?) -> Bool {
    (a == nil) == (b == nil) && a?.pose == b?.pose
  }

  private func drawPart(_ pose: Int?, _ columns: Range<Int>, _ row: Int, _ grid: inout Grid) {
    guard let pose else {
      return grid.fill(columns, row, Cell(look.mark("·", ".").unicodeScalars.first ?? ".", .dim))
    }
    let style = Style(PoseMark.colours[pose]).inverse
    // An empty column separates two bands even without colour.
    let inside = columns.count > 1 ? columns.lowerBound..<columns.upperBound - 1 : columns
    grid.fill(inside, row, look.hasUnicode ? Cell(" ", style) : Cell("=", style))
    let (letter, name) = (PoseMark.letters[pose], PoseMark.letters[pose] + " " + PoseMark.names[pose])
    let text = name.count + 2 <= inside.count ? name : letter
    grid.put(text, inside.lowerBound + (inside.count - text.count) / 2, row, style)
  }
}
