internal import FixedPoint
public import HAL

extension LSM6DS.Device where Bus: ~Copyable {
  /// Runs the part's self-test on a board at rest in any attitude, with the gyroscope on for both sensors, then sets the
  /// part up as before. The supply voltage does not matter.
  ///
  ///     configured for 52 Hz, ±4 g; then 5 samples
  ///     write 14 01 (accelerometer, positive); 150 ms, then 5 samples
  ///     configured for 208 Hz, ±2000 °/s; then 5 samples
  ///     write 14 04 (gyroscope, positive); 150 ms, then 5 samples
  ///     configured as before
  ///
  /// The limits are 90 to 1700 mg in either direction (50 to 1700 mg in the LSM6DSO and LSM6DSOX), and 150 to 700 °/s.
  ///
  /// It takes about 0.5 s on `clock`, with the gyroscope 0.9 s. Samples in the FIFO are lost. Returns nil if a wait on
  /// the clock was interrupted; then too, the part is configured as before: continue with ``proceed()``.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil), `configurationRejected` or `bus`; the
  ///   part must then be started again.
  /// - Datasheet: LSM6DS3TR-C Rev. 3, mechanical characteristics, "self-test output change".
  /// - Source: STMicroelectronics' self-test examples for LSM6DSO and ISM330DHCX.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? {
    guard phase == .measuring, let part else { throw .configurationLost }
    phase = .idle
    var settings = LSM6DS.Configuration(rate: .hz52, range: .g4)
    let force = try change(as: settings, selfTest: 0x01, &clock)
    var rotation: Vector3?
    if configuration.usesGyroscope, force != nil {
      (settings.rate, settings.gyroscope) = (.hz208, .dps2000)
      rotation = try change(as: settings, selfTest: 0x04, &clock)
    }
    let wait = try settle()
    guard let force, rotation != nil || !configuration.usesGyroscope, clock.pause(for: wait) else { return nil }
    _ = try proceed()
    // The data sheets of LSM6DS33 and LSM6DS3 give no limits; their force is judged by those of their successor.
    return SelfTestFindings(
      force: SelfTestFindings.judged(
        force, part == .lsm6dso ? Q16(1, over: 20) : Q16(9, over: 100), Q16(17, over: 10), binding: part != .lsm6ds3),
      rotation: rotation.map { SelfTestFindings.judged($0, Q16(whole: 150), Q16(whole: 700), binding: true) })
  }

  /// The change that a self-test in CTRL5_C makes, of the rotation if these settings measure it, otherwise of the force;
  /// nil if a wait was interrupted.
  private mutating func change(
    as settings: LSM6DS.Configuration, selfTest: UInt8, _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Vector3? {
    try configure(as: settings.image(of: variant))
    let change = try change(
      after: settings.settlingTime, then: .milliseconds(150), every: settings.period, by: &clock,
      { device throws(SensorError) in try device.measure(as: settings) },
      turnOn: { device throws(SensorError) in try device.wire.write(LSM6DS.Register.control5, selfTest) })
    if change != nil, try wire.read(LSM6DS.Register.control5) != selfTest { throw .configurationLost }
    return change
  }
}
