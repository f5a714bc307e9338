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

    func applied(to vector: Vector3) -> Q16 {
      let measured = source == 0 ? vector.x.raw : source == 1 ? vector.y.raw : vector.z.raw
      let product = (widened(measured) &- widened(offset)) &* widened(gain)
      return Q16(raw: saturated((product &+ (1 &<< 29)) &>> 30))
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

  /// `measured`, in the sensor's frame, as calibrated force in the board's frame. Rounded to nearest, saturating.
  public func applied(to measured: Vector3) -> Vector3 {
    Vector3(x: x.applied(to: measured), y: y.applied(to: measured), z: z.applied(to: measured))
  }
}
