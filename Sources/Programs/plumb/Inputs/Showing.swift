package import ArgumentParser
package import BoardFile
import Gestures
package import Monitor
package import Orientation
package import PlumbStream
package import ToolOutput

/// What to show besides poses and trouble: options of several commands.
package struct Showing: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What else to show, separated by commas: \(Shown.Quantity.names).",
      valueName: "list"),
    completion: .several(of: Shown.Quantity.allCases.map(\.rawValue)), transform: Shown.Quantity.list)
  package var show: [Shown.Quantity] = []

  @Flag(help: "Also write every sample, with its pose and angles.")
  package var samples = false

  @Option(
    help: ArgumentHelp(
      "Also give the angle relative to this pose.", valueName: "pose"),
    completion: .list(Pose.names), transform: Pose.named)
  package var relativeTo: Pose?

  package init() {}

  /// The same without property wrappers.
  package var shown: Shown { Shown(quantities: show, samples: samples, relativeTo: relativeTo) }

  /// The samples to request from a stream to show everything.
  package var wantedSamples: StreamRequest.Samples {
    samples ? .all : shown.hasFigures ? .perSecond(10) : .none
  }

  /// What to detect in recorded samples of `board`: what its file asks for, and what is to be shown.
  package func knocks(on board: BoardDescription?) -> Knocks.Configuration? {
    Knocks.Configuration(
      taps: board?.taps ?? (show.contains(.tap) ? .standard : nil),
      fall: board?.freeFall ?? (show.contains(.freeFall) ? .standard : nil), areFoundBySensor: false)
  }
}

extension Shown.Quantity {
  /// The names of all quantities.
  fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// The quantities in a list of names.
  fileprivate static func list(_ text: String) throws -> [Shown.Quantity] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let quantity = Shown.Quantity(rawValue: String(name)) else {
        throw Misspelling.error("There is no quantity '\(name)' to show", String(name), allCases.map(\.rawValue))
      }
      return quantity
    }
  }
}
