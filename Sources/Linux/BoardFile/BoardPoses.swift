internal import FixedPoint
internal import Orientation
internal import Text

/// What the section `[poses]` says: how poses are decided, where that differs from the usual.
struct PoseDraft {
  private var leaveAngle: BinaryAngle?
  private var faceEnter: BinaryAngle?
  private var faceLeave: BinaryAngle?
  private var dwell: Microseconds?
  private var evidence: Q16?

  /// Sets the property of `key` in the section.
  mutating func set(_ key: BoardKey, to value: SettingsText) throws(BoardFileError.Cause) {
    let number = try key.number(value)
    switch key {
    case .leaveAngle: leaveAngle = Self.angle(number)
    case .faceEnter: faceEnter = Self.angle(number)
    case .faceLeave: faceLeave = Self.angle(number)
    case .dwell: dwell = .milliseconds(widened(number))
    default: evidence = Q16(number, over: 10_000)
    }
  }

  /// The configuration, with the values of `usual` for what the section leaves out.
  func checked(over usual: PoseTracker.Configuration) throws(TrackerConfigurationError) -> PoseTracker.Configuration {
    try PoseTracker.Configuration(
      leaveAngle: leaveAngle ?? usual.leaveAngle, faceEnterAngle: faceEnter ?? usual.faceEnterAngle,
      faceLeaveAngle: faceLeave ?? usual.faceLeaveAngle, dwell: dwell ?? usual.dwell,
      evidence: evidence ?? usual.evidence)
  }

  /// `thousandths` of a degree, 0 to 180, rounded to nearest.
  private static func angle(_ thousandths: Int32) -> BinaryAngle {
    BinaryAngle(raw: saturated((widened(thousandths) &<< 32 &+ 180_000) / 360_000))
  }
}
