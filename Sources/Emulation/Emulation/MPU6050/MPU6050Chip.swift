import FixedPoint

extension EmulatedMPU6050 {
  /// The part, written from the register maps alone, because no test would find an error shared with the driver.
  ///
  /// Registers: 0x19 SMPLRT_DIV, 0x1A CONFIG, 0x1B GYRO_CONFIG, 0x1C ACCEL_CONFIG, 0x1D ACCEL_CONFIG2, 0x1E
  /// LP_ACCEL_ODR, 0x23 FIFO_EN, 0x37 INT_PIN_CFG, 0x38 INT_ENABLE, 0x3A INT_STATUS, 0x3B, 0x41 and 0x43 data, 0x68
  /// SIGNAL_PATH_RESET, 0x69 MOT_DETECT_CTRL or ACCEL_INTEL_CTRL, 0x6A USER_CTRL, 0x6B PWR_MGMT_1, 0x6C PWR_MGMT_2.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, 3; MPU-6500 Register Map Rev. 2.1, 3.
  struct Chip: EmulatedChip {
    /// How the samples follow each other, as the registers determine it.
    struct Rate: Equatable {
      /// A period of its 1 kHz or 8 kHz base, or of its wake-ups, in microseconds of its own clock.
      var unit: Int64
      /// The number of units from one sample to the next.
      var unitsPerSample: Int64 = 1
      /// The number of units from one value of the accelerometer to the next.
      var accelerometerUnits: Int64 = 1
      /// How much faster than nominal its clock runs.
      var partsPerMillion: Int32
      /// Whether this is cycle mode.
      var isCycling = false

      /// The time from one sample to the next.
      var period: Microseconds { Microseconds(unit * unitsPerSample).stretched(byClockOf: partsPerMillion) }
    }

    var state: ChipState
    private let specimen: Configuration
    /// What the self-test adds to each axis, in 1/65536 g and °/s.
    private let forceTrim: AxisValues
    private let rotationTrim: AxisValues
    private var fifo = InvenSenseFIFO(capacity: 1)
    private var pin = InvenSensePin()
    private var motionDetector = MPU6050MotionDetector()
    /// Whether I2C_IF_DIS has cut it off.
    private var isDeaf = false

    /// The rate of the sample clock, nil while it is stopped; the number of samples before it started, and the number
    /// of the noise at its first unit.
    private var rate: Rate?
    private var firstCount: UInt64 = 0
    private var firstNoise: UInt64 = 0
    /// No sample is taken before this instant, since the last start.
    private var startedAt = Instant(microseconds: 0)
    /// The sensors hold their values until then.
    private var forceReady = Instant(microseconds: 0)
    private var rotationReady = Instant(microseconds: 0)

    /// How much each sensor lags the motion, what offset registers and self-test add to it, in 1/65536 g or °/s, and
    /// the standard deviation of its noise: computed after a write, so that a sample costs little.
    private var (forceDelay, rotationDelay) = (Microseconds.zero, Microseconds.zero)
    private var (forceBias, rotationBias) = (AxisValues.zero, AxisValues.zero)
    private var (forceNoise, rotationNoise) = (Vector3.zero, Vector3.zero)

    /// A part powered on at `now`.
    init(_ specimen: Configuration, motion: any Motion, at now: Instant, seed: UInt64) {
      self.specimen = specimen
      (forceTrim, rotationTrim) = (specimen.accelerometerTrim, specimen.gyroscopeTrim)
      var analogue = Analogue(motion: motion, at: now, seed: seed)
      analogue.setErrors(offset: specimen.zeroGOffset, sensitivity: specimen.sensitivityError)
      analogue.gyroscopeErrors = specimen.gyroscopeErrors
      analogue.dieTemperature = Q16(whole: 35)
      (analogue.selfHeating, analogue.selfHeatingTime) = (specimen.selfHeating, specimen.selfHeatingTime)
      state = ChipState(specimen.registers, analogue, at: now)
      start(at: now)
    }
  }
}

// Registers.
extension EmulatedMPU6050.Chip {
  private var usesFIFO: Bool { state[0x6A] & 0x40 != 0 }
  private var looksForMotion: Bool { state[0x38] & 0x40 != 0 }

  mutating func read(_ register: Int) -> UInt8 {
    guard !isDeaf else { return 0xFF }
    switch register {
    case 0x3A:
      defer { state[0x3A] = 0 }
      return state[0x3A]
    case 0x6B: return state[0x6B] | (state.isResetting ? 0x80 : 0)
    case 0x74 where !usesFIFO: return fifo.bytes.lastRead
    case 0x72...0x74: return fifo.read(register - 0x72)
    default: return state[register]
    }
  }

  mutating func stop(afterReading isRead: Bool) {
    if isRead && state[0x37] & 0x10 != 0 { state[0x3A] = 0 }
  }

  mutating func write(_ value: UInt8, to register: Int) {
    guard !state.isResetting && !isDeaf, let before = state.registers.store(value, in: register) else { return }
    wrote(value, to: register, over: before)
  }

  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    let cleared = before & ~value
    switch register {
    case 0x68: return hold(force: value & 0x02 != 0, rotation: value & 0x04 != 0)
    case 0x38: if (before ^ state[0x38]) & 0x40 != 0 { motionDetector = MPU6050MotionDetector() }
    case 0x1C, 0x69: motionDetector = MPU6050MotionDetector()
    case 0x1D: if fifo.bytes.capacity != fifoCapacity { fifo.bytes = SampleFIFO(capacity: fifoCapacity) }
    case 0x6A:
      if value & 0x04 != 0 && (value | before) & 0x40 == 0 { fifo.bytes.removeAll() }
      if value & 0x01 != 0 {
        for data in 0x3B...0x48 { state[data] = 0 }
        hold(force: true, rotation: true)
      }
      isDeaf = value & 0x10 != 0
    case 0x6B where value & 0x80 != 0:
      stopClock()
      state.reset()
      let end = specimen.resetTime.map { state.present + $0 }
      state.resetEnd = end ?? Instant(microseconds: .max)
      start(at: end)
      return
    case 0x6B: hold(force: false, rotation: cleared & 0x10 != 0)
    case 0x6C: hold(force: cleared & 0x38 != 0, rotation: cleared & 0x07 != 0)
    default: break
    }
    applyRegisters(at: state.present, startUp: specimen.part.startUp)
  }

  /// Makes sensors hold their values for their start-up times.
  private mutating func hold(force: Bool, rotation: Bool) {
    if force { forceReady = state.present + specimen.part.startUp }
    if rotation { rotationReady = state.present + specimen.part.gyroscopeStartUp }
  }

  /// The number of bytes the FIFO can hold with the present registers.
  private var fifoCapacity: Int {
    let greatest = max(1, min(4_096, specimen.part.fifoSize))
    return specimen.part.selectsFIFOSize ? min(greatest, 512 << Int(state[0x1D] >> 6)) : greatest
  }

  var isInterruptHigh: Bool { pin.isHigh(state[0x37], hasEvents: state[0x3A] & state[0x38] != 0, at: state.present) }

  /// The interrupt pin now.
  var interruptPin: EmulatedMPU6050.InterruptPin {
    isInterruptHigh ? state[0x37] & 0x40 != 0 ? .released : .high : .low
  }
}

// Power and clocks.
extension EmulatedMPU6050.Chip {
  mutating func powerCycle(at now: Instant) {
    advance(to: now)
    stopClock()
    state.powerUp(at: state.present)
    isDeaf = false
    start(at: state.present)
  }

  /// Starts cold at `instant`, or never, with every register at its reset value.
  private mutating func start(at instant: Instant?) {
    (pin, motionDetector) = (InvenSensePin(), MPU6050MotionDetector())
    fifo = InvenSenseFIFO(capacity: fifoCapacity)
    if let instant { applyRegisters(at: instant, startUp: specimen.part.coldStartUp) }
  }

  private mutating func stopClock() {
    // So that no number of the noise is used twice; a clock that a reset has yet to start has used none.
    if let rate, !state.isResetting {
      firstNoise &+= UInt64(truncatingIfNeeded: unit(of: rate) &+ rate.unitsPerSample &+ 1)
    }
    (rate, state.clock, firstCount) = (nil, nil, state.sampleCount)
  }

  /// The unit of the latest sample since the clock started.
  private func unit(of rate: Rate) -> Int64 {
    Int64(truncatingIfNeeded: state.sampleCount &- firstCount &- 1) &* rate.unitsPerSample
  }

  /// Sets clock, filters and scales as the registers now require.
  ///
  /// A clock that starts takes `startUp`; one that changes its rate starts a new period.
  private mutating func applyRegisters(at now: Instant, startUp: Microseconds) {
    let (old, new) = (rate, chosenRate)
    if old != new { stopClock() }
    if let new, old != new {
      if old == nil { (startedAt, forceReady) = (now + startUp, now + startUp) }
      let wakesGyroscope = old?.isCycling == true && !new.isCycling
      if old == nil || wakesGyroscope { rotationReady = now + specimen.part.gyroscopeStartUp }
      rate = new
      state.clock = SampleClock(
        first: old == nil ? startedAt : max(now + new.period, startedAt),
        period: Microseconds(new.unit * new.unitsPerSample), partsPerMillion: new.partsPerMillion)
    }
    applySettings()
  }

  /// What the registers choose; nil for a stopped clock.
  private var chosenRate: Rate? {
    guard state[0x6B] & 0x40 == 0, let partsPerMillion = clockError else { return nil }
    let isNew = specimen.part.layout == .mpu6500
    if state[0x6B] & 0x20 != 0 {
      // 1.25, 5, 20 and 40 Hz; or 500 Hz for code 11, half as much for each lower code.
      let old: [Int64] = [800_000, 200_000, 50_000, 25_000]
      let unit = isNew ? 2_000 << Int64(11 - min(11, state[0x1E])) : old[Int(state[0x6C] >> 6)]
      return Rate(unit: unit, partsPerMillion: specimen.internalOscillatorPartsPerMillion, isCycling: true)
    }
    let divider = Int64(state[0x19]) + 1
    if (1...6).contains(state[0x1A] & 0x07) {
      return Rate(unit: 1_000, unitsPerSample: divider, partsPerMillion: partsPerMillion)
    }
    return Rate(
      unit: 125, unitsPerSample: isNew ? 1 : divider, accelerometerUnits: state[0x1D] & 0x08 != 0 ? 2 : 8,
      partsPerMillion: partsPerMillion)
  }

  /// How much faster than nominal the clock runs that CLKSEL chooses, in parts per million; nil if there is none.
  private var clockError: Int32? {
    let (internalOscillator, pll) = (specimen.internalOscillatorPartsPerMillion, specimen.pllPartsPerMillion)
    let standby = state[0x6C] & 0x07
    switch (specimen.part.layout, state[0x6B] & 0x07) {
    case (_, 0), (.mpu6500, 6): return internalOscillator
    case (.mpu6050, let axis) where axis <= 3: return standby & (0x08 >> axis) != 0 ? internalOscillator : pll
    case (.mpu6500, 1...5): return standby == 0x07 ? internalOscillator : pll
    default: return nil
    }
  }

  /// Derives what a sample needs of filters, offset registers and self-test.
  private mutating func applySettings() {
    let part = specimen.part
    let (register, unfiltered): (Int, UInt8) = part.layout == .mpu6050 ? (0x1A, 0x00) : (0x1D, 0x08)
    let filter = MPU6050Filter.accelerometer(isCycling ? unfiltered : state[register], part)
    forceDelay = filter.delay
    forceNoise = Analogue.deviation(
      millionthsPerRootHertz: specimen.noiseMicrogPerRootHertz, bandwidthTenths: filter.bandwidthTenths)
    for (axis, factory) in specimen.factoryOffsets.array.enumerated() {
      // 1/2048 g is 32/65536 g; bit 0 belongs to the temperature compensation.
      let offset = state.word(at: part.forceOffset(axis), highFirst: true)
      forceBias[axis] = (offset & ~1 - Int64(factory) & ~1) * 32
    }
    forceBias = forceBias + forceTrim.chosen(by: state[0x1C], first: 0x80)

    let gyroscopeFilter = MPU6050Filter.gyroscope(state[0x1A], part)
    rotationDelay = gyroscopeFilter.delay
    rotationNoise = Analogue.deviation(
      millionthsPerRootHertz: specimen.gyroscopeNoiseMicrodegreesPerRootHertz,
      bandwidthTenths: gyroscopeFilter.bandwidthTenths)
    // 1/32.8 °/s in 1/65536 °/s, rounded to nearest.
    let offset = state.words(at: 0x13, highFirst: true).map { ($0 * 655_360 + 164) / 328 }
    rotationBias = offset + rotationTrim.chosen(by: state[0x1B], first: 0x80)
  }
}

// Samples.
extension EmulatedMPU6050.Chip {
  private var isCycling: Bool { rate?.isCycling ?? false }

  /// At both ends of a silence enough to fill the FIFO; or, to look for motion, ten minutes, which bounds a leap.
  var mostSamples: Int64 {
    let sources = recordSources
    let recordSize = (0x3B...0x48).count { sources & Self.source(of: $0) != 0 }
    let filling = recordSize == 0 ? 1 : fifo.bytes.capacity / recordSize + 2
    let watching = looksForMotion ? Microseconds.seconds(600).count / max(1, rate?.period.count ?? 1) : 0
    return 2 * max(Int64(filling), watching)
  }

  mutating func sample(at instant: Instant, of clock: Int) {
    guard let rate else { return }
    if !specimen.readsAllZero { measure(at: instant, rate) }
    var events: UInt8 = 0x01
    if pushRecord() { events |= 0x10 }
    if looksForMotion && instant >= forceReady && seesMotion(every: rate.period) { events |= 0x40 }
    let enabled = state[0x38]
    // An overflow is shown in any case; a data-ready only if it causes an interrupt.
    state[0x3A] |= events & (enabled | 0x10)
    if events & enabled != 0 { pin.pulse = instant }
  }

  /// Whether the latest sample shows motion.
  private mutating func seesMotion(every period: Microseconds) -> Bool {
    let force = state.words(at: 0x3B, highFirst: true).map { $0 << rangeShift }
    return motionDetector.sees(force, period: period, state, specimen.part.layout)
  }

  /// The data registers that go into the FIFO, as in FIFO_EN; 0 while it does not run.
  private var recordSources: UInt8 { usesFIFO ? state[0x23] : 0 }

  /// The bit of FIFO_EN for a data register.
  private static func source(of register: Int) -> UInt8 {
    register < 0x41 ? 0x08 : register < 0x43 ? 0x80 : 0x40 >> UInt8((register - 0x43) / 2)
  }

  /// Stores a sample in the FIFO; returns whether a byte was lost.
  private mutating func pushRecord() -> Bool {
    let sources = recordSources
    guard sources & 0xF8 != 0 else { return false }
    let stopsWhenFull = specimen.part.layout == .mpu6500 && state[0x1A] & 0x40 != 0
    var isLost = false
    for register in 0x3B...0x48 where sources & Self.source(of: register) != 0 {
      isLost = fifo.bytes.push(state[register], droppingOldest: !stopsWhenFull) || isLost
    }
    return isLost
  }

  /// Stores a sample in the data registers, except in those that hold their values.
  private mutating func measure(at instant: Instant, _ rate: Rate) {
    switch state.conditions.measurement {
    case .frozen: return
    case .fullScale:
      state.store(AxisValues(all: 0x7FFF), at: 0x3B, highFirst: true)
      state.store(AxisValues(all: 0x7FFF), at: 0x43, highFirst: true)
    case .live:
      // GYRO_STANDBY, which only the 6500 class has.
      let standby = state[0x6C] | (isCycling || state[0x6B] & 0x10 != 0 ? 0x07 : 0)
      let unit = unit(of: rate)
      if instant >= forceReady { takeForce(atUnit: unit - unit % rate.accelerometerUnits, rate, standby >> 3) }
      if instant >= rotationReady { takeRotation(at: instant, unit, standby) }
    }
    guard !isCycling && state[0x6B] & 0x08 == 0 else { return }
    let temperature = state.analogue.temperature(at: instant)
    state.store(specimen.part.thermometer.count(at: temperature), at: 0x41, highFirst: true)
  }

  private mutating func takeForce(atUnit unit: Int64, _ rate: Rate, _ standby: UInt8) {
    guard standby & 0x07 != 0x07, let clock = state.clock else { return }
    let instant = clock.origin + Microseconds(unit &* rate.unit).stretched(byClockOf: rate.partsPerMillion) - forceDelay
    let noise = state.analogue.noise(firstNoise &+ UInt64(truncatingIfNeeded: unit), deviation: forceNoise)
    let shift = rangeShift
    let words = (state.analogue.force(at: instant) + forceBias + noise).map {
      max(-0x8000, min(0x7FFF, ($0 + 2 << shift) >> (2 + shift)))
    }
    store(words, at: 0x3B, standby)
  }

  private mutating func takeRotation(at instant: Instant, _ unit: Int64, _ standby: UInt8) {
    guard standby & 0x07 != 0x07 else { return }
    let noise = state.analogue.rotationNoise(firstNoise &+ UInt64(truncatingIfNeeded: unit), deviation: rotationNoise)
    let rotation = state.analogue.rotation(at: instant, delay: rotationDelay) + rotationBias + noise
    store(rotation.rotationCounts(range: state[0x1B] >> UInt8(specimen.part.gyroscopeRangeShift)), at: 0x43, standby)
  }

  /// AFS_SEL: a count is 4/65536 g shifted left by this.
  private var rangeShift: Int64 { Int64(state[0x1C] >> 3 & 0x03) }

  /// Stores the words of three axes, except of those in standby: X 4, Y 2, Z 1.
  private mutating func store(_ words: AxisValues, at register: Int, _ standby: UInt8) {
    for axis in 0..<3 where standby & 4 >> UInt8(axis) == 0 {
      state.store(words[axis], at: register + 2 * axis, highFirst: true)
    }
  }
}
