internal import FixedPoint
public import HAL

extension ICM20948.Device where Bus: ~Copyable {
  /// Measures how far the part's self-test moves each axis, and compares the result with the factory's codes; with the
  /// gyroscope on, for both sensors. The supply does not matter.
  ///
  /// The part must not move meanwhile. It takes about 1.2 s, during which `clock` sleeps. Measured at ±8 g, 225 Hz and
  /// 111 Hz (and ±250 °/s), 100 samples with the self-test off and 100 with it on; afterwards the part is configured as
  /// before, with a restarted FIFO.
  ///
  ///     write 7F 10; read 02, 0E -> factory codes; write 7F 00; read 05
  ///     [configured for it, see `proceed()`]
  ///     read  2D -> 14 bytes, 100 times; read 05
  ///     write 7F 20, 00 (rate, range, 38), 09 01, 10 (rate, 00 00 range 1C); read back; write 7F 00
  ///     read  2D -> 14 bytes, 100 times; read 05
  ///     [configured as before]
  ///
  /// The data sheet has no limits. A response is plausible from 0.5 to 1.5 times 2620 / 2^range · 1.01^(code - 1), as
  /// in InvenSense's own driver, which has no upper limit for the gyroscope.
  ///
  /// Returns nil if a sleep was interrupted; in that case too the part is configured as before, but its samples have
  /// not settled: continue with ``proceed()``.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil), `configurationRejected` or `bus`; the
  ///   part must then be restarted.
  /// - Datasheet: DS-000189 rev. 1.6, SELF_TEST_X_GYRO to SELF_TEST_Z_ACCEL, GYRO_CONFIG_2 and ACCEL_CONFIG_2.
  /// - Source: InvenSense's eMD-SmartMotion driver, `inv_check_accelgyro_self_test`.
  public mutating func selfTest<Clock: MonotonicClock & ~Copyable>(
    clock: inout Clock
  ) throws(SensorError) -> InvenSense.SelfTest? { try test(.informative, by: &clock) }
}

extension ICM20948.Device: TrimmedSelfTest where Bus: ~Copyable {
  var selfTestConditions: ICM20948.Configuration {
    ICM20948.Configuration(
      rate: .hz225, range: .g8, filter: .hz111, gyroscope: configuration.usesGyroscope ? .dps250 : nil)
  }

  mutating func readTrims() throws(SensorError) -> InvenSense.SelfTestTrims {
    var (rotation, force) = (InlineArray<3, UInt8>(repeating: 0), InlineArray<3, UInt8>(repeating: 0))
    try inBank(.one) { wire throws(SensorError) in
      try wire.read(from: ICM20948.Register.gyroscopeSelfTest, into: &rotation)
      try wire.read(from: ICM20948.Register.selfTest, into: &force)
    }
    try checkPower()
    func ofForce(_ axis: Int) -> Int32 { InvenSense.forceTrim(force[axis]) }
    func ofRotation(_ axis: Int) -> Int32 { InvenSense.rotationTrim(rotation[axis]) }
    return InvenSense.SelfTestTrims(
      force: [ofForce(0), ofForce(1), ofForce(2)],
      rotation: configuration.usesGyroscope ? [ofRotation(0), ofRotation(1), ofRotation(2)] : nil)
  }

  mutating func readWords() throws(SensorError) -> InlineArray<6, Int16> {
    var bytes = InlineArray<14, UInt8>(repeating: 0)
    try wire.read(from: ICM20948.Register.data, into: &bytes)
    func word(_ first: Int) -> Int16 { InvenSense.word(bytes[first], bytes[first &+ 1]) }
    return [word(0), word(2), word(4), word(6), word(8), word(10)]
  }

  mutating func turnSelfTestOn() throws(SensorError) {
    try writeBank2(
      selfTestConditions.gyroscopeBytes(selfTests: true), selfTestConditions.accelerometerBytes(selfTests: true))
  }

  /// The conditions have the same power registers as the configuration.
  mutating func check(_ conditions: ICM20948.Configuration, selfTests: Bool) throws(SensorError) { try checkPower() }
}
