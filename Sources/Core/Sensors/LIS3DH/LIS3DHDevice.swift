public import FixedPoint
public import HAL

extension LIS3DH {
  /// An LIS3DH on a bus that it owns.
  ///
  /// Call ``start()``, then ``sample()``; `Batched` takes the samples in its FIFO.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus that they are on.
    public var wire: Wire<Bus>
    /// How ``start()`` sets the part up.
    public let configuration: Configuration

    var isUnsettled = false
    /// Whether the part samples at its settings for watching, but its interrupt is still off.
    var isFallingAsleep = false
    var unsettledSets: Int32 = 0
    /// Whether the last sample in a coarse range was marked, to distinguish it from an equal one.
    var isMarked = false
    var lacksSamples = false

    /// A driver for the part at `address`. It does not access the bus.
    public init(
      bus: consuming Bus, address: I2CAddress = LIS3DH.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// The number of bus transactions begun so far.
    public var transactions: UInt64 { wire.transactions }

    /// The largest specific force on one axis that is not clipped, in g: one LSB below the range.
    public var fullScale: Q16 { configuration.format.fullScale }

    /// Closes the bus and opens it again.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension LIS3DH.Device where Bus: ~Copyable {
  /// Checks the rate against the bus, then the identity, writes every register in use and reads each back. There is no
  /// reset; the writes replace whatever an earlier program left.
  ///
  ///     read  0F -> 33              identity
  ///     write 20 07                 power-down
  ///     write 2E 00                 empties the FIFO
  ///     write BE 00 00              the part never lowers its rate
  ///     write A1 CTRL_REG2 … CTRL_REG6
  ///     read  A6 … AD               REFERENCE, without which samples after power-down are wrong; discards the last
  ///                                 sample
  ///     write 2E mode               with a FIFO only
  ///     write 20 CTRL_REG1          starts sampling
  ///     read  A0 … A5, 2E, BE, BF   as written
  ///
  /// Returns the time until the first settled sample: eight periods in high resolution; in normal mode 1.6 ms and two
  /// periods, or four at 1344 Hz.
  ///
  /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
  ///   `configurationRejected` or `bus`. The part may then be half configured, and ``sample()`` throws.
  /// - Datasheet: Rev. 2, tables 11 and 21; 3.2 (modes) and 8.15 (REFERENCE).
  public mutating func start() throws(SensorError) -> Microseconds {
    let wait = try configure(configuration)
    isUnsettled = false
    return wait
  }

  /// Sets the part up as `wanted` and starts sampling. Leaves `isUnsettled` true; the caller clears it.
  ///
  /// Returns the same time as `start()`.
  mutating func configure(_ wanted: LIS3DH.Configuration) throws(SensorError) -> Microseconds {
    try wanted.check(against: wire.bus.frequency)
    isUnsettled = true
    isFallingAsleep = false
    let identity = try wire.read(LIS3DH.Register.identity)
    guard identity == LIS3DH.identity else { throw .unexpectedIdentity(found: identity, expected: LIS3DH.identity) }
    let image = wanted.image
    try prepare(image)
    if wanted.usesFIFO { try wire.write(image, at: LIS3DH.Register.fifoControl) }
    try wire.write(image, at: LIS3DH.Register.control1)
    try verify(image)
    (lacksSamples, unsettledSets) = (false, wanted.unsettled)
    let periods = wanted.rate.period * widened(wanted.unsettled &+ 1)
    return wanted.resolution == .high ? periods : periods + Microseconds(1_600)
  }

  /// Powers the part down, writes CTRL_REG2 to CTRL_REG6, and discards the part's samples.
  mutating func prepare(_ image: RegisterImage) throws(SensorError) {
    try wire.write(LIS3DH.Register.control1, LIS3DH.RateField(rate: nil).encoded)
    try wire.write(LIS3DH.Register.fifoControl, 0)
    try wire.write(image, 2, at: LIS3DH.Register.activityThreshold | LIS3DH.Register.increment)
    try wire.write(image, 5, at: LIS3DH.Register.control2 | LIS3DH.Register.increment)
    var old = InlineArray<8, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.reference | LIS3DH.Register.increment, into: &old)
  }

  /// Throws `configurationRejected` for the first register that `difference(from:)` finds.
  mutating func verify(_ image: RegisterImage) throws(SensorError) {
    if let found = try difference(from: image) { throw found.rejected }
  }

  /// Checks whether the part already runs exactly as ``start()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 0F | Sr | addr+R | WHO_AM_I | P
  ///     S | addr+W | A0 | Sr | addr+R | CTRL_REG1 … CTRL_REG6 | P
  ///     S | addr+W | 2E | Sr | addr+R | FIFO_CTRL | P
  ///     S | addr+W | BE | Sr | addr+R | ACT_THS ACT_DUR | P
  ///
  /// Compares every register that ``start()`` would write, and stops after the first read that differs. If another
  /// program has only just started the part, it may not have settled, so as many sets of the FIFO are discarded as
  /// after ``start()``. Another reader may have taken samples from the FIFO, so the first batch reports a gap.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After `bus`, or a return of false, ``sample()`` throws.
  public mutating func adopt() throws(SensorError) -> Bool {
    try configuration.check(against: wire.bus.frequency)
    isUnsettled = true
    guard try wire.read(LIS3DH.Register.identity) == LIS3DH.identity,
      try difference(from: configuration.image) == nil
    else { return false }
    (lacksSamples, unsettledSets) = (keepsSamples, configuration.unsettled)
    isUnsettled = false
    return true
  }

  /// Checks every register that ``start()`` writes, as ``adopt()`` does, but not the identity.
  ///
  /// - Throws: `configurationChanged` for the first that differs; `configurationLost` if CTRL_REG1 and CTRL_REG4 have
  ///   their reset values or the part is not set up; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard !isUnsettled else { throw .configurationLost }
    // Two reads, so that one corrupted byte is not reported.
    guard try difference(from: configuration.image) != nil, let found = try difference(from: configuration.image)
    else { return }
    var control = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.control1 | LIS3DH.Register.increment, into: &control)
    if control[0] == 0x07, control[3] == 0 { throw .configurationLost }
    throw found.changed
  }

  /// The first of CTRL_REG1 to CTRL_REG6, FIFO_CTRL, ACT_THS and ACT_DUR that differs, or nil.
  private mutating func difference(from image: RegisterImage) throws(SensorError) -> RegisterDifference? {
    let flag = LIS3DH.Register.increment
    if let found = try wire.difference(6, from: image, at: LIS3DH.Register.control1 | flag) { return found }
    if let found = try wire.difference(1, from: image, at: LIS3DH.Register.fifoControl) { return found }
    return try wire.difference(2, from: image, at: LIS3DH.Register.activityThreshold | flag)
  }
}
