import FixedPoint
import Glibc
import Orientation

/// A force on a board, and its place on the sphere, as `Double`.
struct Place {
  let name: String
  let force: Vector3
  /// The size of the rounded force, in g.
  let size: Double
  /// The part of the force in the plane, g.
  let inPlane: Double
  /// `atan2(-fx, fy)`, in degrees.
  let turn: Double
  /// The angle from straight up, in degrees.
  let inclination: Double

  init(_ name: String, _ force: Vector3) {
    let (x, y, z) = (Double(force.x.raw) / 65_536, Double(force.y.raw) / 65_536, Double(force.z.raw) / 65_536)
    (self.name, self.force) = (name, force)
    inPlane = (x * x + y * y).squareRoot()
    size = (x * x + y * y + z * z).squareRoot()
    turn = atan2(-x, y) * 180 / .pi
    inclination = atan2(inPlane, z) * 180 / .pi
  }

  /// A board turned by `turn` whose face is `inclination` from straight up, in degrees; `more` is added to Z in LSB.
  init(turn: Double, inclination: Double, size: Double = 1, more: Int32 = 0) {
    let (across, up) = (size * sin(inclination * .pi / 180), size * cos(inclination * .pi / 180))
    let name =
      "\(size == 1 ? "" : "\(size) g, ")turn \(Int(turn)), inclination \(inclination)"
      + (more == 0 ? "" : ", \(more) LSB")
    self.init(
      name,
      Vector3(
        x: Self.rounded(-across * sin(turn * .pi / 180)), y: Self.rounded(across * cos(turn * .pi / 180)),
        z: Q16(raw: Self.rounded(up).raw + more)))
  }

  private static func rounded(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }

  /// The centre of a pose.
  static func centre(_ pose: Pose) -> Place {
    switch pose {
    case .portrait: Place("portrait", Vector3(x: .zero, y: .one, z: .zero))
    case .portraitUpsideDown: Place("upside down", Vector3(x: .zero, y: Q16(whole: -1), z: .zero))
    case .landscapeLeft: Place("landscape left", Vector3(x: .one, y: .zero, z: .zero))
    case .landscapeRight: Place("landscape right", Vector3(x: Q16(whole: -1), y: .zero, z: .zero))
    case .faceUp: Place("face up", Vector3(x: .zero, y: .zero, z: .one))
    case .faceDown: Place("face down", Vector3(x: .zero, y: .zero, z: Q16(whole: -1)))
    }
  }

  /// The same force with as much noise as a sensor has, so that the sample differs.
  var shifted: Place {
    Place(name + "'", Vector3(x: Q16(raw: force.x.raw + 256), y: force.y, z: Q16(raw: force.z.raw - 256)))
  }
}

extension Pose {
  static let all: [Pose] = (0..<UInt8(Pose.count)).compactMap(Pose.init(rawValue:))

  /// The turn at the middle of an upright pose, in degrees.
  fileprivate var turn: Double {
    switch self {
    case .portrait, .faceUp, .faceDown: 0
    case .portraitUpsideDown: 180
    case .landscapeLeft: -90
    case .landscapeRight: 90
    }
  }
}

extension Place {
  /// The distance of the turn from the middle of an upright pose, in degrees.
  func offset(from pose: Pose) -> Double {
    let difference = abs(turn - pose.turn).truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
  }

  /// The distance beyond `limit` degrees from the middle of an upright pose, in g.
  func beyond(_ pose: Pose, _ limit: Double) -> Double { inPlane * sin((offset(from: pose) - limit) * .pi / 180) }

  /// The distance inside the cone of `limit` degrees around a face, in g.
  func inside(_ face: Pose, _ limit: Double) -> Double {
    size * sin((limit - (face == .faceUp ? inclination : 180 - inclination)) * .pi / 180)
  }

  /// Whether no other upright pose is nearer.
  func isNearest(_ pose: Pose) -> Bool { offset(from: pose) <= 45.01 }
}
