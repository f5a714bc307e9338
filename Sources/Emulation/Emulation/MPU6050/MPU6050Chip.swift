import FixedPoint

extension EmulatedMPU6050 {
  /// The numbers of the family's registers that have an effect.
  ///
  /// Written from the register maps alone: an error shared with a driver would go unnoticed in both.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, 3; MPU-6500 Register Map Rev. 2.1, 3.
  enum Register {
    static var gyroscopeOffset: Int { 0x13 }
    static var sampleRateDivider: Int { 0x19 }
    static var configuration: Int { 0x1A }
    static var gyroscopeConfiguration: Int { 0x1B }
    static var accelerometerConfiguration: Int { 0x1C }
    static var accelerometerConfiguration2: Int { 0x1D }
    static var lowPowerRate: Int { 0x1E }
    static var motionThreshold: Int { 0x1F }
    static var motionDuration: Int { 0x20 }
    static var fifoEnable: Int { 0x23 }
    static var interruptPinConfiguration: Int { 0x37 }
    static var interruptEnable: Int { 0x38 }
    static var accelerometerData: Int { 0x3B }
    static var temperatureData: Int { 0x41 }
    static var gyroscopeData: Int { 0x43 }
    static var motionControl: Int { 0x69 }
    static var userControl: Int { 0x6A }
    static var powerManagement1: Int { 0x6B }
    static var powerManagement2: Int { 0x6C }
  }

  /// The complete state of the part at one moment.
  struct Chip: EmulatedChip {
    typealias Register = EmulatedMPU6050.Register

    var state: ChipState
    let specimen: Configuration
    var fifo: SampleFIFO
    /// FIFO_COUNT at the time its high byte was last read.
    private var latchedCount = 0
    /// INT_STATUS.
    var status: UInt8 = 0
    /// The start of the interrupt pin's last pulse.
    var pulse: Instant?
    /// Detects motion; restarts when that is enabled, and when ACCEL_CONFIG or ACCEL_INTEL_CTRL is written.
    var motionDetector = MotionDetector()
    /// Whether I2C_IF_DIS has cut it off.
    private var isDeaf = false

    /// The end of the reset in progress.
    private var resetEnd: Instant?
    /// The sample clock; nil while it is stopped.
    var ticks: SampleTicks?
    /// The number of the next sample to take.
    var nextSample: Int64 = 0
    /// The instant of the next event: a sample, or the end of a reset.
    var nextEvent = Instant(microseconds: .max)
    /// No sample is taken before this instant, since the last start.
    private var startedAt = Instant(microseconds: 0)
    /// The accelerometer holds its values until then.
    var accelerometerReady = Instant(microseconds: 0)
    /// The gyroscope holds its values until then.
    var gyroscopeReady = Instant(microseconds: 0)
    var settings = Settings()
    /// The index of the noise at unit 0 of the sample clock.
    var noiseIndex: UInt64 = 0

    /// A part powered on at `now`.
    init(_ specimen: Configuration, motion: any Motion, at now: Instant, seed: UInt64) {
      self.specimen = specimen
      var analogue = Analogue(motion: motion, at: now, seed: seed)
      analogue.setErrors(offset: specimen.zeroGOffset, sensitivity: specimen.sensitivityError)
      analogue.gyroscopeErrors = specimen.gyroscopeErrors
      analogue.dieTemperature = Q16(whole: 35)
      (analogue.selfHeating, analogue.selfHeatingTime) = (specimen.selfHeating, specimen.selfHeatingTime)
      state = ChipState(Self.map(of: specimen), analogue, at: now)
      fifo = SampleFIFO(capacity: 1)
      reset()
      start(at: now)
    }
  }
}

// Registers.
extension EmulatedMPU6050.Chip {
  /// The registers; those of the factory's codes are read-only.
  private static func map(of specimen: EmulatedMPU6050.Configuration) -> RegisterMap {
    let part = specimen.part
    let isNew = part.layout == .mpu6500
    var rows: [RegisterMap.Row] = [
      .registers(0x13...0x19, writable: 0xFF), .registers(0x1A, writable: isNew ? 0x7F : 0x3F),
      .registers(0x1B, writable: part.gyroscopeRangeShift == 2 ? 0xFC : 0xF8),
      .registers(0x1C, writable: isNew ? 0xF8 : 0xFF), .registers(0x23, writable: 0xFF),
      .registers(0x37, writable: 0xFE), .registers(0x38, writable: 0x59),
      .registers(0x68, writable: 0x07, selfClearing: 0x07), .registers(0x6A, writable: 0x77, selfClearing: 0x07),
      .registers(
        0x6B, writable: isNew ? 0xFF : 0xEF, reset: part.powerManagementReset, selfClearing: 0x80),
      .registers(0x6C, writable: 0xFF), .registers(0x75, reset: part.identity),
    ]
    if part.hasAuxiliaryBus {
      rows += [.registers(0x24...0x34, writable: 0xFF), .registers(0x63...0x67, writable: 0xFF)]
    }
    if isNew {
      rows += [
        .registers(0x1D, writable: part.selectsFIFOSize ? 0xCF : 0x0F), .registers(0x1E, writable: 0x0F),
        .registers(0x1F, writable: 0xFF), .registers(0x69, writable: 0xC0),
      ]
    } else {
      rows += [.registers(0x1F, 0x20, writable: 0xFF), .registers(0x69, writable: 0x3F)]
    }
    let (codes, gyroscopeCodes) = (specimen.selfTestCodes, specimen.gyroscopeSelfTestCodes)
    let pairs = [(codes.x, gyroscopeCodes.x), (codes.y, gyroscopeCodes.y), (codes.z, gyroscopeCodes.z)]
    for (axis, (code, gyroscopeCode)) in pairs.enumerated() {
      // 6050 class: three high bits next to the gyroscope's code, two low bits in the fourth register, X uppermost.
      rows.append(.registers(0x0D + axis, reset: isNew ? code : (code & 0x1C) << 3 | gyroscopeCode & 0x1F))
      if isNew { rows.append(.registers(axis, reset: gyroscopeCode)) }
    }
    if !isNew { rows.append(.registers(0x10, reset: codes.x << 4 & 0x30 | codes.y << 2 & 0x0C | codes.z & 0x03)) }
    let offsets = specimen.factoryOffsets
    for (axis, offset) in [offsets.x, offsets.y, offsets.z].enumerated() {
      let register = accelerometerOffset(axis, part.layout)
      rows.append(.registers(register, writable: 0xFF, reset: UInt8(truncatingIfNeeded: offset >> 8)))
      rows.append(.registers(register + 1, writable: 0xFF, reset: UInt8(truncatingIfNeeded: offset)))
    }
    return RegisterMap(identity: 0x75, steps: [.init(at: 0x74, to: 0x74)], rows: rows)
  }

  /// The high byte of the accelerometer's offset on `axis`; the low one follows.
  static func accelerometerOffset(_ axis: Int, _ layout: EmulatedMPU6050.Part.Layout) -> Int {
    layout == .mpu6050 ? 0x06 + 2 * axis : 0x77 + 3 * axis
  }

  mutating func read(_ register: Int) -> UInt8 {
    guard !isDeaf else { return 0xFF }
    switch register {
    case 0x3A:
      defer { status = 0 }
      return status
    case 0x72:
      latchedCount = fifo.count
      return UInt8(truncatingIfNeeded: latchedCount >> 8)
    case 0x73: return UInt8(truncatingIfNeeded: latchedCount)
    case 0x74: return state[Register.userControl] & 0x40 != 0 ? fifo.pop() : fifo.lastRead
    case Register.powerManagement1: return state[register] | (resetEnd == nil ? 0 : 0x80)
    default: return state[register]
    }
  }

  mutating func stop(afterReading isRead: Bool) {
    if isRead && state[Register.interruptPinConfiguration] & 0x10 != 0 { status = 0 }
  }

  mutating func write(_ value: UInt8, to register: Int) {
    guard resetEnd == nil && !isDeaf, let before = state.registers.store(value, in: register) else { return }
    wrote(value, to: register, over: before)
  }

  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    let cleared = before & ~value
    switch register {
    case 0x68:
      restart(accelerometer: value & 0x02 != 0, gyroscope: value & 0x04 != 0)
      return
    case Register.interruptEnable: if (before ^ state[register]) & 0x40 != 0 { motionDetector = MotionDetector() }
    case Register.accelerometerConfiguration, Register.motionControl: motionDetector = MotionDetector()
    case Register.userControl:
      if value & 0x04 != 0 && (value | before) & 0x40 == 0 { fifo.removeAll() }
      if value & 0x01 != 0 {
        for data in Register.accelerometerData..<(Register.gyroscopeData + 6) { state[data] = 0 }
        restart(accelerometer: true, gyroscope: true)
      }
      isDeaf = value & 0x10 != 0
    case Register.powerManagement1 where value & 0x80 != 0:
      reset()
      let end = specimen.resetTime.map { state.present + $0 } ?? Instant(microseconds: .max)
      (resetEnd, nextEvent) = (end, end)
      return
    case Register.powerManagement1: restart(accelerometer: false, gyroscope: cleared & 0x10 != 0)
    case Register.powerManagement2: restart(accelerometer: cleared & 0x38 != 0, gyroscope: cleared & 0x07 != 0)
    case Register.accelerometerConfiguration2:
      if fifo.capacity != fifoCapacity { fifo = SampleFIFO(capacity: fifoCapacity) }
    default: break
    }
    applyRegisters(at: state.present, startUp: specimen.part.startUp)
  }

  /// Makes sensors hold their values for their start-up times.
  private mutating func restart(accelerometer: Bool, gyroscope: Bool) {
    if accelerometer { accelerometerReady = state.present + specimen.part.startUp }
    if gyroscope { gyroscopeReady = state.present + specimen.part.gyroscopeStartUp }
  }

  /// The number of bytes the FIFO can hold with the present registers.
  private var fifoCapacity: Int {
    let greatest = max(1, min(4_096, specimen.part.fifoSize))
    guard specimen.part.selectsFIFOSize else { return greatest }
    return min(greatest, 512 << Int(state[Register.accelerometerConfiguration2] >> 6))
  }

  /// The interrupt pin now.
  var interruptPin: EmulatedMPU6050.InterruptPin {
    let pinConfiguration = state[Register.interruptPinConfiguration]
    let isActive: Bool
    if pinConfiguration & 0x20 != 0 {
      isActive = status & state[Register.interruptEnable] != 0
    } else {
      isActive = pulse.map { state.present >= $0 && state.present < $0 + Microseconds(50) } ?? false
    }
    let isActiveLow = pinConfiguration & 0x80 != 0
    if isActive != isActiveLow { return pinConfiguration & 0x40 != 0 ? .released : .high }
    return .low
  }

  var isInterruptHigh: Bool { interruptPin != .low }
}

// Power and clocks.
extension EmulatedMPU6050.Chip {
  mutating func powerCycle(at now: Instant) {
    advance(to: now)
    state.powerUp(at: state.present)
    reset()
    (isDeaf, resetEnd) = (false, nil)
    start(at: state.present)
  }

  /// Sets every register to its reset value, and stops the clock.
  mutating func reset() {
    state.reset()
    (status, pulse, latchedCount, motionDetector) = (0, nil, 0, MotionDetector())
    fifo = SampleFIFO(capacity: fifoCapacity)
    stopClock()
  }

  /// Continues after a reset or after power-up, with a cold start.
  private mutating func start(at now: Instant) {
    resetEnd = nil
    applyRegisters(at: now, startUp: specimen.part.coldStartUp)
  }

  private mutating func stopClock() {
    // So that no index of the noise is used twice.
    if let ticks { noiseIndex &+= UInt64(truncatingIfNeeded: nextSample &* ticks.rate.unitsPerSample) &+ 1 }
    (ticks, nextSample, nextEvent) = (nil, 0, Instant(microseconds: .max))
  }

  /// Sets clock, filters and scales as the registers now require.
  ///
  /// A clock that starts takes `startUp`; one that changes its rate starts a new period.
  private mutating func applyRegisters(at now: Instant, startUp: Microseconds) {
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
    applySettings(isCycling: rate?.isCycling ?? false)
  }

  mutating func advance(to now: Instant) {
    state.arrive(at: now)
    guard state.present >= nextEvent else { return }
    if let end = resetEnd { start(at: end) }
    if state.present >= nextEvent { takeSamples(until: state.present) }
  }
}
