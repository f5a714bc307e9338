public import FixedPoint

/// Why a configuration of a tracker is invalid.
public enum TrackerConfigurationError: Error, Equatable, Sendable {
  /// The gate must satisfy 0 < minimum < 1 g < maximum ≤ 16 g.
  case magnitudeGate
  /// The leave angle of a pose in the plane must be 46…89° from its centre.
  case leaveAngle
  /// The face angles must satisfy 1° ≤ enter < leave ≤ 89°.
  case faceAngles
  /// Times and evidence must not be negative, patience must be longer than dwell, and the longest gap at most 1 h.
  case times
}

extension PoseTracker {
  /// How a tracker decides. All angles are of the specific force, all times are real times.
  public struct Configuration: Equatable, Sendable {
    /// Magnitude gate, g: nothing new is decided outside it. Default 0.6…1.4.
    public let minimumMagnitude: Q16
    /// The upper end of the gate, g.
    public let maximumMagnitude: Q16
    /// How far from the centre of a pose in the plane the device angle must be before the pose is left. Default 60°:
    /// a dead band of 30° about each 45° boundary.
    public let leaveAngle: BinaryAngle
    /// A face is entered below this inclination (from straight up or straight down). Default 25°.
    public let faceEnterAngle: BinaryAngle
    /// A face is left above this inclination. Default 40°.
    public let faceLeaveAngle: BinaryAngle
    /// How long a candidate must hold. Default 40 ms.
    public let dwell: Microseconds
    /// The evidence a candidate must gather: its distance past the boundary (g) times the duration (s). Default 0.01
    /// g·s.
    public let evidence: Q16
    /// How long a pose is kept without a sample that confirms it. Default 1 s.
    public private(set) var patience: Microseconds
    /// A pause longer than this makes the pose stale. Default 1 s.
    public private(set) var longestGap: Microseconds

    /// The angles of the boundaries.
    let limits: Limits
    /// The gate squared, in units of 2^-32 g²: where it begins, and how wide it is.
    let minimumSquare: UInt64
    let squareWidth: UInt64
    /// `evidence` in 2^-16 g · µs.
    let evidenceLimit: Int64

    /// A checked configuration.
    public init(
      minimumMagnitude: Q16 = Q16(6, over: 10), maximumMagnitude: Q16 = Q16(14, over: 10),
      leaveAngle: BinaryAngle = BinaryAngle(degrees: 60), faceEnterAngle: BinaryAngle = BinaryAngle(degrees: 25),
      faceLeaveAngle: BinaryAngle = BinaryAngle(degrees: 40), dwell: Microseconds = .milliseconds(40),
      evidence: Q16 = Q16(1, over: 100), patience: Microseconds = .seconds(1), longestGap: Microseconds = .seconds(1)
    ) throws(TrackerConfigurationError) {
      guard
        minimumMagnitude > .zero && minimumMagnitude < .one && maximumMagnitude > .one
          && maximumMagnitude <= Q16(whole: 16)
      else { throw .magnitudeGate }
      let degree = BinaryAngle(degrees: 1).raw
      guard leaveAngle.raw >= 46 &* degree && leaveAngle.raw <= 89 &* degree else { throw .leaveAngle }
      guard
        faceEnterAngle.raw >= degree && faceEnterAngle.raw < faceLeaveAngle.raw && faceLeaveAngle.raw <= 89 &* degree
      else { throw .faceAngles }
      guard
        dwell >= .zero && evidence >= .zero && patience > dwell && longestGap > .zero && longestGap <= .seconds(3_600)
      else { throw .times }
      self.init(
        gate: (minimumMagnitude, maximumMagnitude), angles: (leaveAngle, faceEnterAngle, faceLeaveAngle), dwell: dwell,
        evidence: evidence, patience: patience, longestGap: longestGap)
    }

    /// The defaults. Given as numbers, because a target without a divide instruction would otherwise carry the code to
    /// compute them.
    public static var standard: Configuration {
      Configuration(
        gate: (Q16(raw: 39_322), Q16(raw: 91_750)),
        angles: (BinaryAngle(raw: 715_827_883), BinaryAngle(raw: 298_261_618), BinaryAngle(raw: 477_218_588)),
        dwell: .milliseconds(40), evidence: Q16(raw: 655), patience: .seconds(1), longestGap: .seconds(1))
    }

    /// The defaults for gravity from ``Fusion``: it contains hardly any noise and no pushes, so a dwell of 20 ms and an
    /// evidence of 0.004 g·s are enough.
    public static var fused: Configuration {
      Configuration(
        gate: (Q16(raw: 39_322), Q16(raw: 91_750)),
        angles: (BinaryAngle(raw: 715_827_883), BinaryAngle(raw: 298_261_618), BinaryAngle(raw: 477_218_588)),
        dwell: fusedDwell, evidence: fusedEvidence, patience: .seconds(1), longestGap: .seconds(1))
    }

    // Separately, because the C interface needs nothing else of `fused`.
    package static var fusedDwell: Microseconds { .milliseconds(20) }
    package static var fusedEvidence: Q16 { Q16(raw: 262) }

    /// The same configuration, with a pause of up to `pause`, at most 1 h, counting neither as a gap nor against
    /// patience.
    package func allowing(pause: Microseconds) -> Configuration {
      let pause = min(pause, .seconds(3_600))
      var copy = self
      copy.longestGap = max(longestGap, pause)
      copy.patience = max(patience, pause)
      return copy
    }

    private init(
      gate: (minimum: Q16, maximum: Q16), angles: (leave: BinaryAngle, enter: BinaryAngle, leaveFace: BinaryAngle),
      dwell: Microseconds, evidence: Q16, patience: Microseconds, longestGap: Microseconds
    ) {
      (minimumMagnitude, maximumMagnitude) = gate
      (leaveAngle, faceEnterAngle, faceLeaveAngle) = angles
      self.dwell = dwell
      self.evidence = evidence
      self.patience = patience
      self.longestGap = longestGap
      limits = Limits(leave: angles.leave, faceEnter: angles.enter, faceLeave: angles.leaveFace)
      minimumSquare = square(gate.minimum)
      squareWidth = square(gate.maximum) &- minimumSquare
      evidenceLimit = widened(evidence.raw) &* 1_000_000
    }
  }

  /// The angles of all boundaries.
  struct Limits: Equatable, Sendable {
    /// Where a pose in the plane is left.
    var leave: Direction
    /// Where a face is entered.
    var faceEnter: Direction
    /// Where the first sample alone is enough to choose a face: an eighth further inside the entry cone (21.9°), so
    /// that the noise of one sample does not choose a face at a tilt where the plane decides.
    var faceStart: Direction
    /// Half way between entering and leaving a face (32.5°): beyond it a force is clear of both.
    var faceMiddle: Direction
    /// Where a face is left.
    var faceLeave: Direction

    init(leave: BinaryAngle, faceEnter: BinaryAngle, faceLeave: BinaryAngle) {
      self.leave = Direction(leave)
      self.faceEnter = Direction(faceEnter)
      faceStart = Direction(BinaryAngle(raw: faceEnter.raw &- faceEnter.raw / 8))
      faceMiddle = Direction(BinaryAngle(raw: faceEnter.raw / 2 &+ faceLeave.raw / 2))
      self.faceLeave = Direction(faceLeave)
    }
  }

  /// Sine and cosine of an angle between 0 and 90°, Q1.31.
  struct Direction: Equatable, Sendable {
    var sine: Int32
    var cosine: Int32

    init(_ angle: BinaryAngle) {
      sine = quarterSine(angle)
      cosine = quarterSine(.quarterTurn - angle)
    }
  }
}

/// In units of 2^-32 g².
private func square(_ magnitude: Q16) -> UInt64 {
  widened(magnitude.raw.magnitude) &* widened(magnitude.raw.magnitude)
}
