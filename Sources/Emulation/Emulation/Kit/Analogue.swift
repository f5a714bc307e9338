public import FixedPoint

/// The values of three axes, in 1/65536 of a unit or in counts; wider than any format, so that clipping is left to the
/// format.
public struct AxisValues: Equatable, Sendable {
  /// The value of X.
  public var x: Int64
  /// The value of Y.
  public var y: Int64
  /// The value of Z.
  public var z: Int64

  /// Three values.
  public init(x: Int64, y: Int64, z: Int64) { (self.x, self.y, self.z) = (x, y, z) }

  /// A vector, in 1/65536.
  public init(_ vector: Vector3) { self.init(x: Int64(vector.x.raw), y: Int64(vector.y.raw), z: Int64(vector.z.raw)) }

  /// The same value on every axis.
  public init(all value: Int64) { self.init(x: value, y: value, z: value) }

  /// Zero.
  public static let zero = AxisValues(all: 0)

  /// The axis of a number: X is 0, Y is 1, Z is everything else.
  public subscript(axis: Int) -> Int64 {
    get { axis == 0 ? x : axis == 1 ? y : z }
    set { if axis == 0 { x = newValue } else if axis == 1 { y = newValue } else { z = newValue } }
  }

  /// The sum.
  public static func + (a: AxisValues, b: AxisValues) -> AxisValues {
    AxisValues(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
  }

  /// The difference.
  public static func - (a: AxisValues, b: AxisValues) -> AxisValues {
    AxisValues(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
  }

  /// What `change` makes of each axis.
  public func map(_ change: (Int64) -> Int64) -> AxisValues { AxisValues(x: change(x), y: change(y), z: change(z)) }

  /// The values on the axes of a mask, of which bit 0 is X; 0 on the others.
  public func masked(_ axes: UInt8) -> AxisValues {
    AxisValues(x: axes & 1 == 0 ? 0 : x, y: axes & 2 == 0 ? 0 : y, z: axes & 4 == 0 ? 0 : z)
  }

  /// The sum with `deflection`, times the factor that a self-test's code selects.
  public func deflected(by deflection: Vector3, _ factors: [Int64], code: UInt8) -> AxisValues {
    let factor = Int(code) < factors.count ? factors[Int(code)] : 0
    return factor == 0 ? self : self + AxisValues(deflection).map { $0 * factor }
  }

  /// The values of the axes of which a bit is set, X's being `first`, Y's and Z's those below it; 0 of the others.
  public func chosen(by bits: UInt8, first: UInt8) -> AxisValues {
    var values = self
    for axis in 0..<3 where bits & first >> UInt8(axis) == 0 { values[axis] = 0 }
    return values
  }

  /// The greatest magnitude of an axis.
  public var peak: UInt64 { max(x.magnitude, max(y.magnitude, z.magnitude)) }

  /// The products with factors in 1/65536, rounded to nearest.
  public func scaled(by factor: AxisValues) -> AxisValues {
    AxisValues(
      x: (x * factor.x + 0x8000) >> 16, y: (y * factor.y + 0x8000) >> 16, z: (z * factor.z + 0x8000) >> 16)
  }

  /// As counts of `divisor` / `factor` each, rounded to nearest with ties away from zero, clipped to a signed format of
  /// `bits` bits.
  ///
  /// Forces of 1/65536 g at 0.061 mg a count: `counts(times: 1_000_000, over: 61 * 65_536)`.
  public func counts(times factor: Int64 = 1, over divisor: Int64, bits: Int64 = 16) -> AxisValues {
    let limit: Int64 = 1 << (bits - 1)
    return map { value in
      let product = value * factor
      return max(-limit, min(limit - 1, (product + (product < 0 ? -divisor / 2 : divisor / 2)) / divisor))
    }
  }
}

/// A part's analogue side: a moving board, and what this specimen's sensors measure of it, in 1/65536 g, °/s and °C.
public struct Analogue {
  private var motion: any Motion
  private var motionStart: Instant
  /// What the axes read at 0 g, in 1/65536 g.
  public var offset = AxisValues.zero
  /// By how much a force is multiplied, in 1/65536.
  public var gain = AxisValues(all: 65_536)
  /// The errors of the gyroscope.
  public var gyroscopeErrors = GyroscopeErrors.none {
    didSet { noteErrors() }
  }
  /// The board's rotation rate in addition to that of its motion, in °/s. Not filtered.
  public var turn = Vector3.zero
  /// The temperature of the die in °C, without its own heat.
  public var dieTemperature = Q16(whole: 25)
  /// How much warmer the die finally is than at power-on, in °C.
  public var selfHeating = Q16.zero
  /// The time in which 63 % of that is reached, more than 0.
  public var selfHeatingTime = Microseconds.seconds(60)
  /// The instant of power-on.
  public var suppliedAt: Instant
  /// Whether samples have noise.
  public var isNoisy = true
  private var hasRotationErrors = false
  private var isDragged = false
  private let accelerometerNoise: NoiseSource
  private let gyroscopeNoise: NoiseSource

  /// A part without errors on a board that starts `motion` at `instant`.
  public init(motion: any Motion, at instant: Instant, seed: UInt64) {
    self.motion = motion
    (motionStart, suppliedAt) = (instant, instant)
    accelerometerNoise = NoiseSource(standardDeviation: .zero, seed: seed)
    gyroscopeNoise = NoiseSource(standardDeviation: .zero, seed: ~seed)
  }

  /// A part like `specimen`.
  public init(_ specimen: Specimen, motion: any Motion, at instant: Instant, seed: UInt64) {
    self.init(motion: motion, at: instant, seed: seed)
    setErrors(offset: specimen.errors.zeroGOffset, sensitivity: specimen.errors.sensitivityError)
    gyroscopeErrors = specimen.gyroscopeErrors
    gyroscopeErrors.sensitivityError = specimen.errors.sensitivityError
    (turn, dieTemperature, selfHeating) = (specimen.turn, specimen.temperature, specimen.selfHeating)
    isNoisy = specimen.isNoisy
    // Observers are not called in an initialiser.
    noteErrors()
  }

  private mutating func noteErrors() {
    (hasRotationErrors, isDragged) = (gyroscopeErrors != .none, gyroscopeErrors.perG != .zero)
  }

  /// Sets what the axes read at 0 g, and how much more than 1 g at 1 g, in g.
  mutating func setErrors(offset: Vector3, sensitivity: Vector3) {
    self.offset = AxisValues(offset)
    gain = AxisValues(all: 65_536) + AxisValues(sensitivity)
  }

  /// Starts another motion.
  mutating func play(_ motion: any Motion, at instant: Instant) { (self.motion, motionStart) = (motion, instant) }

  /// The force on the axes at `instant` with the errors of gain and offset, in 1/65536 g.
  public func force(at instant: Instant) -> AxisValues {
    AxisValues(motion.specificForce(at: instant - motionStart)).scaled(by: gain) + offset
  }

  /// The rotation at `instant` with the errors of the gyroscope, in 1/65536 °/s. `delay` is how far it lags the motion.
  public func rotation(at instant: Instant, delay: Microseconds = .zero) -> AxisValues {
    let moment = instant - delay - motionStart
    var rate = AxisValues(motion.rotationRate(at: moment)) + AxisValues(turn)
    guard hasRotationErrors else { return rate }
    rate = gyroscopeErrors.distorted(rate)
    if isDragged {
      let force = AxisValues(motion.specificForce(at: moment))
      rate = rate + force.scaled(by: AxisValues(gyroscopeErrors.perG))
    }
    return rate + gyroscopeErrors.zeroRate(at: temperature(at: instant))
  }

  /// The temperature of the die, in 1/65536 °C.
  public func temperature(at instant: Instant) -> Int64 {
    let base = Int64(dieTemperature.raw)
    guard selfHeating != .zero else { return base }
    let age = Double(max(0, (instant - suppliedAt).count)) / Double(max(1, selfHeatingTime.count))
    return base + Int64((Double(selfHeating.raw) * (1 - Circle.decay(age))).rounded())
  }

  /// Noise `number` of the accelerometer, with a standard deviation in g, in 1/65536 g; 0 if there is none.
  public func noise(_ number: UInt64, deviation: Vector3) -> AxisValues {
    guard isNoisy, deviation.x.raw | deviation.y.raw | deviation.z.raw != 0 else { return .zero }
    return AxisValues(accelerometerNoise.sample(at: number, scaledTo: deviation))
  }

  /// Noise `number` of the gyroscope, with a standard deviation in °/s, in 1/65536 °/s; 0 if there is none.
  public func rotationNoise(_ number: UInt64, deviation: Vector3) -> AxisValues {
    guard isNoisy, deviation.x.raw | deviation.y.raw | deviation.z.raw != 0 else { return .zero }
    return AxisValues(gyroscopeNoise.sample(at: number, scaledTo: deviation))
  }

  /// The standard deviation of noise whose density is in millionths per √Hz, on every axis, rounded to nearest.
  public static func deviation(millionthsPerRootHertz density: Int32, bandwidthTenths: Int32) -> Vector3 {
    // The square root in 2^-20, so that the quotient below is in 2^-16.
    let root = Int64(squareRoot((UInt64(bandwidthTenths.magnitude) << 40) / 10))
    let deviation = Q16(raw: Int32(clamping: (Int64(max(0, density)) * root + 8_000_000) / 16_000_000))
    return Vector3(x: deviation, y: deviation, z: deviation)
  }
}

extension GyroscopeErrors {
  /// A rotation in 1/65536 °/s with the errors of scale and axes.
  fileprivate func distorted(_ rate: AxisValues) -> AxisValues {
    func sum(_ own: Int64, _ error: Q16, _ a: Int64, _ ofA: Q16, _ b: Int64, _ ofB: Q16) -> Int64 {
      (own * (65_536 + Int64(error.raw)) + a * Int64(ofA.raw) + b * Int64(ofB.raw) + 0x8000) >> 16
    }
    return AxisValues(
      x: sum(rate.x, sensitivityError.x, rate.y, crossAxis.xOfY, rate.z, crossAxis.xOfZ),
      y: sum(rate.y, sensitivityError.y, rate.x, crossAxis.yOfX, rate.z, crossAxis.yOfZ),
      z: sum(rate.z, sensitivityError.z, rate.x, crossAxis.zOfX, rate.y, crossAxis.zOfY))
  }

  /// The reading at rest, in 1/65536 °/s, at a temperature in 1/65536 °C.
  fileprivate func zeroRate(at temperature: Int64) -> AxisValues {
    let warmer = AxisValues(all: temperature - 25 * 65_536)
    return AxisValues(bias) + warmer.scaled(by: AxisValues(biasPerDegree))
  }
}
