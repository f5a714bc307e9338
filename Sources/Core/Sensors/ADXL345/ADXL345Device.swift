public import FixedPoint
public import HAL

extension ADXL345 {
  /// An ADXL345 on a bus that it owns.
  ///
  /// ``start()`` it, then call ``sample()``; `Batched` takes what waits in its FIFO.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus below them.
    public var wire: Wire<Bus>
    /// How the part is set up by ``start()``.
    public let configuration: Configuration

    /// Whether the part is set up in part, or for something else than samples: nothing may be read from it.
    var isUnsettled = false
    /// Whether the part watches for movement, but has not looked yet.
    var isFallingAsleep = false
    /// Whether the force of a self-test that was broken off has to settle yet.
    var isPushed = false
    /// Whether samples of the FIFO may be missing that no whole batch has reported yet.
    var lacksSamples = false
    /// Whether measurements say what the part has found: not where another program runs it, which would miss that.
    var reportsFindings = false

    /// A driver for the part at `address`. Touches nothing until ``start()``.
    public init(
      bus: consuming Bus, address: I2CAddress = ADXL345.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// How many bus transactions were begun so far.
    public var transactions: UInt64 { wire.transactions }

    /// The greatest specific force on one axis that can still be told from more, in g: one LSB short of the range.
    public var fullScale: Q16 { configuration.dataFormat.fullScale }

    /// Closes and opens the bus again.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  /// Checks the rate against the bus and the identity, then configures every register in use and reads each back;
  /// measuring starts last.
  ///
  ///     read  00 -> E5              identity
  ///     write 2D 00                 standby
  ///     write 2E 00                 no interrupts while the rest changes
  ///     write 1E 00 00 00           no offsets; where events are looked for, 1D … 2A with their thresholds and times
  ///     write 2C rate
  ///     write 31 format
  ///     write 38 00                 FIFO emptied
  ///     read  32 … 37               where there is a FIFO or an interrupt: the last sample is thrown away
  ///     write 38 mode               where there is a FIFO
  ///     write 2F map                where anything drives a pin
  ///     read  1E … or 1D …, 2C … 31, 38    as written
  ///     write 2E on, read 2E        where anything drives a pin; what happened before is forgotten
  ///     write 2D 08, read 2D        measure
  ///
  /// Returns the time until the first sample is settled: 1.1 ms and two sample periods; four more after a self-test
  /// that was broken off.
  ///
  /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
  ///   `configurationRejected` or `bus`. The part may then be half configured; ``sample()`` refuses to read it.
  /// - Datasheet: Rev. E, "Power sequencing", "Interrupts" (functions and mapping before enabling) and table 7 (turn-on
  ///   time).
  public mutating func start() throws(SensorError) -> Microseconds {
    let wait = try configure(configuration)
    isUnsettled = false
    isPushed = false
    reportsFindings = configuration.detection.hasFindings
    return wait
  }

  /// Sets the part up as `wanted` says, and lets it measure. Leaves it unsettled: that is for the caller to lift.
  ///
  /// Returns what `start()` does.
  mutating func configure(_ wanted: ADXL345.Configuration) throws(SensorError) -> Microseconds {
    try wanted.check(against: wire.bus.frequency)
    isUnsettled = true
    isFallingAsleep = false
    let identity = try wire.read(ADXL345.Register.identity)
    guard identity == ADXL345.identity else { throw .unexpectedIdentity(found: identity, expected: ADXL345.identity) }
    let enabled = wanted.enabledInterrupts
    try wire.write(ADXL345.Register.power, ADXL345.Power.standby)
    try wire.write(ADXL345.Register.interruptEnable, 0)
    try writeFunctions(wanted)
    try wire.write(ADXL345.Register.rate, wanted.rateField.encoded)
    try wire.write(ADXL345.Register.dataFormat, wanted.dataFormat.encoded)
    try writeFIFO(wanted)
    if !enabled.isEmpty { try wire.write(ADXL345.Register.interruptMap, wanted.interrupts.onInterrupt2.rawValue) }
    try verify(wanted)
    if !enabled.isEmpty {
      try wire.write(ADXL345.Register.interruptEnable, enabled.rawValue)
      try wire.verify([ADXL345.Register.interruptEnable, enabled.rawValue])
    }
    try wire.write(ADXL345.Register.power, ADXL345.Power.measure)
    try wire.verify([ADXL345.Register.power, ADXL345.Power.measure])
    return wanted.rate.period * (isPushed ? 6 : 2) + Microseconds(1_100)
  }

  /// Empties the FIFO and the output register, then sets the mode.
  private mutating func writeFIFO(_ wanted: ADXL345.Configuration) throws(SensorError) {
    lacksSamples = false
    try wire.write(ADXL345.Register.fifoControl, 0)
    guard wanted.fifo != .bypass || !wanted.enabledInterrupts.isEmpty else { return }
    var old = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.data, into: &old)
    if wanted.fifo != .bypass { try wire.write(ADXL345.Register.fifoControl, wanted.fifo.field.encoded) }
  }

  /// The offsets alone, or the whole block that they lie in.
  private mutating func writeFunctions(_ wanted: ADXL345.Configuration) throws(SensorError) {
    if wanted.detection.events.isEmpty {
      try wire.write(ADXL345.Configuration.offsetBytes)
    } else {
      try wire.write(wanted.functionBytes)
    }
  }

  private mutating func verifyFunctions(_ wanted: ADXL345.Configuration) throws(SensorError) {
    if wanted.detection.events.isEmpty {
      try wire.verify(ADXL345.Configuration.offsetBytes)
    } else {
      try wire.verify(wanted.functionBytes)
    }
  }

  private mutating func verify(_ wanted: ADXL345.Configuration) throws(SensorError) {
    try verifyFunctions(wanted)
    // 0x2C rate, 0x2D power, 0x2E interrupt enable, 0x2F map, 0x30 source (old events are forgotten), 0x31 data format.
    var block = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.rate, into: &block)
    try verify(0x2C, wrote: wanted.rateField.encoded, read: block[0])
    try verify(0x2D, wrote: ADXL345.Power.standby, read: block[1])
    try verify(0x2E, wrote: 0, read: block[2])
    if !wanted.enabledInterrupts.isEmpty {
      try verify(0x2F, wrote: wanted.interrupts.onInterrupt2.rawValue, read: block[3])
    }
    try verify(0x31, wrote: wanted.dataFormat.encoded, read: block[5])
    try wire.verify([ADXL345.Register.fifoControl, wanted.fifo.field.encoded])
  }

  private func verify(_ register: UInt8, wrote: UInt8, read: UInt8) throws(SensorError) {
    guard wrote == read else { throw .configurationRejected(register: register, wrote: wrote, read: read) }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  /// Looks whether the part runs already exactly as ``start()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 00 | Sr | addr+R | DEVID | P
  ///     S | addr+W | 1D | Sr | addr+R | THRESH_TAP … INT_MAP | P
  ///     S | addr+W | 31 | Sr | addr+R | DATA_FORMAT | P
  ///     S | addr+W | 38 | Sr | addr+R | FIFO_CTL | P
  ///
  /// Every register that ``start()`` would write is compared; the first read that differs is the last. What lies
  /// between the bursts is not touched, because reading it does something: INT_SOURCE (0x30) forgets events, the data
  /// registers give a sample of the FIFO away, and 0x01 to 0x1C are reserved.
  ///
  /// A part that another program began to run less than 1.1 ms and two periods ago may not have settled: its first
  /// samples may be all zero. A FIFO is shared with any other reader, so the first batch is reported to lack samples.
  /// Events are left to the other program: ``measure()`` does not report them then.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, and after false, ``sample()`` refuses to
  ///   read.
  /// - Datasheet: Rev. E, "Register map" and registers 0x1D to 0x39.
  public mutating func adopt() throws(SensorError) -> Bool {
    try configuration.check(against: wire.bus.frequency)
    isUnsettled = true
    guard !isPushed, try wire.read(ADXL345.Register.identity) == ADXL345.identity, try difference() == nil else {
      return false
    }
    lacksSamples = configuration.fifo != .bypass
    reportsFindings = false
    isUnsettled = false
    return true
  }

  /// Reads every register that ``start()`` writes, as ``adopt()`` does but for the identity.
  ///
  /// - Throws: `configurationChanged` for the first that differs; `configurationLost` where POWER_CTL and DATA_FORMAT
  ///   are as after power-on, and while the part is not set up; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard !isUnsettled else { throw .configurationLost }
    // Looked at twice: a byte that came wrong once costs nothing.
    guard try difference() != nil, let found = try difference() else { return }
    if try wire.read(ADXL345.Register.power) == 0, try wire.read(ADXL345.Register.dataFormat) == 0 {
      throw .configurationLost
    }
    throw .configurationChanged(register: found.register, wrote: found.wrote, read: found.read)
  }

  /// The first register that is not as ``start()`` wrote it.
  private mutating func difference() throws(SensorError) -> RegisterDifference? {
    var block = InlineArray<19, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.tapThreshold, into: &block)
    let enabled = configuration.enabledInterrupts
    if let found = differenceOfFunctions(block) { return found }
    let wanted: InlineArray<4, UInt8> = [
      configuration.rateField.encoded, ADXL345.Power.measure, enabled.rawValue,
      enabled.isEmpty ? block[18] : configuration.interrupts.onInterrupt2.rawValue,
    ]
    for index in 0..<4 {
      let register = ADXL345.Register.rate &+ UInt8(truncatingIfNeeded: index)
      if let found = RegisterDifference(register, wrote: wanted[index], read: block[15 &+ index]) { return found }
    }
    if let found = RegisterDifference(
      ADXL345.Register.dataFormat, wrote: configuration.dataFormat.encoded,
      read: try wire.read(ADXL345.Register.dataFormat))
    {
      return found
    }
    return RegisterDifference(
      ADXL345.Register.fifoControl, wrote: configuration.fifo.field.encoded,
      read: try wire.read(ADXL345.Register.fifoControl))
  }

  /// The first register from 0x1D on that is not as written: the offsets, and thresholds and times where they are in
  /// use.
  private func differenceOfFunctions(_ found: InlineArray<19, UInt8>) -> RegisterDifference? {
    let wanted = configuration.functionBytes
    let isWhole = !configuration.detection.events.isEmpty
    for index in 0..<14 where isWhole || (index >= 1 && index <= 3) {
      let register = ADXL345.Register.tapThreshold &+ UInt8(truncatingIfNeeded: index)
      if let found = RegisterDifference(register, wrote: wanted[index &+ 1], read: found[index]) { return found }
    }
    return nil
  }
}
