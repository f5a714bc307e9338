import BoardFile
import FixedPoint
import HAL
import OpenBoard
import Sensors

/// The sensor of a board, of whatever model.
struct BoardSensor: BatchingAccelerometer, ~Copyable {
  private var sensor: AnySensor<BoardBus>
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
    var described = board.sensor
    if !keepsSamples { _ = described.setBatch(1) }
    sensor = AnySensor(described, on: try BoardBus(of: board, emulated, clock))
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
    try sensor.with(
      { device throws(SensorError) in try device.selfTest(supply: supply, clock: &clock).map { SelfTestFindings($0) } },
      { device throws(SensorError) in try device.selfTest(clock: &clock).map { SelfTestFindings($0) } })
  }
}
