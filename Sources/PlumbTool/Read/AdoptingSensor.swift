import FixedPoint
import Sensors

/// A sensor that is taken as it is where it runs already as it should, and is started where not.
struct AdoptingSensor<Base: Accelerometer & ~Copyable>: Accelerometer, ~Copyable {
  private var base: Base
  /// Whether the sensor was running already, so that nothing was written to it.
  private(set) var isAdopted = false

  init(_ base: consuming Base) { self.base = base }

  var fullScale: Q16 { base.fullScale }
  var transactions: UInt64 { base.transactions }
  var notice: SensorNotice? { base.notice }

  mutating func start() throws(SensorError) -> Microseconds {
    isAdopted = false
    isAdopted = try base.adopt()
    return isAdopted ? .zero : try base.start()
  }

  mutating func proceed() throws(SensorError) -> Microseconds? { isAdopted ? nil : try base.proceed() }

  /// A sample that is not all zero. Zeros are what a part gives before its first sample, as where another program has
  /// started it just now; and some that are defective, always.
  mutating func sample() throws(SensorError) -> Vector3 {
    let force = try base.sample()
    guard force != .zero else { throw .weightless }
    return force
  }

  mutating func reopen() throws(SensorError) { try base.reopen() }
}
