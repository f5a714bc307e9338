public import HAL

/// The way to a matrix.
public protocol MatrixPort: ~Copyable {
  /// Replaces what the matrix shows, in one write.
  mutating func show(_ picture: MatrixPicture, brightness: UInt8) throws(OutputFault)
}

/// The matrix of a Sense HAT as a bank of six lines, one for each pose: it shows the picture of the levels.
///
/// A picture is one write, and nothing is written while the picture stays the same. A write is tried three times. If
/// the picture of a pose then still cannot be shown, that is the bank's fault. If darkness or trouble cannot, it is
/// not: the sensor on the same bus is likely to be out of reach too, and the program must be there when it returns.
///
/// It has no deinitializer: Swift 6.3.1 does not call that of such a generic type. Write `Levels.off` at the end.
public struct LEDMatrix<Port: MatrixPort & ~Copyable>: ~Copyable, OutputBank {
  private var port: Port
  private let brightness: UInt8
  /// What it shows; nil if the last write failed.
  private var shown: MatrixPicture?

  static var tries: Int { 3 }

  /// A dark matrix behind `port`, whose lit pixels have a brightness of 1 to 31.
  public init(_ port: consuming Port, brightness: UInt8) throws(OutputFault) {
    self.port = port
    self.brightness = brightness
    try show(.dark)
  }

  /// Shows the picture of `levels`.
  public mutating func write(_ levels: Levels) throws(OutputFault) {
    let picture = MatrixPicture(levels)
    guard picture != shown else { return }
    do throws(OutputFault) { try show(picture) } catch {
      if case .pose = picture { throw error }
    }
  }

  private mutating func show(_ picture: MatrixPicture) throws(OutputFault) {
    shown = nil
    var left = Self.tries
    while true {
      left &-= 1
      do throws(OutputFault) {
        try port.show(picture, brightness: brightness)
        shown = picture
        return
      } catch {
        if left == 0 { throw error }
      }
    }
  }
}

/// The controller of the matrix, at 0x46 on an I2C bus.
///
/// It stretches the clock of a read so far that a BCM2835 may get bit 7 wrong. Nothing is read but the identity, once.
///
/// - Source: raspberrypi/rpi-sense, main.c; raspberrypi/linux, drivers/mfd/rpisense-core.c.
public struct MatrixController<Bus: I2CBus & ~Copyable>: ~Copyable, MatrixPort {
  /// 0x46.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x46) }

  private var bus: Bus

  /// The controller on `bus`.
  public init(on bus: consuming Bus) { self.bus = bus }

  /// Whether the identity is that of the controller.
  ///
  ///     S | addr+W | F0 | Sr | addr+R | 73 | P
  public mutating func responds() throws(I2CFault) -> Bool {
    try bus.readRegister(0xF0, at: Self.address) & 0x7F == 0x73
  }

  /// Writes the whole frame.
  ///
  ///     S | addr+W | 00 | r0 … r7 g0 … g7 b0 … b7 of row 0 | … | of row 7 | P
  public mutating func show(_ picture: MatrixPicture, brightness: UInt8) throws(OutputFault) {
    do throws(I2CFault) {
      try bus.write(picture.frame(brightness: brightness), to: Self.address)
    } catch {
      throw OutputFault(error)
    }
  }
}

extension OutputFault {
  /// The same as a code of Linux: `EREMOTEIO` for no acknowledge, as the adapters of a Raspberry Pi have it.
  init(_ fault: I2CFault) {
    switch fault {
    case .noAcknowledge: self.init(code: 121)
    case .timedOut: self.init(code: 110)
    case .unsupported: self.init(code: 95)
    case .notPermitted: self.init(code: 13)
    case .busy: self.init(code: 16)
    case .other(let code): self.init(code: code)
    case .arbitrationLost, .shortRead, .unavailable: self.init(code: 5)
    }
  }
}
