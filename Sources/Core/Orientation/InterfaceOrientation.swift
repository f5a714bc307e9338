/// Which way a picture must be drawn to appear upright to the viewer.
///
/// The mirror image of the device pose, and a separate type so that the two cannot be confused: a device turned to
/// `landscapeLeft` shows its interface in `landscapeRight`. The name says on which side of the picture the bottom edge
/// of the device is.
public enum InterfaceOrientation: UInt8, Equatable, Sendable {
  /// The top of the picture is at the top edge; device pose `portrait`.
  case portrait
  /// The top of the picture is at the bottom edge; device pose `portraitUpsideDown`.
  case portraitUpsideDown
  /// The top of the picture is at the left edge, which is up; device pose `landscapeRight`.
  case landscapeLeft
  /// The top of the picture is at the right edge, which is up; device pose `landscapeLeft`.
  case landscapeRight

  /// The number of orientations; raw values are 0..<`count`.
  public static var count: Int { 4 }

  /// The orientation that is upright in `pose`; nil for the two faces, which have no upright.
  public init?(for pose: Pose) {
    switch pose {
    case .portrait: self = .portrait
    case .portraitUpsideDown: self = .portraitUpsideDown
    case .landscapeLeft: self = .landscapeRight
    case .landscapeRight: self = .landscapeLeft
    case .faceUp, .faceDown: return nil
    }
  }

  /// The device pose in which a picture of this orientation is upright.
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
