package import ArgumentParser
import FixedPoint
package import Gestures
package import Monitor
package import Orientation
package import ToolOutput

/// How an interface, such as a phone's, reacts to poses: it rotates to some of them, and scrolls as the board is
/// tilted.
package struct Interface {
  package var orientations: SupportedOrientations
  /// How long a rotation takes, in seconds.
  var rotationTime: Double
  /// The sizes of the content and of its viewport, for positions in pixels.
  package var sizes: (content: TiltScroll.PixelSize, viewport: TiltScroll.PixelSize)?
  /// Whether scrolling rests in the attitude at the start, instead of leaning back 30°.
  var capturesRest: Bool
  /// Whether the LEDs of two poses alternate during a rotation.
  package var crossFades = false

  package init(
    orientations: SupportedOrientations = .all, rotationTime: Double = 0.3, capturesRest: Bool = false
  ) {
    (self.orientations, self.rotationTime, self.capturesRest) = (orientations, rotationTime, capturesRest)
  }

  /// The monitor's configuration for movement.
  package func movement() throws(ToolError) -> Movement.Configuration {
    do throws(InterfaceRotationError) {
      let duration = Microseconds(Int64((rotationTime * 1e6).rounded()))
      return Movement.Configuration(
        rotation: try InterfaceRotation.Configuration(supported: orientations, duration: duration),
        crossFades: crossFades, capturesRest: capturesRest)
    } catch {
      // The options were checked individually.
      throw ToolError(.internal, "the rotation cannot be set up: \(error)")
    }
  }
}

/// The options that describe an interface.
package struct InterfaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The interface orientations to use, separated by commas (default: all four): "
        + "\(InterfaceOrientation.names.joined(separator: ", ")).", valueName: "list"),
    completion: .several(of: InterfaceOrientation.names), transform: InterfaceOrientation.mask)
  package var orientations: SupportedOrientations = .all

  @Option(
    help: ArgumentHelp("The duration of an interface rotation, 0 to 60 (default: 0.3).", valueName: "seconds"),
    transform: SecondsOption.parsed)
  package var rotationTime = 0.3

  @Option(
    help: ArgumentHelp(
      "The size of the content to scroll, such as 640x4000, for a position in pixels.", valueName: "WxH"),
    transform: PixelSize.parsed)
  package var content: TiltScroll.PixelSize?

  @Option(
    help: ArgumentHelp("The size of the viewport on the content, such as 320x240.", valueName: "WxH"),
    transform: PixelSize.parsed)
  package var viewport: TiltScroll.PixelSize?

  @Option(
    help:
      "The position in which nothing scrolls: leaning back 30° (published), or as the board is held at the start (captured)."
  )
  package var rest: Rest = .published

  package init() {}

  /// The attitude in which nothing scrolls.
  package enum Rest: String, ExpressibleByArgument, CaseIterable {
    case published, captured
  }

  package func validate() throws {
    guard (0...60).contains(rotationTime) else {
      throw ValidationError("--rotation-time takes a number of seconds from 0 to 60, not \(rotationTime).")
    }
    guard (content == nil) == (viewport == nil) else {
      throw ValidationError("--content and --viewport belong together: give both, or neither.")
    }
  }

  /// The interface that the options describe.
  package var interface: Interface {
    var interface = Interface(orientations: orientations, rotationTime: rotationTime, capturesRest: rest == .captured)
    if let content, let viewport { interface.sizes = (content, viewport) }
    return interface
  }

  /// The options on which an owner decides for all its clients.
  package var ownBoardOptions: [OwnBoardOption] {
    let reason = "the owner decides how movement is understood"
    return [
      OwnBoardOption("--orientations", orientations != .all, reason),
      OwnBoardOption("--rotation-time", rotationTime != 0.3, reason),
      OwnBoardOption("--rest", rest != .published, reason),
    ]
  }
}
