public import FixedPoint
public import HAL
public import Sensors

extension TL3 {
  /// A TL3 on a bus that it owns.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The bus. Use it for anything but this part's address at will.
    public var bus: Bus
    /// Where the part answers.
    public let address: I2CAddress
    /// How the part is set up by `start()`.
    public let configuration: Configuration
    /// How many bus transactions were begun so far.
    public private(set) var transactions: UInt64 = 0
    private var isStarted = false

    /// A driver for the part at `address`. Touches nothing until `start()`.
    public init(bus: consuming Bus, address: I2CAddress, configuration: Configuration = Configuration()) {
      self.bus = bus
      self.address = address
      self.configuration = configuration
    }

    /// The greatest specific force on one axis that can still be told from more, in g.
    public var fullScale: Q16 { configuration.range.fullScale }

    /// Checks the identity, then configures the part and reads that back.
    ///
    ///     S | addr+W | 00 | Sr | addr+R | WHO | P
    ///     S | addr+W | 01 00 | P
    ///     S | addr+W | 01 SETUP | P
    ///     S | addr+W | 01 | Sr | addr+R | SETUP | P
    ///
    /// Standby first, so that it begins anew. Returns the time until the first sample: 5 ms and one period.
    ///
    /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
    ///   `configurationRejected` or `bus`. `sample()` then refuses to read the part.
    public mutating func start() throws(SensorError) -> Microseconds {
      isStarted = false
      try checkRate()
      let identity = try read(.identity)
      guard identity == TL3.identity else { throw .unexpectedIdentity(found: identity, expected: TL3.identity) }
      let setup = configuration.setup.encoded
      try write(.setup, 0)
      try write(.setup, setup)
      let found = try read(.setup)
      guard found == setup else { throw .configurationRejected(register: 0x01, wrote: setup, read: found) }
      isStarted = true
      return .milliseconds(5) + configuration.rate.period
    }

    /// The latest sample, in g, in the sensor's own frame.
    ///
    ///     S | addr+W | 01 | Sr | addr+R | SETUP X1 X0 Y1 Y0 Z1 Z0 | P
    ///
    /// One burst, so the six data bytes are of one instant, and SETUP in it shows whether the part is still as configured.
    ///
    /// - Throws: `configurationLost` (without a transaction where `start()` did not succeed) or `bus`.
    public mutating func sample() throws(SensorError) -> Vector3 {
      guard isStarted else { throw .configurationLost }
      var bytes = InlineArray<7, UInt8>(repeating: 0)
      var span = bytes.mutableSpan
      try read(from: .setup, into: &span)
      guard bytes[0] == configuration.setup.encoded else { throw .configurationLost }
      let range = configuration.range
      return Vector3(
        x: range.component(bytes[1], bytes[2]), y: range.component(bytes[3], bytes[4]),
        z: range.component(bytes[5], bytes[6]))
    }

    /// Closes and opens the bus again.
    public mutating func reopen() throws(SensorError) {
      do { try bus.reopen() } catch { throw .bus(error) }
    }
  }
}

extension TL3.Device where Bus: ~Copyable {
  /// Refuses a rate at which the samples, of 93 clock periods each, would fill more than half of the bus.
  private func checkRate() throws(SensorError) {
    guard let frequency = bus.frequency else { return }
    guard configuration.rate.hertz &* 186 <= frequency else {
      throw .rateTooHigh(busHertz: frequency, highestHertz: frequency / 186)
    }
  }

  private mutating func write(_ register: TL3.Register, _ value: UInt8) throws(SensorError) {
    let bytes: InlineArray<2, UInt8> = [register.rawValue, value]
    transactions &+= 1
    do { try bus.write(bytes.span, to: address) } catch { throw .bus(error) }
  }

  private mutating func read(_ register: TL3.Register) throws(SensorError) -> UInt8 {
    var byte = InlineArray<1, UInt8>(repeating: 0)
    var span = byte.mutableSpan
    try read(from: register, into: &span)
    return byte[0]
  }

  private mutating func read(from register: TL3.Register, into span: inout MutableSpan<UInt8>) throws(SensorError) {
    let pointer: InlineArray<1, UInt8> = [register.rawValue]
    transactions &+= 1
    do { try bus.writeRead(pointer.span, into: &span, at: address) } catch { throw .bus(error) }
  }
}
