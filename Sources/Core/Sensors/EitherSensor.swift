public import FixedPoint
public import HAL

/// A sensor of one of two kinds, each of which can be such a choice itself.
///
/// Everything is forwarded to the driver. A call moves the driver out and back, about a hundred bytes, and allocates
/// nothing.
public enum EitherSensor<First: BatchingAccelerometer & ~Copyable, Second: BatchingAccelerometer & ~Copyable>:
  BatchingAccelerometer, ~Copyable
{
  /// A sensor of the first kind.
  case first(First)
  /// A sensor of the second kind.
  case second(Second)

  /// The driver's value.
  public var fullScale: Q16 { look({ $0.fullScale }, { $0.fullScale }) }
  /// The driver's value.
  public var rotationFullScale: Q16? { look({ $0.rotationFullScale }, { $0.rotationFullScale }) }
  /// The driver's value.
  public var transactions: UInt64 { look({ $0.transactions }, { $0.transactions }) }
  /// The driver's value.
  public var notice: SensorNotice? { look({ $0.notice }, { $0.notice }) }
  /// The driver's value.
  public var samplePeriod: Microseconds { look({ $0.samplePeriod }, { $0.samplePeriod }) }
  /// The driver's value.
  public var keepsSamples: Bool { look({ $0.keepsSamples }, { $0.keepsSamples }) }
  /// The driver's value.
  public var canWatchForMovement: Bool { look({ $0.canWatchForMovement }, { $0.canWatchForMovement }) }
  /// The driver's value.
  public var movementThreshold: Q16 { look({ $0.movementThreshold }, { $0.movementThreshold }) }

  /// Forwards to the driver.
  public mutating func start() throws(SensorError) -> Microseconds {
    try with({ sensor throws(SensorError) in try sensor.start() }, { sensor throws(SensorError) in try sensor.start() })
  }

  /// Forwards to the driver.
  public mutating func proceed() throws(SensorError) -> Microseconds? {
    try with(
      { sensor throws(SensorError) in try sensor.proceed() }, { sensor throws(SensorError) in try sensor.proceed() })
  }

  /// Forwards to the driver.
  public mutating func adopt() throws(SensorError) -> Bool {
    try with({ sensor throws(SensorError) in try sensor.adopt() }, { sensor throws(SensorError) in try sensor.adopt() })
  }

  /// Forwards to the driver.
  public mutating func verifyConfiguration() throws(SensorError) {
    try with(
      { sensor throws(SensorError) in try sensor.verifyConfiguration() },
      { sensor throws(SensorError) in try sensor.verifyConfiguration() })
  }

  /// Forwards to the driver.
  public mutating func sample() throws(SensorError) -> Vector3 {
    try with(
      { sensor throws(SensorError) in try sensor.sample() }, { sensor throws(SensorError) in try sensor.sample() })
  }

  /// Forwards to the driver.
  public mutating func measure() throws(SensorError) -> Measurement {
    try with(
      { sensor throws(SensorError) in try sensor.measure() }, { sensor throws(SensorError) in try sensor.measure() })
  }

  /// Forwards to the driver.
  public mutating func reopen() throws(SensorError) {
    try with(
      { sensor throws(SensorError) in try sensor.reopen() }, { sensor throws(SensorError) in try sensor.reopen() })
  }

  /// Forwards to the driver.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? {
    try with(
      { sensor throws(SensorError) in try sensor.testItself(supply: millivolts, by: &clock) },
      { sensor throws(SensorError) in try sensor.testItself(supply: millivolts, by: &clock) })
  }

  /// Forwards to the driver.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    try with(
      { sensor throws(SensorError) in try sensor.watchForMovement() },
      { sensor throws(SensorError) in try sensor.watchForMovement() })
  }

  /// Forwards to the driver.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    try with(
      { sensor throws(SensorError) in try sensor.hasMoved(from: force) },
      { sensor throws(SensorError) in try sensor.hasMoved(from: force) })
  }

  /// Forwards to the driver.
  public mutating func wake() throws(SensorError) -> Microseconds {
    try with({ sensor throws(SensorError) in try sensor.wake() }, { sensor throws(SensorError) in try sensor.wake() })
  }

  /// Forwards to the driver.
  public mutating func waiting() throws(SensorError) -> WaitingSamples {
    try with(
      { sensor throws(SensorError) in try sensor.waiting() }, { sensor throws(SensorError) in try sensor.waiting() })
  }

  /// Forwards to the driver.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try with(
      { sensor throws(SensorError) in try sensor.take(count, into: &samples) },
      { sensor throws(SensorError) in try sensor.take(count, into: &samples) })
  }
}

extension EitherSensor where First: ~Copyable, Second: ~Copyable {
  /// Evaluates the closure for this kind.
  @inline(__always)
  private func look<Value>(_ first: (borrowing First) -> Value, _ second: (borrowing Second) -> Value) -> Value {
    switch self {
    case .first(let sensor): first(sensor)
    case .second(let sensor): second(sensor)
    }
  }

  /// Runs the closure for this kind.
  @inline(__always)
  private mutating func with<Value>(
    _ first: (inout First) throws(SensorError) -> Value, _ second: (inout Second) throws(SensorError) -> Value
  ) throws(SensorError) -> Value {
    switch consume self {
    case .first(var sensor):
      do throws(SensorError) {
        let value = try first(&sensor)
        self = .first(sensor)
        return value
      } catch {
        self = .first(sensor)
        throw error
      }
    case .second(var sensor):
      do throws(SensorError) {
        let value = try second(&sensor)
        self = .second(sensor)
        return value
      } catch {
        self = .second(sensor)
        throw error
      }
    }
  }
}
