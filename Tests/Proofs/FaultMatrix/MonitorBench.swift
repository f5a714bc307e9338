import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors

/// Forwards to a sensor, and counts its errors.
struct Tallied<Base: Accelerometer & ~Copyable>: Accelerometer, ~Copyable {
  var base: Base
  let tally: Tally

  var fullScale: Q16 { base.fullScale }
  var rotationFullScale: Q16? { base.rotationFullScale }
  var transactions: UInt64 { base.transactions }
  var notice: SensorNotice? { base.notice }

  mutating func start() throws(SensorError) -> Microseconds {
    tally.willStart()
    do { return try base.start() } catch { throw tally.count(error) }
  }

  mutating func proceed() throws(SensorError) -> Microseconds? {
    do { return try base.proceed() } catch { throw tally.count(error) }
  }

  mutating func sample() throws(SensorError) -> Vector3 {
    do {
      tally.willSample()
      let sample = try base.sample()
      tally.countSample()
      return sample
    } catch { throw tally.count(error) }
  }

  mutating func measure() throws(SensorError) -> Measurement {
    do {
      tally.willSample()
      let measurement = try base.measure()
      tally.countSample()
      return measurement
    } catch { throw tally.count(error) }
  }

  mutating func reopen() throws(SensorError) {
    do { try base.reopen() } catch { throw tally.count(error) }
  }

  var isBatching: Bool { base.isBatching }
  var hasNext: Bool { base.hasNext }
  var timing: SampleTiming? { base.timing }

  mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant {
    tally.willSample()
    do { return try base.collect(by: time) } catch { throw tally.count(error) }
  }

  mutating func next() -> BatchElement? {
    let element = base.next()
    if case .sample = element { tally.countSample() }
    return element
  }
}

/// A sensor, and what a loop over it needs to know.
enum Kind: CaseIterable {
  case adxl345, mpu6050, mpu6500
  /// With the gyroscope on, as those that follow, except for the LIS3DH.
  case turningMPU6050
  case lis3dh, lsm6ds, lsm9ds1, icm20948

  /// Those with all tests.
  static let thorough: [Kind] = [.adxl345, .mpu6050, .mpu6500, .turningMPU6050]

  /// Runs a loop over an emulated sensor of this kind in virtual time, `batch` samples at a time, and shows each turn
  /// to `observer`.
  ///
  /// Of the last four kinds only single samples. Ends when the observer says so, or at sleep number `sleeps`; throws if the outputs fail, which they do not.
  func run(
    _ motion: any Motion, plan: FaultPlan, log: BusLog, tally: Tally, clock: VirtualClock, sleeps: Int = .max,
    batch: Int = 1,
    observer: (_ report: Observation, _ state: PoseState, _ counters: Counters) -> Bool
  ) throws(OutputFault) {
    let pass: (Microseconds) -> Void = { clock.advance(by: $0) }
    let now: () -> Instant = { clock.now }
    func bus(_ part: EmulatedPart, _ address: I2CAddress) -> EmulatedBus {
      EmulatedBus(
        part.target(motion: motion, now: now), at: address, plan: plan, log: log, pass: pass, now: now)
    }
    let hasty = HastyClock(clock: clock, sleeps: sleeps)
    switch self {
    case .lis3dh:
      try watch(Batched(LIS3DH.Device(bus: bus(.lis3dh, LIS3DH.address)), size: 1), tally, hasty, observer)
    case .lsm6ds:
      let configuration = LSM6DS.Configuration(gyroscope: .dps500)
      let device = LSM6DS.Device(bus: bus(.lsm6ds, LSM6DS.address), configuration: configuration)
      try watch(Batched(device, size: 1), tally, hasty, observer)
    case .lsm9ds1:
      let configuration = LSM9DS1.Configuration(gyroscope: .dps500)
      let device = LSM9DS1.Device(bus: bus(.lsm9ds1, LSM9DS1.address), configuration: configuration)
      try watch(Batched(device, size: 1), tally, hasty, observer)
    case .icm20948:
      let configuration = ICM20948.Configuration(gyroscope: .dps500)
      let device = ICM20948.Device(bus: bus(.icm20948, ICM20948.address), configuration: configuration)
      try watch(Batched(device, size: 1), tally, hasty, observer)
    case .adxl345:
      let part = EmulatedADXL345(motion: motion, now: now)
      let bus = EmulatedBus(part, at: EmulatedADXL345.address, plan: plan, log: log, pass: pass, now: now)
      var configuration = ADXL345.Configuration()
      if batch > 1 { configuration.fifo = .stream(watermark: .init(nearest: Int32(batch))) }
      try watch(
        Batched(ADXL345.Device(bus: bus, configuration: configuration), size: batch), tally, hasty,
        observer)
    case .mpu6050, .mpu6500, .turningMPU6050:
      let part = EmulatedMPU6050(
        motion: motion, configuration: EmulatedMPU6050.Configuration(self == .mpu6500 ? .mpu6500 : .mpu6050), now: now)
      let bus = EmulatedBus(part, at: EmulatedMPU6050.address, plan: plan, log: log, pass: pass, now: now)
      var configuration =
        self == .turningMPU6050 ? MPU6050.Configuration(range: .g8, gyroscope: .dps2000) : MPU6050.Configuration()
      let isTurning = self == .turningMPU6050
      if batch > 1 {
        configuration.fifo = MPU6050.FIFO(
          includesTemperature: isTurning, includesRotation: isTurning, longestBurst: 240)
      }
      try watch(
        Batched(MPU6050.Device(bus: bus, configuration: configuration), size: batch), tally, hasty,
        observer)
    }
  }

  private func watch<Sensor: BatchingAccelerometer & ~Copyable>(
    _ sensor: consuming Batched<Sensor>, _ tally: Tally, _ clock: HastyClock,
    _ observer: (_ report: Observation, _ state: PoseState, _ counters: Counters) -> Bool
  ) throws(OutputFault) {
    let configuration = Monitor.Configuration(
      period: .milliseconds(10) * Int64(sensor.size), fullScale: sensor.fullScale,
      rotationFullScale: sensor.rotationFullScale)
    let bank = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(
      sensor: Tallied(base: sensor, tally: tally), bank: bank, clock: clock, configuration: configuration)
    // One observation for all turns, because a copy of it in each would take a tenth of the time.
    var report = Observation()
    while try loop.turn(into: &report), observer(report, loop.monitor.state, loop.monitor.counters) {}
  }
}
