package import BoardFile
internal import Indication
internal import Orientation
internal import Sensors
internal import Text

/// How a board is wired to the header of a Raspberry Pi, or to a Pico. It is derived from the board's description, so that the two always
/// agree.
package struct Wiring {
  /// A pin of the sensor's module, as labelled on it.
  struct SensorPin {
    var name: String
    /// Nil if it is not connected.
    var pin: HeaderPin?
    /// The purpose of the connection or of the pin.
    var why: String
    var colour: WireColour
  }

  /// A line: an LED with its series resistor, or, with a code, an input of the controller that reads it.
  struct Light {
    var key: BoardKey
    var pin: HeaderPin
    var colour: WireColour
  }

  package let board: BoardDescription
  /// What it is wired to.
  let header: Header
  /// In the order on the module, seen from above.
  let sensorPins: [SensorPin]
  let lights: [Light]
  /// The pin that all LEDs share: ground, or 3.3 V if a low line lights them. With a code, the reader's ground.
  let common: HeaderPin

  /// The name under which the module is usually sold.
  var module: String { "\(board.sensor.model.module.name)" }

  /// Whether sensor and LEDs are on a Sense HAT, which sits on the header.
  var isHAT: Bool { board.lines.isMatrix }

  /// Whether another controller reads the lines.
  var isCoded: Bool { board.lines.code != .leds }

  /// Whether the sensor is on the header's bus, whose pins are known.
  var isOnHeader: Bool {
    switch board.bus {
    case .emulated: true
    case .linux(let path): path == "/dev/i2c-1"
    case .pico: true
    case .iio: false
    }
  }

  package init(_ board: BoardDescription) {
    self.board = board
    header = Header(of: board)
    let header = header
    let isOnHeader =
      board.picoBus != nil || board.bus == .emulated || board.bus == .linux(path: ShortText("/dev/i2c-1"))
    let module = board.sensor.model.module
    let isHAT = board.lines.isMatrix
    // Nothing is known of the pins of a part that a driver of the kernel runs.
    let isWired = !isHAT && board.sensor.device == nil
    sensorPins = (0..<(isWired ? module.pins.count : 0)).compactMap { index in
      module.pins[index].map { SensorPin($0, on: board, header, isOnHeader: isOnHeader) }
    }
    let isCoded = board.lines.code != .leds
    let colours = (isCoded ? [.select] : []) + WireColour.ofLights
    lights = zip(0..<(isHAT ? 0 : board.lines.count), colours).compactMap { index, colour in
      header.pin(gpio: Int(board.lines.offsets[index])).map {
        Light(key: board.lines.key(of: index), pin: $0, colour: colour)
      }
    }
    common = board.lines.isActiveLow && !isCoded ? header.secondSupply : Self.ground(below: lights, of: header)
  }

  /// The first ground pin below all LEDs in the row of even numbers, so that its wire crosses none of theirs.
  private static func ground(below lights: [Light], of header: Header) -> HeaderPin {
    let lowest = lights.map(\.pin.row).max() ?? 0
    return header.all.first { !$0.isLeft && $0.isGround && $0.row > lowest } ?? header.lastGround
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

  /// Further remarks, one sentence each.
  var remarks: [String] {
    if isHAT {
      return [
        "There is nothing to wire: sensor and matrix are on the Sense HAT, which sits on the 40 pins of the Pi.",
        "Switch the Pi off before you put it on or take it off. How it is used: docs/sense-hat.md.",
      ]
    }
    if board.sensor.device != nil {
      return [
        "A driver of the kernel runs the sensor: see its data sheet for the wires, and docs/iio.md."
      ]
    }
    var remarks = [
      header == .pico
        ? "Unplug the Pico before you connect the wires. Pin 1 is beside the USB plug, seen from above."
        : "Switch the Pi off before you connect the wires. Pin 1 is nearest to the corner of the board."
    ]
    remarks.append("The order of the pins differs between modules: follow the labels.")
    remarks.append("\(board.sensor.model.module.addressRemark)")
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
    if header == .raspberryPi && !board.lines.isEmulated && !board.lines.isRaspberryPi {
      remarks.append("The GPIO chip is not that of a Raspberry Pi, but the pin numbers shown are.")
    }
    let used = lights.map(\.pin) + sensorPins.filter { $0.colour == .ready }.compactMap(\.pin)
    let odd = used.compactMap { pin in pin.otherUse.map { "GPIO\(pin.gpio ?? 0) (\($0))" } }
    if !odd.isEmpty { remarks.append("Make sure that nothing else uses " + odd.joined(separator: ", ") + ".") }
    return remarks
  }
}

extension Wiring.SensorPin {
  /// How `pin` of the module is connected on `board`.
  fileprivate init(_ pin: SensorModule.Pin, on board: BoardDescription, _ header: Header, isOnHeader: Bool) {
    let isPico = header == .pico
    let name = "\(pin.name)"
    let note = isPico && pin.use == .data ? "needs the pull-up resistors of the module" : "\(pin.note)"
    let isBus = pin.use == .data || pin.use == .clock
    let (data, clock) = board.picoBus.map { (Int($0.sda), Int($0.scl)) } ?? (2, 3)
    switch pin.use {
    case .supply: self.init(name: name, pin: header.firstSupply, why: "supply: " + note, colour: .supply)
    case .ground: self.init(name: name, pin: header.sensorGround, why: "ground", colour: .ground)
    case .selectsI2C:
      self.init(name: name, pin: header.secondSupply, why: "high selects I2C (low would be SPI)", colour: .select)
    case .data:
      self.init(name: name, pin: header.pin(gpio: data), why: "data" + (note.isEmpty ? "" : "; " + note), colour: .data)
    case .clock: self.init(name: name, pin: header.pin(gpio: clock), why: "clock", colour: .clock)
    case .address:
      let (low, high) = board.sensor.model.traits.addresses
      let isHigh = board.sensor.address == high
      let texts = (low: "\("\(low)" as ShortText<8>)", high: "\("\(high)" as ShortText<8>)")
      self.init(
        name: name, pin: isHigh ? header.secondSupply : header.strapGround,
        why: isHigh
          ? "high: address \(texts.high) (low: \(texts.low))"
          : "low: address \(texts.low) (high: \(texts.high))" + note,
        colour: .address)
    case .interrupt:
      let ready = board.sensor.dataReady.flatMap { header.pin(gpio: Int($0)) }
      self.init(
        name: name, pin: ready, why: ready == nil ? "not used" : "data ready: high when a sample is ready",
        colour: ready == nil ? .none : .ready)
    case .unused: self.init(name: name, pin: nil, why: note.isEmpty ? "not used" : note, colour: .none)
    }
    if isBus && !isOnHeader { (self.pin, why) = (nil, why + ", of the bus in the board file") }
  }
}

extension Header {
  /// The header to which `board` is wired.
  package init(of board: BoardDescription) { self = board.picoBus == nil ? .raspberryPi : .pico }
}

extension BoardDescription.Lines {
  /// Whether the chip has the lines of a Raspberry Pi's header.
  var isRaspberryPi: Bool {
    chip == "raspberry-pi" || chip == "pinctrl-bcm2835" || chip == "pinctrl-bcm2711" || chip == "pinctrl-rp1"
  }
}

extension BoardKey {
  /// The pose of this key's line in words; for any other line, its key.
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
