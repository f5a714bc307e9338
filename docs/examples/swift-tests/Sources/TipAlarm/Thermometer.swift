import Plumb

/// A driver for a part that Plumb does not support: an LM75 thermometer.
public struct Thermometer<Bus: I2CBus & ~Copyable>: ~Copyable {
  private var bus: Bus
  private let address: I2CAddress

  /// A driver for the part at `address`.
  public init(_ bus: consuming Bus, at address: I2CAddress) {
    self.bus = bus
    self.address = address
  }

  /// The temperature in °C, in steps of half a degree.
  ///
  ///     S | addr+W | 00 | Sr | addr+R | T1 T0 | P
  public mutating func celsius() throws(I2CFault) -> Double {
    var bytes: [UInt8] = [0, 0]
    var buffer = bytes.mutableSpan
    try bus.writeRead([0x00].span, into: &buffer, at: address)
    return Double(Int16(bitPattern: UInt16(bytes[0]) << 8 | UInt16(bytes[1])) >> 7) / 2
  }
}
