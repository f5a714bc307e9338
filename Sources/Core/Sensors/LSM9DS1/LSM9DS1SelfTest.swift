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
    var rotation: Vector3?
    if configuration.turns, force != nil {
      (settings.rate, settings.gyroscope) = (.hz238, .dps2000)
      rotation = try measuredChange(as: settings, selfTest: 0x04, after: .milliseconds(800), &clock)
    }
    let wait = try start()
    guard clock.pause(for: wait), let force, rotation != nil || !configuration.turns else { return nil }
    return SelfTestFindings(
      force: SelfTestFindings.judged(force, Q16(70, over: 1_000), Q16(1_500, over: 1_000), binding: false),
      rotation: rotation.map { SelfTestFindings.judged($0, Q16(whole: 200), Q16(whole: 800), binding: false) })
  }

  /// The change that the self-test makes, of the rotation if these settings measure it, otherwise of the force; nil if a
  /// wait was interrupted.
  private mutating func measuredChange(
    as settings: LSM9DS1.Configuration, selfTest: UInt8, after wait: Microseconds,
    _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Vector3? {
    let settling = try configure(settings)
    let change = try change(
      after: max(settling, wait), then: wait, every: settings.period, by: &clock,
      { device throws(SensorError) in try device.measure(as: settings) },
      turnOn: { device throws(SensorError) in try device.wire.write(LSM9DS1.Register.selfTest, selfTest) })
    if change != nil { try wire.write(LSM9DS1.Register.selfTest, 0) }
    return change
  }
}
