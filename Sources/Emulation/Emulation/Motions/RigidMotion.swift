public import FixedPoint

/// A motion whose linear acceleration and rotation belong together: one path of position and attitude gives the force,
/// the rotation rate and the truth to compare a filter with.
public protocol RigidMotion: Motion {
  /// The state of the board `time` after the start; any time, even a negative one.
  func state(at time: Microseconds) -> BoardState
}

/// The exact state of a board at one instant, before any sensor.
///
/// The world's frame has Z up; its X and Y are level, and the motion defines where they point. The board's frame is
/// that of ``Attitude``: X to the right, Y to the top edge, Z out of the face.
public struct BoardState: Equatable, Sendable {
  /// The rotation from the board's frame to the world's: a unit quaternion, its real part last (`w`).
  public let attitude: SIMD4<Double>
  /// The velocity in m/s in the world's frame.
  public let velocity: SIMD3<Double>
  /// The linear acceleration in g (9.80665 m/s²) in the world's frame: the derivative of the velocity.
  public let acceleration: SIMD3<Double>
  /// The rotation rate in °/s about the axes of the board: the derivative of the attitude.
  public let rate: SIMD3<Double>

  /// Standard gravity in m/s².
  static let gravity = 9.806_65

  /// A state from velocity in m/s, acceleration in m/s² and an attitude.
  private init(_ attitude: JetRotation, velocity: SIMD3<Double>, acceleration: SIMD3<Double>) {
    self.attitude = attitude.quaternion
    self.velocity = velocity
    self.acceleration = acceleration / Self.gravity
    rate = attitude.rate * (180 / Double.pi)
  }

  /// A state from an attitude, a velocity in m/s (none if the board stays around its place), and a position in metres
  /// relative to the place that this velocity reaches.
  init(_ attitude: JetRotation, velocity: JetVector = JetVector(), position: JetVector) {
    self.init(
      attitude, velocity: velocity.value + position.first, acceleration: velocity.first + position.second)
  }

  /// The direction of up in the board's frame; of length 1.
  public var up: SIMD3<Double> { inBoardFrame(SIMD3(0, 0, 1)) }

  /// The specific force in g in the board's frame: acceleration and gravity, as an accelerometer without errors reads
  /// it.
  public var force: SIMD3<Double> { inBoardFrame(acceleration + SIMD3(0, 0, 1)) }

  /// A vector of the world's frame in the board's frame.
  public func inBoardFrame(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    // The conjugate turns the other way.
    let axis = SIMD3(-attitude.x, -attitude.y, -attitude.z)
    func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let side = 2 * cross(axis, vector)
    return vector + attitude.w * side + cross(axis, side)
  }
}

extension RigidMotion {
  /// The specific force in g, rounded to nearest.
  public func specificForce(at time: Microseconds) -> Vector3 { Vector3(rounding: state(at: time).force) }

  /// The rotation rate in °/s, rounded to nearest.
  public func rotationRate(at time: Microseconds) -> Vector3 { Vector3(rounding: state(at: time).rate) }

  /// The true direction of up, rounded to nearest.
  public func up(at time: Microseconds) -> Vector3 { Vector3(rounding: state(at: time).up) }

  /// Seconds from the start, clamped to the motion: it is at rest before and after.
  func seconds(_ time: Microseconds) -> Double { Double(max(0, min(duration.count, time.count))) / 1_000_000 }
}

extension Vector3 {
  /// Each component rounded to nearest, saturating.
  init(rounding vector: SIMD3<Double>) {
    func rounded(_ value: Double) -> Q16 {
      Q16(raw: Int32(max(-2_147_483_648, min(2_147_483_647, (value * 65_536).rounded()))))
    }
    self.init(x: rounded(vector.x), y: rounded(vector.y), z: rounded(vector.z))
  }
}

/// Numbers drawn from a seed for a path.
struct PathDice {
  private let bits: RandomBits
  private var number: UInt64 = 0

  /// The numbers of `seed`; every kind of motion has its own `kind`.
  init(seed: UInt64, kind: UInt64) { bits = RandomBits(seed: seed ^ SplitMix64.mixed(kind &+ 0x9A74)) }

  /// A uniformly distributed number from `range`.
  mutating func number(in range: ClosedRange<Double>) -> Double {
    defer { number &+= 1 }
    let share = Double(bits.word(number) >> 11) / 9_007_199_254_740_992
    return range.lowerBound + share * (range.upperBound - range.lowerBound)
  }

  /// A whole number from 0 to below `bound`.
  mutating func index(below bound: Int) -> Int {
    defer { number &+= 1 }
    return Int(RandomBits.number(below: UInt64(max(0, bound)), from: bits.word(number)))
  }

  /// Plus or minus 1.
  mutating func sign() -> Double { index(below: 2) == 0 ? -1 : 1 }

  /// A direction, all equally likely.
  mutating func direction() -> SIMD3<Double> {
    let z = number(in: -1...1)
    let (sine, cosine) = Circle.sinCos(number(in: 0...2 * Double.pi))
    let radius = (1 - z * z).squareRoot()
    return SIMD3(radius * cosine, radius * sine, z)
  }
}
