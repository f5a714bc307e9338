import FixedPoint

/// The instants of an MPU-6050's samples.
///
/// The sample clock counts units (of its 1 kHz or 8 kHz base, or of its wake-up period); sample k comes with unit
/// `k × unitsPerSample`. Instants are rounded down to a microsecond.
struct SampleTicks: Equatable {
  /// What the registers say of the clock.
  struct Rate: Equatable {
    /// The length of a unit in nanoseconds.
    var unitNanoseconds: Int64
    /// How many units there are from one sample to the next; 1 or more.
    var unitsPerSample: Int64 = 1
    /// How many units there are from one value of the accelerometer to the next; 1 or more.
    var accelerometerUnits: Int64 = 1
    /// How much faster than nominal it runs.
    var partsPerMillion: Int32
    /// Whether this is cycle mode.
    var isCycling = false

    /// Thousandths of a microsecond in a unit, times a million: divided by `divisor` it is microseconds.
    fileprivate var scaledUnit: Int64 { unitNanoseconds * 1_000 }
    fileprivate var divisor: Int64 { 1_000_000 + max(-500_000, min(500_000, Int64(partsPerMillion))) }
    /// The length of a sample's period.
    var period: Microseconds { Microseconds(unitsPerSample * scaledUnit / divisor) }
  }

  /// The clock's rate.
  let rate: Rate
  /// The instant of sample 0.
  let first: Instant

  /// The instant of unit `number`, counted from sample 0.
  func instant(ofUnit number: Int64) -> Instant {
    let (product, overflows) = number.multipliedReportingOverflow(by: rate.scaledUnit)
    if !overflows { return first + Microseconds(product / rate.divisor) }
    let span = Int128(number) * Int128(rate.scaledUnit) / Int128(rate.divisor)
    return first + Microseconds(Int64(truncatingIfNeeded: span))
  }

  /// The number of the last sample up to `now`; negative before the first.
  func lastSample(by now: Instant) -> Int64 {
    let elapsed = (now - first).count
    guard elapsed >= 0 else { return -1 }
    // floor(u × scaledUnit / divisor) ≤ elapsed holds up to this u.
    let (product, overflows) = (elapsed &+ 1).multipliedReportingOverflow(by: rate.divisor)
    if !overflows && elapsed < Int64.max { return (product - 1) / rate.scaledUnit / rate.unitsPerSample }
    let unit = ((Int128(elapsed) + 1) * Int128(rate.divisor) - 1) / Int128(rate.scaledUnit)
    return Int64(truncatingIfNeeded: unit / Int128(rate.unitsPerSample))
  }
}
