import ArgumentParser
import BoardFile
import FixedPoint
import Gestures
import Monitor
import Orientation
import PlumbStream

/// What is shown beside poses and trouble, and how movement is understood: options that several commands have.
struct Showing: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What else to show: any of \(Quantity.names), separated by commas. Text has a column for each measured value, and "
        + "ten rows a second; JSON has ten samples a second, and always shakes, rotations, and when the board comes to "
        + "rest or moves. Of vibration there is a row a second, of the bands that [vibration] of the board file names. With "
        + "tap and freeFall they are looked for even if the board file does not ask for them.",
      valueName: "list"),
    completion: .several(of: Quantity.allCases.map(\.rawValue)), transform: Quantity.list)
  var show: [Quantity] = []

  @Flag(help: "Also write every sample, with its pose and angles.")
  var samples = false

  @Option(
    help: ArgumentHelp(
      "Also give the angle relative to this pose: \(Pose.names.joined(separator: ", ")).", valueName: "pose"),
    completion: .list(Pose.names), transform: Pose.named)
  var relativeTo: Pose?

  @Option(
    help: ArgumentHelp(
      "The interface orientations to use, separated by commas (default: all four): "
        + "\(InterfaceOrientation.names.joined(separator: ", ")).", valueName: "list"),
    completion: .several(of: InterfaceOrientation.names), transform: InterfaceOrientation.mask)
  var orientations: SupportedOrientations = .all

  @Option(
    help: ArgumentHelp("The duration of an interface rotation, 0 to 60 (default: 0.3).", valueName: "seconds"),
    transform: SecondsOption.parsed)
  var rotationTime = 0.3

  @Option(
    help: ArgumentHelp(
      "The size of the content to scroll, such as 640x4000, for a position in pixels.", valueName: "WxH"),
    transform: PixelSize.parsed)
  var content: TiltScroll.PixelSize?

  @Option(
    help: ArgumentHelp("The size of the viewport on the content, such as 320x240.", valueName: "WxH"),
    transform: PixelSize.parsed)
  var viewport: TiltScroll.PixelSize?

  @Option(
    help:
      "The position in which nothing scrolls: leaning back 30° (published), or as the board is held at the start (captured)."
  )
  var rest: Rest = .published

  /// In which pose nothing scrolls.
  enum Rest: String, ExpressibleByArgument, CaseIterable {
    case published, captured
  }

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

  func validate() throws {
    guard (0...60).contains(rotationTime) else {
      throw ValidationError("--rotation-time takes a number of seconds from 0 to 60, not \(rotationTime).")
    }
    guard (content == nil) == (viewport == nil) else {
      throw ValidationError("--content and --viewport belong together: give both, or neither.")
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

  /// What an owner decides for all its clients.
  var ownBoardOptions: [OwnBoardOption] {
    let reason = "the owner decides how movement is understood"
    return [
      OwnBoardOption("--orientations", orientations != .all, reason),
      OwnBoardOption("--rotation-time", rotationTime != 0.3, reason),
      OwnBoardOption("--rest", rest != .published, reason),
    ]
  }

  /// How movement is understood.
  func movement(crossFades: Bool = false) throws(ToolError) -> Movement.Configuration {
    do throws(InterfaceRotationError) {
      let duration = Microseconds(Int64((rotationTime * 1e6).rounded()))
      return Movement.Configuration(
        rotation: try InterfaceRotation.Configuration(supported: orientations, duration: duration),
        crossFades: crossFades, capturesRest: rest == .captured)
    } catch {
      // The options were checked one by one.
      throw ToolError(.internal, "the rotation cannot be set up: \(error)")
    }
  }
}
