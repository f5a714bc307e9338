public import BoardFile
public import FixedPoint
public import HAL
public import Sensors

/// A sensor of any model that a board file can name: the one type where their drivers meet.
///
/// Everything is as the driver has it. A call moves the driver out and back, some hundred bytes, and allocates nothing.
public enum AnySensor<Bus: I2CBus & ~Copyable>: BatchingAccelerometer, ~Copyable {
  /// An ADXL345.
  case adxl345(ADXL345.Device<Bus>)
  /// A part of the MPU-6050 family.
  case mpu6050(MPU6050.Device<Bus>)

  /// The sensor that `sensor` describes, on `bus`. Nothing is read or written.
  public init(_ sensor: BoardDescription.Sensor, on bus: consuming Bus) {
    switch sensor.configuration {
    case .adxl345(let configuration):
      self = .adxl345(ADXL345.Device(bus: bus, address: sensor.address, configuration: configuration))
    case .mpu6050(let configuration):
      self = .mpu6050(MPU6050.Device(bus: bus, address: sensor.address, configuration: configuration))
    }
  }

  /// As the driver has it.
  public var fullScale: Q16 { look({ $0.fullScale }, { $0.fullScale }) }
  /// As the driver has it.
  public var rotationFullScale: Q16? { look({ $0.rotationFullScale }, { $0.rotationFullScale }) }
  /// As the driver has it.
  public var transactions: UInt64 { look({ $0.transactions }, { $0.transactions }) }
  /// As the driver has it.
  public var notice: SensorNotice? { look({ $0.notice }, { $0.notice }) }
  /// As the driver has it.
  public var samplePeriod: Microseconds { look({ $0.samplePeriod }, { $0.samplePeriod }) }
  /// As the driver has it.
  public var keepsSamples: Bool { look({ $0.keepsSamples }, { $0.keepsSamples }) }
  /// As the driver has it.
  public var canWatchForMovement: Bool { look({ $0.canWatchForMovement }, { $0.canWatchForMovement }) }
  /// As the driver has it.
  public var movementThreshold: Q16 { look({ $0.movementThreshold }, { $0.movementThreshold }) }

  /// As the driver does it.
  public mutating func start() throws(SensorError) -> Microseconds {
    try with({ sensor throws(SensorError) in try sensor.start() }, { sensor throws(SensorError) in try sensor.start() })
  }

  /// As the driver does it.
  public mutating func proceed() throws(SensorError) -> Microseconds? {
    try with(
      { sensor throws(SensorError) in try sensor.proceed() }, { sensor throws(SensorError) in try sensor.proceed() })
  }

  /// As the driver does it.
  public mutating func adopt() throws(SensorError) -> Bool {
    try with({ sensor throws(SensorError) in try sensor.adopt() }, { sensor throws(SensorError) in try sensor.adopt() })
  }

  /// As the driver does it.
  public mutating func sample() throws(SensorError) -> Vector3 {
    try with(
      { sensor throws(SensorError) in try sensor.sample() }, { sensor throws(SensorError) in try sensor.sample() })
  }

  /// As the driver does it.
  public mutating func measure() throws(SensorError) -> Measurement {
    try with(
      { sensor throws(SensorError) in try sensor.measure() }, { sensor throws(SensorError) in try sensor.measure() })
  }

  /// As the driver does it.
  public mutating func reopen() throws(SensorError) {
    try with(
      { sensor throws(SensorError) in try sensor.reopen() }, { sensor throws(SensorError) in try sensor.reopen() })
  }

  /// As the driver does it.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    try with(
      { sensor throws(SensorError) in try sensor.watchForMovement() },
      { sensor throws(SensorError) in try sensor.watchForMovement() })
  }

  /// As the driver does it.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    try with(
      { sensor throws(SensorError) in try sensor.hasMoved(from: force) },
      { sensor throws(SensorError) in try sensor.hasMoved(from: force) })
  }

  /// As the driver does it.
  public mutating func wake() throws(SensorError) -> Microseconds {
    try with({ sensor throws(SensorError) in try sensor.wake() }, { sensor throws(SensorError) in try sensor.wake() })
  }

  /// As the driver does it.
  public mutating func waiting() throws(SensorError) -> WaitingSamples {
    try with(
      { sensor throws(SensorError) in try sensor.waiting() }, { sensor throws(SensorError) in try sensor.waiting() })
  }

  /// As the driver does it.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try with(
      { sensor throws(SensorError) in try sensor.take(count, into: &samples) },
      { sensor throws(SensorError) in try sensor.take(count, into: &samples) })
  }
}

extension AnySensor where Bus: ~Copyable {
  /// What is given for the model that this is.
  @inline(__always)
  private func look<Value>(
    _ adxl345: (borrowing ADXL345.Device<Bus>) -> Value, _ mpu6050: (borrowing MPU6050.Device<Bus>) -> Value
  ) -> Value {
    switch self {
    case .adxl345(let sensor): adxl345(sensor)
    case .mpu6050(let sensor): mpu6050(sensor)
    }
  }

  /// Does what is given for the model that this is.
  @inline(__always)
  package mutating func with<Value>(
    _ adxl345: (inout ADXL345.Device<Bus>) throws(SensorError) -> Value,
    _ mpu6050: (inout MPU6050.Device<Bus>) throws(SensorError) -> Value
  ) throws(SensorError) -> Value {
    switch consume self {
    case .adxl345(var sensor):
      do throws(SensorError) {
        let value = try adxl345(&sensor)
        self = .adxl345(sensor)
        return value
      } catch {
        self = .adxl345(sensor)
        throw error
      }
    case .mpu6050(var sensor):
      do throws(SensorError) {
        let value = try mpu6050(&sensor)
        self = .mpu6050(sensor)
        return value
      } catch {
        self = .mpu6050(sensor)
        throw error
      }
    }
  }
}
