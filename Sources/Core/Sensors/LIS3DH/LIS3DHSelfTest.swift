internal import FixedPoint
public import HAL

extension LIS3DH.Device where Bus: ~Copyable {
  /// Runs the part's self-test on a board at rest in any attitude, then sets the part up as before. The supply voltage
  /// does not matter.
  ///
  ///     as start() at 50 Hz and ±2 g in normal mode, no FIFO, no interrupts; 90 ms, then 5 samples
  ///     write 23 82 (self-test force on); 90 ms, then 5 samples
  ///     write 23 80 (off); then start()
  ///
  /// Samples are read 20 ms apart. The test takes about 0.4 s on `clock`; on return the first sample has settled.
  /// Samples in the FIFO are lost. Returns nil if a wait on the clock was interrupted; then too, the part is set up as
  /// before.
  ///
  /// If gravity and the self-test force on an axis add up to more than 2 g, the measured change is too small.
  ///
  /// - Throws: as ``start()`` and ``sample()``. The self-test force may then still be on: ``sample()`` throws until
  ///   ``start()`` succeeds.
  /// - Datasheet: Rev. 2, table 4, "Self-test output change", and its note.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? {
    // Before any transaction: it must be possible to restore the configuration.
    try configuration.check(against: wire.bus.frequency)
    let change = try measuredChange(&clock)
    let wait = try start()
    guard clock.pause(for: wait), let change else { return nil }
    // 17 to 360 steps of 4 mg: 68 to 1440 mg.
    return SelfTestFindings(force: SelfTestFindings.judged(change, Q16(raw: 4_456), Q16(raw: 94_372), binding: true))
  }

  /// The change that the self-test force makes; nil if a wait was interrupted.
  private mutating func measuredChange(
    _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Vector3? {
    let settings = LIS3DH.Configuration(rate: .hz50, range: .g2, resolution: .normal)
    _ = try configure(settings)
    guard let before = try mean(in: settings.format, &clock) else { return nil }
    var format = settings.format
    format.selfTest = 1
    try wire.write(LIS3DH.Register.control4, format.encoded)
    guard let after = try mean(in: format, &clock) else { return nil }
    try wire.write(LIS3DH.Register.control4, settings.format.encoded)
    return after.subtracting(before)
  }

  private mutating func mean(
    in format: LIS3DH.FormatField, _ clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> Vector3? {
    try mean(after: .milliseconds(90), every: LIS3DH.OutputDataRate.hz50.period, by: &clock) {
      device throws(SensorError) in try device.sample(at: LIS3DH.RateField(rate: .hz50), in: format)
    }
  }
}
