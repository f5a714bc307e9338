package import BoardFile
internal import Indication
internal import Orientation
internal import Sensors
internal import Text

/// How a board is wired to a Raspberry Pi's header: derived from its description, so that the two cannot disagree.
package struct Wiring {
  /// A pin of the sensor's module, as printed on it.
  struct SensorPin {
    var name: String
    /// Nil if not connected.
    var pin: HeaderPin?
    /// The purpose of the connection or of the pin.
    var why: String
    var colour: WireColour
  }

  /// A line: an LED with its series resistor, or for a code an input of the controller that reads it.
  struct Light {
    var key: BoardKey
    var pin: HeaderPin
    var colour: WireColour
  }

  let board: BoardDescription
  /// In the order printed on the module, seen from above.
  let sensorPins: [SensorPin]
  let lights: [Light]
  /// The pin that all LEDs share: ground, or 3.3 V if a low line lights them. For a code, the reader's ground.
  let common: HeaderPin

  /// The name under which the module is usually sold.
  var module: String { board.sensor.model == .adxl345 ? "ADXL345" : "GY-521" }

  /// Whether another controller reads the lines.
  var isCoded: Bool { board.lines.code != .leds }

  /// Whether the sensor is on the header's bus, whose pins are known.
  var isOnHeader: Bool {
    switch board.bus {
    case .emulated: true
    case .linux(let path): path == "/dev/i2c-1"
    }
  }

  package init(_ board: BoardDescription) {
    self.board = board
    let isHigh = board.sensor.address == MPU6050.alternateAddress || board.sensor.address == ADXL345.alternateAddress
    let isOnHeader = board.bus == .emulated || board.bus == .linux(path: ShortText("/dev/i2c-1"))
    let pins = board.sensor.model == .adxl345 ? Self.adxl345(isHigh) : Self.mpu6050(isHigh)
    let ready = board.sensor.dataReady.flatMap { HeaderPin(gpio: Int($0)) }
    sensorPins = pins.map { pin in
      if let ready, pin.name == "INT1" || pin.name == "INT" {
        return SensorPin(name: pin.name, pin: ready, why: "data ready: high when a sample is ready", colour: .ready)
      }
      guard !isOnHeader, pin.name == "SDA" || pin.name == "SCL" else { return pin }
      return SensorPin(name: pin.name, pin: nil, why: pin.why + ", of the bus in the board file", colour: pin.colour)
    }
    let isCoded = board.lines.code != .leds
    let colours = (isCoded ? [.select] : []) + WireColour.ofLights
    lights = zip(0..<board.lines.count, colours).compactMap { index, colour in
      HeaderPin(gpio: Int(board.lines.offsets[index])).map {
        Light(key: board.lines.key(of: index), pin: $0, colour: colour)
      }
    }
    common = board.lines.isActiveLow && !isCoded ? .secondSupply : Self.ground(below: lights)
  }

  private static func adxl345(_ isHigh: Bool) -> [SensorPin] {
    [
      SensorPin(name: "VCC", pin: .firstSupply, why: "supply: 3.3 V only, 5 V destroys it", colour: .supply),
      SensorPin(name: "GND", pin: .sensorGround, why: "ground", colour: .ground),
      SensorPin(name: "CS", pin: .secondSupply, why: "high selects I2C (low would be SPI)", colour: .select),
      SensorPin(name: "INT1", pin: nil, why: "not used", colour: .none),
      SensorPin(name: "INT2", pin: nil, why: "not used", colour: .none),
      SensorPin(
        name: "SDO", pin: isHigh ? .secondSupply : .strapGround,
        why: isHigh ? "high: address 0x1D (low: 0x53)" : "low: address 0x53 (high: 0x1D); never leave it open",
        colour: .address),
      SensorPin(name: "SDA", pin: .data, why: "data; the Pi has the pull-up resistors", colour: .data),
      SensorPin(name: "SCL", pin: .clock, why: "clock", colour: .clock),
    ]
  }

  private static func mpu6050(_ isHigh: Bool) -> [SensorPin] {
    [
      SensorPin(name: "VCC", pin: .firstSupply, why: "supply: 3.3 V, not 5 V", colour: .supply),
      SensorPin(name: "GND", pin: .sensorGround, why: "ground", colour: .ground),
      SensorPin(name: "SCL", pin: .clock, why: "clock", colour: .clock),
      SensorPin(name: "SDA", pin: .data, why: "data", colour: .data),
      SensorPin(name: "XDA", pin: nil, why: "for a magnetometer; not used", colour: .none),
      SensorPin(name: "XCL", pin: nil, why: "for a magnetometer; not used", colour: .none),
      SensorPin(
        name: "AD0", pin: isHigh ? .secondSupply : .strapGround,
        why: isHigh ? "high: address 0x69 (low: 0x68)" : "low: address 0x68 (high: 0x69)", colour: .address),
      SensorPin(name: "INT", pin: nil, why: "not used", colour: .none),
    ]
  }

  /// The first ground below all LEDs in the row of even numbers, so that its wire crosses none of theirs.
  private static func ground(below lights: [Light]) -> HeaderPin {
    let lowest = lights.map(\.pin.row).max() ?? 0
    return HeaderPin.all.first { !$0.isLeft && $0.isGround && $0.row > lowest } ?? .lastGround
  }

  /// What is connected to `pin`, for people; nil for nothing.
  func use(of pin: HeaderPin) -> String? {
    let sensor = sensorPins.filter { $0.pin == pin }.map { "sensor \($0.name)" }
    let led = lights.filter { $0.pin == pin }.map(\.key.words)
    let all = sensor + led + (pin == common ? [isCoded ? "reader's GND" : "all LEDs"] : [])
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }

  /// The colour of the wire at `pin`; nil if there is none.
  func colour(of pin: HeaderPin) -> WireColour? {
    sensorPins.first { $0.pin == pin }?.colour ?? lights.first { $0.pin == pin }?.colour
      ?? (pin == common ? (pin.isGround ? .ground : .supply) : nil)
  }

  /// Further remarks, a sentence each.
  var remarks: [String] {
    var remarks = ["Switch the Pi off before you connect the wires. Pin 1 is nearest to the corner of the board."]
    remarks.append("The order of the pins differs between modules: follow the labels.")
    if board.sensor.model == .adxl345 {
      remarks.append(
        "Some ADXL345 modules connect SDO to GND: on these, a wire from SDO to 3.3 V shorts the supply. Check with a "
          + "multimeter; on such a module leave SDO open and use address 0x53.")
    } else {
      remarks.append("A GY-521 pulls AD0 low; other modules need the wire.")
    }
    if isCoded {
      let level = board.lines.isActiveLow ? "3.3 V" : "GND"
      remarks.append(
        "Connect 10 kohm from valid to \(level) at the reader: it keeps the line off while nothing drives it.")
      remarks.append("For the meaning of the lines and how to read them, see docs/coded-pins.md.")
    }
    if board.bus == .emulated || board.lines.isEmulated {
      let what =
        board.bus == .emulated ? (board.lines.isEmulated ? "sensor and lines are" : "sensor is") : "lines are"
      remarks.append("In this board file the \(what) emulated; this is the wiring of real hardware.")
    }
    if !isOnHeader { remarks.append("The bus is not that of the header (/dev/i2c-1): SDA and SCL are on other pins.") }
    if !board.lines.isEmulated && !board.lines.isRaspberryPi {
      remarks.append("The GPIO chip is not that of a Raspberry Pi, but the pin numbers shown are.")
    }
    let used = lights.map(\.pin) + sensorPins.filter { $0.colour == .ready }.compactMap(\.pin)
    let odd = used.compactMap { pin in pin.otherUse.map { "GPIO\(pin.gpio ?? 0) (\($0))" } }
    if !odd.isEmpty { remarks.append("Make sure that nothing else uses " + odd.joined(separator: ", ") + ".") }
    return remarks
  }
}

extension BoardDescription.Lines {
  /// Whether the chip has the lines of a Raspberry Pi's header.
  var isRaspberryPi: Bool {
    chip == "raspberry-pi" || chip == "pinctrl-bcm2835" || chip == "pinctrl-bcm2711" || chip == "pinctrl-rp1"
  }
}

extension BoardKey {
  /// The pose of this key's line in words; of any other line its key.
  var words: String { "\(pose?.words ?? name)" }

  /// When the line of this key is on, for people.
  package var meaning: String {
    if let pose { return "\(pose.meaning)" }
    switch self {
    case .valid: return "the other lines show a pose"
    case .bit0: return "bit 0 of the pose number is 1"
    case .bit1: return "bit 1 of the pose number is 1"
    case .bit2: return "bit 2 of the pose number is 1"
    default: return ""
    }
  }
}
