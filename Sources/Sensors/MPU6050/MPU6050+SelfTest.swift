extension MPU6050 {
  /// What a self-test found: how far the self-test moved each axis, and how far it should have.
  public struct SelfTest: Equatable, Sendable {
    /// One axis.
    public struct Axis: Equatable, Sendable {
      /// The mean with the self-test on less the mean with it off, in LSB at ±8 g (4096 LSB/g), rounded to nearest.
      public let response: Int32
      /// The response at the factory in the same unit; 0 where the part holds no code for it.
      public let trim: Int32
      /// Whether the response is near enough to the trim; nil where there is none. See `SelfTestKind` for what that
      /// says.
      public let isWithinLimits: Bool?
    }

    /// What all axes together say.
    public enum Verdict: Equatable, Sendable {
      /// Every axis is within the limits of the register map.
      case passed
      /// An axis is outside the limits of the register map.
      case failed
      /// An axis has no factory trim, as in clones, and none is outside its limits; or the limits are hearsay.
      case inconclusive
    }

    /// How it is judged.
    public let kind: SelfTestKind
    /// The X axis.
    public let x: Axis
    /// The Y axis.
    public let y: Axis
    /// The Z axis.
    public let z: Axis

    /// What all axes together say. Never `failed` where the limits are hearsay.
    public var verdict: Verdict {
      guard kind == .factoryTrim else { return .inconclusive }
      if x.isWithinLimits == false || y.isWithinLimits == false || z.isWithinLimits == false { return .failed }
      if x.isWithinLimits == nil || y.isWithinLimits == nil || z.isWithinLimits == nil { return .inconclusive }
      return .passed
    }
  }

  /// The codes of SELF_TEST_X, _Y, _Z and _A: of the 6050 class three high bits from one and two low bits from the
  /// other.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16, where XA_TEST is X[7:5] above A[5:4], and so on.
  package static func selfTestCodes(_ bytes: InlineArray<4, UInt8>, _ kind: SelfTestKind) -> InlineArray<3, UInt8> {
    switch kind {
    case .informative: [bytes[0], bytes[1], bytes[2]]
    case .factoryTrim:
      [
        bytes[0] &>> 3 & 0x1C | bytes[3] &>> 4 & 0x03, bytes[1] &>> 3 & 0x1C | bytes[3] &>> 2 & 0x03,
        bytes[2] &>> 3 & 0x1C | bytes[3] & 0x03,
      ]
    }
  }

  /// The factory trim of a code in LSB at ±8 g; 0 for code 0.
  ///
  /// 6050 class, codes 1 to 31: 4096 · 0.34 · (0.92 / 0.34)^((code - 1) / 30), rounded to nearest. Later parts: 2620 /
  /// 4 · 1.01^(code - 1), within 0.53 of it.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16.
  /// - Source: for later parts published drivers that cite an application note of InvenSense.
  package static func factoryTrim(_ code: UInt8, _ kind: SelfTestKind) -> Int32 {
    guard code > 0 else { return 0 }
    switch kind {
    case .factoryTrim: return Int32(truncatingIfNeeded: factoryTrims[Int(code & 0x1F)])
    case .informative:
      // In 1/65536, which at the end is 5.4e8; each step adds at most half a unit of error.
      var trim: UInt32 = 655 &<< 16
      for _ in 1..<code { trim &+= (trim &+ 50) / 100 }
      return Int32(truncatingIfNeeded: (trim &+ 0x8000) &>> 16)
    }
  }

  private static let factoryTrims: InlineArray<32, UInt16> = [
    0, 1_393, 1_440, 1_488, 1_538, 1_590, 1_644, 1_699,
    1_757, 1_816, 1_877, 1_941, 2_006, 2_074, 2_144, 2_216,
    2_291, 2_368, 2_448, 2_531, 2_616, 2_704, 2_795, 2_890,
    2_987, 3_088, 3_192, 3_300, 3_411, 3_526, 3_645, 3_768,
  ]

  /// How many samples a mean is made of.
  static var selfTestSamples: Int32 { 100 }

  /// Judges one axis by the sum of the differences of `selfTestSamples` samples.
  ///
  /// 6050 class: within 14 % of the trim. Later parts: 0.5 to 1.5 times the trim.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16.
  package static func judge(_ sum: Int32, trim: Int32, _ kind: SelfTestKind) -> SelfTest.Axis {
    let half = selfTestSamples / 2
    let response = (sum &+ (sum < 0 ? 0 &- half : half)) / selfTestSamples
    guard trim > 0 else { return SelfTest.Axis(response: response, trim: trim, isWithinLimits: nil) }
    let percent: Int32 = kind == .factoryTrim ? 14 : 50
    // Sums, not means, so that nothing is rounded before it is compared: 6.6e6 · 100 at most.
    let expected = trim &* selfTestSamples
    let deviation = (sum &- expected).magnitude
    let isWithin = deviation &* 100 <= UInt32(truncatingIfNeeded: percent &* expected)
    return SelfTest.Axis(response: response, trim: trim, isWithinLimits: isWithin)
  }
}
