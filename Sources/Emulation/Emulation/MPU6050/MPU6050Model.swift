import FixedPoint

/// The state of an emulated MPU-6050; every step is passed the present instant.
struct MPU6050Model {
  typealias Register = MPU6050Register

  let specimen: EmulatedMPU6050.Configuration
  /// The motion of the board, from `motionStart` on.
  var motion: any Motion
  var motionStart: Instant
  /// The board's rotation rate in addition to that of its motion, in °/s.
  var angularRate = Vector3.zero
  /// The temperature of the die in °C, without its own heat.
  var dieTemperature = Q16(whole: 35)
  /// The instant of power-on.
  var suppliedAt: Instant
  /// What a fault plan dictates for the transaction.
  var conditions = TargetConditions()
  /// The number of samples since creation.
  var sampleCount: UInt64 = 0

  var bytes: [UInt8]
  let writableBits: [UInt8]
  var pointer = 0
  var fifo: ByteQueue
  /// FIFO_COUNT at the time its high byte was last read.
  var latchedCount = 0
  /// INT_STATUS.
  var status: UInt8 = 0
  /// The start of the interrupt pin's last pulse.
  var pulse: Instant?
  /// Detects motion; restarts when that is enabled, and when ACCEL_CONFIG or ACCEL_INTEL_CTRL is written.
  var motionDetector = MotionDetector()
  /// Whether I2C_IF_DIS has cut it off.
  var isDeaf = false

  /// The end of the reset in progress.
  var resetEnd: Instant?
  /// The sample clock; nil while it is stopped.
  var ticks: SampleTicks?
  /// The number of the next sample to take.
  var nextSample: Int64 = 0
  /// The instant of the next event: a sample, or the end of a reset.
  var nextEvent = Instant(microseconds: .max)
  /// No sample is taken before this instant, since the last start.
  var startedAt = Instant(microseconds: 0)
  /// The accelerometer holds its values until then.
  var accelerometerReady = Instant(microseconds: 0)
  /// The gyroscope holds its values until then.
  var gyroscopeReady = Instant(microseconds: 0)

  var settings = MPU6050Settings()
  var noise: NoiseSource
  var gyroscopeNoise: NoiseSource
  /// The index of the noise at unit 0 of the sample clock.
  var noiseIndex: UInt64 = 0
  let seed: UInt64

  /// A part powered on at `now`.
  init(_ specimen: EmulatedMPU6050.Configuration, motion: any Motion, seed: UInt64, now: Instant) {
    self.specimen = specimen
    self.motion = motion
    self.seed = seed
    motionStart = now
    suppliedAt = now
    bytes = Register.resetValues(of: specimen)
    writableBits = Register.writableBits(of: specimen.part)
    fifo = ByteQueue(capacity: 1)
    noise = NoiseSource(standardDeviation: .zero, seed: seed)
    gyroscopeNoise = noise
    powerUp(at: now)
  }

  /// Loses the supply and regains it.
  mutating func powerUp(at now: Instant) {
    restoreResetValues()
    suppliedAt = now
    pointer = 0
    isDeaf = false
    resetEnd = nil
    start(at: now)
  }

  /// Starts the reset that DEVICE_RESET requests.
  mutating func beginReset(at now: Instant) {
    restoreResetValues()
    let end = specimen.resetTime.map { now + $0 } ?? Instant(microseconds: .max)
    resetEnd = end
    nextEvent = end
  }

  /// Continues after a reset or after power-up, with a cold start.
  mutating func start(at now: Instant) {
    resetEnd = nil
    applyRegisters(at: now, startUp: specimen.part.coldStartUp)
  }

  private mutating func restoreResetValues() {
    bytes = Register.resetValues(of: specimen)
    status = 0
    pulse = nil
    latchedCount = 0
    motionDetector = MotionDetector()
    fifo = ByteQueue(capacity: fifoCapacity)
    stopClock()
  }

  private mutating func stopClock() {
    // So that no index of the noise is used twice.
    if let ticks { noiseIndex &+= UInt64(truncatingIfNeeded: nextSample &* ticks.rate.unitsPerSample) &+ 1 }
    ticks = nil
    nextSample = 0
    nextEvent = Instant(microseconds: .max)
  }

  /// The number of bytes the FIFO can hold with the present registers.
  var fifoCapacity: Int {
    let greatest = max(1, min(4_096, specimen.part.fifoSize))
    guard specimen.part.selectsFIFOSize else { return greatest }
    return min(greatest, 512 << Int(bytes[Register.accelerometerConfiguration2] >> 6))
  }

  /// Sets clock, filters and scales as the registers now require.
  ///
  /// A clock that starts takes `startUp`; one that changes its rate starts a new period.
  mutating func applyRegisters(at now: Instant, startUp: Microseconds) {
    let rate = clockRate()
    let old = ticks
    if rate != old?.rate { stopClock() }
    if let rate, rate != old?.rate {
      if let old {
        ticks = SampleTicks(rate: rate, first: max(now + rate.period, startedAt))
        if old.rate.isCycling && !rate.isCycling { gyroscopeReady = now + specimen.part.gyroscopeStartUp }
      } else {
        startedAt = now + startUp
        accelerometerReady = startedAt
        gyroscopeReady = now + specimen.part.gyroscopeStartUp
        ticks = SampleTicks(rate: rate, first: startedAt)
      }
      nextEvent = ticks?.first ?? nextEvent
    }
    let isCycling = rate?.isCycling ?? false
    settings = MPU6050Settings(bytes, specimen, isCycling: isCycling)
    applyFilters(isCycling: isCycling)
  }

  private mutating func applyFilters(isCycling: Bool) {
    let filter = MPU6050Settings.filter(bytes, specimen.part, isCycling: isCycling)
    let deviation = MPU6050Filter.noise(
      density: specimen.noiseMicrogPerRootHertz, bandwidthTenths: filter.bandwidthTenths)
    let gyroscopeDeviation = MPU6050Filter.noise(
      density: specimen.gyroscopeNoiseMicrodegreesPerRootHertz,
      bandwidthTenths: MPU6050Filter.gyroscopeBandwidthTenths(bytes[Register.configuration]))
    noise = NoiseSource(standardDeviation: Vector3(x: deviation, y: deviation, z: deviation), seed: seed)
    gyroscopeNoise = NoiseSource(
      standardDeviation: Vector3(x: gyroscopeDeviation, y: gyroscopeDeviation, z: gyroscopeDeviation), seed: ~seed)
  }
}

/// The effect of bytes on the bus on an MPU-6050.
extension MPU6050Model {
  /// Receives a register number and the bytes for the registers from there on.
  mutating func receive(_ written: Span<UInt8>, at now: Instant) {
    advance(to: now)
    guard written.count > 0 && !isDeaf else { return }
    pointer = Int(written[0])
    for index in 1..<max(1, written.count) { write(written[index], at: now) }
  }

  /// Transmits the registers from the pointer on.
  mutating func transmit(into buffer: inout MutableSpan<UInt8>, at now: Instant) {
    advance(to: now)
    for index in buffer.indices { buffer[index] = isDeaf ? 0xFF : read() }
    let clearsOnAnyRead = bytes[Register.interruptPinConfiguration] & 0x10 != 0
    if clearsOnAnyRead && buffer.count > 0 { status = 0 }
  }

  private mutating func read() -> UInt8 {
    let register = pointer
    if register != Register.fifoData { pointer = (pointer + 1) & 0xFF }
    switch register {
    case Register.interruptStatus:
      defer { status = 0 }
      return status
    case Register.fifoCountHigh:
      latchedCount = fifo.count
      return UInt8(truncatingIfNeeded: latchedCount >> 8)
    case Register.fifoCountLow: return UInt8(truncatingIfNeeded: latchedCount)
    case Register.fifoData: return bytes[Register.userControl] & 0x40 != 0 ? fifo.pop() : fifo.lastRead
    case Register.identity: return conditions.identity ?? bytes[register]
    case Register.powerManagement1: return bytes[register] | (resetEnd == nil ? 0 : 0x80)
    default: return bytes[register]
    }
  }

  private mutating func write(_ value: UInt8, at now: Instant) {
    let register = pointer
    if register != Register.fifoData { pointer = (pointer + 1) & 0xFF }
    guard resetEnd == nil && !isDeaf else { return }
    switch register {
    case Register.powerManagement1 where value & 0x80 != 0: beginReset(at: now)
    case Register.signalPathReset: restart(accelerometer: value & 0x02 != 0, gyroscope: value & 0x04 != 0, at: now)
    case Register.userControl: control(value, at: now)
    default: store(value, in: register, at: now)
    }
  }

  private mutating func store(_ value: UInt8, in register: Int, at now: Instant) {
    let mask = writableBits[register]
    guard mask != 0 else { return }
    let cleared = bytes[register] & ~value
    let changed = (bytes[register] ^ value) & mask
    bytes[register] = value & mask
    switch register {
    case Register.interruptEnable: if changed & 0x40 != 0 { motionDetector = MotionDetector() }
    case Register.accelerometerConfiguration, Register.motionControl: motionDetector = MotionDetector()
    case Register.powerManagement1:
      restart(accelerometer: false, gyroscope: cleared & 0x10 != 0, at: now)
    case Register.powerManagement2:
      restart(accelerometer: cleared & 0x38 != 0, gyroscope: cleared & 0x07 != 0, at: now)
    case Register.accelerometerConfiguration2:
      if fifo.capacity != fifoCapacity { fifo = ByteQueue(capacity: fifoCapacity) }
    default: break
    }
    applyRegisters(at: now, startUp: specimen.part.startUp)
  }

  /// Writes USER_CTRL.
  private mutating func control(_ value: UInt8, at now: Instant) {
    let wasRunning = bytes[Register.userControl] & 0x40 != 0
    bytes[Register.userControl] = value & writableBits[Register.userControl]
    if value & 0x04 != 0 && value & 0x40 == 0 && !wasRunning { fifo.removeAll() }
    if value & 0x01 != 0 {
      for register in Register.accelerometerData..<(Register.gyroscopeData + 6) { bytes[register] = 0 }
      restart(accelerometer: true, gyroscope: true, at: now)
    }
    isDeaf = value & 0x10 != 0
    applyRegisters(at: now, startUp: specimen.part.startUp)
  }

  /// Makes sensors hold their values for their start-up times.
  private mutating func restart(accelerometer: Bool, gyroscope: Bool, at now: Instant) {
    if accelerometer { accelerometerReady = now + specimen.part.startUp }
    if gyroscope { gyroscopeReady = now + specimen.part.gyroscopeStartUp }
  }

  /// The interrupt pin at `now`.
  func interruptPin(at now: Instant) -> EmulatedMPU6050.InterruptPin {
    let pinConfiguration = bytes[Register.interruptPinConfiguration]
    let isActive: Bool
    if pinConfiguration & 0x20 != 0 {
      isActive = status & bytes[Register.interruptEnable] != 0
    } else {
      isActive = pulse.map { now >= $0 && now < $0 + Microseconds(50) } ?? false
    }
    let isActiveLow = pinConfiguration & 0x80 != 0
    if isActive != isActiveLow { return pinConfiguration & 0x40 != 0 ? .released : .high }
    return .low
  }
}
