package import FixedPoint
package import Orientation
internal import Text

/// How far the content of an output is turned counter-clockwise, against a screen that was turned clockwise.
package enum ScreenTransform: UInt8, Equatable, Sendable {
  /// As the panel is built.
  case normal
  /// By 90 degrees.
  case quarter
  /// By 180 degrees.
  case half
  /// By 270 degrees.
  case threeQuarters

  /// The transform with which a screen in `pose` is upright; nil for a face, for which there is none.
  package init?(_ pose: Pose) {
    switch pose {
    case .portrait: self = .normal
    case .landscapeRight: self = .quarter
    case .portraitUpsideDown: self = .half
    case .landscapeLeft: self = .threeQuarters
    case .faceUp, .faceDown: return nil
    }
  }

  /// The transform that `xrandr` or `wlr-randr` calls `word`.
  package init?(_ word: ScreenWord, inX11 isX11: Bool) {
    for raw in UInt8(0)..<4 {
      guard let transform = ScreenTransform(rawValue: raw), word == transform.name(inX11: isX11) else { continue }
      self = transform
      return
    }
    return nil
  }

  /// Its name in `xrandr` or `wlr-randr`.
  package func name(inX11 isX11: Bool) -> StaticString {
    switch self {
    case .normal: "normal"
    case .quarter: isX11 ? "left" : "90"
    case .half: isX11 ? "inverted" : "180"
    case .threeQuarters: isX11 ? "right" : "270"
    }
  }
}

/// Decides how a screen is turned from the poses of its board: a pose in the plane that has lasted counts; a face, and
/// a pose that is unknown, leave the screen alone.
package struct ScreenTurn {
  /// What has changed for people.
  package enum Change: Equatable {
    /// ``ScreenTurn/wanted`` has.
    case turned
    /// ``ScreenTurn/isLocked`` has.
    case locked
  }

  /// The transform that the screen should have; nil before the first pose that counts.
  package private(set) var wanted: ScreenTransform?
  /// Whether poses are ignored.
  package private(set) var isLocked: Bool

  private let settle: Microseconds
  private let lockPose: Pose?
  private var pose: Pose?
  private var since: Instant
  /// Whether the lock pose may lock: once after each other pose, so that a board that lies there does it once.
  private var isArmed = false
  private var wasToggled = false

  /// How long the lock pose must last.
  private static var hold: Microseconds { .seconds(1) }

  /// Nothing is known yet. The lock pose turns nothing.
  package init(settle: Microseconds, lockPose: Pose?, isLocked: Bool, at now: Instant) {
    (self.settle, self.lockPose, self.isLocked, since) = (settle, lockPose, isLocked, now)
  }

  /// Takes what is known of the pose.
  package mutating func take(_ state: PoseState, at now: Instant) {
    guard state.pose != pose else { return }
    (pose, since) = (state.pose, now)
    if let pose, pose != lockPose { isArmed = true }
  }

  /// Locks or unlocks.
  package mutating func toggleLock() {
    isLocked.toggle()
    wasToggled = true
  }

  /// When ``turn(at:)`` has something to do; nil for never, if nothing arrives.
  package var due: Instant? {
    if wasToggled { return since }
    guard let pose else { return nil }
    if pose == lockPose { return isArmed ? since + Self.hold : nil }
    guard !isLocked, let transform = ScreenTransform(pose), transform != wanted else { return nil }
    return since + settle
  }

  /// Does what is due.
  package mutating func turn(at now: Instant) -> Change? {
    guard let due, now >= due else { return nil }
    if !wasToggled && pose == lockPose {
      isArmed = false
      toggleLock()
    }
    if wasToggled {
      wasToggled = false
      return .locked
    }
    wanted = pose.flatMap { ScreenTransform($0) }
    return .turned
  }
}
