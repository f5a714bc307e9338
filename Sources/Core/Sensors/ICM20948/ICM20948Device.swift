public import FixedPoint
public import HAL

extension ICM20948 {
  /// An ICM-20948 on a bus that it owns.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus below them.
    public var wire: Wire<Bus>
    /// The configuration that ``start()`` and ``proceed()`` write.
    public let configuration: Configuration

    var phase = SetUpPhase.idle
    /// Whether another bank than 0 may be selected, because of a fault.
    var mayBeInOtherBank = false
    /// The number of samples until the next check of the configuration.
    var samplesUntilWatch: UInt16 = 0
    /// Whether the FIFO must be emptied and restarted before anything is read from it.
    var fifoIsBroken = false
    /// Whether samples may be missing before the oldest in the FIFO.
    var followsGap = false

    /// A driver for the part at `address`. Accesses nothing until ``start()``.
    public init(
      bus: consuming Bus, address: I2CAddress = ICM20948.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// The number of bus transactions started so far.
    public var transactions: UInt64 { wire.transactions }

    /// The largest specific force on one axis that is not clipped, in g: one LSB below the range.
    public var fullScale: Q16 { configuration.fullScale }

    /// The largest rate of rotation about one axis that is not clipped, in °/s: one LSB below the range.
    public var rotationFullScale: Q16? { configuration.rotationFullScale }

    /// Reopens the bus.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension ICM20948.Device where Bus: ~Copyable {
  /// Selects bank 0, checks the identity, then starts the part's reset.
  ///
  ///     read  7F -> bank
  ///     [write 7F 00]         if it is 10, 20 or 30: then 00 shows another register
  ///     read  00 -> EA
  ///     write 06 80           DEVICE_RESET
  ///
  /// Returns the 100 ms that the reset takes at most; ``proceed()`` does the rest.
  ///
  /// The write to 7F is the only one before the identity is known. If another part is there, its MPU-6050 identity (75)
  /// is read for the error.
  ///
  /// - Throws: `rateTooHigh` if the bus cannot carry the samples, `unexpectedIdentity` or `bus`.
  /// - Datasheet: DS-000189 rev. 1.6, table 3 (register access at most 100 ms after power-up), PWR_MGMT_1.
  public mutating func start() throws(SensorError) -> Microseconds {
    phase = .idle
    try configuration.check(against: wire.bus.frequency)
    mayBeInOtherBank = true
    if let bank = ICM20948.Bank(decoding: try wire.read(ICM20948.Register.bank)), bank != .zero {
      try wire.write(ICM20948.Register.bank, ICM20948.Bank.zero.encoded)
    }
    let found = try wire.read(ICM20948.Register.identity)
    guard found == ICM20948.identity else {
      let other = try wire.read(MPU6050.Register.identity)
      throw .unexpectedIdentity(
        found: MPU6050.Part(rawValue: other) == nil ? found : other, expected: ICM20948.identity)
    }
    mayBeInOtherBank = false
    try wire.write(ICM20948.Register.power, InvenSense.PowerField.reset)
    phase = .resetting(questionsLeft: 10)
    return .milliseconds(100)
  }

  /// Continues a start: polls for the end of the reset, wakes the part, configures it, and starts its FIFO.
  ///
  ///     read  06              until bit 7 is 0, every 10 ms, at most 11 times
  ///     write 06 01           awake; then 20 ms
  ///     write 03 00, 05 (00 01 standby), 66 (00 00 00 00), 0F (pin, interrupts)
  ///     write 7F 20           bank 2
  ///     write 00 (rate, range, filter of the gyroscope), 09 01, 10 (those of the accelerometer)
  ///     read  00, 09, 10      as written
  ///     write 7F 00           bank 0
  ///     read  03, 0F, 66      as written; then until samples are settled
  ///     [the FIFO is started, see `startFIFO()`]
  ///
  /// Samples are settled after 40 ms (70 ms with the gyroscope), two filter delays and one period.
  ///
  /// - Throws: `resetTimedOut`, `configurationRejected` (for a register of bank 2 with 0x80 added to its number) or
  ///   `bus`.
  /// - Datasheet: DS-000189 rev. 1.6, tables 1 and 2: 35 ms and 20 ms typical from sleep.
  public mutating func proceed() throws(SensorError) -> Microseconds? {
    try advance()
  }

  /// Writes every register in use and reads each back.
  ///
  /// After an error other than a bus fault the part is idle: its state is unknown.
  mutating func configure(_ wanted: ICM20948.Configuration) throws(SensorError) {
    try configuring { device throws(SensorError) in try device.write(wanted) }
  }

  private mutating func write(_ wanted: ICM20948.Configuration) throws(SensorError) {
    try selectBankZero()
    let (power, pin) = (wanted.powerBytes, wanted.interruptBytes)
    try wire.write(ICM20948.Register.userControl, InvenSense.UserControl.off)
    try wire.write([ICM20948.Register.lowPower, power[0], power[1], power[2]])
    try wire.write([ICM20948.Register.fifoSources, 0, 0, 0, 0])
    try wire.write([ICM20948.Register.interruptPin, pin[0], pin[1], pin[2], pin[3], pin[4]])
    try writeBank2(wanted.gyroscopeBytes(), wanted.accelerometerBytes())
    // Last, because PWR_MGMT_1 shows whether the supply has dipped.
    if let found = try difference(from: wanted, runsFIFO: false) {
      throw found.rejected
    }
  }

  /// Writes these registers of bank 2 and reads them back.
  mutating func writeBank2(
    _ gyroscope: InlineArray<4, UInt8>, _ accelerometer: InlineArray<7, UInt8>
  ) throws(SensorError) {
    let alignment: InlineArray<2, UInt8> = [ICM20948.Register.alignment, 1]
    try inBank(.two) { wire throws(SensorError) in
      try wire.write(gyroscope)
      try wire.write(alignment)
      try wire.write(accelerometer)
      do throws(SensorError) {
        try wire.verify(gyroscope)
        try wire.verify(alignment)
        try wire.verify(accelerometer)
      } catch {
        guard case .configurationRejected(let register, let wrote, let read) = error else { throw error }
        throw .configurationRejected(register: register | ICM20948.Register.ofBank2, wrote: wrote, read: read)
      }
    }
  }

  /// Runs `body` with another bank selected, and selects bank 0 again, also after an error.
  mutating func inBank(
    _ bank: ICM20948.Bank, _ body: (inout Wire<Bus>) throws(SensorError) -> Void
  ) throws(SensorError) {
    mayBeInOtherBank = true
    do throws(SensorError) {
      try wire.write(ICM20948.Register.bank, bank.encoded)
      try body(&wire)
      try selectBankZero()
    } catch {
      // If this fails too, the next access tries again.
      do throws(SensorError) { try selectBankZero() } catch {}
      throw error
    }
  }

  /// Selects bank 0 if a fault has left another one selected.
  mutating func selectBankZero() throws(SensorError) {
    guard mayBeInOtherBank else { return }
    try wire.write(ICM20948.Register.bank, ICM20948.Bank.zero.encoded)
    mayBeInOtherBank = false
  }

  func settlingTime(_ configuration: ICM20948.Configuration) -> Microseconds {
    configuration.settlingTime(still: 40, turning: 70, filter: configuration.filter.delay)
  }
}

extension ICM20948.Device: StagedDriver where Bus: ~Copyable {
  mutating func isResetting() throws(SensorError) -> Bool { try wire.read(ICM20948.Register.power).has(bit: 7) }

  mutating func leaveReset() throws(SensorError) -> Microseconds {
    try wire.write(ICM20948.Register.power, InvenSense.PowerField(clock: 1).encoded)
    phase = .waking
    return .milliseconds(20)
  }
}

extension ICM20948.Device where Bus: ~Copyable {
  /// Checks whether the part already runs as ``start()`` and ``proceed()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 00 | Sr | addr+R | WHO_AM_I | P
  ///     S | addr+W | 03 | Sr | addr+R | USER_CTRL 04 LP_CONFIG PWR_MGMT_1 PWR_MGMT_2 | P
  ///     S | addr+W | 0F | Sr | addr+R | INT_PIN_CFG INT_ENABLE … INT_ENABLE_3 | P
  ///     S | addr+W | 66 | Sr | addr+R | FIFO_EN_1 FIFO_EN_2 FIFO_RST FIFO_MODE | P
  ///
  /// Every register of bank 0 that a start would write is compared. Bank 2 is not: while it is selected, the program
  /// that runs the part would read nonsense. A mark in INT_PIN_CFG shows that this driver has configured the part, and
  /// INT_ENABLE_2 holds its ranges; so samples are never scaled wrongly, but rate and filter may differ from this
  /// configuration.
  ///
  /// A FIFO is shared with any other reader: ``waiting()`` restarts it.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, or if the result is false, call ``start()``.
  public mutating func adopt() throws(SensorError) -> Bool {
    phase = .idle
    try configuration.check(against: wire.bus.frequency)
    guard try wire.read(ICM20948.Register.identity) == ICM20948.identity, try difference() == nil else { return false }
    mayBeInOtherBank = false
    beginAdopted()
    return true
  }

  /// Reads every register of bank 0 that a start would write, as ``adopt()`` does, except for the identity.
  ///
  /// Three reads. A program that changes rates, ranges or filters in bank 2, and neither resets the part nor touches
  /// bank 0, is not noticed. To read bank 2 too would cost three more reads and two writes, about 3 ms at 100 kHz, in
  /// which any other reader gets nonsense.
  ///
  /// - Throws: `configurationChanged` for the first that differs, or for 7F if another bank is selected;
  ///   `configurationLost` if PWR_MGMT_1 has its reset value, or if the part is not configured; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard let found = try confirmedDifference() else { return }
    let bank = try wire.read(ICM20948.Register.bank)
    guard bank == ICM20948.Bank.zero.encoded else {
      throw .configurationChanged(register: ICM20948.Register.bank, wrote: 0, read: bank)
    }
    if try wire.read(ICM20948.Register.power) == 0x41 { throw .configurationLost }
    throw found.changed
  }

  mutating func difference() throws(SensorError) -> RegisterDifference? {
    try difference(from: configuration, runsFIFO: configuration.usesFIFO)
  }

  /// The first register of bank 0 that is not as `wanted`.
  private mutating func difference(
    from wanted: ICM20948.Configuration, runsFIFO: Bool
  ) throws(SensorError) -> RegisterDifference? {
    let power = wanted.powerBytes
    let control: InlineArray<5, UInt8> = [
      runsFIFO ? InvenSense.UserControl.runFIFO : InvenSense.UserControl.off, 0, power[0], power[1], power[2],
    ]
    let fifo: InlineArray<4, UInt8> = [
      0, runsFIFO ? ICM20948.SourcesField(wanted.fifoLayout).encoded : 0, 0, 0,
    ]
    let pin = wanted.interruptBytes
    if let found = try wire.difference(from: pin, at: ICM20948.Register.interruptPin) { return found }
    if let found = try wire.difference(from: fifo, at: ICM20948.Register.fifoSources) { return found }
    // 04 is not documented.
    return try wire.difference(from: control, at: ICM20948.Register.userControl, ignoring: 0x02)
  }
}
