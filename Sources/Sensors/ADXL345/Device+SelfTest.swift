internal import FixedPoint
public import HAL

extension ADXL345.Device where Bus: ~Copyable {
  /// Runs the self-test on a board that lies still, whatever its attitude; then sets the part up as before.
  ///
  ///     as start() at 100 Hz and ±16 g, no FIFO, no interrupts; 16 samples
  ///     write 31 8B (electrostatic force on); 16 samples; read 2D (it has measured indeed)
  ///     write 31 0B (off), 60 ms; then start()
  ///
  /// 16 samples are read 10 ms apart, 0.16 s each time, after 60 ms for the force to settle: 4 sample periods at least, of
  /// a sample clock that is a little off. The result is the difference of their means. It takes about 0.5 s on `clock`,
  /// and on return the first sample is settled. Samples in the FIFO and events that have not been read are lost.
  ///
  /// Returns nil where the clock's wait was ended from outside; the part is set up as before then too, and settled after
  /// six sample periods and 1.1 ms.
  ///
  /// - Throws: as ``start()`` and ``sample()``. The part may then be under test still: ``sample()`` refuses to read it until a
  ///   ``start()``.
  /// - Datasheet: Rev. E, "Self-test" and "Using self-test": normal power, 100 to 800 Hz, full resolution, ±16 g.
  public mutating func selfTest<Clock: MonotonicClock & ~Copyable>(
    supply: ADXL345.SupplyVoltage = .volts3_3, clock: inout Clock
  ) throws(SensorError) -> ADXL345.SelfTest? {
    // Before anything is touched: what has to be restored must be possible.
    try configuration.rate.check(against: bus.frequency)
    let change = try measuredChange(&clock)
    let wait = try start()
    guard clock.pause(for: wait), let change else { return nil }
    return ADXL345.SelfTest(change: change, supply: supply)
  }

  /// What the force adds; nil where a wait was ended.
  private mutating func measuredChange<Clock: MonotonicClock & ~Copyable>(_ clock: inout Clock) throws(SensorError)
    -> Vector3?
  {
    let settings = ADXL345.Configuration(rate: .hz100, range: .g16)
    let off = settings.dataFormat
    var on = off
    on.selfTests = true
    guard clock.pause(for: try configure(settings)), let before = try mean(in: off, &clock) else { return nil }
    isPushed = true
    try write(.dataFormat, on.encoded)
    guard clock.pause(for: settings.rate.period * 6), let after = try mean(in: on, &clock) else { return nil }
    // DATA_FORMAT was written anew, so that it would not show a part that had lost the rest before.
    guard try read(.power) == ADXL345.Power.measure else { throw .configurationLost }
    try write(.dataFormat, off.encoded)
    guard clock.pause(for: settings.rate.period * 6) else { return nil }
    isPushed = false
    return after.subtracting(before)
  }

  /// The mean of 16 samples in `format`, exact: samples are multiples of 1/256 g.
  private mutating func mean<Clock: MonotonicClock & ~Copyable>(
    in format: ADXL345.DataFormatField, _ clock: inout Clock
  ) throws(SensorError) -> Vector3? {
    var (x, y, z) = (0 as Int32, 0 as Int32, 0 as Int32)
    for _ in 0..<16 {
      let sample = try sample(in: format)
      x &+= sample.x.raw
      y &+= sample.y.raw
      z &+= sample.z.raw
      guard clock.pause(for: ADXL345.OutputDataRate.hz100.period) else { return nil }
    }
    return Vector3(x: Q16(raw: x / 16), y: Q16(raw: y / 16), z: Q16(raw: z / 16))
  }
}

extension MonotonicClock where Self: ~Copyable {
  /// Waits; false when the wait was ended early.
  fileprivate mutating func pause(for span: Microseconds) -> Bool { sleep(until: now + span) }
}
