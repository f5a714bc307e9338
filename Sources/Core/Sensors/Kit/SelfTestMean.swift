internal import FixedPoint
internal import HAL

extension MonotonicClock where Self: ~Copyable {
  /// Waits; false if the wait was interrupted.
  mutating func pause(for span: Microseconds) -> Bool { sleep(until: now + span) }
}

extension Accelerometer where Self: ~Copyable {
  /// The mean of 5 values that `read` reads a `period` apart, after `wait`; nil if a wait was interrupted.
  ///
  /// Five values of 6500 g or °/s do not overflow.
  mutating func mean(
    after wait: Microseconds, every period: Microseconds, by clock: inout some MonotonicClock & ~Copyable,
    _ read: (inout Self) throws(SensorError) -> Vector3
  ) throws(SensorError) -> Vector3? {
    guard clock.pause(for: wait) else { return nil }
    var sum = Vector3.zero
    for _ in 0..<5 {
      guard clock.pause(for: period) else { return nil }
      sum = sum.adding(try read(&self))
    }
    return sum.divided(by: 5)
  }

  /// The change that `turnOn` makes, of the rotation if `measure` gives one, otherwise of the force: of the mean after
  /// `settling` to that after `wait`; nil if a wait was interrupted.
  mutating func change(
    after settling: Microseconds, then wait: Microseconds, every period: Microseconds,
    by clock: inout some MonotonicClock & ~Copyable, _ measure: (inout Self) throws(SensorError) -> Measurement,
    turnOn: (inout Self) throws(SensorError) -> Void
  ) throws(SensorError) -> Vector3? {
    func read(_ device: inout Self) throws(SensorError) -> Vector3 {
      let measurement = try measure(&device)
      return measurement.rotation ?? measurement.force
    }
    guard let before = try mean(after: settling, every: period, by: &clock, read) else { return nil }
    try turnOn(&self)
    guard let after = try mean(after: wait, every: period, by: &clock, read) else { return nil }
    return after.subtracting(before)
  }
}

extension SelfTestFindings {
  /// The result for the changes of three axes: `weakest` to `strongest`, in either direction. Limits that are not
  /// `binding` are not the maker's: then a change is only plausible or doubtful.
  static func judged(
    _ change: Vector3, _ weakest: Q16, _ strongest: Q16, binding: Bool
  ) -> InlineArray<3, Axis> {
    func axis(_ change: Q16) -> Axis {
      let isUp = change >= .zero
      func signed(_ value: Q16) -> Q16 { Q16(raw: isUp ? value.raw : 0 &- value.raw) }
      let isWithin = signed(change) >= weakest && signed(change) <= strongest
      return Axis(
        change: change, limits: (signed(weakest), signed(strongest)),
        outcome: binding ? (isWithin ? .passed : .failed) : isWithin ? .plausible : .doubtful)
    }
    return [axis(change.x), axis(change.y), axis(change.z)]
  }
}
