internal import FixedPoint
public import HAL

extension MPU6050.Device where Bus: ~Copyable {
  /// Measures how far the part's self-test moves each axis, and compares the result with the factory's figures; with
  /// the gyroscope on, for both sensors.
  ///
  /// The part must not move meanwhile. It takes about 1.5 s, during which `clock` sleeps. Measured at ±8 g, 200 Hz and
  /// 94 Hz (and ±250 °/s), 100 samples with the self-test off and 100 with it on; afterwards the part is configured as
  /// before, with a restarted FIFO.
  ///
  ///     read  0D -> factory codes     4 bytes, 3 in later parts
  ///     [configured for it, see `proceed()`]
  ///     read  3B -> 6 bytes, 100 times; read 37 -> 08, read 1C -> 10
  ///     write 1C F0
  ///     read  3B -> 6 bytes, 100 times; read 37 -> 08, read 1C -> F0
  ///     [configured as before]
  ///
  /// With the gyroscope on:
  ///
  ///     read  0D -> factory codes     4 bytes; 3 in later parts, whose gyroscope has 3 more from 00 on
  ///     [configured for it, see `proceed()`]
  ///     read  3B -> 14 bytes, 100 times; read 37 -> 08, read 1B -> 00 10
  ///     write 1B E0 F0
  ///     read  3B -> 14 bytes, 100 times; read 37 -> 08, read 1B -> E0 F0
  ///     [configured as before]
  ///
  /// Returns nil if a sleep was interrupted; in that case too the part is configured as before, but its samples have
  /// not settled: continue with ``proceed()``.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil), `configurationRejected` or `bus`; the
  ///   part must then be restarted.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16, 27 and 28.
  public mutating func selfTest<Clock: MonotonicClock & ~Copyable>(
    clock: inout Clock
  ) throws(SensorError) -> MPU6050.SelfTest? {
    guard phase == .measuring, let part else { throw .configurationLost }
    phase = .idle
    let kind = part.selfTestKind
    let bytes = try factoryCodes(kind)
    let codes = MPU6050.selfTestCodes(bytes, kind)
    let rotationCodes = configuration.usesGyroscope ? try rotationCodes(bytes, kind) : nil
    let sums = try responses(part, &clock)
    let wait = try settle()
    guard let sums, clock.pause(for: wait) else { return nil }
    _ = try proceed()
    return MPU6050.SelfTest(sums, codes, rotationCodes, kind)
  }

  /// The codes of the gyroscope: in the 6050 class, the low bits of `bytes`; in later parts, in their own registers.
  private mutating func rotationCodes(
    _ bytes: InlineArray<4, UInt8>, _ kind: MPU6050.SelfTestKind
  ) throws(SensorError) -> InlineArray<3, UInt8> {
    guard kind == .informative else { return [bytes[0] & 0x1F, bytes[1] & 0x1F, bytes[2] & 0x1F] }
    var codes = InlineArray<3, UInt8>(repeating: 0)
    try wire.read(from: MPU6050.Register.gyroscopeSelfTest, into: &codes)
    return codes
  }

  private mutating func factoryCodes(_ kind: MPU6050.SelfTestKind) throws(SensorError) -> InlineArray<4, UInt8> {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(kind == .factoryTrim ? 4 : 3, from: MPU6050.Register.selfTest, into: &bytes)
    return bytes
  }

  /// For each axis, the sum with the self-test on minus the sum with it off; nil if a sleep was interrupted.
  private mutating func responses<Clock: MonotonicClock & ~Copyable>(
    _ part: MPU6050.Part, _ clock: inout Clock
  ) throws(SensorError) -> InlineArray<6, Int32>? {
    let conditions = MPU6050.Configuration(
      rate: .hz200, range: .g8, filter: .hz94, gyroscope: configuration.usesGyroscope ? .dps250 : nil)
    let length = conditions.usesGyroscope ? 14 : 6
    try configure(part, conditions)
    return try responses(after: settlingTime(part, conditions), every: conditions.period, by: &clock) {
      device throws(SensorError) in
      var bytes = InlineArray<14, UInt8>(repeating: 0)
      try device.wire.read(length, from: MPU6050.Register.data, into: &bytes)
      func word(_ first: Int) -> Int16 { MPU6050.word(bytes[first], bytes[first &+ 1]) }
      // The temperature follows the force.
      return [word(0), word(2), word(4), word(8), word(10), word(12)]
    } check: { device, selfTests throws(SensorError) in
      try device.check(part, conditions, selfTests: selfTests)
    } turnOn: { device throws(SensorError) in
      let accelerometer = MPU6050.AccelerometerField(range: conditions.range, selfTests: true).encoded
      if conditions.usesGyroscope {
        let gyroscope = conditions.gyroscopeByte(of: part, selfTests: true)
        try device.wire.write([MPU6050.Register.gyroscope, gyroscope, accelerometer])
      } else {
        try device.wire.write(MPU6050.Register.accelerometer, accelerometer)
      }
    }
  }

  /// Throws `configurationLost` if the part does not have these settings at the end of a half of the test.
  private mutating func check(
    _ part: MPU6050.Part, _ conditions: MPU6050.Configuration, selfTests: Bool
  ) throws(SensorError) {
    let accelerometer = MPU6050.AccelerometerField(range: conditions.range, selfTests: selfTests).encoded
    guard try wire.read(MPU6050.Register.interruptPin) == conditions.interruptPinByte else { throw .configurationLost }
    guard conditions.usesGyroscope else {
      guard try wire.read(MPU6050.Register.accelerometer) == accelerometer else { throw .configurationLost }
      return
    }
    let scales: InlineArray<2, UInt8> = [conditions.gyroscopeByte(of: part, selfTests: selfTests), accelerometer]
    let isSame = try wire.difference(from: scales, at: MPU6050.Register.gyroscope) == nil
    guard isSame else { throw .configurationLost }
  }
}

extension MPU6050 {
  /// The result of a self-test: how far it moved each axis, and how far it should have.
  public struct SelfTest: Equatable, Sendable {
    /// One axis.
    public struct Axis: Equatable, Sendable {
      /// The mean with the self-test on minus the mean with it off, rounded to nearest: in LSB at ±8 g (4096 LSB/g),
      /// for the gyroscope in LSB at ±250 °/s (131 LSB per °/s).
      public let response: Int32
      /// The response at the factory in the same unit; 0 if the part has no code for it.
      public let trim: Int32
      /// Whether the response is close enough to the trim; nil without a trim. See `SelfTestKind` for its meaning.
      public let isWithinLimits: Bool?
    }

    /// The axes of a gyroscope.
    public struct Rotation: Equatable, Sendable {
      /// About X.
      public let x: Axis
      /// About Y; the self-test of the 6050 class turns it in the opposite direction.
      public let y: Axis
      /// About Z.
      public let z: Axis
    }

    /// The result for all axes together.
    public enum Verdict: Equatable, Sendable {
      /// Every axis is within the limits of the register map.
      case passed
      /// An axis is outside the limits of the register map.
      case failed
      /// An axis has no factory trim, as in clones, and none is outside its limits; or the limits are hearsay.
      case inconclusive
    }

    /// The criterion.
    public let kind: SelfTestKind
    /// The X axis.
    public let x: Axis
    /// The Y axis.
    public let y: Axis
    /// The Z axis.
    public let z: Axis
    /// The gyroscope; nil if it is off and so was not tested.
    public let rotation: Rotation?

    /// Judges the sums of the responses of six axes by the factory's codes; nil if the gyroscope was not tested.
    init(
      _ sums: InlineArray<6, Int32>, _ force: InlineArray<3, UInt8>, _ rotation: InlineArray<3, UInt8>?,
      _ kind: SelfTestKind
    ) {
      func ofForce(_ axis: Int) -> Axis { judge(sums[axis], trim: factoryTrim(force[axis], kind), kind) }
      self.kind = kind
      (x, y, z) = (ofForce(0), ofForce(1), ofForce(2))
      self.rotation = rotation.map { codes in
        func ofRotation(_ axis: Int) -> Axis {
          judge(sums[axis &+ 3], trim: rotationTrim(codes[axis], kind, ofY: axis == 1), kind)
        }
        return Rotation(x: ofRotation(0), y: ofRotation(1), z: ofRotation(2))
      }
    }

    /// The result for all axes together. Never `failed` if the limits are hearsay.
    public var verdict: Verdict {
      guard kind == .factoryTrim else { return .inconclusive }
      let ofForce = MPU6050.SelfTest.verdict(x, y, z)
      guard let rotation else { return ofForce }
      let ofRotation = MPU6050.SelfTest.verdict(rotation.x, rotation.y, rotation.z)
      if ofForce == .failed || ofRotation == .failed { return .failed }
      return ofForce == .passed ? ofRotation : ofForce
    }

    private static func verdict(_ x: Axis, _ y: Axis, _ z: Axis) -> Verdict {
      if x.isWithinLimits == false || y.isWithinLimits == false || z.isWithinLimits == false { return .failed }
      if x.isWithinLimits == nil || y.isWithinLimits == nil || z.isWithinLimits == nil { return .inconclusive }
      return .passed
    }
  }

  /// The codes of SELF_TEST_X, _Y, _Z and _A: in the 6050 class, three high bits from one and two low bits from the
  /// other.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16, where XA_TEST is X[7:5] above A[5:4], and so on.
  package static func selfTestCodes(_ bytes: InlineArray<4, UInt8>, _ kind: SelfTestKind) -> InlineArray<3, UInt8> {
    switch kind {
    case .informative: [bytes[0], bytes[1], bytes[2]]
    case .factoryTrim:
      [
        (bytes[0] &>> 5) &<< 2 | bytes[3] &>> 4 & 3, (bytes[1] &>> 5) &<< 2 | bytes[3] &>> 2 & 3,
        (bytes[2] &>> 5) &<< 2 | bytes[3] & 3,
      ]
    }
  }

  /// The factory trim for a code in LSB at ±8 g; 0 for code 0.
  ///
  /// 6050 class, codes 1 to 31: 4096 · 0.34 · (0.92 / 0.34)^((code - 1) / 30), rounded to nearest. Later parts: 2620 /
  /// 4 · 1.01^(code - 1), with an error of at most 0.53.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16.
  /// - Source: for later parts published drivers that cite an application note of InvenSense.
  package static func factoryTrim(_ code: UInt8, _ kind: SelfTestKind) -> Int32 {
    guard code > 0 else { return 0 }
    switch kind {
    case .factoryTrim: return Int32(truncatingIfNeeded: factoryTrims[Int(code & 0x1F)])
    case .informative: return growing(from: 655, code)
    }
  }

  /// The factory trim for a code of the gyroscope in LSB at ±250 °/s; 0 for code 0.
  ///
  /// 6050 class, codes 1 to 31: 25 · 131 · 1.046^(code - 1), rounded to nearest, and negative for Y. Later parts: 2620
  /// · 1.01^(code - 1), with an error of at most 0.53.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16.
  /// - Source: for later parts published drivers that cite an application note of InvenSense.
  package static func rotationTrim(_ code: UInt8, _ kind: SelfTestKind, ofY: Bool = false) -> Int32 {
    guard code > 0 else { return 0 }
    switch kind {
    case .factoryTrim:
      let trim = Int32(truncatingIfNeeded: rotationTrims[Int(code & 0x1F)])
      return ofY ? 0 &- trim : trim
    case .informative: return growing(from: 2_620, code)
    }
  }

  /// `first` · 1.01^(code - 1), rounded.
  private static func growing(from first: UInt32, _ code: UInt8) -> Int32 {
    // In 1/65536, at most 2.2e9; each step adds at most half a unit of error.
    var trim: UInt32 = first &<< 16
    for _ in 1..<code { trim &+= (trim &+ 50) / 100 }
    return Int32(truncatingIfNeeded: (trim &+ 0x8000) &>> 16)
  }

  private static let factoryTrims: InlineArray<32, UInt16> = [
    0, 1_393, 1_440, 1_488, 1_538, 1_590, 1_644, 1_699,
    1_757, 1_816, 1_877, 1_941, 2_006, 2_074, 2_144, 2_216,
    2_291, 2_368, 2_448, 2_531, 2_616, 2_704, 2_795, 2_890,
    2_987, 3_088, 3_192, 3_300, 3_411, 3_526, 3_645, 3_768,
  ]

  private static let rotationTrims: InlineArray<32, UInt16> = [
    0, 3_275, 3_426, 3_583, 3_748, 3_920, 4_101, 4_289,
    4_487, 4_693, 4_909, 5_135, 5_371, 5_618, 5_877, 6_147,
    6_430, 6_725, 7_035, 7_358, 7_697, 8_051, 8_421, 8_809,
    9_214, 9_638, 10_081, 10_545, 11_030, 11_537, 12_068, 12_623,
  ]

  /// The number of samples for a mean.
  static var selfTestSamples: Int32 { 100 }

  /// Evaluates one axis from the sum of the differences of `selfTestSamples` samples; a negative trim requires negative
  /// ones.
  ///
  /// 6050 class: within 14 % of the trim. Later parts: 0.5 to 1.5 times the trim.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16.
  package static func judge(_ sum: Int32, trim: Int32, _ kind: SelfTestKind) -> SelfTest.Axis {
    let half = selfTestSamples / 2
    let response = (sum &+ (sum < 0 ? 0 &- half : half)) / selfTestSamples
    guard trim != 0 else { return SelfTest.Axis(response: response, trim: trim, isWithinLimits: nil) }
    let percent: Int32 = kind == .factoryTrim ? 14 : 50
    // Sums, not means, so that nothing is rounded before the comparison: at most 1e7 · 100.
    let expected = trim &* selfTestSamples
    let deviation = (sum &- expected).magnitude
    let isWithin = deviation &* 100 <= UInt32(truncatingIfNeeded: percent) &* expected.magnitude
    return SelfTest.Axis(response: response, trim: trim, isWithinLimits: isWithin)
  }
}
