internal import FixedPoint
internal import HAL

extension InvenSense {
  /// The criterion of a self-test.
  public enum SelfTestKind: Equatable, Sendable {
    /// Against the factory trim of the register map, ±14 %: it passes or fails.
    case factoryTrim
    /// Against a formula of which only hearsay is known: the values are for information.
    case informative
  }

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

    /// Judges the sums of the responses of six axes by the factory's trims; nil if the gyroscope was not tested.
    init(_ sums: InlineArray<6, Int32>, _ trims: SelfTestTrims, _ kind: SelfTestKind) {
      func axis(_ number: Int, _ trims: InlineArray<3, Int32>) -> Axis {
        judge(sums[number], trim: trims[number % 3], kind)
      }
      self.kind = kind
      (x, y, z) = (axis(0, trims.force), axis(1, trims.force), axis(2, trims.force))
      rotation = trims.rotation.map { Rotation(x: axis(3, $0), y: axis(4, $0), z: axis(5, $0)) }
    }

    /// The result for all axes together. Never `failed` if the limits are hearsay.
    public var verdict: Verdict {
      guard kind == .factoryTrim else { return .inconclusive }
      let ofForce = SelfTest.verdict(x, y, z)
      guard let rotation else { return ofForce }
      let ofRotation = SelfTest.verdict(rotation.x, rotation.y, rotation.z)
      if ofForce == .failed || ofRotation == .failed { return .failed }
      return ofForce == .passed ? ofRotation : ofForce
    }

    private static func verdict(_ x: Axis, _ y: Axis, _ z: Axis) -> Verdict {
      if x.isWithinLimits == false || y.isWithinLimits == false || z.isWithinLimits == false { return .failed }
      if x.isWithinLimits == nil || y.isWithinLimits == nil || z.isWithinLimits == nil { return .inconclusive }
      return .passed
    }
  }

  /// The response of each axis at the factory, in LSB at ±8 g and ±250 °/s, 0 if unknown; nil for a gyroscope that is
  /// off.
  struct SelfTestTrims {
    var force: InlineArray<3, Int32>
    var rotation: InlineArray<3, Int32>?
  }

  /// The trim for a factory code of the accelerometer: 2620 / 4 · 1.01^(code - 1), with an error of at most 0.53; 0 for
  /// code 0.
  ///
  /// - Source: published drivers that cite an application note of InvenSense.
  static func forceTrim(_ code: UInt8) -> Int32 { growing(from: 655, code) }

  /// The trim for a factory code of the gyroscope: 2620 · 1.01^(code - 1), with an error of at most 0.53; 0 for code 0.
  ///
  /// - Source: published drivers that cite an application note of InvenSense.
  static func rotationTrim(_ code: UInt8) -> Int32 { growing(from: 2_620, code) }

  /// `first` · 1.01^(code - 1), rounded; 0 for code 0.
  private static func growing(from first: UInt32, _ code: UInt8) -> Int32 {
    guard code > 0 else { return 0 }
    // In 1/65536, at most 2.2e9; each step adds at most half a unit of error.
    var trim: UInt32 = first &<< 16
    for _ in 1..<code { trim &+= (trim &+ 50) / 100 }
    return Int32(truncatingIfNeeded: (trim &+ 0x8000) &>> 16)
  }

  /// The number of samples for a mean.
  fileprivate static var selfTestSamples: Int32 { 100 }

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

extension InvenSense.SelfTest {
  /// The result in g and °/s: 4096 LSB are 1 g, 131 are 1 °/s.
  var findings: SelfTestFindings {
    SelfTestFindings(
      force: findings(x, y, z, perUnit: 4_096), rotation: rotation.map { findings($0.x, $0.y, $0.z, perUnit: 131) })
  }

  private func findings(_ x: Axis, _ y: Axis, _ z: Axis, perUnit: Int64) -> InlineArray<3, SelfTestFindings.Axis> {
    [finding(x, perUnit), finding(y, perUnit), finding(z, perUnit)]
  }

  private func finding(_ axis: Axis, _ perUnit: Int64) -> SelfTestFindings.Axis {
    func value(_ counts: Int32) -> Q16 { Q16(raw: saturated(widened(counts) &* 65_536 / perUnit)) }
    guard let isWithin = axis.isWithinLimits else {
      return SelfTestFindings.Axis(change: value(axis.response), outcome: .unjudged)
    }
    let trim = value(axis.trim)
    func share(_ percent: Int64) -> Q16 { Q16(raw: saturated(widened(trim.raw) &* percent / 100)) }
    let isBinding = kind == .factoryTrim
    let spread: Int64 = isBinding ? 14 : 50
    return SelfTestFindings.Axis(
      change: value(axis.response), factory: trim, limits: (share(100 &- spread), share(100 &+ spread)),
      outcome: isBinding ? (isWithin ? .passed : .failed) : isWithin ? .plausible : .doubtful)
  }
}

/// A driver of a part whose self-test moves each axis by what the factory has measured.
protocol TrimmedSelfTest: InvenSenseDriver, ~Copyable {
  /// The conditions of the self-test; the gyroscope is on if it is on in the configuration.
  var selfTestConditions: InvenSense.Configuration<Model> { get }
  /// Reads the codes, and says what they stand for.
  mutating func readTrims() throws(SensorError) -> InvenSense.SelfTestTrims
  /// Reads the force, then the rotation; zeros for a gyroscope that is off.
  mutating func readWords() throws(SensorError) -> InlineArray<6, Int16>
  /// Turns the self-test of every axis on.
  mutating func turnSelfTestOn() throws(SensorError)
  /// Throws `configurationLost` if the part does not have these conditions at the end of a half of the test.
  mutating func check(_ conditions: InvenSense.Configuration<Model>, selfTests: Bool) throws(SensorError)
}

extension TrimmedSelfTest where Self: ~Copyable {
  /// What `selfTest(clock:)` does.
  mutating func test(
    _ kind: InvenSense.SelfTestKind, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> InvenSense.SelfTest? {
    guard phase == .measuring else { throw .configurationLost }
    phase = .idle
    let trims = try readTrims()
    let sums = try responses(by: &clock)
    let wait = try settle()
    guard let sums, clock.pause(for: wait) else { return nil }
    _ = try proceed()
    return InvenSense.SelfTest(sums, trims, kind)
  }

  /// For each axis, the sum of 100 samples with the self-test on minus the sum with it off; nil if a sleep was
  /// interrupted.
  private mutating func responses(
    by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> InlineArray<6, Int32>? {
    let conditions = selfTestConditions
    var responses = InlineArray<6, Int32>(repeating: 0)
    try configure(conditions)
    for selfTests in 0..<2 {
      if selfTests == 1 { try turnSelfTestOn() }
      guard clock.pause(for: settlingTime(conditions)) else { return nil }
      var due = clock.now
      for _ in 0..<InvenSense.selfTestSamples {
        let words = try readWords()
        for axis in 0..<6 { responses[axis] &+= selfTests == 1 ? Int32(words[axis]) : 0 &- Int32(words[axis]) }
        due = due + conditions.period
        guard clock.sleep(until: due) else { return nil }
      }
      try check(conditions, selfTests: selfTests == 1)
    }
    return responses
  }
}
