public import FixedPoint
public import HAL

extension LIS3DH {
  /// A LIS3DH on a bus that it owns.
  ///
  /// ``start()`` it, then call ``sample()``; `Batched` takes what waits in its FIFO.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus below them.
    public var wire: Wire<Bus>
    /// How the part is set up by ``start()``.
    public let configuration: Configuration

    /// Whether the part is set up in part, or for something else than samples: nothing may be read from it.
    var isUnsettled = false
    /// Whether the part makes samples in order to watch for movement, but does not look for it yet.
    var isFallingAsleep = false
    /// How many sets at the front of the FIFO are from before the part had settled.
    var unsettledSets: Int32 = 0
    /// Whether the last sample of a coarse range was marked, so that equal ones can be told apart.
    var isMarked = false
    /// Whether samples of the FIFO may be missing that no whole batch has reported yet.
    var lacksSamples = false

    /// A driver for the part at `address`. Touches nothing until ``start()``.
    public init(
      bus: consuming Bus, address: I2CAddress = LIS3DH.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// How many bus transactions were begun so far.
    public var transactions: UInt64 { wire.transactions }

    /// The greatest specific force on one axis that can still be told from more, in g: one LSB short of the range.
    public var fullScale: Q16 { configuration.format.fullScale }

    /// Closes and opens the bus again.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension LIS3DH.Device where Bus: ~Copyable {
  /// Checks the rate against the bus and the identity, then writes every register in use and reads each back. There is
  /// no reset: all that a program before can have left is written over.
  ///
  ///     read  0F -> 33              identity
  ///     write 20 07                 power-down
  ///     write 2E 00                 FIFO emptied
  ///     write BE 00 00              the rate is never lowered
  ///     write A1 CTRL_REG2 … CTRL_REG6
  ///     read  A6 … AD               REFERENCE, without which what comes after power-down is wrong; the last sample is
  ///                                 thrown away
  ///     write 2E mode               where there is a FIFO
  ///     write 20 CTRL_REG1          samples begin
  ///     read  A0 … A5, 2E, BE, BF   as written
  ///
  /// Returns the time until the first sample is settled: eight sample periods in high resolution, else two and 1.6 ms.
  ///
  /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
  ///   `configurationRejected` or `bus`. The part may then be half configured; ``sample()`` refuses to read it.
  /// - Datasheet: Rev. 2, tables 11 and 21; 3.2 (modes) and 8.15 (REFERENCE).
  public mutating func start() throws(SensorError) -> Microseconds {
    let wait = try configure(configuration)
    isUnsettled = false
    return wait
  }

  /// Sets the part up as `wanted` says, and lets it make samples. Leaves it unsettled: that is for the caller to lift.
  ///
  /// Returns what `start()` does.
  mutating func configure(_ wanted: LIS3DH.Configuration) throws(SensorError) -> Microseconds {
    try wanted.check(against: wire.bus.frequency)
    isUnsettled = true
    isFallingAsleep = false
    let identity = try wire.read(LIS3DH.Register.identity)
    guard identity == LIS3DH.identity else { throw .unexpectedIdentity(found: identity, expected: LIS3DH.identity) }
    try prepare(wanted.controlBytes)
    if wanted.fifo != .bypass { try wire.write(LIS3DH.Register.fifoControl, wanted.fifo.field.encoded) }
    try wire.write(LIS3DH.Register.control1, wanted.rateField.encoded)
    try verify(wanted.controlBytes, fifo: wanted.fifo.field.encoded)
    (lacksSamples, unsettledSets) = (false, wanted.unsettled)
    let periods = wanted.rate.period * widened(wanted.unsettled &+ 1)
    return wanted.resolution == .high ? periods : periods + Microseconds(1_600)
  }

  /// Powers the part down, writes all of `control` but CTRL_REG1, and throws away what it has measured.
  mutating func prepare(_ control: InlineArray<6, UInt8>) throws(SensorError) {
    try wire.write(LIS3DH.Register.control1, LIS3DH.RateField(rate: nil).encoded)
    try wire.write(LIS3DH.Register.fifoControl, 0)
    try wire.write([LIS3DH.Register.activityThreshold | LIS3DH.Register.increment, 0, 0])
    try wire.write([
      LIS3DH.Register.control2 | LIS3DH.Register.increment, control[1], control[2], control[3], control[4], control[5],
    ])
    var old = InlineArray<8, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.reference | LIS3DH.Register.increment, into: &old)
  }

  /// Throws `configurationRejected` for the first register that `difference(from:fifo:)` finds.
  mutating func verify(_ control: InlineArray<6, UInt8>, fifo: UInt8) throws(SensorError) {
    guard let found = try difference(from: control, fifo: fifo) else { return }
    throw .configurationRejected(register: found.register, wrote: found.wrote, read: found.read)
  }

  /// Looks whether the part runs already exactly as ``start()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 0F | Sr | addr+R | WHO_AM_I | P
  ///     S | addr+W | A0 | Sr | addr+R | CTRL_REG1 … CTRL_REG6 | P
  ///     S | addr+W | 2E | Sr | addr+R | FIFO_CTRL | P
  ///     S | addr+W | BE | Sr | addr+R | ACT_THS ACT_DUR | P
  ///
  /// Every register that ``start()`` would write is compared; the first read that differs is the last. A part that
  /// another program has just begun to run may not have settled; of its FIFO as much is thrown away as after
  /// ``start()``. A FIFO is shared with any other reader, so the first batch is reported to lack samples.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, and after false, ``sample()`` refuses to
  ///   read.
  public mutating func adopt() throws(SensorError) -> Bool {
    try configuration.check(against: wire.bus.frequency)
    isUnsettled = true
    guard try wire.read(LIS3DH.Register.identity) == LIS3DH.identity, try difference(from: configuration) == nil else {
      return false
    }
    (lacksSamples, unsettledSets) = (configuration.fifo != .bypass, configuration.unsettled)
    isUnsettled = false
    return true
  }

  /// Reads every register that ``start()`` writes, as ``adopt()`` does but for the identity.
  ///
  /// - Throws: `configurationChanged` for the first that differs; `configurationLost` where CTRL_REG1 and CTRL_REG4 are
  ///   as after power-on, and while the part is not set up; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard !isUnsettled else { throw .configurationLost }
    // Looked at twice: a byte that came wrong once costs nothing.
    guard try difference(from: configuration) != nil, let found = try difference(from: configuration) else { return }
    let control = try readControl()
    if control[0] == 0x07, control[3] == 0 { throw .configurationLost }
    throw .configurationChanged(register: found.register, wrote: found.wrote, read: found.read)
  }

  private mutating func readControl() throws(SensorError) -> InlineArray<6, UInt8> {
    var found = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.control1 | LIS3DH.Register.increment, into: &found)
    return found
  }

  /// The first register that is not as `wanted` has it.
  private mutating func difference(from wanted: LIS3DH.Configuration) throws(SensorError) -> RegisterDifference? {
    try difference(from: wanted.controlBytes, fifo: wanted.fifo.field.encoded)
  }

  /// The first of CTRL_REG1 to CTRL_REG6, FIFO_CTRL, ACT_THS and ACT_DUR that is otherwise.
  mutating func difference(
    from control: InlineArray<6, UInt8>, fifo: UInt8
  ) throws(SensorError) -> RegisterDifference? {
    let found = try readControl()
    for index in 0..<6 {
      let register = LIS3DH.Register.control1 &+ UInt8(truncatingIfNeeded: index)
      if let found = RegisterDifference(register, wrote: control[index], read: found[index]) { return found }
    }
    if let found = RegisterDifference(
      LIS3DH.Register.fifoControl, wrote: fifo, read: try wire.read(LIS3DH.Register.fifoControl))
    {
      return found
    }
    var activity = InlineArray<2, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.activityThreshold | LIS3DH.Register.increment, into: &activity)
    return RegisterDifference(LIS3DH.Register.activityThreshold, wrote: 0, read: activity[0])
      ?? RegisterDifference(LIS3DH.Register.activityThreshold &+ 1, wrote: 0, read: activity[1])
  }
}
