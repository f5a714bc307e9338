public import FixedPoint

/// Calibration and mounting in one: from what the sensor measures to the force in the board's frame.
public struct Alignment: Equatable, Sendable {
  /// What corrects the sensor.
  public let calibration: Calibration
  /// How it sits on the board.
  public let mounting: Mounting

  private let x: Axis
  private let y: Axis
  private let z: Axis

  /// Where one axis of the board gets its force from.
  private struct Axis: Equatable, Sendable {
    var source: UInt8
    var offset: Int32
    /// Q2.30, negative where the axes point opposite ways.
    var gain: Int32

    init(_ axis: SensorAxis, _ calibration: Calibration) {
      source = axis.index
      let gain: Int32
      switch axis.index {
      case 0: (offset, gain) = (calibration.offset.x.raw, calibration.scale.x)
      case 1: (offset, gain) = (calibration.offset.y.raw, calibration.scale.y)
      default: (offset, gain) = (calibration.offset.z.raw, calibration.scale.z)
      }
      self.gain = axis.isNegative ? 0 &- gain : gain
    }

    @inline(__always)
    func applied(to measured: InlineArray<4, Int32>) -> Int64 {
      let value = measured[Int(truncatingIfNeeded: UInt32(source & 3))]
      let product = (widened(value) &- widened(offset)) &* widened(gain)
      return (product &+ (1 &<< 29)) &>> 30
    }
  }

  /// The alignment of a calibrated sensor in its mounting.
  public init(_ calibration: Calibration = .none, _ mounting: Mounting = .aligned) {
    self.calibration = calibration
    self.mounting = mounting
    x = Axis(mounting.x, calibration)
    y = Axis(mounting.y, calibration)
    z = Axis(mounting.z, calibration)
  }

  /// The greatest size of a component that comes out: 2^14 g less one part. Two of them differ by what fits in a `Q16`.
  private static var limit: Int64 { (1 &<< 30) &- 1 }

  /// `measured`, in the sensor's frame, as calibrated force in the board's frame. Rounded to nearest, saturating at
  /// ±16384 g.
  @inline(__always)
  public func applied(to measured: Vector3) -> Vector3 {
    let words: InlineArray<4, Int32> = [measured.x.raw, measured.y.raw, measured.z.raw, 0]
    var (x, y, z) = (x.applied(to: words), y.applied(to: words), z.applied(to: words))
    // One test for all three: no sensor comes near the limit.
    let limit = Self.limit
    let isBeyond = UInt64(bitPattern: (x &+ limit) | (y &+ limit) | (z &+ limit)) >= 0x7FFF_FFFF
    if isBeyond {
      (x, y, z) = (max(-limit, min(limit, x)), max(-limit, min(limit, y)), max(-limit, min(limit, z)))
    }
    return Vector3(
      x: Q16(raw: Int32(truncatingIfNeeded: x)), y: Q16(raw: Int32(truncatingIfNeeded: y)),
      z: Q16(raw: Int32(truncatingIfNeeded: z)))
  }
}
