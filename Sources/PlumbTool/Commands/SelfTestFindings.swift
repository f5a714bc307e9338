import FixedPoint
import Sensors

/// What a self-test found, whatever the sensor.
struct SelfTestFindings {
  /// X, Y and Z.
  var axes: [Axis]

  /// One axis; all in g.
  struct Axis {
    var name: String
    /// What the test added to the reading.
    var change: Q16
    /// What it should have added, by the factory's figure for this very part; nil where there is none.
    var factory: Q16?
    /// The least and the most it should have added, the one nearer to zero first; nil where nothing is known of it.
    var limits: (weakest: Q16, strongest: Q16)?
    var outcome: Outcome
  }

  /// What an axis, or all together, came to.
  enum Outcome: String {
    /// Within the limits.
    case passed
    /// Further than the limit, which the data sheet counts as passed.
    case strong
    /// The wrong way, not far enough, or where that counts too far.
    case failed
    /// As such parts should do, as far as anyone outside the factory knows: no limits of a data sheet.
    case plausible
    /// Not as such parts should do, as far as anyone knows.
    case doubtful
    /// There is nothing to judge it by.
    case unjudged
  }

  /// All together: failed where one axis is; passed where all are.
  var outcome: Outcome {
    let all = axes.map(\.outcome)
    if all.contains(.failed) { return .failed }
    return all.allSatisfy { $0 == .passed || $0 == .strong } ? .passed : .unjudged
  }
}

extension SelfTestFindings {
  init(_ test: ADXL345.SelfTest) { axes = [Axis("x", test.x), Axis("y", test.y), Axis("z", test.z)] }

  init(_ test: MPU6050.SelfTest) {
    axes = [Axis("x", test.x, test.kind), Axis("y", test.y, test.kind), Axis("z", test.z, test.kind)]
  }
}

extension SelfTestFindings.Axis {
  fileprivate init(_ name: String, _ axis: ADXL345.SelfTest.Axis) {
    self.init(
      name: name, change: axis.change, factory: nil, limits: (axis.weakest, axis.strongest),
      outcome: axis.verdict == .failed ? .failed : axis.verdict == .passed ? .passed : .strong)
  }

  fileprivate init(_ name: String, _ axis: MPU6050.SelfTest.Axis, _ kind: MPU6050.SelfTestKind) {
    // 4096 LSB are 1 g.
    func grams(_ response: Int32, percent: Int32 = 100) -> Q16 { Q16(raw: response * 16 * percent / 100) }
    guard let isWithin = axis.isWithinLimits else {
      self.init(name: name, change: grams(axis.response), factory: nil, limits: nil, outcome: .unjudged)
      return
    }
    let isBinding = kind == .factoryTrim
    let spread: Int32 = isBinding ? 14 : 50
    self.init(
      name: name, change: grams(axis.response), factory: grams(axis.trim),
      limits: (grams(axis.trim, percent: 100 - spread), grams(axis.trim, percent: 100 + spread)),
      outcome: isBinding ? (isWithin ? .passed : .failed) : isWithin ? .plausible : .doubtful)
  }
}
