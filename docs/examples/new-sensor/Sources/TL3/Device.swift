public import Plumb

extension TL3 {
  /// A TL3 on a bus that it owns.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus below them.
    public var wire: Wire<Bus>
    /// How the part is set up by `start()`.
    public let configuration: Configuration
    /// Whether the part runs as configured.
    var isStarted = false

    /// A driver for the part at `address`. Nothing is sent before `start()`.
    public init(bus: consuming Bus, address: I2CAddress, configuration: Configuration = Configuration()) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// The number of bus transactions begun so far.
    public var transactions: UInt64 { wire.transactions }

    /// The largest specific force on one axis that is not clipped, in g.
    public var fullScale: Q16 { configuration.range.fullScale }

    /// Checks the identity, then configures the part and reads the configuration back.
    ///
    ///     S | addr+W | 00 | Sr | addr+R | WHO | P
    ///     S | addr+W | 01 00 | P
    ///     S | addr+W | 01 SETUP | P
    ///     S | addr+W | 01 | Sr | addr+R | SETUP | P
    ///
    /// Standby comes first, so that the part restarts. Returns the time until the first sample: 5 ms and one period.
    ///
    /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
    ///   `configurationRejected` or `bus`. After an error, `sample()` does not read the part.
    public mutating func start() throws(SensorError) -> Microseconds {
      isStarted = false
      try configuration.check(against: wire.bus.frequency)
      let identity = try wire.read(Register.identity)
      guard identity == TL3.identity else { throw .unexpectedIdentity(found: identity, expected: TL3.identity) }
      let setup = configuration.setup.encoded
      try wire.write(Register.setup, 0)
      try wire.write(Register.setup, setup)
      try wire.verify([Register.setup, setup])
      isStarted = true
      return .milliseconds(5) + configuration.rate.period
    }

    /// Closes the bus and opens it again.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}
