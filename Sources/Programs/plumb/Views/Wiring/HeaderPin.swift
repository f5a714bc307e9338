/// A pin of the 40-pin header, the same on every Raspberry Pi that has one.
///
/// - Source: Raspberry Pi documentation, "GPIO and the 40-pin header".
package struct HeaderPin: Equatable, Hashable {
  /// The number printed beside it, 1 to 40: odd ones in the row away from the edge, pin 1 nearest to the corner.
  package let number: Int

  /// The pin of a GPIO; nil if the header has none.
  package init?(gpio: Int) {
    guard let index = Self.gpios.firstIndex(of: gpio), gpio >= 0 else { return nil }
    number = index + 1
  }

  private init(known number: Int) { self.number = number }

  static let all = (1...40).map(HeaderPin.init(known:))

  static let firstSupply = HeaderPin(known: 1)
  static let secondSupply = HeaderPin(known: 17)
  static let data = HeaderPin(known: 3)
  static let clock = HeaderPin(known: 5)
  /// The ground for the sensor, in the same row as its other pins, so that no wire has to cross over.
  static let sensorGround = HeaderPin(known: 25)
  static let strapGround = HeaderPin(known: 9)
  static let lastGround = HeaderPin(known: 39)

  /// The content of each pin: a GPIO, or one of the three values below.
  private static let gpios = [
    supply, fiveVolts, 2, fiveVolts, 3, ground, 4, 14, ground, 15, 17, 18, 27, ground, 22, 23, supply, 24, 10, ground,
    9, 25, 11, 8, ground, 7, 0, 1, 5, ground, 6, 12, 13, ground, 19, 16, 26, 20, ground, 21,
  ]
  private static let supply = -1
  private static let fiveVolts = -2
  private static let ground = -3

  private var content: Int { Self.gpios[number - 1] }

  /// The GPIO number that software uses; nil for supply and ground.
  var gpio: Int? { content >= 0 ? content : nil }

  var isSupply: Bool { content == Self.supply }
  var isFiveVolts: Bool { content == Self.fiveVolts }
  var isGround: Bool { content == Self.ground }

  /// Whether it is in the row of odd numbers, drawn on the left with pin 1 at the top.
  var isLeft: Bool { number % 2 == 1 }

  /// 0 for pins 1 and 2, 19 for 39 and 40.
  var row: Int { (number - 1) / 2 }

  /// `3.3 V`, `GND`, `GPIO17` and so on.
  var name: String {
    if let gpio { return "GPIO\(gpio)" }
    return isSupply ? "3.3 V" : isFiveVolts ? "5 V" : "GND"
  }

  /// What else a Raspberry Pi may use the pin for, by default or with an overlay; nil for nothing.
  var otherUse: String? {
    switch gpio {
    case 0, 1: "EEPROM of a HAT"
    case 2: "I2C data"
    case 3: "I2C clock"
    case 4: "1-wire"
    case 14, 15: "serial console"
    case 7, 8, 9, 10, 11: "SPI"
    case 18, 19, 20, 21: "audio (I2S), SPI1"
    default: nil
    }
  }
}
