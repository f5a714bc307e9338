package import BoardFile
package import FixedPoint
package import HAL
package import LinuxHAL
package import Sensors
package import ToolOutput

/// The sensor of a board, whatever its model.
package struct BoardSensor: BatchingAccelerometer, ~Copyable {
  private var sensor: AnySensor<BoardBus>
  /// Whether to read a sensor that already runs as it should instead of starting it.
  private let adopts: Bool
  /// Whether that is so, and nothing was written to the sensor.
  package private(set) var isAdopted = false
  /// Where the sensor is that may be adopted; nil if it is emulated.
  private let place: (path: ShortText<64>, address: I2CAddress)?
  /// Owns the sensor for this program if it could not be adopted.
  private var ownership: LinuxI2CBus?
  /// Why it could be neither adopted nor started.
  package private(set) var refusal: LinuxI2CError?

  /// Opens the bus of `board` with its sensor. Samples collect in the sensor, as the board says, only if requested;
  /// otherwise each sample is the current one. A program that starts the sensor `owns` it; one that adopts it owns it
  /// only once it has to start it.
  package init(
    of board: BoardDescription, _ emulated: EmulatedBoard, _ clock: BoardClock, adopts: Bool = false,
    owns: Bool = true, keepsSamples: Bool = false
  ) throws(ToolError) {
    var described = board.sensor
    if !keepsSamples { _ = described.setBatch(1) }
    let bus = try BoardBus(of: board, emulated, clock, owns: owns && !adopts)
    sensor = described.configuration.device(on: bus, at: described.address)
    self.adopts = adopts
    place = if case .linux(let path) = board.bus { (path, described.address) } else { nil }
  }

  package var fullScale: Q16 { sensor.fullScale }
  package var rotationFullScale: Q16? { sensor.rotationFullScale }
  package var transactions: UInt64 { sensor.transactions }
  package var notice: SensorNotice? { sensor.notice }

  package mutating func start() throws(SensorError) -> Microseconds {
    isAdopted = false
    guard adopts else { return try sensor.start() }
    isAdopted = try sensor.adopt()
    if isAdopted {
      refusal = nil
      return .zero
    }
    try own()
    return try sensor.start()
  }

  /// Owns the sensor for this program, once.
  private mutating func own() throws(SensorError) {
    guard let place, ownership == nil else { return }
    do throws(LinuxI2CError) {
      var bus = try LinuxI2CBus(path: place.path)
      try bus.own(place.address)
      ownership = consume bus
      refusal = nil
    } catch {
      refusal = error
      throw .bus(error.fault)
    }
  }

  package mutating func proceed() throws(SensorError) -> Microseconds? { isAdopted ? nil : try sensor.proceed() }

  package mutating func adopt() throws(SensorError) -> Bool { try sensor.adopt() }

  package mutating func verifyConfiguration() throws(SensorError) { try sensor.verifyConfiguration() }

  /// A sample. One from a sensor that may be adopted must not be all zeros: a part reads zeros before its first sample,
  /// for example just after another program has started it, and some defective parts always do.
  package mutating func sample() throws(SensorError) -> Vector3 {
    let force = try sensor.sample()
    guard !adopts || force != .zero else { throw .weightless }
    return force
  }

  package mutating func measure() throws(SensorError) -> Measurement {
    let measurement = try sensor.measure()
    guard !adopts || measurement.force != .zero else { throw .weightless }
    return measurement
  }

  package mutating func reopen() throws(SensorError) { try sensor.reopen() }

  package var canWatchForMovement: Bool { sensor.canWatchForMovement }
  package var movementThreshold: Q16 { sensor.movementThreshold }

  package mutating func watchForMovement() throws(SensorError) -> Microseconds? { try sensor.watchForMovement() }
  package mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool { try sensor.hasMoved(from: force) }
  package mutating func wake() throws(SensorError) -> Microseconds { try sensor.wake() }

  package var samplePeriod: Microseconds { sensor.samplePeriod }
  package var keepsSamples: Bool { sensor.keepsSamples }

  package mutating func waiting() throws(SensorError) -> WaitingSamples { try sensor.waiting() }

  package mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try sensor.take(count, into: &samples)
  }

  package mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? { try sensor.testItself(supply: millivolts, by: &clock) }
}
