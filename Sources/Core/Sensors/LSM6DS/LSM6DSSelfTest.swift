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
    let force = try change(of: part, settings, selfTest: 0x01, &clock)
    var rotation: Vector3?
    if configuration.usesGyroscope, force != nil {
      (settings.rate, settings.gyroscope) = (.hz208, .dps2000)
      rotation = try change(of: part, settings, selfTest: 0x04, &clock)
    }
    let wait = try settle(part)
    guard let force, rotation != nil || !configuration.usesGyroscope, clock.sleep(until: clock.now + wait) else {
      return nil
    }
    _ = try proceed()
    return SelfTestFindings(force: part.judgeForce(force), rotation: rotation.map { part.judgeRotation($0) })
  }

  /// The change that a self-test in CTRL5_C makes, of the rotation if these settings measure it, otherwise of the force;
  /// nil if a wait was interrupted.
  private mutating func change(
    of part: LSM6DS.Part, _ settings: LSM6DS.Configuration, selfTest: UInt8,
    _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Vector3? {
    try configure(part, settings.controlBytes(of: part), interrupt: 0)
    guard let before = try mean(of: part, settings, after: settings.settlingTime, &clock) else { return nil }
    try wire.write(LSM6DS.Register.control5, selfTest)
    guard let after = try mean(of: part, settings, after: .milliseconds(150), &clock) else { return nil }
    guard try wire.read(LSM6DS.Register.control5) == selfTest else { throw .configurationLost }
    return after.subtracting(before)
  }

  /// The mean of 5 samples after a wait; nil if it was interrupted.
  private mutating func mean(
    of part: LSM6DS.Part, _ settings: LSM6DS.Configuration, after wait: Microseconds,
    _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Vector3? {
    guard clock.sleep(until: clock.now + wait) else { return nil }
    var (x, y, z) = (0 as Int32, 0 as Int32, 0 as Int32)
    for _ in 0..<5 {
      guard clock.sleep(until: clock.now + settings.rate.period) else { return nil }
      let measurement = try measurement(of: part, settings)
      let value = measurement.rotation ?? measurement.force
      // At most 5 · 2300 · 65536.
      (x, y, z) = (x &+ value.x.raw, y &+ value.y.raw, z &+ value.z.raw)
    }
    return Vector3(x: Q16(raw: x / 5), y: Q16(raw: y / 5), z: Q16(raw: z / 5))
  }
}

extension LSM6DS.Part {
  /// 90 to 1700 mg in either direction; 50 to 1700 mg in the LSM6DSO and LSM6DSOX.
  ///
  /// The data sheets of LSM6DS33 and LSM6DS3 give no limits; they are judged by those of their successor.
  fileprivate func judgeForce(_ change: Vector3) -> InlineArray<3, SelfTestFindings.Axis> {
    let weakest = self == .lsm6dso ? Q16(1, over: 20) : Q16(9, over: 100)
    return judge(change, weakest, Q16(17, over: 10), isBinding: self != .lsm6ds3)
  }

  /// 150 to 700 °/s in either direction.
  fileprivate func judgeRotation(_ change: Vector3) -> InlineArray<3, SelfTestFindings.Axis> {
    judge(change, Q16(whole: 150), Q16(whole: 700), isBinding: true)
  }

  private func judge(
    _ change: Vector3, _ weakest: Q16, _ strongest: Q16, isBinding: Bool
  ) -> InlineArray<3, SelfTestFindings.Axis> {
    func axis(_ change: Q16) -> SelfTestFindings.Axis {
      let isUp = change >= .zero
      func signed(_ value: Q16) -> Q16 { Q16(raw: isUp ? value.raw : 0 &- value.raw) }
      let isWithin = signed(change) >= weakest && signed(change) <= strongest
      return SelfTestFindings.Axis(
        change: change, limits: (signed(weakest), signed(strongest)),
        outcome: isBinding ? (isWithin ? .passed : .failed) : isWithin ? .plausible : .doubtful)
    }
    return [axis(change.x), axis(change.y), axis(change.z)]
  }
}
