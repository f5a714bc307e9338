/// A figure as a place on a line.
struct Gauge {
  var look: Look

  /// Draws a bar from the middle to where `value` is, of -1…+1.
  func centred(_ value: Double, on grid: inout Grid, _ column: Int, _ row: Int, width: Int, _ style: Style) {
    track(on: &grid, column, row, width)
    let middle = width / 2
    let reach = Int((min(1, max(-1, value)) * Double(middle)).rounded())
    for offset in min(0, reach)...max(0, reach) {
      grid[column + middle + offset, row] = Cell(bar, style)
    }
    grid[column + middle, row] = Cell(look.hasUnicode ? "┃" : "|", reach == 0 ? style : .bold)
  }

  /// Draws a mark where `value` is, of 0…1.
  func marked(_ value: Double, on grid: inout Grid, _ column: Int, _ row: Int, width: Int, _ style: Style) {
    track(on: &grid, column, row, width)
    let place = Int((min(1, max(0, value)) * Double(width - 3)).rounded())
    for offset in 0..<3 { grid[column + place + offset, row] = Cell(bar, style) }
  }

  private var bar: Unicode.Scalar { look.hasUnicode ? "━" : "=" }

  private func track(on grid: inout Grid, _ column: Int, _ row: Int, _ width: Int) {
    grid.fill(column..<column + width, row, Cell(look.hasUnicode ? "─" : "-", .dim))
  }
}
