public import FixedPoint
public import HAL

extension MPU6050 {
  /// A part of the family on a bus that it owns.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus below them.
    public var wire: Wire<Bus>
    /// The configuration that ``start()`` and ``proceed()`` write.
    public let configuration: Configuration
    /// The part that the last ``start()`` found; nil if none of the family.
    public internal(set) var part: Part?

    var phase = SetUpPhase.idle
    /// The number of samples until the next check of the configuration.
    var samplesUntilWatch: UInt16 = 0
    /// Whether the FIFO must be emptied and restarted before anything is read from it.
    var fifoIsBroken = false
    /// Whether samples may be missing before the oldest in the FIFO.
    var followsGap = false

    /// A driver for the part at `address`. Accesses nothing until ``start()``.
    public init(
      bus: consuming Bus, address: I2CAddress = MPU6050.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// The number of bus transactions started so far.
    public var transactions: UInt64 { wire.transactions }

    /// What a user should know after the last ``start()``, or nil.
    public var notice: SensorNotice? {
      guard let part, part.admission != .accepted else { return nil }
      return .compatiblePart(identity: part.rawValue)
    }

    /// The largest specific force on one axis that is not clipped, in g: one LSB below the range.
    public var fullScale: Q16 { configuration.fullScale }

    /// The largest rate of rotation about one axis that is not clipped, in °/s: one LSB below the range.
    public var rotationFullScale: Q16? { configuration.rotationFullScale }

    /// Reopens the bus.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  /// Checks the identity, then starts the part's reset.
  ///
  ///     read  75 -> identity
  ///     write 6B 80           DEVICE_RESET
  ///
  /// Returns the 100 ms that the reset takes; ``proceed()`` does the rest.
  ///
  /// If the identity is unknown, 00 and 7F are read to see whether an ICM-20948 is there, for the error.
  ///
  /// - Throws: `rateTooHigh` if the bus cannot carry the samples, `unexpectedIdentity` for an unknown part, for one
  ///   that must be explicitly allowed, and for one that does not support the configuration; or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 107 and 117.
  public mutating func start() throws(SensorError) -> Microseconds {
    phase = .idle
    part = nil
    try configuration.check(against: wire.bus.frequency)
    let found = try wire.read(MPU6050.Register.identity)
    guard let part = MPU6050.Part(identity: found, for: configuration) else {
      let isOther = MPU6050.Part(rawValue: found) == nil ? try isICM20948() : false
      throw .unexpectedIdentity(found: isOther ? ICM20948.identity : found, expected: MPU6050.identity)
    }
    self.part = part
    try wire.write(MPU6050.Register.power, InvenSense.PowerField.reset)
    phase = .resetting(questionsLeft: 10)
    return .milliseconds(100)
  }

  /// Continues a start: polls for the end of the reset, wakes the part, configures it, and starts its FIFO.
  ///
  ///     read  6B              until bit 7 is 0, every 10 ms, at most 11 times
  ///     write 6B clock        awake
  ///     write 68 07           all signal paths reset; then 100 ms
  ///     write 6A 00, 23 00, 19 (rate, filter, ranges), [1D filter], 37 (pin, interrupts), 6C standby, 6B clock
  ///     read  19, 23, 37, 6A  as written; then until samples are settled
  ///     [the FIFO is started, see `startFIFO()`]
  ///
  /// The clock is the gyroscope's if that is on; otherwise, in the MPU-6050, the internal oscillator. Register 1D is
  /// written only on parts that have it. The register map requires SIGNAL_PATH_RESET only for SPI; Linux always writes
  /// it, and so does this driver.
  ///
  /// Samples are settled after 50 ms (100 ms with the gyroscope), two filter delays and one period.
  ///
  /// - Throws: `resetTimedOut`, `configurationRejected` or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 104 and 107; PS-MPU-6000A rev. 3.4, 6.1 (start-up times).
  public mutating func proceed() throws(SensorError) -> Microseconds? {
    try advance()
  }

  /// Whether the part has the identity of an ICM-20948, or one of the banks selected that do not show it.
  private mutating func isICM20948() throws(SensorError) -> Bool {
    if try wire.read(ICM20948.Register.identity) == ICM20948.identity { return true }
    return ICM20948.part(bank: try wire.read(ICM20948.Register.bank)) != nil
  }

  /// Writes every register in use, power last, and reads each back.
  ///
  /// After an error other than a bus fault the part is idle: its state is unknown.
  mutating func configure(_ wanted: MPU6050.Configuration) throws(SensorError) {
    guard let part else { throw .configurationLost }
    try configuring { device throws(SensorError) in try device.write(wanted, to: part) }
  }

  private mutating func write(_ wanted: MPU6050.Configuration, to part: MPU6050.Part) throws(SensorError) {
    let bytes = wanted.rateBytes(of: part)
    let rates: InlineArray<5, UInt8> = [MPU6050.Register.sampleRateDivider, bytes[0], bytes[1], bytes[2], bytes[3]]
    let filter: InlineArray<2, UInt8> = [MPU6050.Register.accelerometerFilter, bytes[4]]
    let pin: InlineArray<3, UInt8> = [MPU6050.Register.interruptPin, wanted.pinByte, wanted.enableByte]
    let power: InlineArray<4, UInt8> = [
      MPU6050.Register.userControl, InvenSense.UserControl.off, wanted.powerByte(of: part), wanted.standbyByte,
    ]
    try wire.write(power[0], power[1])
    try wire.write(MPU6050.Register.fifoSources, 0)
    try wire.write(rates)
    if part.hasAccelerometerFilter { try wire.write(filter) }
    try wire.write(pin)
    try wire.write(MPU6050.Register.standby, power[3])
    try wire.write(MPU6050.Register.power, power[2])
    try wire.verify(rates)
    if part.hasAccelerometerFilter { try wire.verify(filter) }
    try wire.verify([MPU6050.Register.fifoSources, 0])
    try wire.verify(pin)
    try wire.verify(power)
  }

  func settlingTime(_ configuration: MPU6050.Configuration) -> Microseconds {
    configuration.settlingTime(still: 50, turning: 100, filter: configuration.filter.delay(of: part ?? .mpu6050))
  }
}

extension MPU6050.Device: StagedDriver where Bus: ~Copyable {
  mutating func isResetting() throws(SensorError) -> Bool { try wire.read(MPU6050.Register.power).has(bit: 7) }

  mutating func leaveReset() throws(SensorError) -> Microseconds {
    guard let part else { return try start() }
    try wire.write(MPU6050.Register.power, configuration.powerByte(of: part))
    try wire.write(MPU6050.Register.signalPathReset, MPU6050.SignalPath.resetAll)
    phase = .waking
    return .milliseconds(100)
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  /// Checks whether the part already runs exactly as ``start()`` and ``proceed()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 75 | Sr | addr+R | WHO_AM_I | P
  ///     S | addr+W | 6A | Sr | addr+R | USER_CTRL PWR_MGMT_1 PWR_MGMT_2 | P
  ///     S | addr+W | 19 | Sr | addr+R | SMPLRT_DIV CONFIG GYRO_CONFIG ACCEL_CONFIG [ACCEL_CONFIG2] | P
  ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE | P
  ///     S | addr+W | 23 | Sr | addr+R | FIFO_EN | P
  ///
  /// Every register that a start would write is compared, up to the first read that differs, except for
  /// SIGNAL_PATH_RESET, which cannot be read. The registers between the bursts are not read: reading INT_STATUS (0x3A)
  /// or I2C_MST_STATUS (0x36) clears it, FIFO_R_W (0x74) removes a byte, and the register maps are silent about the
  /// rest. A part configured to clear its interrupt on any read (INT_RD_CLEAR) clears it on these.
  ///
  /// If another program has only just started the part, it may not have settled: its first samples may be all zero. A
  /// FIFO is shared with any other reader: ``waiting()`` restarts it.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, or if the result is false, call ``start()``.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 25 to 117; RM-MPU-6500A rev. 2.1, register 29.
  public mutating func adopt() throws(SensorError) -> Bool {
    phase = .idle
    part = nil
    try configuration.check(against: wire.bus.frequency)
    let found = try wire.read(MPU6050.Register.identity)
    guard let part = MPU6050.Part(identity: found, for: configuration), try difference(of: part) == nil else {
      return false
    }
    self.part = part
    beginAdopted()
    return true
  }

  /// Reads every register that a start would write, as ``adopt()`` does, except for the identity.
  ///
  /// - Throws: `configurationChanged` for the first that differs; `configurationLost` if rates and ranges have their
  ///   power-on values, or if the part is not configured; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard let found = try confirmedDifference() else { return }
    var rates = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(from: MPU6050.Register.sampleRateDivider, into: &rates)
    if rates[0] | rates[1] | rates[2] | rates[3] == 0 { throw .configurationLost }
    throw found.changed
  }

  mutating func difference() throws(SensorError) -> RegisterDifference? {
    guard let part else { return nil }
    return try difference(of: part)
  }

  /// The first register that is not as a start writes it.
  private mutating func difference(of part: MPU6050.Part) throws(SensorError) -> RegisterDifference? {
    let (usesFIFO, rates) = (configuration.usesFIFO, configuration.rateBytes(of: part))
    let power: InlineArray<3, UInt8> = [
      usesFIFO ? InvenSense.UserControl.runFIFO : InvenSense.UserControl.off, configuration.powerByte(of: part),
      configuration.standbyByte,
    ]
    let pin: InlineArray<2, UInt8> = [configuration.pinByte, configuration.enableByte]
    let rateCount = part.hasAccelerometerFilter ? 5 : 4
    let sources = usesFIFO ? MPU6050.SourcesField(configuration.fifoLayout).encoded : 0
    if let found = try wire.difference(from: power, at: MPU6050.Register.userControl) { return found }
    if let found = try wire.difference(rateCount, from: rates, at: MPU6050.Register.sampleRateDivider) { return found }
    if let found = try wire.difference(from: pin, at: MPU6050.Register.interruptPin) { return found }
    return RegisterDifference(
      MPU6050.Register.fifoSources, wrote: sources, read: try wire.read(MPU6050.Register.fifoSources))
  }
}
