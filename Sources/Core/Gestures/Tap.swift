internal import FixedPoint

/// A knock on the board: the axis, and the direction of the push.
public struct Tap: Equatable, Sendable {
  /// An axis of the board.
  public enum Axis: UInt8, Equatable, Sendable {
    /// To the right, to the top edge, and out of the face.
    case x, y, z

    /// The name in JSON: "x", "y" or "z".
    public var name: StaticString {
      switch self {
      case .x: "x"
      case .y: "y"
      case .z: "z"
      }
    }

    /// The component of `vector` along this axis.
    func component(of vector: Vector3) -> Int32 {
      switch self {
      case .x: vector.x.raw
      case .y: vector.y.raw
      case .z: vector.z.raw
      }
    }
  }

  /// A set of axes.
  public struct Axes: Equatable, Sendable {
    /// X is bit 0, Y bit 1, Z bit 2.
    public let bits: UInt8

    /// The axes of these bits; higher bits are ignored.
    public init(bits: UInt8) { self.bits = bits & 7 }

    /// All three.
    public static var all: Axes { Axes(bits: 7) }
    /// Whether it is empty.
    public var isEmpty: Bool { bits == 0 }
    /// Whether `axis` is included.
    public func contains(_ axis: Axis) -> Bool { bits &>> axis.rawValue & 1 != 0 }

    /// The axis in the set along which `vector` is longest (the first if equal); X for an empty set.
    func longest(of vector: Vector3) -> Axis {
      var found: Axis?
      for index in 0..<3 as Range<UInt8> {
        guard let axis = Axis(rawValue: index), contains(axis) else { continue }
        if let found, axis.component(of: vector).magnitude <= found.component(of: vector).magnitude { continue }
        found = axis
      }
      return found ?? .x
    }
  }

  /// The axis.
  public let axis: Axis
  /// 1 if the board was pushed along the axis, for X for example by a knock on its left edge; -1 if it was pushed the
  /// other way; 0 if unknown.
  public let sign: Int32

  /// A tap along `axis`; only whether `sign` is positive, negative or 0 matters.
  public init(_ axis: Axis, sign: Int32) {
    self.axis = axis
    self.sign = sign.signum()
  }
}

/// Finds the direction of a tap that the sensor detected itself without reporting one, from the samples around it.
///
/// A sensor detects taps that fall between two samples, so the samples may show nothing: the direction is then unknown.
struct TapSide: Equatable, Sendable {
  /// The strongest recent motion, and its time; nil if there was none.
  private var peak: (motion: Vector3, at: Instant)?

  /// Takes in the motion of the sample at `now`, g without gravity; anything older than `memory` is forgotten.
  mutating func step(_ motion: Vector3, at now: Instant, memory: Microseconds) {
    if let peak, now - peak.at <= memory, now >= peak.at, peak.motion.squaredMagnitude > motion.squaredMagnitude {
      return
    }
    peak = (motion, now)
  }

  /// The tap that the sensor found on one of `axes`; its sign is that of the strongest motion if that was at least
  /// `least` g.
  mutating func tap(on axes: Tap.Axes, least: Q16) -> Tap {
    let motion = peak?.motion ?? .zero
    peak = nil
    let axis = axes.longest(of: motion)
    let component = axis.component(of: motion)
    return Tap(axis, sign: component.magnitude >= least.raw.magnitude ? component : 0)
  }

  static func == (a: TapSide, b: TapSide) -> Bool { a.peak?.motion == b.peak?.motion && a.peak?.at == b.peak?.at }
}
