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
  ) throws(SensorError) -> MPU6050.SelfTest? {
    guard phase == .measuring else { throw .configurationLost }
    phase = .idle
    var (rotation, force) = (InlineArray<3, UInt8>(repeating: 0), InlineArray<3, UInt8>(repeating: 0))
    try inBank(.one) { wire throws(SensorError) in
      try wire.read(from: ICM20948.Register.gyroscopeSelfTest, into: &rotation)
      try wire.read(from: ICM20948.Register.selfTest, into: &force)
    }
    try checkPower()
    let sums = try responses(&clock)
    try configure(configuration)
    phase = .settling
    guard let sums, clock.sleep(until: clock.now + settlingTime(configuration)) else { return nil }
    _ = try proceed()
    func ofForce(_ axis: Int) -> MPU6050.SelfTest.Axis {
      MPU6050.judge(sums[axis], trim: MPU6050.factoryTrim(force[axis], .informative), .informative)
    }
    func ofRotation(_ axis: Int) -> MPU6050.SelfTest.Axis {
      MPU6050.judge(sums[axis &+ 3], trim: MPU6050.rotationTrim(rotation[axis], .informative), .informative)
    }
    return MPU6050.SelfTest(
      kind: .informative, x: ofForce(0), y: ofForce(1), z: ofForce(2),
      rotation: configuration.usesGyroscope
        ? MPU6050.SelfTest.Rotation(x: ofRotation(0), y: ofRotation(1), z: ofRotation(2)) : nil)
  }

  /// For each axis, the sum with the self-test on minus the sum with it off; nil if a sleep was interrupted.
  private mutating func responses<Clock: MonotonicClock & ~Copyable>(
    _ clock: inout Clock
  ) throws(SensorError) -> InlineArray<6, Int32>? {
    let conditions = ICM20948.Configuration(
      rate: .hz225, range: .g8, filter: .hz111, gyroscope: configuration.usesGyroscope ? .dps250 : nil)
    let settlingTime = settlingTime(conditions)
    try configure(conditions)
    guard clock.sleep(until: clock.now + settlingTime), let quiet = try sums(conditions, &clock) else { return nil }
    try writeBank2(conditions.gyroscopeBytes(selfTests: true), conditions.accelerometerBytes(selfTests: true))
    guard clock.sleep(until: clock.now + settlingTime), let moved = try sums(conditions, &clock) else { return nil }
    var responses = InlineArray<6, Int32>(repeating: 0)
    for axis in 0..<6 { responses[axis] = moved[axis] &- quiet[axis] }
    return responses
  }

  /// The sums of the samples for a mean, accelerometer first, then gyroscope; nil if a sleep was interrupted.
  ///
  /// - Throws: `configurationLost` if the part has lost its supply at the end, or `bus`.
  private mutating func sums<Clock: MonotonicClock & ~Copyable>(
    _ conditions: ICM20948.Configuration, _ clock: inout Clock
  ) throws(SensorError) -> InlineArray<6, Int32>? {
    var sums = InlineArray<6, Int32>(repeating: 0)
    var due = clock.now
    for _ in 0..<MPU6050.selfTestSamples {
      var bytes = InlineArray<14, UInt8>(repeating: 0)
      try wire.read(from: ICM20948.Register.data, into: &bytes)
      for axis in 0..<6 { sums[axis] &+= Int32(MPU6050.word(bytes[2 &* axis], bytes[2 &* axis &+ 1])) }
      due = due + conditions.period
      guard clock.sleep(until: due) else { return nil }
    }
    // The conditions have the same power registers as the configuration.
    try checkPower()
    return sums
  }
}
