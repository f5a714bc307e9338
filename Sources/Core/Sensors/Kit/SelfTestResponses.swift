internal import FixedPoint
internal import HAL

extension Accelerometer where Self: ~Copyable {
  /// For each of six axes, the sum of 100 samples with the self-test on minus the sum with it off; nil if a wait was
  /// interrupted. `check` follows each 100 samples.
  mutating func responses(
    after settling: Microseconds, every period: Microseconds, by clock: inout some MonotonicClock & ~Copyable,
    _ read: (inout Self) throws(SensorError) -> InlineArray<6, Int16>,
    check: (inout Self, _ selfTests: Bool) throws(SensorError) -> Void,
    turnOn: (inout Self) throws(SensorError) -> Void
  ) throws(SensorError) -> InlineArray<6, Int32>? {
    var responses = InlineArray<6, Int32>(repeating: 0)
    for selfTests in 0..<2 {
      if selfTests == 1 { try turnOn(&self) }
      guard clock.pause(for: settling) else { return nil }
      var due = clock.now
      for _ in 0..<MPU6050.selfTestSamples {
        let words = try read(&self)
        for axis in 0..<6 { responses[axis] &+= selfTests == 1 ? Int32(words[axis]) : 0 &- Int32(words[axis]) }
        due = due + period
        guard clock.sleep(until: due) else { return nil }
      }
      try check(&self, selfTests == 1)
    }
    return responses
  }
}
