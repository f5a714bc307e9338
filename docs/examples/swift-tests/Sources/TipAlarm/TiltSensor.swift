import Plumb

/// A driver of your own: an ADXL345 of which only Z is of interest.
public struct TiltSensor<Bus: I2CBus & ~Copyable>: ~Copyable {
  private var bus: Bus
  private let address: I2CAddress

  /// A driver for the part at `address`.
  public init(_ bus: consuming Bus, at address: I2CAddress) {
    self.bus = bus
    self.address = address
  }

  /// Full resolution at ±16 g, then measuring.
  ///
  ///     S | addr+W | 31 0B | P        S | addr+W | 2D 08 | P
  public mutating func start() throws(I2CFault) {
    try bus.write([0x31, 0x0B].span, to: address)
    try bus.write([0x2D, 0x08].span, to: address)
  }

  /// The force along Z in g.
  ///
  ///     S | addr+W | 36 | Sr | addr+R | Z0 Z1 | P
  public mutating func z() throws(I2CFault) -> Double {
    var bytes: [UInt8] = [0, 0]
    var buffer = bytes.mutableSpan
    try bus.writeRead([0x36].span, into: &buffer, at: address)
    return Double(Int16(bitPattern: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)) / 256
  }
}
