/// Which way a picture must be drawn so that it stands upright for the viewer.
///
/// The mirror of the device pose, and a type of its own so that the two cannot be mixed: a device turned to
/// `landscapeLeft` shows its interface in `landscapeRight`. The name says which side of the picture the bottom edge
/// of the device is on.
public enum InterfaceOrientation: UInt8, Equatable, Sendable {
  /// The top of the picture is at the top edge; device pose `portrait`.
  case portrait
  /// The top of the picture is at the bottom edge; device pose `portraitUpsideDown`.
  case portraitUpsideDown
  /// The top of the picture is at the left edge, which is up; device pose `landscapeRight`.
  case landscapeLeft
  /// The top of the picture is at the right edge, which is up; device pose `landscapeLeft`.
  case landscapeRight

  /// How many orientations there are; raw values are 0 up to this.
  public static var count: Int { 4 }

  /// The orientation that stands upright in `pose`; nil for the two faces, where nothing is up.
  public init?(for pose: Pose) {
    switch pose {
    case .portrait: self = .portrait
    case .portraitUpsideDown: self = .portraitUpsideDown
    case .landscapeLeft: self = .landscapeRight
    case .landscapeRight: self = .landscapeLeft
    case .faceUp, .faceDown: return nil
    }
  }

  /// The device pose in which a picture of this orientation stands upright.
  public var pose: Pose {
    switch self {
    case .portrait: .portrait
    case .portraitUpsideDown: .portraitUpsideDown
    case .landscapeLeft: .landscapeRight
    case .landscapeRight: .landscapeLeft
    }
  }

  /// The name as in documentation and JSON.
  public var name: StaticString {
    switch self {
    case .portrait: "portrait"
    case .portraitUpsideDown: "portraitUpsideDown"
    case .landscapeLeft: "landscapeLeft"
    case .landscapeRight: "landscapeRight"
    }
  }
}
