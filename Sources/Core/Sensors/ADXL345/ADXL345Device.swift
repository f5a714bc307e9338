public import FixedPoint
public import HAL

extension ADXL345 {
  /// An ADXL345 on a bus that it owns.
  ///
  /// Call ``start()``, then ``sample()``; `Batched` reads the samples in its FIFO.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus below them.
    public var wire: Wire<Bus>
    /// The configuration that ``start()`` writes.
    public let configuration: Configuration

    /// Whether the part is configured only partly, or not for taking samples: nothing may be read from it.
    var isUnsettled = false
    /// Whether the part watches for movement, but has not measured yet.
    var isFallingAsleep = false
    /// Whether the force of an interrupted self-test has yet to settle.
    var isPushed = false
    /// Whether samples may be missing from the FIFO, not yet reported with a batch.
    var lacksSamples = false
    /// Whether measurements report the part's findings: not if another program runs the part, which would miss them.
    var reportsFindings = false

    /// A driver for the part at `address`. Accesses nothing until ``start()``.
    public init(
      bus: consuming Bus, address: I2CAddress = ADXL345.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// The number of bus transactions started so far.
    public var transactions: UInt64 { wire.transactions }

    /// The largest specific force on one axis that is not clipped, in g: one LSB below the range.
    public var fullScale: Q16 { configuration.dataFormat.fullScale }

    /// Reopens the bus.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  /// Checks the rate against the bus and the identity, then configures every register in use and reads each back;
  /// measuring starts last.
  ///
  ///     read  00 -> E5              identity
  ///     write 2D 00                 standby
  ///     write 2E 00                 no interrupts during the configuration
  ///     write 1E 00 00 00           no offsets; with events to detect, 1D … 2A with their thresholds and times
  ///     write 2C rate
  ///     write 31 format
  ///     write 38 00                 FIFO emptied
  ///     read  32 … 37               with a FIFO or an interrupt: the last sample is discarded
  ///     write 38 mode               with a FIFO
  ///     write 2F map                if anything drives a pin
  ///     read  1E … or 1D …, 2C … 31, 38    as written
  ///     write 2E on, read 2E        if anything drives a pin; earlier events are discarded
  ///     write 2D 08, read 2D        measure
  ///
  /// Returns the time until the first sample is settled: 1.1 ms and two sample periods; four more after an interrupted
  /// self-test.
  ///
  /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
  ///   `configurationRejected` or `bus`. The part may then be partly configured; ``sample()`` refuses to read it.
  /// - Datasheet: Rev. E, "Power sequencing", "Interrupts" (functions and mapping before enabling) and table 7 (turn-on
  ///   time).
  public mutating func start() throws(SensorError) -> Microseconds {
    let wait = try configure(configuration)
    isUnsettled = false
    isPushed = false
    reportsFindings = configuration.detection.hasFindings
    return wait
  }

  /// Configures the part as `wanted`, and starts measuring. The part stays unsettled, until the caller changes that.
  ///
  /// Returns the same as `start()`.
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
    guard wanted.usesFIFO || !wanted.enabledInterrupts.isEmpty else { return }
    var old = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.data, into: &old)
    if wanted.usesFIFO { try wire.write(ADXL345.Register.fifoControl, wanted.fifo.field.encoded) }
  }

  /// Writes only the offsets, or the whole block that contains them.
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
    // 0x2C rate, 0x2D power, 0x2E interrupt enable, 0x2F map, 0x30 source (discards old events), 0x31 data format.
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
  /// Checks whether the part already runs exactly as ``start()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 00 | Sr | addr+R | DEVID | P
  ///     S | addr+W | 1D | Sr | addr+R | THRESH_TAP … INT_MAP | P
  ///     S | addr+W | 31 | Sr | addr+R | DATA_FORMAT | P
  ///     S | addr+W | 38 | Sr | addr+R | FIFO_CTL | P
  ///
  /// Every register that ``start()`` would write is compared, up to the first read that differs. The registers between
  /// the bursts are not read, because that has side effects: INT_SOURCE (0x30) discards events, the data registers
  /// remove a sample from the FIFO, and 0x01 to 0x1C are reserved.
  ///
  /// If another program started the part less than 1.1 ms and two periods ago, it may not have settled: its first
  /// samples may be all zero. A FIFO is shared with any other reader, so the first batch is reported to lack samples.
  /// Events are left to the other program, so ``measure()`` does not report them.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, or if the result is false, ``sample()``
  ///   refuses to read.
  /// - Datasheet: Rev. E, "Register map" and registers 0x1D to 0x39.
  public mutating func adopt() throws(SensorError) -> Bool {
    try configuration.check(against: wire.bus.frequency)
    isUnsettled = true
    guard !isPushed, try wire.read(ADXL345.Register.identity) == ADXL345.identity, try difference() == nil else {
      return false
    }
    lacksSamples = keepsSamples
    reportsFindings = false
    isUnsettled = false
    return true
  }

  /// Reads every register that ``start()`` writes, as ``adopt()`` does, except for the identity.
  ///
  /// - Throws: `configurationChanged` for the first that differs; `configurationLost` if POWER_CTL and DATA_FORMAT have
  ///   their power-on values, or if the part is not configured; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard !isUnsettled else { throw .configurationLost }
    // Read twice, so that a single corrupted byte does no harm.
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

  /// The first register from 0x1D on that is not as written: the offsets, plus thresholds and times if they are in use.
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
