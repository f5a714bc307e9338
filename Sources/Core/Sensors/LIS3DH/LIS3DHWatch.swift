public import FixedPoint
internal import HAL

extension LIS3DH.Device where Bus: ~Copyable {
  /// 0.128 g.
  public var movementThreshold: Q16 { Q16(raw: 8_389) }

  /// Always.
  public var canWatchForMovement: Bool { true }

  /// Eight steps of 16 mg at ±2 g: ten times the noise, or a turn of 7 to 12 degrees.
  private static var threshold: UInt8 { 8 }
  /// INT1_CFG: X, Y or Z beyond the threshold.
  private static var anyAxis: UInt8 { 0x2A }

  /// Low-power mode, 10 Hz, ±2 g; the high-pass filter feeds the interrupt, which drives INT1 until it is read.
  private var watchImage: RegisterImage {
    let pin = DataReadyPin(isActiveLow: configuration.interrupts.isActiveLow)
    var image = LIS3DH.Configuration(range: .g2, resolution: .normal, interrupts: pin).image
    image[LIS3DH.Register.control1] = LIS3DH.RateField(rate: .hz10, isLowPower: true).encoded
    image[LIS3DH.Register.control2] = 0x01
    (image[LIS3DH.Register.control3], image[LIS3DH.Register.control5]) = (0x40, 0x08)
    return image
  }

  private static var watchFormat: LIS3DH.FormatField { LIS3DH.FormatField(range: .g2, isHighResolution: false) }

  /// Puts the part into low-power mode, in which it checks ten times a second whether the force has changed.
  ///
  ///     write 20 07, 2E 00, BE 00 00, A1 CTRL_REG2 … CTRL_REG6, read A6 … AD      as start() does
  ///     write B2 08 00              INT1_THS, INT1_DURATION
  ///     write 30 00                 interrupt off for now
  ///     write 20 2F                 10 Hz, low power
  ///     read  A0 … A5, 2E, BE, BF   as written; then 300 ms, for at least two samples
  ///     read  26                    the filter starts from the present force
  ///     write 30 2A                 X, Y or Z
  ///     read  B0 … B3               as written; clears earlier events
  ///
  /// The first call ends before the wait and returns 300 ms; the second completes the set-up and returns nil.
  ///
  /// The filter passes changes faster than 0.2 Hz. ``hasMoved(from:)`` detects slower turns.
  ///
  /// - Throws: `configurationRejected` or `bus`. In any case ``sample()`` throws until `wake()` or ``start()``.
  /// - Datasheet: Rev. 2, 8.9 and 8.15 (high-pass filter), 8.26 to 8.29; 3 µA (table 12).
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    let isReady = isFallingAsleep
    isUnsettled = true
    isFallingAsleep = false
    guard isReady else {
      let image = watchImage
      try prepare(image)
      try wire.write([LIS3DH.Register.interruptThreshold | LIS3DH.Register.increment, Self.threshold, 0])
      try wire.write(LIS3DH.Register.interruptConfiguration, 0)
      try wire.write(image, at: LIS3DH.Register.control1)
      try verify(image)
      isFallingAsleep = true
      return .milliseconds(300)
    }
    _ = try wire.read(LIS3DH.Register.reference)
    try wire.write(LIS3DH.Register.interruptConfiguration, Self.anyAxis)
    _ = try readInterrupt()
    return nil
  }

  /// Checks whether the force has changed and the part is still watching. If it has detected nothing, compares the
  /// present force with `force`.
  ///
  ///     S | addr+W | B0 | Sr | addr+R | INT1_CFG INT1_SRC INT1_THS INT1_DURATION | P
  ///     S | addr+W | A8 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// Two transactions, because one burst over both would read REFERENCE and so reset the filter.
  ///
  /// - Throws: `configurationLost` or `bus`.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    if try readInterrupt() & 0x40 != 0 { return true }
    guard let force else { return false }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.data | LIS3DH.Register.increment, into: &bytes)
    return Self.watchFormat.specificForce(bytes, from: 0).differs(from: force, by: movementThreshold)
  }

  /// INT1_SRC, if INT1_CFG, INT1_THS and INT1_DURATION are as written.
  private mutating func readInterrupt() throws(SensorError) -> UInt8 {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.interruptConfiguration | LIS3DH.Register.increment, into: &bytes)
    guard bytes[0] == Self.anyAxis, bytes[2] == Self.threshold, bytes[3] == 0 else { throw .configurationLost }
    return bytes[1]
  }
}
