import BoardFile
import Orientation

extension WiringDrawing {
  /// A wire on the right: to a LED, or from the common pin to what all LEDs share.
  private struct End {
    var pin: HeaderPin
    var light: Wiring.Light?

    /// Where it passes the header's right edge: beside its pin, or from the left row between two pins of the right one.
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

  /// A resistor, from `lightsLeft` to the input of the reader.
  private mutating func drawInput(_ light: Wiring.Light, y: Int) {
    svg.plainWire(light.colour, [Point(x: Self.lightsLeft, y: y), Point(x: Self.rail, y: y)])
    svg.rectangle("resistor", x: Self.lightsLeft + 20, y: y - 10, width: 60, height: 20, round: 6)
    label(light, y: y)
  }

  private mutating func label(_ light: Wiring.Light, y: Int) {
    svg.text("strong end", Point(x: Self.rail - 12, y: y - 27), "\(light.key.name)")
    svg.text(
      "faint end", Point(x: Self.rail - 12, y: y + (wiring.isCoded ? 32 : 40)),
      "pin \(light.pin.number), \(light.pin.name)")
  }

  /// Resistor and LED from `lightsLeft` to the rail, the LED's arrow in the direction of the current.
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
