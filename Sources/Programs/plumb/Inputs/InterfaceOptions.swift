import ArgumentParser
import FixedPoint
import Gestures
import Monitor
import Orientation

/// What an interface, such as a phone's, does with poses: it turns to some of them, and scrolls as the board is tilted.
struct Interface {
  var orientations = SupportedOrientations.all
  /// How long a rotation takes, in seconds.
  var rotationTime = 0.3
  /// The sizes of the content and of the viewport on it, for positions in pixels.
  var sizes: (content: TiltScroll.PixelSize, viewport: TiltScroll.PixelSize)?
  /// Whether nothing scrolls as the board is held at the start, instead of leaning back 30°.
  var capturesRest = false
  /// Whether the LEDs of two poses alternate during a rotation.
  var crossFades = false

  /// How a monitor understands movement.
  func movement() throws(ToolError) -> Movement.Configuration {
    do throws(InterfaceRotationError) {
      let duration = Microseconds(Int64((rotationTime * 1e6).rounded()))
      return Movement.Configuration(
        rotation: try InterfaceRotation.Configuration(supported: orientations, duration: duration),
        crossFades: crossFades, capturesRest: capturesRest)
    } catch {
      // The options were checked one by one.
      throw ToolError(.internal, "the rotation cannot be set up: \(error)")
    }
  }
}

/// The options that say what an interface does.
struct InterfaceOptions: ParsableArguments {
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

  func validate() throws {
    guard (0...60).contains(rotationTime) else {
      throw ValidationError("--rotation-time takes a number of seconds from 0 to 60, not \(rotationTime).")
    }
    guard (content == nil) == (viewport == nil) else {
      throw ValidationError("--content and --viewport belong together: give both, or neither.")
    }
  }

  /// The interface that they describe.
  var interface: Interface {
    var interface = Interface(orientations: orientations, rotationTime: rotationTime, capturesRest: rest == .captured)
    if let content, let viewport { interface.sizes = (content, viewport) }
    return interface
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
}
