public import FixedPoint
public import HAL

extension LSM9DS1 {
  /// An LSM9DS1 on a bus that it owns.
  ///
  /// Call ``start()``, then ``measure()``; `Batched` takes the samples in its FIFO.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The part's registers, and the bus that they are on.
    public var wire: Wire<Bus>
    /// How ``start()`` sets the part up.
    public let configuration: Configuration

    var isUnsettled = false
    /// Whether the part samples at its settings for watching, but its interrupt is still off.
    var isFallingAsleep = false
    var unsettledSets: Int32 = 0
    var lacksSamples = false

    /// A driver for the part at `address`. It does not access the bus.
    public init(
      bus: consuming Bus, address: I2CAddress = LSM9DS1.address, configuration: Configuration = Configuration()
    ) {
      wire = Wire(bus, at: address)
      self.configuration = configuration
    }

    /// The number of bus transactions begun so far.
    public var transactions: UInt64 { wire.transactions }

    /// The largest specific force on one axis that is not clipped, in g: one LSB below the range.
    public var fullScale: Q16 { LSM9DS1.fullScale(of: configuration.range) }

    /// The largest rate of rotation about one axis that is not clipped, in °/s: one LSB below the range.
    public var rotationFullScale: Q16? { configuration.gyroscope?.fullScale }

    /// Closes the bus and opens it again.
    public mutating func reopen() throws(SensorError) { try wire.reopen() }
  }
}

extension LSM9DS1.Device where Bus: ~Copyable {
  /// Checks the rate against the bus, then the identity, writes every register in use and reads each back. There is no
  /// reset; the writes replace whatever an earlier program left.
  ///
  ///     read  0F -> 68              identity
  ///     write 22 CTRL_REG8          first: RTIMULib, as in sense_hat, leaves a pointer that does not advance
  ///     write 10 00, 20 00          both sensors off
  ///     write 2E 00                 empties the FIFO
  ///     write 04 00 00 00           always awake, no interrupt
  ///     write 0C INT1_CTRL 00
  ///     write 11 00 00 00           no filter, axes as printed
  ///     write 1E 38 38
  ///     write 21 00 CTRL_REG8 CTRL_REG9 00
  ///     write 2E mode               with a FIFO only
  ///     write 20 CTRL_REG6_XL       starts sampling
  ///     write 10 CTRL_REG1_G        with the gyroscope only
  ///     read  04 …, 0C …, 10 …, 1E …, 2E      as written
  ///
  /// Returns the time until the first settled sample: fifteen periods, and one because the part's clock may be slow.
  ///
  /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
  ///   `configurationRejected` or `bus`. The part may then be half configured, and ``sample()`` throws.
  /// - Datasheet: Rev. 2, tables 11, 12 and 21.
  /// - Source: RTIMULib (RPi-Distro), RTIMULSM9DS1.cpp, which writes 0x80 to CTRL_REG8.
  public mutating func start() throws(SensorError) -> Microseconds {
    let wait = try configure(configuration)
    isUnsettled = false
    return wait
  }

  /// Sets the part up as `wanted` and starts sampling. Leaves `isUnsettled` true; the caller clears it.
  ///
  /// Returns the same time as `start()`.
  mutating func configure(_ wanted: LSM9DS1.Configuration) throws(SensorError) -> Microseconds {
    try wanted.check(against: wire.bus.frequency)
    try establish(wanted.image)
    (lacksSamples, unsettledSets) = (false, wanted.unsettled)
    return wanted.period * widened(wanted.unsettled &+ 2)
  }

  /// Checks the identity, writes the registers of `image` and reads them back.
  mutating func establish(_ image: RegisterImage) throws(SensorError) {
    isUnsettled = true
    isFallingAsleep = false
    let identity = try wire.read(LSM9DS1.Register.identity)
    guard identity == LSM9DS1.identity else { throw .unexpectedIdentity(found: identity, expected: LSM9DS1.identity) }
    try wire.write(image, at: LSM9DS1.Register.interface)
    try wire.write(LSM9DS1.Register.gyroscopeRate, 0)
    try wire.write(LSM9DS1.Register.accelerometerRate, 0)
    try wire.write(LSM9DS1.Register.fifoControl, 0)
    try wire.write(image, 3, at: LSM9DS1.Register.activity)
    try wire.write(image, 2, at: LSM9DS1.Register.interrupt1)
    try wire.write(image, 3, at: LSM9DS1.Register.gyroscopeRate &+ 1)
    try wire.write(image, 2, at: LSM9DS1.Register.axes)
    try wire.write(image, 4, at: LSM9DS1.Register.accelerometerRate &+ 1)
    if image[LSM9DS1.Register.fifoControl] != 0 { try wire.write(image, at: LSM9DS1.Register.fifoControl) }
    try wire.write(image, at: LSM9DS1.Register.accelerometerRate)
    if image[LSM9DS1.Register.gyroscopeRate] != 0 { try wire.write(image, at: LSM9DS1.Register.gyroscopeRate) }
    if let found = try difference(from: image) { throw found.rejected }
  }

  /// Checks whether the part already runs exactly as ``start()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 0F | Sr | addr+R | WHO_AM_I | P
  ///     S | addr+W | 04 | Sr | addr+R | ACT_THS ACT_DUR INT_GEN_CFG_XL | P
  ///     S | addr+W | 0C | Sr | addr+R | INT1_CTRL INT2_CTRL | P
  ///     S | addr+W | 10 | Sr | addr+R | CTRL_REG1_G CTRL_REG2_G CTRL_REG3_G ORIENT_CFG_G | P
  ///     S | addr+W | 1E | Sr | addr+R | CTRL_REG4 CTRL_REG5_XL CTRL_REG6_XL … CTRL_REG10 | P
  ///     S | addr+W | 2E | Sr | addr+R | FIFO_CTRL | P
  ///
  /// Compares every register that ``start()`` would write, and stops after the first read that differs, as it does if
  /// the pointer does not advance. The part may have been started only now, so as many sets of the FIFO are discarded as
  /// after ``start()``; and it may have had another reader, so the first batch reports a gap.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After `bus`, or a return of false, ``sample()`` throws.
  public mutating func adopt() throws(SensorError) -> Bool {
    try configuration.check(against: wire.bus.frequency)
    isUnsettled = true
    guard try wire.read(LSM9DS1.Register.identity) == LSM9DS1.identity,
      try difference(from: configuration.image) == nil
    else { return false }
    (lacksSamples, unsettledSets) = (keepsSamples, configuration.unsettled)
    isUnsettled = false
    return true
  }

  /// Checks every register that ``start()`` writes, as ``adopt()`` does, but not the identity.
  ///
  /// - Throws: `configurationChanged` for the first that differs; `configurationLost` if CTRL_REG6_XL and CTRL_REG8 have
  ///   their reset values or the part is not set up; or `bus`.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard !isUnsettled else { throw .configurationLost }
    // Two reads, so that one corrupted byte is not reported.
    guard try difference(from: configuration.image) != nil, let found = try difference(from: configuration.image)
    else { return }
    let rate = try wire.read(LSM9DS1.Register.accelerometerRate)
    if rate == 0, try wire.read(LSM9DS1.Register.interface) == 0x04 { throw .configurationLost }
    throw found.changed
  }

  /// The first written register that differs from `image`, or nil.
  private mutating func difference(from image: RegisterImage) throws(SensorError) -> RegisterDifference? {
    let groups = LSM9DS1.writtenGroups
    for index in 0..<groups.count {
      if let found = try wire.difference(groups[index].count, from: image, at: groups[index].register) { return found }
    }
    return nil
  }
}
