/// The pins of a computer to which a board is wired.
package enum Header: Equatable, Hashable, Sendable {
  /// The 40-pin header, the same on every Raspberry Pi that has one.
  ///
  /// - Source: Raspberry Pi documentation, "GPIO and the 40-pin header".
  case raspberryPi
  /// The two edges of a Raspberry Pi Pico.
  ///
  /// - Datasheet: Raspberry Pi Pico, 2.1, "Pico pinout".
  case pico

  /// What it is the header of, for people.
  var place: String { self == .pico ? "a Raspberry Pi Pico" : "the header of a Raspberry Pi" }

  /// All pins, from the top down, left before right.
  var all: [HeaderPin] {
    (1...40).map(pin).sorted { ($0.row, $0.isLeft ? 0 : 1) < ($1.row, $1.isLeft ? 0 : 1) }
  }

  /// The pin of a GPIO; nil if there is none.
  package func pin(gpio: Int) -> HeaderPin? {
    guard gpio >= 0 else { return nil }
    return contents.firstIndex(of: gpio).map { pin($0 + 1) }
  }

  private func pin(_ number: Int) -> HeaderPin { HeaderPin(header: self, number: number) }

  var firstSupply: HeaderPin { pin(self == .pico ? 36 : 1) }
  var secondSupply: HeaderPin { pin(self == .pico ? 36 : 17) }
  /// The ground for the sensor, in the same row as its other pins, so that no wire has to cross over.
  var sensorGround: HeaderPin { pin(self == .pico ? 8 : 25) }
  var strapGround: HeaderPin { pin(self == .pico ? 8 : 9) }
  var lastGround: HeaderPin { pin(self == .pico ? 18 : 39) }

  /// The content of each pin, in the order of their numbers.
  fileprivate var contents: [Int] {
    let (supply, other, ground) = (HeaderPin.supply, HeaderPin.other, HeaderPin.ground)
    return switch self {
    case .raspberryPi:
      [
        supply, other, 2, other, 3, ground, 4, 14, ground, 15, 17, 18, 27, ground, 22, 23, supply, 24, 10, ground,
        9, 25, 11, 8, ground, 7, 0, 1, 5, ground, 6, 12, 13, ground, 19, 16, 26, 20, ground, 21,
      ]
    case .pico:
      [
        0, 1, ground, 2, 3, 4, 5, ground, 6, 7, 8, 9, ground, 10, 11, 12, 13, ground, 14, 15,
        16, 17, ground, 18, 19, 20, 21, ground, 22, other, 26, 27, ground, 28, other, supply, other, ground, other,
        other,
      ]
    }
  }
}

/// A pin of a header.
package struct HeaderPin: Equatable, Hashable {
  /// The header.
  let header: Header
  /// Its number, 1 to 40. On a Raspberry Pi odd ones are in the row away from the edge, and pin 1 is nearest to the
  /// corner; on a Pico they go around, and pin 1 is beside the USB plug.
  package let number: Int

  fileprivate init(header: Header, number: Int) { (self.header, self.number) = (header, number) }

  fileprivate static let supply = -1
  fileprivate static let other = -2
  fileprivate static let ground = -3

  private var content: Int { header.contents[number - 1] }

  /// The GPIO number that software uses; nil for supply and ground.
  var gpio: Int? { content >= 0 ? content : nil }

  var isSupply: Bool { content == Self.supply }
  var isGround: Bool { content == Self.ground }

  /// Whether it is in the row that is drawn on the left, with pin 1 at the top.
  var isLeft: Bool { header == .pico ? number <= 20 : number % 2 == 1 }

  /// 0 for the two at the top, 19 for those at the bottom.
  var row: Int { header == .pico ? (isLeft ? number - 1 : 40 - number) : (number - 1) / 2 }

  /// `3.3 V`, `GND`, `GPIO17` and so on, as it is printed on drawings.
  var name: String {
    if let gpio { return header == .pico ? "GP\(gpio)" : "GPIO\(gpio)" }
    if isGround { return "GND" }
    guard header == .pico else { return isSupply ? "3.3 V" : "5 V" }
    return switch number {
    case 30: "RUN"
    case 35: "AREF"
    case 37: "3V3_EN"
    case 39: "VSYS"
    case 40: "VBUS"
    default: "3V3"
    }
  }

  /// What else a computer may use the pin for, by default or with an overlay; nil for nothing.
  var otherUse: String? {
    if header == .pico { return nil }
    return switch gpio {
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
