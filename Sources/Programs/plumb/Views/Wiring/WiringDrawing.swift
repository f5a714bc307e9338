internal import BoardFile
internal import Indication
internal import Sensors

/// The wiring as a picture: the header in the middle, the sensor on its left, LEDs on its right, a legend below.
///
/// A wire from the header's left row to an LED passes between two pins of the right row, so that on either side the
/// wires are in the order of the header.
package struct WiringDrawing {
  typealias Point = SVG.Point

  let wiring: Wiring
  var svg = SVG()

  // The layout, in units of the picture.
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

  /// The whole SVG file.
  package static func text(_ wiring: Wiring) -> String {
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
    svg.text(
      "subtitle", Point(x: 24, y: 74),
      wiring.header == .pico
        ? "on a Raspberry Pi Pico, seen from above with the USB plug at the top"
        : "on the header of a Raspberry Pi, any model with 40 pins")
    let off = wiring.header == .pico ? "Unplug the Pico" : "Switch the Pi off"
    svg.text("subtitle", Point(x: 24, y: 100), "I2C address \(wiring.address). \(off) before you wire.")
  }

  /// The height of a row of the header.
  static func height(of pin: HeaderPin) -> Int { headerTop + pitch * pin.row }

  private mutating func drawHeader() {
    let top = Self.headerTop - 24
    svg.text("corner", Point(x: Self.leftDot - 18, y: top - 8), "pin 1")
    svg.rectangle("header", x: Self.leftDot - 18, y: top, width: 68, height: 19 * Self.pitch + 48, round: 8)
    for pin in wiring.header.all {
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

extension WiringDrawing {
  /// A wire on the right: to an LED, or from the common pin to the rail of all LEDs.
  private struct End {
    var pin: HeaderPin
    var light: Wiring.Light?

    /// The height at which it passes the header's right edge: that of its pin, or, for a pin of the left row, between
    /// two pins of the right row.
    var height: Int { WiringDrawing.height(of: pin) + (pin.isLeft ? WiringDrawing.pitch / 2 : 0) }
  }

  private var commonColour: WireColour { wiring.common.isGround ? .ground : .supply }

  mutating func drawLights() {
    let all = wiring.lights.map { End(pin: $0.pin, light: $0) } + [End(pin: wiring.common, light: nil)]
    let ends = all.sorted { $0.height < $1.height }
    let goals = ends.indices.map { Self.headerTop + 40 + (ends.count > 7 ? 86 : 98) * $0 }
    let lanes = WireLanes(zip(ends, goals).map { ($0.height, $1) })
    let space = (Self.lightsLeft - 6 - Self.rightEdge) / (ends.count + 1)
    for (index, end) in ends.enumerated() {
      drawWire(end, lane: Self.rightEdge + space * (lanes.lanes[index] + 1), goal: goals[index])
    }
    for (end, goal) in zip(ends, goals) {
      if let light = end.light {
        if wiring.isCoded { drawInput(light, y: goal) } else { draw(light, y: goal) }
      } else {
        let words =
          wiring.isCoded
          ? "reader's GND, pin \(wiring.common.number)"
          : (wiring.common.isGround ? "all to GND" : "all to 3.3 V") + ", pin \(wiring.common.number)"
        svg.text("faint end", Point(x: Self.rail - 12, y: goal - 12), words)
      }
    }
    let (top, bottom) = (goals.min() ?? 0, goals.max() ?? 0)
    if wiring.isCoded {
      svg.rectangle("header", x: Self.rail - 10, y: top - 24, width: 20, height: bottom - top + 48, round: 6)
      for goal in goals { svg.circle("hole", Point(x: Self.rail, y: goal), radius: 6) }
    } else {
      svg.plainWire(commonColour, [Point(x: Self.rail, y: top - 2), Point(x: Self.rail, y: bottom + 2)])
    }
  }

  private mutating func drawWire(_ end: End, lane: Int, goal: Int) {
    let colour = end.light?.colour ?? commonColour
    let edge = Self.rightEdge + 1
    if end.pin.isLeft {
      let dot = Self.height(of: end.pin) + 11
      svg.plainWire(
        colour,
        [Point(x: Self.leftDot, y: dot), Point(x: Self.leftDot, y: end.height), Point(x: edge, y: end.height)])
    }
    svg.wire(
      colour,
      [
        Point(x: edge, y: end.height), Point(x: lane, y: end.height), Point(x: lane, y: goal),
        Point(x: end.light == nil ? Self.rail : Self.lightsLeft + 20, y: goal),
      ])
  }

  /// Draws a resistor from `lightsLeft` to the reader's input.
  private mutating func drawInput(_ light: Wiring.Light, y: Int) {
    svg.plainWire(light.colour, [Point(x: Self.lightsLeft, y: y), Point(x: Self.rail, y: y)])
    svg.rectangle("resistor", x: Self.lightsLeft + 20, y: y - 10, width: 60, height: 20, round: 6)
    label(light, y: y)
  }

  private mutating func label(_ light: Wiring.Light, y: Int) {
    svg.text("strong end", Point(x: Self.rail - 12, y: y - 27), "\(light.key.pose?.shortWords ?? light.key.name)")
    svg.text(
      "faint end", Point(x: Self.rail - 12, y: y + (wiring.isCoded ? 32 : 40)),
      "pin \(light.pin.number), \(light.pin.name)")
  }

  /// Draws a resistor and an LED from `lightsLeft` to the rail, with the LED's arrow in the direction of the current.
  private mutating func draw(_ light: Wiring.Light, y: Int) {
    let left = Self.lightsLeft
    let centre = Point(x: left + 122, y: y)
    svg.plainWire(light.colour, [Point(x: left, y: y), centre])
    svg.plainWire(commonColour, [centre, Point(x: Self.rail, y: y)])
    svg.rectangle("resistor", x: left + 20, y: y - 10, width: 60, height: 20, round: 6)
    for (offset, band) in [(30, "orange"), (40, "orange"), (50, "brown"), (66, "gold")] {
      svg.rectangle(band, x: left + offset, y: y - 9, width: 5, height: 18)
    }
    svg.circle("diode \(light.colour.rawValue)", centre, radius: 20)
    let sign = wiring.board.lines.isActiveLow ? -1 : 1
    let (tip, back) = (centre.x + 9 * sign, centre.x - 8 * sign)
    let arrow = "M\(back) \(y - 10)V\(y + 10)L\(tip) \(y)ZM\(tip) \(y - 10)V\(y + 10)"
    svg.raw("<path class=\"diode \(light.colour.rawValue)\" d=\"\(arrow)\"/>")
    label(light, y: y)
  }
}

extension WiringDrawing {
  private static let moduleLeft = 32
  private static let moduleWidth = 88
  private static let moduleTop = 222
  private static let padPitch = 34

  /// An orientation of the module: its pins from top to bottom, and their wires.
  private struct Layout {
    var pins: [Wiring.SensorPin]
    /// The indices of the pins whose wires have lanes.
    var routed: [Int]
    var lanes: WireLanes
    /// Whether the supply wire runs around the module, because its pin is the last.
    var goesAround: Bool
  }

  private static func padHeight(_ index: Int) -> Int { moduleTop + 30 + padPitch * index }

  /// The layout with fewer crossings: the module as printed, or turned by 180°.
  private var layout: Layout {
    let pins = wiring.sensorPins
    let upright = layout(pins, goesAround: false)
    let turned = layout(pins.reversed(), goesAround: true)
    return turned.lanes.crossings < upright.lanes.crossings ? turned : upright
  }

  /// The height at which a wire passes the header's left edge: that of its pin, or, for a pin of the right row, between
  /// two pins of the left row, on the side that no LED's wire uses.
  private func edgeHeight(of pin: HeaderPin) -> Int {
    guard !pin.isLeft else { return Self.height(of: pin) }
    let isBelowTaken = wiring.lights.contains { $0.pin.isLeft && $0.pin.row == pin.row }
    return Self.height(of: pin) + (isBelowTaken ? -Self.pitch / 2 : Self.pitch / 2)
  }

  private func layout(_ pins: [Wiring.SensorPin], goesAround: Bool) -> Layout {
    let routed = pins.indices.filter { pins[$0].pin != nil && !(goesAround && pins[$0].colour == .supply) }
    let lanes = WireLanes(
      routed.map { index in
        (Self.padHeight(index), pins[index].pin.map(edgeHeight) ?? Self.padHeight(index))
      })
    return Layout(pins: pins, routed: routed, lanes: lanes, goesAround: goesAround)
  }

  mutating func drawSensor() {
    let layout = layout
    let bottom = Self.padHeight(7) + 30
    let right = Self.moduleLeft + Self.moduleWidth
    drawSensorWires(layout, right: right, bottom: bottom)
    svg.rectangle(
      "module", x: Self.moduleLeft, y: Self.moduleTop, width: Self.moduleWidth, height: bottom - Self.moduleTop,
      round: 8)
    for y in [Self.moduleTop + 14, bottom - 14] {
      svg.circle("hollow", Point(x: Self.moduleLeft + 14, y: y), radius: 6)
    }
    let middle = (Self.moduleTop + bottom) / 2
    svg.rectangle("chip", x: Self.moduleLeft + 5, y: middle - 14, width: 20, height: 28, round: 3)
    svg.text("strong middle", Point(x: Self.moduleLeft + Self.moduleWidth / 2, y: Self.moduleTop - 12), wiring.module)
    for (index, pin) in layout.pins.enumerated() {
      let y = Self.padHeight(index)
      svg.circle("pad", Point(x: right - 10, y: y), radius: 7)
      svg.text("silk", Point(x: right - 22, y: y + 6), pin.name)
    }
  }

  private mutating func drawSensorWires(_ layout: Layout, right: Int, bottom: Int) {
    let space = (Self.leftEdge - right) / (layout.routed.count + 1)
    let pads = layout.pins.enumerated().map { Point(x: right - 10, y: Self.padHeight($0.offset)) }
    for (wire, index) in layout.routed.enumerated() {
      guard let pin = layout.pins[index].pin else { continue }
      let lane = right + space * (layout.lanes.lanes[wire] + 1)
      let y = edgeHeight(of: pin)
      if !pin.isLeft {
        let dot = Self.height(of: pin) + (y > Self.height(of: pin) ? 11 : -11)
        svg.plainWire(
          layout.pins[index].colour,
          [Point(x: Self.leftEdge - 3, y: y), Point(x: Self.rightDot, y: y), Point(x: Self.rightDot, y: dot)])
      }
      svg.wire(
        layout.pins[index].colour,
        [pads[index], Point(x: lane, y: pads[index].y), Point(x: lane, y: y), Point(x: Self.leftEdge - 2, y: y)])
    }
    guard layout.goesAround, let index = layout.pins.firstIndex(where: { $0.colour == .supply }),
      let pin = layout.pins[index].pin
    else { return }
    let (outside, y) = (Self.moduleLeft - 15, Self.height(of: pin))
    svg.wire(
      .supply,
      [
        pads[index], Point(x: right + space / 2 + 2, y: pads[index].y), Point(x: right + space / 2 + 2, y: bottom + 15),
        Point(x: outside, y: bottom + 15), Point(x: outside, y: y), Point(x: Self.leftEdge - 2, y: y),
      ])
  }
}

extension WiringDrawing {
  /// Draws the legend from `top` down. Returns the height of the picture.
  mutating func drawLegend(top: Int) -> Int {
    svg.raw("<path class=\"rule\" d=\"M24 \(top - 28)H\(Self.width - 24)\"/>")
    svg.text("heading", Point(x: 24, y: top + 6), "Sensor")
    svg.text("heading", Point(x: 326, y: top + 6), wiring.isCoded ? "Lines, on when" : "LEDs")
    var y = top + 40
    let nameWidth = 14 * (wiring.sensorPins.map(\.name.count).max() ?? 0)
    for pin in wiring.sensorPins where pin.pin != nil {
      svg.raw("<path class=\"wire \(pin.colour.rawValue)\" d=\"M28 \(y - 6)h34\"/>")
      svg.text("strong", Point(x: 74, y: y), pin.name)
      svg.text("entry", Point(x: 74 + max(56, nameWidth), y: y), pin.pin.map { "pin \($0.number), \($0.name)" } ?? "")
      y += 30
    }
    let open = wiring.sensorPins.filter { $0.pin == nil }.map(\.name)
    svg.text("faint", Point(x: 24, y: y), "not connected: " + open.joined(separator: ", "))
    var other = top + 40
    for light in wiring.lights {
      svg.raw("<path class=\"wire \(light.colour.rawValue)\" d=\"M330 \(other - 6)h34\"/>")
      svg.text("entry", Point(x: 376, y: other), light.key.meaning)
      other += 30
    }
    svg.text(
      "faint", Point(x: 330, y: other),
      wiring.isCoded ? "In each wire 1 k\u{3A9}" : "Resistors: 330 \u{3A9}, safe on every model")
    y = max(y, other) + 42
    for line in notes {
      svg.text("faint", Point(x: 24, y: y), line)
      y += 26
    }
    return y
  }

  private var notes: [String] {
    let way =
      wiring.isCoded
      ? "A line that is on is \(wiring.board.lines.isActiveLow ? "low" : "high"). 3.3 V: more destroys the Pi."
      : wiring.board.lines.isActiveLow
        ? "An arrow shows the direction of the current: the LED's long leg goes to 3.3 V."
        : "An arrow shows the direction of the current: the LED's long leg goes to the resistor."
    let supply = "\(wiring.board.sensor.model.module.supplyWarning)"
    return ([way, supply] + wiring.remarks.dropFirst()).flatMap { wrapped($0, to: 72) }
  }
}
