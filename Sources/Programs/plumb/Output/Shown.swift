import BoardFile
package import Monitor
package import Orientation

/// What is shown besides poses and trouble.
package struct Shown {
  package var quantities: [Quantity]
  /// Whether every sample is written, with its pose and angles.
  package var samples: Bool
  /// The pose to which samples also give the relative angle.
  package var relativeTo: Pose?

  package init(quantities: [Quantity] = [], samples: Bool = false, relativeTo: Pose? = nil) {
    (self.quantities, self.samples, self.relativeTo) = (quantities, samples, relativeTo)
  }

  /// Something that can be shown.
  package enum Quantity: String, CaseIterable {
    case angles, steering, scroll, shake, rotation, still, vibration, tap, freeFall

    /// The quantity without which events of `group` are not shown; nil if they always are.
    package init?(_ group: Event.Group) {
      switch group {
      case .shake: self = .shake
      case .rest: self = .still
      case .rotation: self = .rotation
      case .pose, .sensor, .vibration, .tap, .fall, .sleep: return nil
      }
    }

    /// Whether every sample has one.
    package var isMeasured: Bool { self == .angles || self == .steering || self == .scroll }
  }

  package func contains(_ quantity: Quantity) -> Bool { quantities.contains(quantity) }

  /// Whether something is shown that every sample has.
  package var hasFigures: Bool { quantities.contains(where: \.isMeasured) }
}
