internal import FixedPoint
internal import JSON
internal import Orientation
internal import StreamCodec
internal import Text

/// What is known about the pose.
struct Standing {
  /// The pose; nil if unknown.
  private(set) var pose: Pose?
  /// Why it is unknown; empty if it is known.
  private(set) var reason: Reason = "notYetSampled"
  /// The reason in words; empty for none.
  private(set) var detail = Detail()
  /// Since when the pose or the reason has applied.
  private(set) var since: Instant

  typealias Reason = ShortText<24>
  typealias Detail = ShortText<256>

  init(at now: Instant) { since = now }

  /// Whether something is wrong with the sensor, its owner, or the connection to them.
  var isTrouble: Bool { pose == nil && (reason == "fault" || reason == "stale" || reason == "ownerGone") }

  /// Sets the pose, or the reason why it is unknown. Returns whether anything has changed.
  mutating func set(_ state: State, _ detail: Detail = Detail(), since: Instant) -> Bool {
    let (newPose, newReason) = (state.pose, state.reason)
    let isSame = newPose == pose && newReason == reason
    let isNew = !isSame || detail != self.detail
    if !isSame { self.since = since }
    (pose, reason, self.detail) = (newPose, newReason, detail)
    return isNew
  }

  /// A pose, or a reason.
  struct State {
    var pose: Pose?
    var reason = Reason()

    init(_ pose: Pose) { self.pose = pose }

    init(reason: Reason) { self.reason = reason }

    /// The state called `name`, a pose or a reason. An unknown name counts as a reason, as long as it is a name.
    init(_ name: JSONValue?) {
      switch PoseState(name) {
      case .known(let pose): self.pose = pose
      case .unknown(let reason): self.reason = Reason(reason.name)
      case nil:
        reason = Reason(name)
        if !reason.isName { reason = "ambiguous" }
      }
    }

    /// What the reason means, in plain words; empty for an unknown one.
    var words: Detail {
      for index in 0..<6 as Range<UInt8> {
        if let known = UnknownReason(rawValue: index), reason == known.name { return Detail(known.message) }
      }
      return Detail()
    }
  }
}
