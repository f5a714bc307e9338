internal import FixedPoint

extension PoseTracker {
  /// Where a force confirms a settled pose: neither past the pose's own boundary nor inside the entry cone of a face. Two
  /// spans of angle, so that one comparison of each tells.
  struct Region: Equatable, Sendable {
    private var device = Span()
    private var inclination = Span()

    /// The whole sphere.
    init() {}

    /// The region of `pose`.
    init(of pose: Pose, _ configuration: Configuration) {
      let halfTurn = UInt32(1) &<< 31
      let enter = UInt32(bitPattern: configuration.faceEnterAngle.raw)
      let faceLeave = UInt32(bitPattern: configuration.faceLeaveAngle.raw)
      let leave = UInt32(bitPattern: configuration.leaveAngle.raw)
      switch pose {
      case .faceUp: inclination = Span(from: 0, width: faceLeave)
      case .faceDown: inclination = Span(from: halfTurn &- faceLeave, width: faceLeave)
      default:
        device = Span(from: UInt32(bitPattern: pose.deviceAngle.raw) &- leave, width: leave &* 2)
        inclination = Span(from: enter, width: halfTurn &- enter &* 2)
      }
    }

    /// Whether a force of these angles confirms the pose.
    @inline(__always)
    func contains(_ angles: Angles) -> Bool {
      device.contains(angles.device) && inclination.contains(angles.inclination)
    }
  }
}

/// A span of angle, counter-clockwise, in 2^-32 turn.
private struct Span: Equatable, Sendable {
  var from: UInt32 = 0
  var width = UInt32.max

  @inline(__always)
  func contains(_ angle: BinaryAngle) -> Bool { UInt32(bitPattern: angle.raw) &- from <= width }
}
