public import FixedPoint

/// Why a calibration cannot be used.
public enum CalibrationError: Error, Equatable, Sendable {
  /// A scale outside 0.5…1.999: no working sensor is that far off.
  case scale
}

/// What corrects a sensor's offset and sensitivity, axis by axis, in the sensor's own frame.
///
/// `corrected = (measured - offset) · scale`, rounded to nearest, saturating.
public struct Calibration: Equatable, Sendable {
  /// What each axis reads at 0 g, in g.
  public let offset: Vector3
  /// By how much each axis reads too little, Q2.30: 2^30 is 1.
  public let scale: Scale

  /// One factor an axis, Q2.30.
  public struct Scale: Equatable, Sendable {
    /// The factor of X.
    public var x: Int32
    /// The factor of Y.
    public var y: Int32
    /// The factor of Z.
    public var z: Int32

    /// Three factors.
    public init(x: Int32, y: Int32, z: Int32) {
      self.x = x
      self.y = y
      self.z = z
    }

    /// Three times 1.
    public static var one: Scale { Scale(x: 1 &<< 30, y: 1 &<< 30, z: 1 &<< 30) }
  }

  /// No correction.
  public static var none: Calibration { Calibration() }

  private init() {
    offset = .zero
    scale = .one
  }

  /// A calibration; each scale must lie between 0.5 and 1.999.
  public init(offset: Vector3, scale: Scale) throws(CalibrationError) {
    guard min(scale.x, min(scale.y, scale.z)) >= 1 &<< 29 else { throw .scale }
    self.offset = offset
    self.scale = scale
  }
}
