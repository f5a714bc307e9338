import BoardFile
import FixedPoint
import HAL
import Sensors

/// The sensor of a board, of whatever model.
struct BoardSensor: BatchingAccelerometer, ~Copyable {
  private var sensor: AnySensor
  /// Whether a sensor that runs already as it should is taken as it is, instead of being started.
  private let adopts: Bool
  /// Whether that was so, so that nothing was written to it.
  private(set) var isAdopted = false

  /// Opens the bus of `board` and has its sensor on it. Samples wait in the sensor, where the board says so, only if asked
  /// for: else each is of the moment.
  init(
    of board: BoardDescription, _ emulated: EmulatedBoard, _ clock: BoardClock, adopts: Bool = false,
    keepsSamples: Bool = false
  ) throws(ToolError) {
    let bus = try BoardBus(of: board, emulated, clock)
    let address = board.sensor.address
    var described = board.sensor
    if !keepsSamples { _ = described.setBatch(1) }
    switch described.configuration {
    case .adxl345(let configuration):
      sensor = .adxl345(ADXL345.Device(bus: bus, address: address, configuration: configuration))
    case .mpu6050(let configuration):
      sensor = .mpu6050(MPU6050.Device(bus: bus, address: address, configuration: configuration))
    }
    self.adopts = adopts
  }

  var fullScale: Q16 { sensor.fullScale }
  var rotationFullScale: Q16? { sensor.rotationFullScale }
  var transactions: UInt64 { sensor.transactions }
  var notice: SensorNotice? { sensor.notice }

  mutating func start() throws(SensorError) -> Microseconds {
    isAdopted = false
    if adopts { isAdopted = try sensor.adopt() }
    return isAdopted ? .zero : try sensor.start()
  }

  mutating func proceed() throws(SensorError) -> Microseconds? { isAdopted ? nil : try sensor.proceed() }

  mutating func adopt() throws(SensorError) -> Bool { try sensor.adopt() }

  /// A sample; of a sensor that may be adopted, one that is not all zero. Zeros are what a part gives before its first
  /// sample, as where another program has started it just now; and some that are defective, always.
  mutating func sample() throws(SensorError) -> Vector3 {
    let force = try sensor.sample()
    guard !adopts || force != .zero else { throw .weightless }
    return force
  }

  mutating func measure() throws(SensorError) -> Measurement {
    let measurement = try sensor.measure()
    guard !adopts || measurement.force != .zero else { throw .weightless }
    return measurement
  }

  mutating func reopen() throws(SensorError) { try sensor.reopen() }

  var canWatchForMovement: Bool { sensor.canWatchForMovement }
  var movementThreshold: Q16 { sensor.movementThreshold }

  mutating func watchForMovement() throws(SensorError) -> Microseconds? { try sensor.watchForMovement() }
  mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool { try sensor.hasMoved(from: force) }
  mutating func wake() throws(SensorError) -> Microseconds { try sensor.wake() }

  var samplePeriod: Microseconds { sensor.samplePeriod }
  var keepsSamples: Bool { sensor.keepsSamples }

  mutating func waiting() throws(SensorError) -> WaitingSamples { try sensor.waiting() }

  mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try sensor.take(count, into: &samples)
  }

  /// Has the sensor test itself on a board that lies still; nil where a stop signal ended that.
  mutating func selfTest(
    _ clock: inout BoardClock, _ supply: ADXL345.SupplyVoltage
  ) throws(SensorError) -> SelfTestFindings? {
    try sensor.selfTest(&clock, supply)
  }
}

/// A sensor of one of the models, on the bus of a board.
private enum AnySensor: BatchingAccelerometer, ~Copyable {
  case adxl345(ADXL345.Device<BoardBus>)
  case mpu6050(MPU6050.Device<BoardBus>)

  var fullScale: Q16 {
    switch self {
    case .adxl345(let device): device.fullScale
    case .mpu6050(let device): device.fullScale
    }
  }

  var rotationFullScale: Q16? {
    switch self {
    case .adxl345(let device): device.rotationFullScale
    case .mpu6050(let device): device.rotationFullScale
    }
  }

  var transactions: UInt64 {
    switch self {
    case .adxl345(let device): device.transactions
    case .mpu6050(let device): device.transactions
    }
  }

  var notice: SensorNotice? {
    switch self {
    case .adxl345(let device): device.notice
    case .mpu6050(let device): device.notice
    }
  }

  var samplePeriod: Microseconds {
    switch self {
    case .adxl345(let device): device.samplePeriod
    case .mpu6050(let device): device.samplePeriod
    }
  }

  var keepsSamples: Bool {
    switch self {
    case .adxl345(let device): device.keepsSamples
    case .mpu6050(let device): device.keepsSamples
    }
  }

  mutating func start() throws(SensorError) -> Microseconds {
    try with({ device throws(SensorError) in try device.start() }, { device throws(SensorError) in try device.start() })
  }

  mutating func proceed() throws(SensorError) -> Microseconds? {
    try with(
      { device throws(SensorError) in try device.proceed() }, { device throws(SensorError) in try device.proceed() })
  }

  mutating func adopt() throws(SensorError) -> Bool {
    try with({ device throws(SensorError) in try device.adopt() }, { device throws(SensorError) in try device.adopt() })
  }

  mutating func sample() throws(SensorError) -> Vector3 {
    try with(
      { device throws(SensorError) in try device.sample() }, { device throws(SensorError) in try device.sample() })
  }

  mutating func measure() throws(SensorError) -> Measurement {
    try with(
      { device throws(SensorError) in try device.measure() }, { device throws(SensorError) in try device.measure() })
  }

  mutating func reopen() throws(SensorError) {
    try with(
      { device throws(SensorError) in try device.reopen() }, { device throws(SensorError) in try device.reopen() })
  }

  var canWatchForMovement: Bool {
    switch self {
    case .adxl345(let device): device.canWatchForMovement
    case .mpu6050(let device): device.canWatchForMovement
    }
  }

  var movementThreshold: Q16 {
    switch self {
    case .adxl345(let device): device.movementThreshold
    case .mpu6050(let device): device.movementThreshold
    }
  }

  mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    try with(
      { device throws(SensorError) in try device.watchForMovement() },
      { device throws(SensorError) in try device.watchForMovement() })
  }

  mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    try with(
      { device throws(SensorError) in try device.hasMoved(from: force) },
      { device throws(SensorError) in try device.hasMoved(from: force) })
  }

  mutating func wake() throws(SensorError) -> Microseconds {
    try with({ device throws(SensorError) in try device.wake() }, { device throws(SensorError) in try device.wake() })
  }

  mutating func waiting() throws(SensorError) -> WaitingSamples {
    try with(
      { device throws(SensorError) in try device.waiting() }, { device throws(SensorError) in try device.waiting() })
  }

  mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try with(
      { device throws(SensorError) in try device.take(count, into: &samples) },
      { device throws(SensorError) in try device.take(count, into: &samples) })
  }

  mutating func selfTest(
    _ clock: inout BoardClock, _ supply: ADXL345.SupplyVoltage
  ) throws(SensorError) -> SelfTestFindings? {
    try with(
      { device throws(SensorError) in try device.selfTest(supply: supply, clock: &clock).map { SelfTestFindings($0) } },
      { device throws(SensorError) in try device.selfTest(clock: &clock).map { SelfTestFindings($0) } })
  }

  /// Does what is given for the model that this is.
  @inline(__always)
  private mutating func with<Value>(
    _ adxl345: (inout ADXL345.Device<BoardBus>) throws(SensorError) -> Value,
    _ mpu6050: (inout MPU6050.Device<BoardBus>) throws(SensorError) -> Value
  ) throws(SensorError) -> Value {
    switch consume self {
    case .adxl345(var device):
      do throws(SensorError) {
        let value = try adxl345(&device)
        self = .adxl345(device)
        return value
      } catch {
        self = .adxl345(device)
        throw error
      }
    case .mpu6050(var device):
      do throws(SensorError) {
        let value = try mpu6050(&device)
        self = .mpu6050(device)
        return value
      } catch {
        self = .mpu6050(device)
        throw error
      }
    }
  }
}
