import BoardFile

extension WiringDrawing {
  /// The legend from `top` on. Returns the height of the picture.
  mutating func drawLegend(top: Int) -> Int {
    svg.raw("<path class=\"rule\" d=\"M24 \(top - 28)H\(Self.width - 24)\"/>")
    svg.text("heading", Point(x: 24, y: top + 6), "Sensor")
    svg.text("heading", Point(x: 326, y: top + 6), wiring.isCoded ? "Lines, on when" : "LEDs")
    var y = top + 40
    for pin in wiring.sensorPins where pin.pin != nil {
      svg.raw("<path class=\"wire \(pin.colour.rawValue)\" d=\"M28 \(y - 6)h34\"/>")
      svg.text("strong", Point(x: 74, y: y), pin.name)
      svg.text("entry", Point(x: 130, y: y), pin.pin.map { "pin \($0.number), \($0.name)" } ?? "")
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
        ? "An arrow shows the way of the current: the LED's long leg goes to 3.3 V."
        : "An arrow shows the way of the current: the LED's long leg goes to the resistor."
    let supply =
      wiring.board.sensor.model == .adxl345
      ? "VCC to 3.3 V only: 5 V destroys the ADXL345." : "VCC to 3.3 V, not 5 V: the Pi's pins bear 3.3 V only."
    return [way, supply] + wiring.remarks.dropFirst().flatMap { wrapped($0, to: 72) }
  }
}
