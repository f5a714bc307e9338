/// Draws the board as a thin box of lines, seen from slightly above and slightly from the right.
struct BoardDrawing {
  private let attitude: BoardAttitude
  private let pose: Int?

  /// Half the board's width, height and depth; half its height is 1.
  private static let (wide, high, deep) = (0.72, 1.0, 0.07)
  /// The eye's angles above and beside the board, in rad, and its distance in half heights of the board.
  private static let (above, beside, distance) = (0.42, 0.30, 6.0)

  init(_ attitude: BoardAttitude, pose: Int?) {
    self.attitude = attitude
    self.pose = pose
  }

  /// Draws the board as large as the frame allows, marks its top edge and names the visible side.
  func draw(on grid: inout Grid, _ frame: Frame, _ look: TextStyle) {
    var canvas = DotCanvas(columns: frame.width, rows: frame.height)
    let scale = min(Double(canvas.height) * 0.37, Double(canvas.width) * 0.37)
    let place = Place(canvas.width, canvas.height, scale)
    let (wide, high, deep) = (Self.wide, Self.high, Self.deep)
    let corners = [(-wide, -high), (wide, -high), (wide, high), (-wide, high)]
    let face = corners.map { camera(Point3($0.0, $0.1, deep)) }
    let back = corners.map { camera(Point3($0.0, $0.1, -deep)) }
    let showsFace = isSeen(face[0], face[1], face[2])
    let edge = Style(dim: true)
    for (near, far) in zip(face, back) { canvas.line(place.dot(near), place.dot(far), edge) }
    outline(showsFace ? back : face, edge, place, &canvas)
    let front = showsFace ? deep : -deep
    fillTop(front, place, &canvas)
    if showsFace { drawChip(front, place, &canvas) } else { drawCross(front, place, &canvas) }
    outline(showsFace ? face : back, .bold, place, &canvas)
    canvas.draw(on: &grid, frame.column, frame.row, look)
    label("top", Point3(0, high * 1.3, 0), Style(.yellow, bold: true), place, frame, &grid)
    label(showsFace ? "face" : "back", Point3(0, -high * 0.6, front), .bold, place, frame, &grid)
  }

  /// Draws the strip along the top edge.
  private func fillTop(_ side: Double, _ place: Place, _ canvas: inout DotCanvas) {
    for step in 0...24 {
      let y = Self.high * (0.78 + 0.22 * Double(step) / 24)
      canvas.line(
        place.dot(camera(Point3(-Self.wide, y, side))), place.dot(camera(Point3(Self.wide, y, side))), Style(.yellow))
    }
  }

  /// Draws the sensor in the middle of the face.
  private func drawChip(_ side: Double, _ place: Place, _ canvas: inout DotCanvas) {
    let half = 0.16
    let style = pose.map { Style(PoseMark.colours[$0], bold: true) } ?? Style(dim: true)
    for step in 0...8 {
      let y = -half + 2 * half * Double(step) / 8 + 0.2
      canvas.line(place.dot(camera(Point3(-half, y, side))), place.dot(camera(Point3(half, y, side))), style)
    }
  }

  /// Marks the solder side.
  private func drawCross(_ side: Double, _ place: Place, _ canvas: inout DotCanvas) {
    for (from, to) in [((-0.45, -0.2), (0.45, 0.6)), ((0.45, -0.2), (-0.45, 0.6))] {
      canvas.line(
        place.dot(camera(Point3(from.0, from.1, side))), place.dot(camera(Point3(to.0, to.1, side))), Style(dim: true))
    }
  }

  private func outline(_ corners: [Point3], _ style: Style, _ place: Place, _ canvas: inout DotCanvas) {
    for index in corners.indices {
      canvas.line(place.dot(corners[index]), place.dot(corners[(index + 1) % corners.count]), style)
    }
  }

  private func label(
    _ text: String, _ point: Point3, _ style: Style, _ place: Place, _ frame: Frame, _ grid: inout Grid
  ) {
    let dot = place.dot(camera(point))
    // A small offset keeps the words off the boundary of two columns when the board is held straight, so that they do
    // not jump.
    let column = Int((dot.x / 2 - Double(text.count) / 2 + 0.2).rounded())
    let row = Int((dot.y / 4 - 0.5).rounded())
    let room = frame.width - text.count
    grid.put(
      text, frame.column + max(0, min(room, column)), frame.row + max(0, min(frame.height - 1, row)), style,
      room: frame.width)
  }

  /// A point on the board in the eye's frame.
  private func camera(_ point: Point3) -> Point3 {
    attitude.seen(point).turned(Point3(0, 1, 0), -Self.beside).turned(Point3(1, 0, 0), Self.above)
  }

  /// Whether the side with the corners `a`, `b`, `c`, counter-clockwise from outside, is visible.
  private func isSeen(_ a: Point3, _ b: Point3, _ c: Point3) -> Bool {
    let normal = (b - a).cross(c - b)
    return normal.dot(Point3(0, 0, Self.distance) - a) > 0
  }

  /// The projection onto the canvas, whose dots are square.
  private struct Place {
    private let middle: (x: Double, y: Double)
    private let scale: Double

    init(_ width: Int, _ height: Int, _ scale: Double) {
      middle = (Double(width) / 2, Double(height) / 2)
      self.scale = scale
    }

    func dot(_ point: Point3) -> DotCanvas.Point {
      let size = scale * BoardDrawing.distance / (BoardDrawing.distance - point.z)
      return DotCanvas.Point(x: middle.x + point.x * size, y: middle.y - point.y * size)
    }
  }
}
