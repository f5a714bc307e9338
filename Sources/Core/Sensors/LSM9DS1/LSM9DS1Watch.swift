public import FixedPoint
internal import HAL

extension LSM9DS1.Device where Bus: ~Copyable {
  /// 0.125 g.
  public var movementThreshold: Q16 { Q16(raw: 8_192) }

  /// Always.
  public var canWatchForMovement: Bool { true }

  /// Sixteen steps of 7.8 mg at ±2 g: a turn of 7 to 12 degrees.
  private static var threshold: UInt8 { 16 }
  /// INT_GEN_CFG_XL: X, Y or Z beyond the threshold.
  private static var anyAxis: UInt8 { 0x2A }

  /// The accelerometer alone, at 50 Hz and ±2 g.
  private var watchConfiguration: LSM9DS1.Configuration {
    LSM9DS1.Configuration(
      rate: .hz50, range: .g2,
      interrupts: DataReadyPin(isActiveLow: configuration.interrupts.isActiveLow))
  }

  /// CTRL_REG7_XL: the high-pass filter, with a cut-off at a fiftieth of the rate, feeds the interrupt.
  private static var filterByte: UInt8 { 0x81 }

  /// Turns the gyroscope off, and makes the part check 50 times a second whether the force has changed.
  ///
  ///     as start() at 50 Hz and ±2 g, with CTRL_REG4 3A (interrupts latched), CTRL_REG7_XL 81, INT1_CTRL 40; then 1 s
  ///     write 07 10 10 10 00        INT_GEN_THS_X_XL … INT_GEN_DUR_XL
  ///     write 06 2A                 X, Y or Z
  ///     read  06 … 0A               as written
  ///     read  20 … 2D               clears earlier events
  ///
  /// The first call ends before the wait, in which the filter settles; the second completes the set-up and returns nil.
  ///
  /// The filter passes changes faster than 1 Hz. ``hasMoved(from:)`` detects slower turns.
  ///
  /// The data sheet says little here. That the threshold is a 256th of the range and compared with the magnitude on
  /// both sides, and that the filter for the interrupt has the cut-off of table 71, are inferences. If the filter
  /// responds differently, ``hasMoved(from:)`` still compares the force.
  ///
  /// - Throws: `configurationRejected` or `bus`. In any case ``sample()`` throws until `wake()` or ``start()``.
  /// - Datasheet: Rev. 2, 7.4 to 7.6, 7.10, 7.19 and 7.24.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    let isReady = isFallingAsleep
    isUnsettled = true
    isFallingAsleep = false
    guard isReady else {
      var image = watchConfiguration.image
      (image[LSM9DS1.Register.interrupt1], image[LSM9DS1.Register.axes]) = (0x40, 0x3A)
      image[LSM9DS1.Register.accelerometerRate &+ 1] = Self.filterByte
      try establish(image)
      isFallingAsleep = true
      return .milliseconds(1_000)
    }
    let (first, threshold) = (LSM9DS1.Register.interruptConfiguration, Self.threshold)
    try wire.write([first &+ 1, threshold, threshold, threshold, 0])
    try wire.write(first, Self.anyAxis)
    try wire.verify([first, Self.anyAxis, threshold, threshold, threshold, 0])
    _ = try readWatch()
    return nil
  }

  /// Checks whether the force has changed and the part is still watching. If it has detected nothing, compares the
  /// present force with `force`.
  ///
  ///     S | addr+W | 20 | Sr | addr+R | CTRL_REG6_XL … CTRL_REG10 25 INT_GEN_SRC_XL STATUS X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// Reading INT_GEN_SRC_XL ends the interrupt.
  ///
  /// - Throws: `configurationLost` or `bus`.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    let bytes = try readWatch()
    if bytes[6] & 0x40 != 0 { return true }
    let settings = watchConfiguration
    return LSM9DS1.BurstForm(settings).measurement(bytes, 0, settings).force.differs(from: force, by: movementThreshold)
  }

  /// The burst of a sample, if CTRL_REG6_XL to CTRL_REG8 are as written.
  private mutating func readWatch() throws(SensorError) -> InlineArray<14, UInt8> {
    var bytes = InlineArray<14, UInt8>(repeating: 0)
    try read(1, as: watchConfiguration, into: &bytes)
    guard bytes[1] == Self.filterByte else { throw .configurationLost }
    return bytes
  }
}
