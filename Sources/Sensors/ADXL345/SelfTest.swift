public import FixedPoint

extension ADXL345 {
  /// What the self-test's electrostatic force did on each axis, and what it had to do.
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

    /// Judges `change`, what the force added on each axis in g, at `supply`.
    public init(change: Vector3, supply: SupplyVoltage = .volts3_3) {
      let inPlane = supply.limits(weakest: 50, strongest: 540, factors: [64, 100, 177, 211])
      let upright = supply.limits(weakest: 75, strongest: 875, factors: [80, 100, 147, 169])
      x = Axis(change: change.x, limits: inPlane, sign: 1)
      y = Axis(change: change.y, limits: inPlane, sign: -1)
      z = Axis(change: change.z, limits: upright, sign: 1)
    }

    /// How an axis did.
    public enum Verdict: Equatable, Sendable {
      /// Within the limits.
      case passed
      /// Further than the upper limit: worth a remark, not a failure by itself.
      ///
      /// - Datasheet: Rev. E, "Using self-test".
      case passedBeyondLimit
      /// The wrong way, or not far enough.
      case failed
    }

    /// One axis.
    public struct Axis: Equatable, Sendable {
      /// What the force added, in g.
      public let change: Q16
      /// The least it had to add, in g, with its sign.
      public let weakest: Q16
      /// The most it was expected to add, in g, with its sign.
      public let strongest: Q16

      /// What follows.
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

    /// A voltage, or nil where the part does not work or the data sheet gives no limits: outside 2000 to 3600 mV.
    public init?(millivolts: Int32) {
      guard millivolts >= 2_000 && millivolts <= 3_600 else { return nil }
      self.millivolts = millivolts
    }

    private init(_ millivolts: Int32) { self.millivolts = millivolts }

    /// 3.3 V, as on most boards.
    public static var volts3_3: SupplyVoltage { SupplyVoltage(3_300) }

    /// Limits at 2.5 V in LSB of 1/256 g, at this voltage. `factors` are what they are multiplied with at 2.0, 2.5, 3.3 and
    /// 3.6 V, in hundredths; in between it is interpolated, and the limits are rounded inwards to whole LSB.
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
