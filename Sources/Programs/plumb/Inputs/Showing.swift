import ArgumentParser
import BoardFile
import Gestures
import Monitor
import Orientation
import PlumbStream

/// What is shown beside poses and trouble: options that several commands have.
struct Showing: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What else to show, separated by commas: \(Quantity.names).",
      valueName: "list"),
    completion: .several(of: Quantity.allCases.map(\.rawValue)), transform: Quantity.list)
  var show: [Quantity] = []

  @Flag(help: "Also write every sample, with its pose and angles.")
  var samples = false

  @Option(
    help: ArgumentHelp(
      "Also give the angle relative to this pose.", valueName: "pose"),
    completion: .list(Pose.names), transform: Pose.named)
  var relativeTo: Pose?

  /// What can be shown.
  enum Quantity: String, CaseIterable {
    case angles, steering, scroll, shake, rotation, still, vibration, tap, freeFall

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Whether events of `group` are shown only where this quantity is asked for; nil where they always are.
    init?(_ group: Event.Group) {
      switch group {
      case .shake: self = .shake
      case .rest: self = .still
      case .rotation: self = .rotation
      case .pose, .sensor, .vibration, .tap, .fall, .sleep: return nil
      }
    }

    /// Whether each sample has one.
    var isMeasured: Bool { self == .angles || self == .steering || self == .scroll }

    static func list(_ text: String) throws -> [Quantity] {
      try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
        guard let quantity = Quantity(rawValue: String(name)) else {
          throw Misspelling.error("There is no quantity '\(name)' to show", String(name), allCases.map(\.rawValue))
        }
        return quantity
      }
    }
  }

  /// The samples that a stream is asked for, so that all is shown.
  var wantedSamples: StreamRequest.Samples {
    samples ? .all : show.contains(where: \.isMeasured) ? .perSecond(10) : .none
  }

  /// What is looked for in recorded samples of `board`: what its file asks for, and what is to be shown.
  func knocks(on board: BoardDescription?) -> Knocks.Configuration? {
    Knocks.Configuration(
      taps: board?.taps ?? (show.contains(.tap) ? .standard : nil),
      fall: board?.freeFall ?? (show.contains(.freeFall) ? .standard : nil), areFoundBySensor: false)
  }
}
