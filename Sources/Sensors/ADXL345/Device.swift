public import FixedPoint
public import HAL

extension ADXL345 {
  /// An ADXL345 on a bus that it owns.
  ///
  /// ``start()`` it, then call ``sample()``, or ``drain(into:)`` where the configuration has a FIFO. ``events()`` and `selfTest` are
  /// there for those who need them.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The bus. Use it for anything but this part's address at will.
    public var bus: Bus
    /// Where the part answers.
    public let address: I2CAddress
    /// How the part is set up by ``start()``.
    public let configuration: Configuration
    /// How many bus transactions were begun so far.
    public internal(set) var transactions: UInt64 = 0

    /// Whether the part is set up in part, or for something else than samples: nothing may be read from it.
    var isUnsettled = false
    /// Whether the force of a self-test that was broken off has to settle yet.
    var isPushed = false
    /// Whether samples of the FIFO may be missing that no whole batch has told of yet.
    var lacksSamples = false
    /// Whether the trigger of the FIFO has come.
    var hasTriggered = false
    /// Events that were seen while samples were read, and not told yet.
    var pendingEvents = Events.none

    /// A driver for the part at `address`. Touches nothing until ``start()``.
    public init(
      bus: consuming Bus, address: I2CAddress = ADXL345.address, configuration: Configuration = Configuration()
    ) {
      self.bus = bus
      self.address = address
      self.configuration = configuration
    }

    /// The greatest specific force on one axis that can still be told from more, in g: one LSB short of the range.
    public var fullScale: Q16 { configuration.dataFormat.fullScale }

    /// The latest sample, in g, in the sensor's own frame; with a FIFO, the oldest that waits.
    ///
    ///     S | addr+W | 31 | Sr | addr+R | DATA_FORMAT X0 X1 Y0 Y1 Z0 Z1 | P
    ///
    /// One burst, so the six data bytes are of one instant. DATA_FORMAT comes first in the same burst: as written it is
    /// never its reset value, so a part that has lost its configuration is noticed at no further cost.
    ///
    /// - Throws: `configurationLost` (without a transaction after a ``start()`` or a self-test that failed) or `bus`.
    /// - Datasheet: Rev. E, "Register map": multiple-byte read of the data registers.
    public mutating func sample() throws(SensorError) -> Vector3 {
      guard !isUnsettled else { throw .configurationLost }
      return try sample(in: configuration.dataFormat)
    }

    /// Closes and opens the bus again.
    public mutating func reopen() throws(SensorError) {
      do { try bus.reopen() } catch { throw .bus(error) }
    }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  /// A sample in the format that the part must be set to.
  mutating func sample(in format: ADXL345.DataFormatField) throws(SensorError) -> Vector3 {
    var bytes = InlineArray<7, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: .dataFormat, into: &span)
    guard bytes[0] == format.encoded else { throw .configurationLost }
    return format.specificForce((bytes[1], bytes[2]), (bytes[3], bytes[4]), (bytes[5], bytes[6]))
  }

  /// Writes one register.
  ///
  ///     S | addr+W | register value | P
  mutating func write(_ register: ADXL345.Register, _ value: UInt8) throws(SensorError) {
    let bytes: InlineArray<2, UInt8> = [register.rawValue, value]
    try write(bytes.span)
  }

  /// Writes `bytes`, a register and the values from there on.
  mutating func write(_ bytes: Span<UInt8>) throws(SensorError) {
    transactions &+= 1
    do { try bus.write(bytes, to: address) } catch { throw .bus(error) }
  }

  /// Reads one register.
  mutating func read(_ register: ADXL345.Register) throws(SensorError) -> UInt8 {
    var byte = InlineArray<1, UInt8>(repeating: 0)
    var span = byte.mutableSpan
    try read(from: register, into: &span)
    return byte[0]
  }

  /// Reads the registers from `register` on.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  mutating func read(from register: ADXL345.Register, into span: inout MutableSpan<UInt8>) throws(SensorError) {
    let pointer: InlineArray<1, UInt8> = [register.rawValue]
    transactions &+= 1
    do { try bus.writeRead(pointer.span, into: &span, at: address) } catch { throw .bus(error) }
  }
}
