public import FixedPoint
public import HAL

extension ADXL345.Device where Bus: ~Copyable {
  /// Runs the self-test on a board that lies still, in any attitude; then configures the part as before.
  ///
  ///     as start() at 100 Hz and ±16 g, no FIFO, no interrupts; 16 samples
  ///     write 31 8B (electrostatic force on); 16 samples; read 2D (checks that it has measured)
  ///     write 31 0B (off), 60 ms; then start()
  ///
  /// Each set of 16 samples is read 10 ms apart, over 0.16 s, after 60 ms for the force to settle: at least 4 sample
  /// periods, even of a slightly inaccurate sample clock. The result is the difference of their means. It takes about
  /// 0.5 s on `clock`, and on return the first sample is settled. Samples in the FIFO and unread events are lost.
  ///
  /// Returns nil if the clock's wait was interrupted; in that case too the part is configured as before, and it is
  /// settled after six sample periods and 1.1 ms.
  ///
  /// - Throws: as ``start()`` and ``sample()``. The part may then still be under test: ``sample()`` refuses to read it
  ///   until a ``start()``.
  /// - Datasheet: Rev. E, "Self-test" and "Using self-test": normal power, 100 to 800 Hz, full resolution, ±16 g.
  public mutating func selfTest<Clock: MonotonicClock & ~Copyable>(
    supply: ADXL345.SupplyVoltage = .volts3_3, clock: inout Clock
  ) throws(SensorError) -> ADXL345.SelfTest? {
    // First of all: it must be possible to restore the configuration.
    try configuration.check(against: wire.bus.frequency)
    let change = try measuredChange(&clock)
    let wait = try start()
    guard clock.pause(for: wait), let change else { return nil }
    return ADXL345.SelfTest(change: change, supply: supply)
  }

  /// The change caused by the force; nil if a wait was interrupted.
  private mutating func measuredChange<Clock: MonotonicClock & ~Copyable>(_ clock: inout Clock) throws(SensorError)
    -> Vector3?
  {
    let settings = ADXL345.Configuration(rate: .hz100, range: .g16)
    let off = settings.dataFormat
    var on = off
    on.selfTests = true
    guard clock.pause(for: try configure(settings)), let before = try mean(in: off, &clock) else { return nil }
    isPushed = true
    try wire.write(ADXL345.Register.dataFormat, on.encoded)
    guard clock.pause(for: settings.rate.period * 6), let after = try mean(in: on, &clock) else { return nil }
    // DATA_FORMAT was rewritten, so it would not reveal a part that had lost its other registers before.
    guard try wire.read(ADXL345.Register.power) == ADXL345.Power.measure else { throw .configurationLost }
    try wire.write(ADXL345.Register.dataFormat, off.encoded)
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

extension ADXL345 {
  /// The effect of the self-test's electrostatic force on each axis, and the required effect.
  ///
  /// - Datasheet: Rev. E, "Self-test".
  public struct SelfTest: Equatable, Sendable {
    /// X, pushed up.
    public let x: Axis
    /// Y, pushed down.
    public let y: Axis
    /// Z, pushed up.
    public let z: Axis

    /// Whether every axis moved the right way and far enough.
    public var hasPassed: Bool { x.verdict != .failed && y.verdict != .failed && z.verdict != .failed }

    /// Evaluates `change`, the effect of the force on each axis in g, at `supply`.
    public init(change: Vector3, supply: SupplyVoltage = .volts3_3) {
      let inPlane = supply.limits(weakest: 50, strongest: 540, factors: [64, 100, 177, 211])
      let upright = supply.limits(weakest: 75, strongest: 875, factors: [80, 100, 147, 169])
      x = Axis(change: change.x, limits: inPlane, sign: 1)
      y = Axis(change: change.y, limits: inPlane, sign: -1)
      z = Axis(change: change.z, limits: upright, sign: 1)
    }

    /// The result for an axis.
    public enum Verdict: Equatable, Sendable {
      /// Within the limits.
      case passed
      /// Beyond the upper limit: worth a remark, but not a failure by itself.
      ///
      /// - Datasheet: Rev. E, "Using self-test".
      case passedBeyondLimit
      /// In the wrong direction, or too small.
      case failed
    }

    /// One axis.
    public struct Axis: Equatable, Sendable {
      /// The effect of the force, in g.
      public let change: Q16
      /// The smallest permitted effect, in g, with its sign.
      public let weakest: Q16
      /// The largest expected effect, in g, with its sign.
      public let strongest: Q16

      /// The result.
      public var verdict: Verdict {
        let isUp = strongest > .zero
        guard isUp ? change >= weakest : change <= weakest else { return .failed }
        return (isUp ? change <= strongest : change >= strongest) ? .passed : .passedBeyondLimit
      }

      init(change: Q16, limits: (weakest: Int32, strongest: Int32), sign: Int32) {
        self.change = change
        weakest = Q16(raw: limits.weakest &* sign &* 256)
        strongest = Q16(raw: limits.strongest &* sign &* 256)
      }
    }
  }

  /// The supply voltage VS, on which the self-test's force depends.
  public struct SupplyVoltage: Equatable, Sendable {
    /// In millivolts, 2000 to 3600.
    public let millivolts: Int32

    /// A voltage, or nil outside 2000 to 3600 mV, where the part does not work or the data sheet gives no limits.
    public init?(millivolts: Int32) {
      guard millivolts >= 2_000 && millivolts <= 3_600 else { return nil }
      self.millivolts = millivolts
    }

    private init(_ millivolts: Int32) { self.millivolts = millivolts }

    /// 3.3 V, as on most boards.
    public static var volts3_3: SupplyVoltage { SupplyVoltage(3_300) }

    /// Scales limits at 2.5 V, in LSB of 1/256 g, to this voltage. `factors` are the multipliers at 2.0, 2.5, 3.3 and
    /// 3.6 V, in hundredths; values in between are interpolated, and the limits are rounded inwards to whole LSB.
    ///
    /// - Datasheet: Rev. E, tables 14 and 15.
    func limits(weakest: Int32, strongest: Int32, factors: InlineArray<4, Int32>) -> (weakest: Int32, strongest: Int32)
    {
      let corners: InlineArray<4, Int32> = [2_000, 2_500, 3_300, 3_600]
      let below = millivolts < 2_500 ? 0 : millivolts < 3_300 ? 1 : 2
      let span = corners[below &+ 1] &- corners[below]
      // The factor times 100 · span, at most 211 · 800.
      let factor =
        factors[below] &* span &+ (factors[below &+ 1] &- factors[below]) &* (millivolts &- corners[below])
      let whole = 100 &* span
      return ((weakest &* factor &+ whole &- 1) / whole, strongest &* factor / whole)
    }
  }
}
