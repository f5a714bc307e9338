public import FixedPoint
internal import HAL

extension LIS3DH.Device where Bus: ~Copyable {
  /// 0.128 g.
  public var movementThreshold: Q16 { Q16(raw: 8_389) }

  /// Always.
  public var canWatchForMovement: Bool { true }

  /// Eight steps of 16 mg, at ±2 g: ten times the noise, and 7 to 12 degrees of a turn.
  private static var threshold: UInt8 { 8 }
  /// INT1_CFG: X, Y or Z beyond the threshold.
  private static var anyAxis: UInt8 { 0x2A }

  /// CTRL_REG1 to CTRL_REG6: 10 Hz in low power, the high-pass filter for the interrupt, which drives INT1 until it is
  /// read, ±2 g.
  private var watchBytes: InlineArray<6, UInt8> {
    [
      LIS3DH.RateField(rate: .hz10, isLowPower: true).encoded, 0x01, 0x40, Self.watchFormat.encoded, 0x08,
      configuration.controlBytes[5],
    ]
  }

  private static var watchFormat: LIS3DH.FormatField { LIS3DH.FormatField(range: .g2, isHighResolution: false) }

  /// Sends the part to low power, in which it looks ten times a second for a force that differs from how it lies.
  ///
  ///     write 20 07, 2E 00, BE 00 00, A1 CTRL_REG2 … CTRL_REG6, read A6 … AD      as start() does
  ///     write B2 08 00              INT1_THS, INT1_DURATION
  ///     write 30 00                 nothing is looked for yet
  ///     write 20 2F                 10 Hz, low power
  ///     read  A0 … A5, 2E, BE, BF   as written. Then 300 ms: two looks
  ///     read  26                    the filter begins with how it lies
  ///     write 30 2A                 X, Y or Z
  ///     read  B0 … B3               as written; what happened before is forgotten
  ///
  /// The filter lets changes through that are faster than 0.2 Hz. Slower turns show in ``hasMoved(from:)``.
  ///
  /// - Throws: `configurationRejected` or `bus`. ``sample()`` refuses to read until `wake()` or ``start()``.
  /// - Datasheet: Rev. 2, 8.9 and 8.15 (high-pass filter), 8.26 to 8.29; 4 µA (table 12).
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    let isReady = isFallingAsleep
    isUnsettled = true
    isFallingAsleep = false
    guard isReady else {
      let control = watchBytes
      try prepare(control)
      try wire.write([LIS3DH.Register.interruptThreshold | LIS3DH.Register.increment, Self.threshold, 0])
      try wire.write(LIS3DH.Register.interruptConfiguration, 0)
      try wire.write(LIS3DH.Register.control1, control[0])
      try verify(control, fifo: 0)
      isFallingAsleep = true
      return .milliseconds(300)
    }
    _ = try wire.read(LIS3DH.Register.reference)
    try wire.write(LIS3DH.Register.interruptConfiguration, Self.anyAxis)
    _ = try readInterrupt()
    return nil
  }

  /// Looks whether the force has changed, whether the part still watches and, where it has seen nothing, how it lies.
  ///
  ///     S | addr+W | B0 | Sr | addr+R | INT1_CFG INT1_SRC INT1_THS INT1_DURATION | P
  ///     S | addr+W | A8 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// Two transactions, because what lies between them cannot be read on the way without resetting the filter.
  ///
  /// - Throws: `configurationLost` or `bus`.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    if try readInterrupt() & 0x40 != 0 { return true }
    guard let force else { return false }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.data | LIS3DH.Register.increment, into: &bytes)
    return Self.watchFormat.specificForce(bytes, from: 0).differs(from: force, by: movementThreshold)
  }

  /// INT1_SRC, if the rest is as written.
  private mutating func readInterrupt() throws(SensorError) -> UInt8 {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.interruptConfiguration | LIS3DH.Register.increment, into: &bytes)
    guard bytes[0] == Self.anyAxis, bytes[2] == Self.threshold, bytes[3] == 0 else { throw .configurationLost }
    return bytes[1]
  }
}
