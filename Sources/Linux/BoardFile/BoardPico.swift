internal import Sensors
public import Text

/// An I2C controller of a Pico, whose firmware `make pico` builds, and its pins.
public struct PicoBus: Equatable, Sendable {
  /// The controller: 0 or 1.
  public var number: UInt32
  /// The GPIO of the data line.
  public var sda: UInt32
  /// The GPIO of the clock line.
  public var scl: UInt32

  /// The controller's name, which stands for its usual pins too.
  public var name: ShortText<64> { number == 0 ? "i2c0" : "i2c1" }

  /// A controller on its usual pins: GP4 and GP5, or GP26 and GP27.
  public init(_ number: UInt32) {
    self.number = number
    (sda, scl) = number == 0 ? (4, 5) : (26, 27)
  }

  /// A controller on pins that it can have.
  package init(_ number: UInt32, sda: UInt32, scl: UInt32) { (self.number, self.sda, self.scl) = (number, sda, scl) }

  /// The bus `i2c0` or `i2c1`, alone or with the GPIOs of SDA and SCL; nil for anything else, and for pins that the
  /// controller cannot have.
  ///
  /// - Datasheet: RP2040, 2.19.2: the function F3 of each GPIO.
  init?(_ text: SettingsText) {
    let digit = text[3]
    guard text.count >= 4, text.hasPrefix("i2c"), digit == UInt8(ascii: "0") || digit == UInt8(ascii: "1") else {
      return nil
    }
    self.init(digit == UInt8(ascii: "0") ? 0 : 1)
    guard text.count > 4 else { return }
    var position = 4
    guard let sda = text.pin(at: &position), let scl = text.pin(at: &position), position == text.count,
      Self.isOnHeader(sda), Self.isOnHeader(scl), sda % 4 == number &* 2, scl % 4 == number &* 2 &+ 1
    else { return nil }
    (self.sda, self.scl) = (sda, scl)
  }

  /// Whether a Pico has the GPIO on its edge.
  public static func isOnHeader(_ gpio: UInt32) -> Bool { gpio <= 22 || (26...28).contains(gpio) }
}

extension ShortText {
  /// The number of one or two digits after at least one blank at `position`, which moves behind it.
  fileprivate func pin(at position: inout Int) -> UInt32? {
    let begin = position
    while position < count && isBlank(at: position) { position &+= 1 }
    var (number, digits) = (0 as UInt32, 0)
    while position < count && digits < 2, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[position]) {
      number = number &* 10 &+ UInt32(truncatingIfNeeded: self[position] &- UInt8(ascii: "0"))
      (position, digits) = (position &+ 1, digits &+ 1)
    }
    return digits > 0 && position &- digits > begin ? number : nil
  }
}

extension BoardDescription {
  /// The chip of a Pico, as `chip` in a board file.
  public static var picoChip: StaticString { "rp2040" }

  /// The controller of a board that is a Pico; nil for any other.
  public var picoBus: PicoBus? { if case .pico(let bus) = bus { bus } else { nil } }

  /// What a program on Linux says about the board file of a Pico.
  public static var picoWords: StaticString {
    "the board file is for a Pico: build its firmware with make pico BOARD=FILE, and read it with --from serial:auto"
  }

  #if !hasFeature(Embedded)
    /// Reads the board file at `path`, which must be that of a Pico.
    public static func readPico(path: String) throws(BoardFileError) -> BoardDescription {
      var draft = BoardDraft()
      draft.mustBePico = true
      return try unsafe SettingsReader.read(path: path, into: draft).finished()
    }
  #endif
}

// What a Pico cannot be.
extension BoardDraft {
  /// Refuses what a Pico does not have; and a file of which only half is a Pico's, or nothing although it must be.
  func checkPico() throws(BoardFileError) {
    guard case .pico(let pico) = bus else {
      guard mustBePico || chip == BoardDescription.picoChip else { return }
      let place = isIIO ? line(of: .part) : line(of: .bus)
      throw BoardFileError(.refused(.picoBus), line: place, context: context)
    }
    guard chip == BoardDescription.picoChip else {
      throw BoardFileError(.refused(.picoChip), line: line(of: .chip), found: ShortText(cutting: chip))
    }
    var keys = BoardKey.all
    while let key = keys.next(where: { line(of: $0) > 0 && $0.isForeignToPico }) {
      throw BoardFileError(.refused(.picoKey(key)), line: line(of: key), context: context)
    }
    keys = BoardKey.all
    while let key = keys.next(where: { line(of: $0) > 0 && ($0.namesLine || $0 == .dataReady) }) {
      let gpio = gpios[key]
      guard !PicoBus.isOnHeader(gpio) || gpio == pico.sda || gpio == pico.scl else { continue }
      throw BoardFileError(
        .refused(.picoPin(key)), line: line(of: key), found: "\(gpio)")
    }
  }
}

extension BoardKey {
  /// Whether it is about what only Linux has, or what the firmware does not do.
  fileprivate var isForeignToPico: Bool {
    switch self {
    case .batch, .idle: true
    default: section == .share || section == .vibration
    }
  }

  /// Appends an error about a Pico.
  static func appendPico(_ refusal: BoardRefusal, of error: BoardFileError, to text: inout SettingsMessage) {
    switch refusal {
    case .picoBus:
      text.append(
        "the bus is not that of a Pico, as chip = rp2040 and make pico need; allowed: i2c0 or i2c1, alone or with ")
      text.append("the GPIOs of SDA and SCL")
    case .picoChip:
      text.append("chip \(quoted: error.found) with the bus of a Pico; allowed: rp2040")
    case .picoPin(let key):
      text.append(
        "GPIO \(error.found) of \(key) is not free on a Pico; allowed: a GPIO number from 4 to 22, or 26 or 27")
      text.append(", without those of the bus")
    case .picoKey(let key):
      text.append("key \(key) does not apply to a Pico; allowed: only on Linux")
    default: break
    }
  }
}
