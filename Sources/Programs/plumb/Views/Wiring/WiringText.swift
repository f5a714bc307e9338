internal import BoardFile
internal import HAL
internal import Indication
internal import JSON
internal import Sensors
internal import Text

extension Wiring {
  /// Whether there is anything to draw.
  package var hasWires: Bool { !isHAT && board.sensor.device == nil }

  /// The header and the tables, for people; every line is at most 80 characters wide.
  package func text(_ style: TextStyle) -> [String] {
    if !hasWires {
      let known = lights.isEmpty ? [] : ["", isCoded ? "The lines" : "The LEDs", "", lightRule, ""] + lightTable
      return remarks.flatMap { wrapped($0) } + known
    }
    var lines = [title, ""]
    lines += (0..<20).map { row(header.all[2 * $0], header.all[2 * $0 + 1], style) }
    lines += ["", style.coloured("The sensor (\(module))", 1), ""]
    lines += sensorTable.enumerated().map { index, line in
      index < 2 ? line : style.coloured(line, sensorPins[index - 2].colour.terminal)
    }
    lines += ["", style.coloured(isCoded ? "The lines" : "The LEDs", 1), "", lightRule, ""]
    lines += lightTable.enumerated().map { index, line in
      index < 2 || index - 2 >= lights.count ? line : style.coloured(line, lights[index - 2].colour.terminal)
    }
    return lines + [""] + remarks.flatMap { wrapped($0) }
  }

  var title: String {
    "\(board.sensor.model.properName) at \(address) and \(partner) on \(header.place)"
  }

  /// The sensor's address, such as 0x53.
  var address: String { ShortText<8>(hex: board.sensor.address.rawValue).description }

  /// What the lines are for.
  var partner: String { isCoded ? "a \(board.lines.code.name) reader" : "six LEDs" }

  private func row(_ left: HeaderPin, _ right: HeaderPin, _ style: TextStyle) -> String {
    let (leftUse, rightUse) = (use(of: left) ?? "", use(of: right) ?? "")
    let (used, free) = (style.mark("●", "#"), style.mark("○", "."))
    func shown(_ text: String, _ pin: HeaderPin) -> String {
      colour(of: pin).map { style.coloured(text, $0.terminal) } ?? style.coloured(text, 90)
    }
    let numbers = "\(left.number)".rightAligned(to: 2)
    return shown("\(leftUse.rightAligned(to: 26))  \(left.name.rightAligned(to: 6)) \(numbers) ", left)
      + shown(leftUse.isEmpty ? free : used, left) + " " + shown(rightUse.isEmpty ? free : used, right)
      + shown(
        " \("\(right.number)".padded(to: 2)) "
          + (rightUse.isEmpty ? right.name : right.name.padded(to: 6) + "  " + rightUse), right)
  }

  /// The table of the sensor's pins; the first two lines are the heading.
  var sensorTable: [String] {
    var lines = ["sensor pin   header pin    why", "----------   -----------   " + String(repeating: "-", count: 51)]
    for pin in sensorPins {
      let place = pin.pin.map(Self.place) ?? "none"
      lines.append("\(pin.name.padded(to: 10))   \(place.padded(to: 11))   \(pin.why)")
    }
    return lines
  }

  /// How each LED is connected.
  var lightRule: String {
    if isCoded {
      return "Header pin - 1 kohm - input of the reader, 3.3 V; \(board.lines.isActiveLow ? "low" : "high") is on."
    }
    return board.lines.isActiveLow
      ? "3.3 V - long leg (anode), LED, short leg - 330 ohm - header pin: a low line lights it."
      : "Header pin - 330 ohm - long leg (anode), LED, short leg - GND."
  }

  /// The table of the LEDs; the first two lines are the heading, the last one is the common pin.
  var lightTable: [String] {
    var lines = [
      isCoded
        ? "line                         on when                         header pin"
        : "pose                         lit when                        header pin",
      "--------------------------   -----------------------------   -----------",
    ]
    for light in lights {
      let name = light.key.words.padded(to: 26)
      lines.append("\(name)   \(light.key.meaning.padded(to: 29))   \(Self.place(light.pin))")
    }
    let legs = board.lines.isActiveLow ? "the long legs of all six" : "the short legs of all six"
    let (name, end) = isCoded ? ("ground", "ground of the reader") : ("all", legs)
    lines.append("\(name.padded(to: 26))   \(end.padded(to: 29))   \(Self.place(common))")
    return lines
  }

  /// A pin as in `11  GPIO17`.
  private static func place(_ pin: HeaderPin) -> String { "\(pin.number)".padded(to: 2) + "  " + pin.name }

  /// One object per connection, and a summary.
  package var json: [String] {
    let (part, on): (StaticString, String) = isCoded ? ("reader", "on") : ("led", "lit")
    let sensor = sensorPins.map { Self.connection("sensor", $0.name, $0.pin, $0.why) }
    let leds = lights.map { light in
      let why = on + (light.key.pose.map { " in the pose \($0.words)" } ?? " when " + light.key.meaning)
      return Self.connection(part, "\(light.key.name)", light.pin, why)
    }
    let summary = JSONText.object("summary") { writer in
      writer.field("sensor", board.sensor.modelName)
      writer.field("address", Int(board.sensor.address.rawValue))
      writer.field("active_low", board.lines.isActiveLow)
      writer.field("remarks", remarks)
    }
    return isHAT ? [summary] : sensor + leds + [Self.connection(part, "common", common, lightRule), summary]
  }

  private static func connection(_ part: StaticString, _ pin: String, _ place: HeaderPin?, _ why: String) -> String {
    JSONText.object("connection") { writer in
      writer.field("part", part)
      writer.field("pin", pin)
      writer.field("header_pin", place?.number)
      writer.field("gpio", place?.gpio)
      writer.field("header_name", place?.name)
      writer.field("why", why)
    }
  }
}
