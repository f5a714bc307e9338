// Uses the whole core like a firmware, compiled without allocations: generic code is checked only if it is
// specialised.
internal import Plumb
internal import TL3

/// A bus whose answers no compiler can predict, so that nothing behind it is optimised away.
struct NoisyBus: I2CBus, ~Copyable {
  var noise: UInt8

  @inline(never)
  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    for index in bytes.indices { noise ^= bytes[index] }
    if noise == 3 { throw .noAcknowledge }
  }

  @inline(never)
  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    for index in buffer.indices {
      buffer[index] = noise
      noise = noise &* 5 &+ address.rawValue
    }
    if noise == 7 { throw .shortRead(expected: buffer.count, received: 0) }
  }
}

struct Port: OutputBank, ~Copyable {
  var register: UInt32 = 0

  mutating func write(_ levels: Levels) throws(OutputFault) { register = levels.bits }
}

struct Counter: MonotonicClock, ~Copyable {
  var now = Instant(microseconds: 0)

  mutating func sleep(until deadline: Instant) -> Bool {
    now = max(now, deadline)
    return true
  }
}

/// Runs the loop for `turns` turns and returns the number of events.
func run<Sensor: Accelerometer & ~Copyable>(_ sensor: consuming Sensor, period: Microseconds, turns: UInt32) -> Int {
  let fullScale = sensor.fullScale
  var loop = Loop(
    sensor: sensor, bank: Port(), clock: Counter(),
    configuration: Monitor.Configuration(
      period: period, fullScale: fullScale, movement: Movement.Configuration(crossFades: true, capturesRest: true)))
  var events = 0
  for _ in 0..<turns {
    do throws(OutputFault) {
      guard let report = try loop.turn() else { return events }
      events &+= report.events.count
    } catch {
      return -1
    }
    do throws(SensorError) {
      events &+= try loop.sensor.adopt() ? 1 : 0
      events &+= try loop.read().relativeAngle(to: .landscapeLeft).raw > 0 ? 1 : 0
    } catch { continue }
  }
  return events
}

/// The loop with a sensor of any model, by its raw value, and its self-test: everything that all drivers of the table
/// support.
public func runAnyFirmware(model: UInt8, turns: UInt32, noise: UInt8) -> Int {
  guard let model = SensorModel(rawValue: model) else { return -1 }
  var configuration = SensorConfiguration(model)
  configuration.batch = Int32(noise)
  configuration.taps = SensorConfiguration.Taps(
    threshold: Q16(whole: 3), duration: .milliseconds(10), latency: .milliseconds(25), window: .milliseconds(200),
    axes: noise, findsDoubleTaps: noise > 7)
  var sensor = configuration.device(on: NoisyBus(noise: noise), at: model.traits.addresses.high)
  var clock = Counter()
  do throws(SensorError) {
    try configuration.check(against: UInt32(noise) &* 10_000)
    guard let test = try sensor.testItself(supply: 3_000, by: &clock), test.force?[0].outcome == .passed else {
      return -2
    }
  } catch { return -3 }
  return run(Batched(sensor, size: 4), period: configuration.outputPeriod, turns: turns)
}

/// Runs the loop with an ADXL345.
public func runFirmware(turns: UInt32, noise: UInt8) -> Int {
  let configuration = ADXL345.Configuration(rate: .hz100, range: .g16)
  return run(
    ADXL345.Device(bus: NoisyBus(noise: noise), configuration: configuration), period: configuration.rate.period,
    turns: turns)
}

/// Runs the loop with an MPU-6050.
public func runOtherFirmware(turns: UInt32, noise: UInt8) -> Int {
  let configuration = MPU6050.Configuration(gyroscope: .dps250, fifo: MPU6050.FIFO(includesRotation: true))
  return run(
    MPU6050.Device(bus: NoisyBus(noise: noise), configuration: configuration), period: configuration.period,
    turns: turns)
}

/// The loop with the sensor of docs/adding-a-sensor.md: a driver written like that page allocates nothing.
public func runNewSensor(turns: UInt32, noise: UInt8) -> Int {
  let configuration = TL3.Configuration(rate: .hz200, range: .g8)
  let device = TL3.Device(bus: NoisyBus(noise: noise), address: MPU6050.address, configuration: configuration)
  return run(device, period: configuration.rate.period, turns: turns)
}

/// Uses all that every driver has. Returns a number that depends on all of it.
func exercise<Sensor: BatchingAccelerometer & ~Copyable>(
  _ device: inout Sensor, _ clock: inout Counter
) throws(SensorError) -> Int32 {
  var batch = SampleBatch()
  if try !device.adopt() { clock.now = clock.now + (try device.start()) }
  while let wait = try device.proceed() { clock.now = clock.now + wait }
  try device.verifyConfiguration()
  let (force, measurement) = (try device.sample(), try device.measure())
  if device.keepsSamples { try device.take(try device.waiting().count, into: &batch) }
  if device.canWatchForMovement {
    while let wait = try device.watchForMovement() { clock.now = clock.now + wait }
    clock.now = clock.now + (try device.hasMoved(from: force) ? try device.wake() : device.samplePeriod)
  }
  let test = try device.testItself(supply: 3_000, by: &clock)
  try device.reopen()
  var digest = force.x.raw ^ measurement.force.y.raw ^ (measurement.rotation?.z.raw ?? 0)
  digest ^= Int32(measurement.findings.rawValue) ^ (measurement.temperature?.raw ?? 0)
  digest ^= (batch[0]?.force.z.raw ?? 0) ^ (batch[1]?.rotation?.x.raw ?? 0)
  digest ^= (test?.force?[0].change.raw ?? 0) ^ (test?.rotation?[1].limits?.1.raw ?? 0)
  digest ^= device.fullScale.raw ^ (device.rotationFullScale?.raw ?? 0) ^ device.movementThreshold.raw
  return device.notice == nil ? digest : ~digest
}

/// An ADXL345 with its FIFO and detection, and its own self-test.
public func exerciseADXL345(noise: UInt8, threshold: Int32) -> Int32 {
  let force = Q16(raw: threshold)
  let configuration = ADXL345.Configuration(
    fifo: .stream(watermark: .init(nearest: threshold)),
    detection: ADXL345.Detection(
      tap: ADXL345.Tap(
        threshold: force, duration: .milliseconds(10),
        kind: ADXL345.SecondTap(latency: .milliseconds(25), window: .milliseconds(200))
          .map { .singleAndDouble($0) } ?? .single),
      freeFall: ADXL345.FreeFall(threshold: force, time: .milliseconds(100))),
    interrupts: ADXL345.Interrupts(conditions: .watermark, onInterrupt2: .freeFall))
  var device = ADXL345.Device(bus: NoisyBus(noise: noise), configuration: configuration)
  var clock = Counter()
  do throws(SensorError) {
    return try exercise(&device, &clock) ^ (try device.selfTest(clock: &clock)?.x.change.raw ?? 0)
  } catch {
    return -1
  }
}

/// An MPU-6050 with its FIFO and interrupt pin, and its own self-test.
public func exerciseMPU6050(noise: UInt8, turns: Bool) -> Int32 {
  let configuration = MPU6050.Configuration(
    rate: .hz200, gyroscope: turns ? .dps250 : nil,
    interrupts: MPU6050.Interrupts(signalsDataReady: true, isLatched: true),
    fifo: MPU6050.FIFO(includesTemperature: true, includesRotation: true))
  var device = MPU6050.Device(
    bus: NoisyBus(noise: noise), address: MPU6050.alternateAddress, configuration: configuration)
  var clock = Counter()
  do throws(SensorError) {
    return try exercise(&device, &clock) ^ (try device.selfTest(clock: &clock)?.x.response ?? 0)
  } catch {
    return -1
  }
}

/// An ICM-20948 with its FIFO, and its own self-test.
public func exerciseICM20948(noise: UInt8, turns: Bool) -> Int32 {
  let configuration = ICM20948.Configuration(
    rate: .hz225, gyroscope: turns ? .dps250 : nil,
    fifo: ICM20948.FIFO(includesTemperature: true, includesRotation: true))
  var device = ICM20948.Device(bus: NoisyBus(noise: noise), configuration: configuration)
  var clock = Counter()
  do throws(SensorError) {
    return try exercise(&device, &clock) ^ (try device.selfTest(clock: &clock)?.x.response ?? 0)
  } catch {
    return -1
  }
}

/// The other sensors, each with its FIFO.
public func exerciseOthers(noise: UInt8, turns: Bool) -> Int32 {
  let three = LIS3DH.Configuration(
    rate: .hz200, resolution: .normal, fifo: .stream(watermark: .init(nearest: Int32(noise))),
    interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: turns))
  let six = LSM6DS.Configuration(
    rate: .hz208, gyroscope: turns ? .dps500 : nil, usesFIFO: true,
    interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: turns))
  let nine = LSM9DS1.Configuration(
    rate: .hz238, gyroscope: turns ? .dps500 : nil, fifo: .continuous(threshold: .init(nearest: Int32(noise))),
    interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: turns))
  var lis3dh = LIS3DH.Device(bus: NoisyBus(noise: noise), address: LIS3DH.alternateAddress, configuration: three)
  var lsm6ds = LSM6DS.Device(bus: NoisyBus(noise: noise), address: LSM6DS.alternateAddress, configuration: six)
  var lsm9ds1 = LSM9DS1.Device(bus: NoisyBus(noise: noise), address: LSM9DS1.alternateAddress, configuration: nine)
  var clock = Counter()
  do throws(SensorError) {
    return try exercise(&lis3dh, &clock) ^ (try exercise(&lsm6ds, &clock)) ^ (try exercise(&lsm9ds1, &clock))
      ^ Int32(lsm6ds.part?.rawValue ?? 0)
  } catch {
    return -1
  }
}

/// The registers of a part without a driver.
public func registers(noise: UInt8) -> Int {
  var bus = NoisyBus(noise: noise)
  var bytes = InlineArray<6, UInt8>(repeating: 0)
  do throws(I2CFault) {
    try bus.write([0x2D, 0x08], to: ADXL345.address)
    try bus.writeRegister(0x2C, noise, at: ADXL345.address)
    try bus.readRegisters(from: 0x32, into: &bytes, at: ADXL345.address)
    return Int(bytes[5]) &+ Int(try bus.readRegister(0x00, at: ADXL345.address))
  } catch {
    return -1
  }
}

/// Probes the bus: how many sensors are usable, including the reports on the others.
public func countSensors(noise: UInt8) -> Int {
  var bus = NoisyBus(noise: noise)
  let report = bus.probe()
  var count = 0
  for index in 0..<report.count {
    guard let finding = report[index] else { continue }
    switch finding.answer {
    case .usable(let part): count &+= part.admission == .accepted ? 1 : 2
    case .refused, .unknown, .noIdentity, .fault: count &+= finding.mayBeClock ? 3 : 4
    }
  }
  return report[ADXL345.address] == nil ? count : count &+ 1
}

/// The parts that the loop does not use.
public func angles(x: Int32, y: Int32, z: Int32) -> Int32 {
  let force = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
  let sum = force.deviceAngle + force.levelAngle + force.pitch + force.roll + force.inclination
  return (sum + force.relativeAngle(to: .landscapeLeft)).degrees.squareRoot.raw
}
