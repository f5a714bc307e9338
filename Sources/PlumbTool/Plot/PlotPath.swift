/// A path of SVG in the making, in whole tenths of the picture's units, by small steps.
struct PlotPath {
  private(set) var text = ""
  private var x = 0
  private var y = 0
  /// Whether the last step was a move, so that nothing is to be seen of it yet.
  private var isAlone = false

  /// Begins anew at a point.
  mutating func move(_ x: Int, _ y: Int) {
    dot()
    text += "M\(x) \(y)"
    (self.x, self.y, isAlone) = (x, y, true)
  }

  /// A straight line to a point.
  mutating func line(_ x: Int, _ y: Int) {
    let (dx, dy) = (x - self.x, y - self.y)
    if dx == 0 && dy == 0 { return }
    text += dx == 0 ? "v\(dy)" : dy == 0 ? "h\(dx)" : dy < 0 ? "l\(dx)\(dy)" : "l\(dx) \(dy)"
    (self.x, self.y, isAlone) = (x, y, false)
  }

  /// A box.
  mutating func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
    text += "M\(x) \(y)h\(width)v\(height)h\(-width)z"
  }

  /// Makes a point without lines visible.
  mutating func dot() {
    if isAlone { text += "m-6 0h12" }
    isAlone = false
  }
}
