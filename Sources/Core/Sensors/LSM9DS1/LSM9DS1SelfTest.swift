internal import FixedPoint
public import HAL

extension LSM9DS1.Device where Bus: ~Copyable {
  /// Runs the part's self-test on a board at rest in any attitude, then sets the part up as before. The supply voltage
  /// does not matter.
  ///
  ///     as start() at 50 Hz and ±2 g, gyroscope off; 300 ms, then 5 samples
  ///     write 24 01 (self-test force on); 200 ms, then 5 samples
  ///     write 24 00
  ///     with the gyroscope on: as start() at 238 Hz and ±2000 °/s; 800 ms, then 5 samples
  ///     write 24 04 (self-test rotation on); 800 ms, then 5 samples
  ///     write 24 00
  ///     then start()
  ///
  /// The test takes about 0.8 s on `clock`, with the gyroscope 2.5 s; on return the first sample has settled. Samples in
  /// the FIFO are lost. Returns nil if a wait on the clock was interrupted; then too, the part is set up as before.
  ///
  /// The data sheet gives no limits. Those here, and the waits, are from ST's example, so an axis is at best plausible.
  /// If gravity and the self-test force on an axis add up to more than 2 g, the measured change is too small.
  ///
  /// - Throws: as ``start()`` and ``sample()``. The self-test may then still be on: ``sample()`` throws until
  ///   ``start()`` succeeds.
  /// - Source: STMems_Standard_C_drivers, lsm9ds1_STdC/examples, lsm9ds1_self_test.c.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? {
    // Before any transaction: it must be possible to restore the configuration.
    try configuration.check(against: wire.bus.frequency)
    var settings = LSM9DS1.Configuration(rate: .hz50, range: .g2)
    let force = try measuredChange(as: settings, selfTest: 0x01, after: .milliseconds(200), &clock)
    var rotation: Measurement?
    if configuration.gyroscope != nil, force != nil {
      (settings.rate, settings.gyroscope) = (.hz238, .dps2000)
      rotation = try measuredChange(as: settings, selfTest: 0x04, after: .milliseconds(800), &clock)
    }
    let wait = try start()
    guard clock.sleep(until: clock.now + wait), let force = force?.force else { return nil }
    guard configuration.gyroscope != nil else { return SelfTestFindings(force: Self.judged(force, 70, 1_500, 1_000)) }
    guard let turn = rotation?.rotation else { return nil }
    return SelfTestFindings(force: Self.judged(force, 70, 1_500, 1_000), rotation: Self.judged(turn, 200, 800, 1))
  }

  /// The change that the self-test makes; nil if a wait was interrupted.
  private mutating func measuredChange(
    as settings: LSM9DS1.Configuration, selfTest: UInt8, after wait: Microseconds,
    _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Measurement? {
    let settling = try configure(settings)
    guard let before = try mean(as: settings, after: max(settling, wait), &clock) else { return nil }
    try wire.write(LSM9DS1.Register.selfTest, selfTest)
    guard let after = try mean(as: settings, after: wait, &clock) else { return nil }
    try wire.write(LSM9DS1.Register.selfTest, 0)
    let turn = before.rotation.flatMap { old in after.rotation.map { $0.subtracting(old) } }
    return Measurement(force: after.force.subtracting(before.force), rotation: turn)
  }

  /// The mean of 5 samples after `wait`; nil if a wait was interrupted.
  private mutating func mean(
    as settings: LSM9DS1.Configuration, after wait: Microseconds, _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Measurement? {
    guard clock.sleep(until: clock.now + wait) else { return nil }
    var (force, rotation) = (Vector3.zero, Vector3.zero)
    for _ in 0..<5 {
      guard clock.sleep(until: clock.now + settings.period) else { return nil }
      let sample = try measure(as: settings)
      force = force.addingFifth(of: sample.force)
      if let turn = sample.rotation { rotation = rotation.addingFifth(of: turn) }
    }
    return Measurement(force: force, rotation: settings.gyroscope == nil ? nil : rotation)
  }

  /// The findings for the three changes; the limits, in either direction, are `weakest` and `strongest` of 1/`parts`.
  private static func judged(
    _ change: Vector3, _ weakest: Int32, _ strongest: Int32, _ parts: Int32
  ) -> InlineArray<3, SelfTestFindings.Axis> {
    let (least, most) = (Q16(weakest, over: parts).raw, Q16(strongest, over: parts).raw)
    func axis(_ change: Q16) -> SelfTestFindings.Axis {
      let isUp = change >= .zero
      let size = isUp ? change.raw : 0 &- change.raw
      return SelfTestFindings.Axis(
        change: change, limits: (Q16(raw: isUp ? least : -least), Q16(raw: isUp ? most : -most)),
        outcome: size >= least && size <= most ? .plausible : .doubtful)
    }
    return [axis(change.x), axis(change.y), axis(change.z)]
  }
}

extension Vector3 {
  /// The sum of this and a fifth of `other`: a term of the mean of five.
  fileprivate func addingFifth(of other: Vector3) -> Vector3 {
    Vector3(
      x: Q16(raw: x.raw &+ other.x.raw / 5), y: Q16(raw: y.raw &+ other.y.raw / 5),
      z: Q16(raw: z.raw &+ other.z.raw / 5))
  }
}
