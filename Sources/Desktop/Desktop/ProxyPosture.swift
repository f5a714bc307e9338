package import FixedPoint
package import Orientation

/// What `net.hadess.SensorProxy` says about a board.
package struct ProxyPosture: Equatable, Sendable {
  /// The values of the two properties, as cdesktop.h numbers them.
  package enum Word: UInt32, Sendable {
    /// Of both: it is unknown.
    case undefined
    /// Of the orientation: which edge is up.
    case normal, bottomUp, leftUp, rightUp
    /// Of the tilt: how far the face is down or up, in order. Vertical is within 20° of it; beyond 70° it is flat.
    case faceDown, tiltedDown, vertical, tiltedUp, faceUp

    fileprivate init(elevation degrees: Int32) {
      switch degrees {
      case ...(-71): self = .faceDown
      case -70...(-21): self = .tiltedDown
      case -20...20: self = .vertical
      case 21...70: self = .tiltedUp
      default: self = .faceUp
      }
    }
  }

  /// `AccelerometerOrientation`. Face up and face down it stays as it was.
  package private(set) var orientation = Word.undefined
  /// `AccelerometerTilt`; undefined without samples.
  package var tilt = Word.undefined

  /// Nothing is known.
  package init() {}

  /// How far, in degrees, the face must be past 20° or 70° for the tilt to change. iio-sensor-proxy has no such margin,
  /// and flickers there.
  package static var margin: Int32 { 5 }

  /// Takes what is known of the pose. What is unknown is undefined at once.
  package mutating func take(_ state: PoseState) {
    switch state {
    case .known(.portrait): orientation = .normal
    case .known(.portraitUpsideDown): orientation = .bottomUp
    case .known(.landscapeLeft): orientation = .rightUp
    case .known(.landscapeRight): orientation = .leftUp
    case .known(.faceUp), .known(.faceDown): break
    case .unknown: self = ProxyPosture()
    }
  }

  /// Takes a measured gravity.
  package mutating func take(gravity: Vector3) {
    let elevation = 90 - (gravity.inclination.degrees.raw &+ 0x8000) >> 16
    let new = Word(elevation: elevation)
    let margin = new.rawValue > tilt.rawValue ? Self.margin : -Self.margin
    if tilt == .undefined || Word(elevation: elevation - margin) != tilt { tilt = new }
  }
}
