import BoardFile

/// The wiring as a picture: header in the middle, sensor on its left, LEDs on its right, a legend below.
///
/// Wires that leave the header's left row for a LED pass between two pins of the right row, so that on either side the
/// wires come in the order of the header.
struct WiringDrawing {
  typealias Point = SVG.Point

  let wiring: Wiring
  var svg = SVG()

  // Everything is placed by these, in units of the picture.
  static let width = 690
  static let headerTop = 158
  static let pitch = 36
  static let leftEdge = 194
  static let leftDot = 283
  static let rightDot = 315
  static let rightEdge = 404
  static let labelWidth = 68
  static let lightsLeft = 486
  static let rail = 664

  init(_ wiring: Wiring) { self.wiring = wiring }

  /// The whole file.
  static func text(_ wiring: Wiring) -> String {
    var drawing = WiringDrawing(wiring)
    drawing.drawTitle()
    drawing.drawHeader()
    drawing.drawLights()
    drawing.drawSensor()
    let height = drawing.drawLegend(top: headerTop + 20 * pitch + 44)
    let title = SVG.escaped(wiring.title)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" role="img" aria-labelledby="title">
      <title id="title">\(title)</title>
      <style>
      \(drawing.style)</style>
      <rect class="paper" width="\(width)" height="\(height)"/>
      \(drawing.svg.body)</svg>

      """
  }

  private mutating func drawTitle() {
    let board = wiring.board
    svg.text("title", Point(x: 24, y: 44), "\(board.sensor.model.properName) and \(wiring.partner)")
    svg.text("subtitle", Point(x: 24, y: 74), "on the header of a Raspberry Pi, any model with 40 pins")
    svg.text(
      "subtitle", Point(x: 24, y: 100), "I2C address \(board.sensor.address.text). Switch the Pi off before you wire.")
  }

  /// The height of a row of the header.
  static func height(of pin: HeaderPin) -> Int { headerTop + pitch * pin.row }

  private mutating func drawHeader() {
    let top = Self.headerTop - 24
    svg.text("corner", Point(x: Self.leftDot - 18, y: top - 8), "pin 1")
    svg.rectangle("header", x: Self.leftDot - 18, y: top, width: 68, height: 19 * Self.pitch + 48, round: 8)
    for pin in HeaderPin.all {
      let y = Self.height(of: pin)
      let colour = wiring.colour(of: pin)
      let isUsed = colour != nil
      let x = pin.isLeft ? Self.leftEdge : Self.rightEdge - Self.labelWidth
      let label = colour.map { "label used \($0.rawValue)" } ?? "label"
      svg.rectangle(label, x: x, y: y - 12, width: Self.labelWidth, height: 24, round: 5)
      svg.text(isUsed ? "pin used" : "pin", Point(x: x + Self.labelWidth / 2, y: y + 6), pin.name)
      let dot = Point(x: pin.isLeft ? Self.leftDot : Self.rightDot, y: y)
      if let colour { svg.circle("dot \(colour.rawValue)", dot, radius: 12) }
      if pin.number == 1 {
        svg.rectangle("first", x: dot.x - 12, y: dot.y - 12, width: 24, height: 24)
      }
      svg.circle(isUsed ? "hole used" : "hole", dot, radius: isUsed ? 10 : 9)
      svg.text(isUsed ? "number used" : "number", Point(x: dot.x, y: y + 5), "\(pin.number)")
    }
  }
}
