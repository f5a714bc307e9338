internal import FixedPoint
public import HAL

extension MPU6050.Device where Bus: ~Copyable {
  /// Measures how far the part's self-test moves each axis, and holds that against the factory's figures.
  ///
  /// The part must not move meanwhile. It takes about 1.5 s, which `clock` sleeps. Measured at ±8 g, 200 Hz and 94 Hz,
  /// 100 samples with the self-test off and 100 with it on; then the part is as configured, with a FIFO that begins
  /// anew.
  ///
  ///     read  0D -> factory codes     4 bytes, 3 in later parts
  ///     [configured for it, see `proceed()`]
  ///     read  3B -> 6 bytes, 100 times; read 37 -> 08, read 1C -> 10
  ///     write 1C F0
  ///     read  3B -> 6 bytes, 100 times; read 37 -> 08, read 1C -> F0
  ///     [configured as before]
  ///
  /// Returns nil where a sleep was ended from outside; the part is as configured then too, but for samples that have
  /// not settled: go on with ``proceed()``.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil), `configurationRejected` or `bus`; the
  ///   part has to be started again then.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16 and 28.
  public mutating func selfTest<Clock: MonotonicClock & ~Copyable>(
    clock: inout Clock
  ) throws(SensorError) -> MPU6050.SelfTest? {
    guard phase == .measuring, let part else { throw .configurationLost }
    phase = .idle
    let kind = part.selfTestKind
    let codes = MPU6050.selfTestCodes(try factoryCodes(kind), kind)
    let sums = try responses(part, &clock)
    try configure(part, configuration)
    phase = .settling
    guard let sums, clock.sleep(until: clock.now + settlingTime(part, configuration)) else { return nil }
    _ = try proceed()
    return MPU6050.SelfTest(
      kind: kind,
      x: MPU6050.judge(sums[0], trim: MPU6050.factoryTrim(codes[0], kind), kind),
      y: MPU6050.judge(sums[1], trim: MPU6050.factoryTrim(codes[1], kind), kind),
      z: MPU6050.judge(sums[2], trim: MPU6050.factoryTrim(codes[2], kind), kind))
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  private mutating func factoryCodes(_ kind: MPU6050.SelfTestKind) throws(SensorError) -> InlineArray<4, UInt8> {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: .selfTest, into: &span, count: kind == .factoryTrim ? 4 : 3)
    return bytes
  }

  /// For each axis the sum with the self-test on less the sum with it off; nil where a sleep was ended.
  private mutating func responses<Clock: MonotonicClock & ~Copyable>(
    _ part: MPU6050.Part, _ clock: inout Clock
  ) throws(SensorError) -> InlineArray<3, Int32>? {
    let conditions = MPU6050.Configuration(rate: .hz200, range: .g8, filter: .hz94)
    let settlingTime = settlingTime(part, conditions)
    try configure(part, conditions)
    guard clock.sleep(until: clock.now + settlingTime), let quiet = try sums(conditions, selfTests: false, &clock)
    else { return nil }
    try write(.accelerometer, MPU6050.AccelerometerField(range: conditions.range, selfTests: true).encoded)
    guard clock.sleep(until: clock.now + settlingTime), let moved = try sums(conditions, selfTests: true, &clock)
    else { return nil }
    return [moved[0] &- quiet[0], moved[1] &- quiet[1], moved[2] &- quiet[2]]
  }

  /// The sums of as many samples as a mean is made of; nil where a sleep was ended.
  ///
  /// - Throws: `configurationLost` where the part is not under these conditions in the end, or `bus`.
  private mutating func sums<Clock: MonotonicClock & ~Copyable>(
    _ conditions: MPU6050.Configuration, selfTests: Bool, _ clock: inout Clock
  ) throws(SensorError) -> InlineArray<3, Int32>? {
    var sums = InlineArray<3, Int32>(repeating: 0)
    var due = clock.now
    for _ in 0..<MPU6050.selfTestSamples {
      var bytes = InlineArray<6, UInt8>(repeating: 0)
      var span = bytes.mutableSpan
      try read(from: .data, into: &span)
      for axis in 0..<3 {
        sums[axis] &+= Int32(MPU6050.word(bytes[2 &* axis], bytes[2 &* axis &+ 1]))
      }
      due = due + conditions.period
      guard clock.sleep(until: due) else { return nil }
    }
    let accelerometer = MPU6050.AccelerometerField(range: conditions.range, selfTests: selfTests).encoded
    guard try read(.interruptPin) == conditions.interruptPinByte, try read(.accelerometer) == accelerometer else {
      throw .configurationLost
    }
    return sums
  }
}
