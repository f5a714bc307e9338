public import FixedPoint

/// Why a calibration cannot be used.
public enum CalibrationError: Error, Equatable, Sendable {
  /// A scale outside 0.5…1.999: no working sensor is that far off.
  case scale
}

/// Corrects the offset and sensitivity of an accelerometer or a gyroscope, axis by axis, in the sensor's own frame.
///
/// `corrected = (measured - offset) · scale`, rounded to nearest, saturating.
public struct Calibration: Equatable, Sendable {
  /// The reading of each axis at 0 g, in g; for a gyroscope the reading at rest, in °/s.
  public let offset: Vector3
  /// The correction factor of each axis, Q2.30: 2^30 is 1.
  public let scale: Scale

  /// One factor per axis, Q2.30.
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

/// Calibration and mounting combined: maps what the sensor measures to force and rotation in the board's frame.
public struct Alignment: Equatable, Sendable {
  private let x: Axis
  private let y: Axis
  private let z: Axis
  /// Whether each axis of the board gets its force from the same axis of the sensor.
  private let isStraight: Bool
  /// The gyroscope's calibration.
  private let rotation: Calibration
  #if _pointerBitWidth(_64)
    /// Whether a rate of rotation needs no conversion to the board's frame.
    private let keepsRotation: Bool
  #endif

  /// How one axis of the board gets its force.
  private struct Axis: Equatable, Sendable {
    /// Added to the product: minus the offset, plus half a unit of the result. Q46.
    var bias: Int64
    /// Q2.30, negative where the axes point in opposite directions.
    var gain: Int32
    fileprivate var source: UInt8

    init(_ axis: SensorAxis, _ calibration: Calibration) {
      let (offset, scale) =
        switch axis.index {
        case 0: (calibration.offset.x.raw, calibration.scale.x)
        case 1: (calibration.offset.y.raw, calibration.scale.y)
        default: (calibration.offset.z.raw, calibration.scale.z)
        }
      source = axis.index
      gain = axis.isNegative ? 0 &- scale : scale
      bias = (1 &<< 29) &- widened(offset) &* widened(gain)
    }

    /// The force along the board's axis. Neither product nor sum can exceed 2^63.
    @inline(__always)
    func applied(to measured: Vector3) -> Int64 {
      applied(to: source == 1 ? measured.y.raw : source == 0 ? measured.x.raw : measured.z.raw)
    }

    /// The same with the value of the sensor's axis.
    @inline(__always)
    func applied(to value: Int32) -> Int64 { (widened(value) &* widened(gain) &+ bias) &>> 30 }
  }

  /// The alignment of a calibrated sensor in its mounting; `rotation` is the calibration of its gyroscope.
  public init(
    _ calibration: Calibration = .none, _ mounting: Mounting = .aligned, rotation: Calibration = .none
  ) {
    self.rotation = rotation
    x = Axis(mounting.x, calibration)
    y = Axis(mounting.y, calibration)
    z = Axis(mounting.z, calibration)
    isStraight = mounting.x.index == 0 && mounting.y.index == 1
    #if _pointerBitWidth(_64)
      keepsRotation = mounting == .aligned && rotation == .none
    #endif
  }

  /// Converts `measured`, in the sensor's frame, to calibrated force in the board's frame. Rounded to nearest,
  /// saturating: from -256 g to one LSB below +256 g. No accelerometer of this kind measures as much.
  @inline(__always)
  public func applied(to measured: Vector3) -> Vector3 {
    #if _pointerBitWidth(_64)
      // The mounting of most sensors. Where code size matters, the general path handles them too.
      if isStraight {
        return Vector3(
          boundedX: x.applied(to: measured.x.raw), y: y.applied(to: measured.y.raw), z: z.applied(to: measured.z.raw))
      }
    #endif
    return Vector3(boundedX: x.applied(to: measured), y: y.applied(to: measured), z: z.applied(to: measured))
  }

  /// Converts `measured`, a rate of rotation in °/s in the sensor's frame, to a calibrated rate in the board's frame.
  /// Rounded to nearest, saturating at ±32768 °/s.
  ///
  /// A mounting is a proper rotation, so a rate of rotation transforms as a force does.
  @inline(__always)
  public func applied(toRotation measured: Vector3) -> Vector3 {
    #if _pointerBitWidth(_64)
      if keepsRotation { return measured }
    #endif
    return turned(measured)
  }

  /// Maps `axes` of the sensor to the axes of the board that they supply; in both, X is bit 0, Y bit 1, Z bit 2.
  package func axes(ofSensor axes: UInt8) -> UInt8 {
    (axes &>> x.source & 1) | (axes &>> y.source & 1) &<< 1 | (axes &>> z.source & 1) &<< 2
  }

  @inline(__always)
  private func turned(_ measured: Vector3) -> Vector3 {
    // One by one, because a function that took all parts would copy them in each step.
    Vector3(
      x: rotation.rate(measured, along: x.source, x.gain < 0), y: rotation.rate(measured, along: y.source, y.gain < 0),
      z: rotation.rate(measured, along: z.source, z.gain < 0))
  }
}

extension Calibration {
  /// The rate about axis `source` of the sensor; negated if it `isOpposite`.
  @inline(never)
  fileprivate func rate(_ measured: Vector3, along source: UInt8, _ isOpposite: Bool) -> Q16 {
    let (value, offset, scale) =
      switch source {
      case 0: (measured.x, self.offset.x, self.scale.x)
      case 1: (measured.y, self.offset.y, self.scale.y)
      default: (measured.z, self.offset.z, self.scale.z)
      }
    let unbiased = widened(saturated(widened(value.raw) &- widened(offset.raw)))
    let factor = widened(isOpposite ? 0 &- scale : scale)
    return Q16(raw: saturated((unbiased &* factor &+ 1 &<< 29) &>> 30))
  }
}

extension Vector3 {
  /// The largest component of a force: one LSB below 256 g.
  private static var greatest: Int64 { (1 &<< 24) &- 1 }

  /// Components in Q16.16, saturating at ±256 g.
  @inline(__always)
  fileprivate init(boundedX x: Int64, y: Int64, z: Int64) {
    // One test for all three, because it almost never finds anything.
    let limit = Self.greatest &+ 1
    let isBounded = UInt64(bitPattern: (x &+ limit) | (y &+ limit) | (z &+ limit)) < UInt64(bitPattern: limit &* 2)
    self = isBounded ? Vector3(x: Self.word(x), y: Self.word(y), z: Self.word(z)) : Self.saturated(x, y, z)
  }

  @inline(never)
  private static func saturated(_ x: Int64, _ y: Int64, _ z: Int64) -> Vector3 {
    Vector3(x: bounded(x), y: bounded(y), z: bounded(z))
  }

  @inline(never)
  private static func bounded(_ value: Int64) -> Q16 {
    let limit = Int32(truncatingIfNeeded: greatest)
    return Q16(raw: max(0 &- limit &- 1, min(limit, FixedPoint.saturated(value))))
  }

  @inline(__always)
  private static func word(_ value: Int64) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: value)) }

  /// Saturating at ±256 g.
  var bounded: Vector3 { Vector3(boundedX: widened(x.raw), y: widened(y.raw), z: widened(z.raw)) }
}
