/// The body of an SVG picture. Its numbers are integers, so that the same input results in the same bytes everywhere.
struct SVG {
  private(set) var body = ""

  /// A point, in units of the picture.
  struct Point: Equatable {
    var x: Int
    var y: Int
  }

  /// Text made safe for the content or an attribute of an element.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }

  mutating func raw(_ line: String) { body += line + "\n" }

  mutating func rectangle(_ kind: String, x: Int, y: Int, width: Int, height: Int, round: Int = 0) {
    let corner = round > 0 ? " rx=\"\(round)\"" : ""
    raw("<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"\(corner)/>")
  }

  mutating func circle(_ kind: String, _ centre: Point, radius: Int) {
    raw("<circle class=\"\(kind)\" cx=\"\(centre.x)\" cy=\"\(centre.y)\" r=\"\(radius)\"/>")
  }

  mutating func text(_ kind: String, _ place: Point, _ text: String) {
    raw("<text class=\"\(kind)\" x=\"\(place.x)\" y=\"\(place.y)\">\(Self.escaped(text))</text>")
  }

  /// The path along `points`, with horizontal or vertical legs, and with corners of radius 8 if there is room.
  static func path(_ points: [Point]) -> String {
    var corners: [Point] = []
    for point in points where point != corners.last { corners.append(point) }
    guard var last = corners.first else { return "" }
    var path = "M\(last.x) \(last.y)"
    for (index, corner) in corners.enumerated().dropFirst() {
      guard index + 1 < corners.count else {
        path += "L\(corner.x) \(corner.y)"
        break
      }
      let next = corners[index + 1]
      let radius = min(8, distance(last, corner) / 2, distance(corner, next) / 2)
      let (before, after) = (towards(last, from: corner, radius), towards(next, from: corner, radius))
      path += "L\(before.x) \(before.y)Q\(corner.x) \(corner.y) \(after.x) \(after.y)"
      last = corner
    }
    return path
  }

  private static func distance(_ a: Point, _ b: Point) -> Int { abs(a.x - b.x) + abs(a.y - b.y) }

  private static func towards(_ goal: Point, from start: Point, _ length: Int) -> Point {
    Point(
      x: start.x + length * (goal.x - start.x).signum(), y: start.y + length * (goal.y - start.y).signum())
  }
}
