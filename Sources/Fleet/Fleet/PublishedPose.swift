internal import JSON
internal import Orientation
internal import StreamCodec
internal import Text

/// What a device publishes about its pose: what the owner of its sensor says, or that there is no owner.
enum PublishedPose: Equatable {
  case owner(PoseState)
  /// A reason that only later versions of the owner know: its name.
  case laterReason(ShortText<24>)
  /// The owner is gone or silent.
  case ownerGone

  /// The state that an owner calls `name`, or `otherwise` if that is no name at all.
  init(_ name: JSONValue?, otherwise: UnknownReason) {
    if let state = PoseState(name) {
      self = .owner(state)
    } else {
      let reason = ShortText<24>(name)
      self = reason.isName ? .laterReason(reason) : .owner(.unknown(otherwise))
    }
  }

  /// The pose; nil if it is unknown.
  var known: Pose? { if case .owner(.known(let pose)) = self { pose } else { nil } }

  /// The name of the reason why the pose is unknown; nil if it is known.
  var reason: ShortText<24>? {
    switch self {
    case .owner(.known): nil
    case .owner(.unknown(let reason)): ShortText(reason.name)
    case .laterReason(let name): name
    case .ownerGone: "ownerGone"
    }
  }

  /// What the reason means, in plain words; empty if this version has none for it.
  var words: ShortText<256> {
    if case .owner(.unknown(let reason)) = self { ShortText(reason.message) } else { ShortText() }
  }

  /// Whether something is wrong with the sensor, its owner, or the connection to them.
  var isTrouble: Bool {
    switch self {
    case .owner(.unknown(.fault)), .owner(.unknown(.stale)), .ownerGone: true
    case .owner, .laterReason: false
    }
  }
}
