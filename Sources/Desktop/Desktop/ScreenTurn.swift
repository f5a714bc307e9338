package import FixedPoint
package import Orientation

/// Decides how a screen is turned from the poses of its board: a pose in the plane that has lasted counts; a face, and
/// a pose that is unknown, leave the screen alone.
package struct ScreenTurn {
  /// What has changed for people: ``wanted``, or ``isLocked``.
  package enum Change: Equatable { case turned, locked }

  /// By how many quarter turns the content should be turned counter-clockwise: those of the board, clockwise. Nil before
  /// the first pose that counts.
  package private(set) var wanted: Int32?
  /// Whether poses are ignored.
  package private(set) var isLocked: Bool

  private let settle: Microseconds
  private let lockPose: Pose?
  private var pose: Pose?
  private var since = Instant(microseconds: 0)
  /// Whether the lock pose may lock: once after each other pose, so that a board that lies there does it once.
  private var isArmed = false
  private var wasToggled = false

  /// How long the lock pose must last.
  private static var hold: Microseconds { .seconds(1) }

  /// Nothing is known yet. The lock pose turns nothing.
  package init(settle: Microseconds, lockPose: Pose?, isLocked: Bool) {
    (self.settle, self.lockPose, self.isLocked) = (settle, lockPose, isLocked)
  }

  package mutating func take(_ state: PoseState, at now: Instant) {
    guard state.pose != pose else { return }
    (pose, since) = (state.pose, now)
    if let pose, pose != lockPose { isArmed = true }
  }

  package mutating func toggleLock() {
    isLocked.toggle()
    wasToggled = true
  }

  /// When ``turn(at:)`` has something to do; nil for never, if nothing arrives.
  package var due: Instant? {
    guard let pose else { return nil }
    if pose == lockPose { return isArmed ? since + Self.hold : nil }
    return isLocked || pose.isFace || pose.quarterTurns == wanted ? nil : since + settle
  }

  /// Does what is due.
  package mutating func turn(at now: Instant) -> Change? {
    let isDue = due.map { now >= $0 } ?? false
    if isDue && pose == lockPose && !wasToggled {
      isArmed = false
      toggleLock()
    }
    if wasToggled {
      wasToggled = false
      return .locked
    }
    if isDue { wanted = pose?.quarterTurns }
    return isDue ? .turned : nil
  }
}

extension Pose {
  /// The clockwise quarter turns of the board in this pose: 0 to 3.
  fileprivate var quarterTurns: Int32 { deviceAngle.raw &>> 30 & 3 }
}
