public import FixedPoint
public import HAL

extension LSM6DS {
  /// A part of the family on a bus that it owns.
  ///
  /// Call ``start()`` and ``proceed()``, then ``sample()`` or ``measure()``; `Batched` takes the samples in its FIFO.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus that they are on.
    public var wire: Wire<Bus>
    /// How ``start()`` and ``proceed()`` set the part up.
    public let configuration: Configuration
    /// The part that the last ``start()`` found; nil if none of the family.
    public internal(set) var part: Part?

    var phase = SetUpPhase.idle
    var fifoIsBroken = false
    var followsGap = false
    /// The temperature of the samples that are being read from the FIFO.
    var batchTemperature = Q16.zero
    /// The part that was found; before that the usual one.
    var variant: Part { part ?? .lsm6dso }

    /// A driver for the part at `address`. It does not access the bus.
    public init(
      bus: consuming Bus, address: I2CAddress = LSM6DS.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// The number of bus transactions begun so far.
    public var transactions: UInt64 { wire.transactions }

    /// What a user should know after the last ``start()``, or nil.
    public var notice: SensorNotice? {
      part.flatMap { $0.admission == .accepted ? nil : .compatiblePart(identity: $0.rawValue) }
    }

    /// The largest specific force on one axis that is not clipped, in g: 32767 LSB, just below the range.
    public var fullScale: Q16 { LSM6DS.force(32_767, range: configuration.range) }

    /// The largest rate of rotation about one axis that the data sheet guarantees, in °/s: the range. The word ends 15 %
    /// above it.
    public var rotationFullScale: Q16? { configuration.gyroscope.map { Q16(whole: $0.degreesPerSecond) } }

    /// Closes the bus and opens it again.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension LSM6DS.Device where Bus: ~Copyable {
  /// Checks the rate against the bus, then the identity, and starts the part's reset.
  ///
  ///     read  0F -> identity
  ///     write 18 E2           I3C off, in the later parts
  ///     write 10 40, 11 00, 15 00     accelerometer in high-performance mode, gyroscope off
  ///     write 12 05           SW_RESET
  ///
  /// An unknown identity can be a register of another page. Only if 0x01 has nothing but bits that select a page is
  /// 0x01 set to 0, and the identity read again.
  ///
  /// BOOT is not used: it has upset LSM6DS33s (Adafruit_LSM6DS, issue 12).
  ///
  /// Returns 20 ms, the longest start of a part of the family; ``proceed()`` does the rest.
  ///
  /// - Throws: `rateTooHigh` before any transaction; `unexpectedIdentity`, also for a part that does not have the
  ///   gyroscope's range; or `bus`.
  /// - Datasheet: AN5130 Rev. 1, reset; LSM6DS33 Rev. 4, CTRL3_C.
  /// - Source: zephyr issues 20933 and 38902: INT1 high during a reset selects I3C.
  public mutating func start() throws(SensorError) -> Microseconds {
    phase = .idle
    part = nil
    try configuration.check(against: wire.bus.frequency)
    let part = try identify()
    self.part = part
    if part.hasTags { try wire.write(LSM6DS.Register.control9, part.control9) }
    // Register by register, because another program may have cleared IF_INC.
    try wire.write(LSM6DS.Register.control1, 0x40)
    try wire.write(LSM6DS.Register.control2, 0)
    try wire.write(LSM6DS.Register.control6, 0)
    try wire.write(LSM6DS.Register.control3, InterfaceField(resets: true).encoded)
    phase = .resetting(questionsLeft: 10)
    return .milliseconds(20)
  }

  private mutating func identify() throws(SensorError) -> LSM6DS.Part {
    var identity = try wire.read(LSM6DS.Register.identity)
    if LSM6DS.Part(rawValue: identity) == nil {
      let page = try wire.read(LSM6DS.Register.page)
      if page != 0, page & 0x1F == 0 {
        try wire.write(LSM6DS.Register.page, 0)
        identity = try wire.read(LSM6DS.Register.identity)
      }
    }
    guard let part = LSM6DS.Part(rawValue: identity), part.supports(configuration) else {
      let expected = configuration.gyroscope == .dps4000 ? LSM6DS.Part.ism330dhcx.rawValue : LSM6DS.identity
      throw .unexpectedIdentity(found: identity, expected: expected)
    }
    return part
  }

  /// Continues a start: polls for the end of the reset, configures the part, and starts its FIFO.
  ///
  ///     read  12              until bits 7 and 0 are 0, every 10 ms, at most 11 times
  ///     write 18 E2           in the later parts
  ///     write 0A 00, 07 00 00 00 00   FIFO off
  ///     write 0D 00, INT2_CTRL
  ///     write 12 CTRL3_C … CTRL10_C, 10 CTRL1_XL CTRL2_G
  ///     read  06 … 19         the same identity, the rest as written; then until samples have settled
  ///     [the FIFO is started, see `startFIFO()`]
  ///
  /// Samples have settled after 20 ms and three periods; with the gyroscope after 100 ms and ten periods.
  ///
  /// - Throws: `resetTimedOut`, `configurationRejected` or `bus`.
  /// - Datasheet: AN5130 Rev. 1 and AN4650 Rev. 1, samples to be discarded.
  public mutating func proceed() throws(SensorError) -> Microseconds? {
    try advance()
  }

  /// Stops the FIFO, writes every register in use and reads each back.
  ///
  /// After an error other than a bus fault the part is idle: its state is unknown.
  mutating func configure(as image: RegisterImage) throws(SensorError) {
    if variant.hasTags { try wire.write(image, at: LSM6DS.Register.control9) }
    try wire.write(LSM6DS.Register.fifoMode, 0)
    try wire.write(image, 4, at: LSM6DS.Register.fifoControl)
    try wire.write(image, 2, at: LSM6DS.Register.interrupt1)
    try wire.write(image, 8, at: LSM6DS.Register.control3)
    try wire.write(image, 2, at: LSM6DS.Register.control1)
    guard let found = try difference(of: variant, from: image) else { return }
    phase = .idle
    // The parts need different settings, and their identities differ in one bit.
    if found.register == LSM6DS.Register.identity {
      throw .unexpectedIdentity(found: found.read, expected: found.wrote)
    }
    throw found.rejected
  }

  /// Checks whether the part already runs exactly as ``start()`` and ``proceed()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 0F | Sr | addr+R | WHO_AM_I | P
  ///     S | addr+W | 06 | Sr | addr+R | FIFO_CTRL1 … INT2_CTRL WHO_AM_I CTRL1_XL … CTRL10_C | P
  ///
  /// If another program has only just started the part, its samples may not have settled. A FIFO is shared with any
  /// other reader: ``waiting()`` restarts it.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, or if the result is false, call ``start()``.
  public mutating func adopt() throws(SensorError) -> Bool {
    phase = .idle
    part = nil
    try configuration.check(against: wire.bus.frequency)
    let identity = try wire.read(LSM6DS.Register.identity)
    guard let part = LSM6DS.Part(rawValue: identity), part.supports(configuration), try difference(of: part) == nil
    else { return false }
    self.part = part
    runAdopted()
    return true
  }

  /// Checks every register that a start writes, as ``adopt()`` does.
  ///
  /// - Throws: `configurationChanged` for the first that differs; `configurationLost` if CTRL1_XL and CTRL3_C have
  ///   their reset values or the part is not set up; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard let found = try confirmedDifference() else { return }
    let reset: InlineArray<3, UInt8> = [0, 0, 0x04]
    let hasLost = try wire.difference(from: reset, at: LSM6DS.Register.control1, ignoring: 0x02) == nil
    throw hasLost ? .configurationLost : found.changed
  }

  mutating func difference() throws(SensorError) -> RegisterDifference? { try difference(of: variant) }

  /// The first register that does not match `image`, by default that of a part that a start has left, or nil. 0B and 0C
  /// are not used; 06 is reserved in the later parts.
  private mutating func difference(
    of part: LSM6DS.Part, from image: RegisterImage? = nil
  ) throws(SensorError) -> RegisterDifference? {
    let image = image ?? configuration.image(of: part, runsFIFO: configuration.usesFIFO)
    return try wire.difference(20, from: image, at: LSM6DS.Register.fifoThreshold, ignoring: part.hasTags ? 0x61 : 0x60)
  }

  mutating func isResetting() throws(SensorError) -> Bool { try wire.read(LSM6DS.Register.control3) & 0x81 != 0 }

  mutating func settle() throws(SensorError) -> Microseconds {
    try configure(as: configuration.image(of: variant))
    phase = .settling
    return configuration.settlingTime
  }
}
