import FixedPoint

/// How an MPU-6050 takes its samples.
extension EmulatedMPU6050.Chip {
  /// The effect of registers and specimen on a measurement: computed after a write, so that a sample costs little.
  struct Settings {
    /// How much the accelerometer lags the motion.
    var delay = Microseconds.zero
    /// How much the gyroscope lags the motion.
    var gyroscopeDelay = Microseconds.zero
    /// What is added to the force, in 1/65536 g: offset registers, self-test.
    var forceBias = AxisValues.zero
    /// An LSB is 4/65536 g shifted left by this.
    var rangeShift: Int64 = 0
    /// What is added to the angular rate, in 1/65536 °/s: offset registers, self-test.
    var rateBias = AxisValues.zero
    /// The counts for 10 °/s.
    var countsPerTenDegrees: Int64 = 1_310
    /// The standard deviation of the noise.
    var deviation = Vector3.zero
    var gyroscopeDeviation = Vector3.zero
    /// The axes in standby, as in PWR_MGMT_2: accelerometer 5 to 3, gyroscope 2 to 0.
    var standby: UInt8 = 0
    /// Whether the temperature holds its value.
    var holdsTemperature = false
    /// The registers stored in the FIFO, as in FIFO_EN; 0 while it does not run.
    var fifoSources: UInt8 = 0
    /// The number of bytes of one FIFO sample.
    var fifoSampleSize: Int64 = 0
  }

  /// Computes the settings.
  mutating func applySettings(isCycling: Bool) {
    var new = Settings()
    let accelerometer = state[Register.accelerometerConfiguration]
    let filter = filter(isCycling: isCycling)
    (new.rangeShift, new.delay) = (Int64(accelerometer >> 3 & 0x03), filter.delay)
    new.deviation = Analogue.deviation(
      millionthsPerRootHertz: specimen.noiseMicrogPerRootHertz, bandwidthTenths: filter.bandwidthTenths)
    let factory = specimen.factoryOffsets
    func offset(_ axis: Int, _ factory: Int16) -> Int64 {
      // 1/2048 g is 32/65536 g; bit 0 belongs to the temperature compensation.
      (word(Self.accelerometerOffset(axis, specimen.part.layout)) & ~1 - Int64(factory) & ~1) * 32
    }
    new.forceBias = AxisValues(x: offset(0, factory.x), y: offset(1, factory.y), z: offset(2, factory.z))
    new.forceBias = new.forceBias + AxisValues.chosen(specimen.accelerometerTrim, by: accelerometer)

    let gyroscope = state[Register.gyroscopeConfiguration]
    let code = state[Register.configuration]
    new.countsPerTenDegrees = [1_310, 655, 328, 164][Int(gyroscope >> specimen.part.gyroscopeRangeShift & 0x03)]
    new.gyroscopeDelay = MPU6050Filter.gyroscopeDelay(code, specimen.part.layout)
    new.gyroscopeDeviation = Analogue.deviation(
      millionthsPerRootHertz: specimen.gyroscopeNoiseMicrodegreesPerRootHertz,
      bandwidthTenths: MPU6050Filter.gyroscopeBandwidthTenths(code))
    // 1/32.8 °/s in 1/65536 °/s, rounded to nearest.
    func offset(_ axis: Int) -> Int64 { (word(Register.gyroscopeOffset + 2 * axis) * 655_360 + 164) / 328 }
    new.rateBias = AxisValues(x: offset(0), y: offset(1), z: offset(2))
    new.rateBias = new.rateBias + AxisValues.chosen(specimen.gyroscopeTrim, by: gyroscope)

    new.standby = state[Register.powerManagement2] & 0x3F
    // GYRO_STANDBY, which only the 6500 class has.
    if isCycling || state[Register.powerManagement1] & 0x10 != 0 { new.standby |= 0x07 }
    new.holdsTemperature = isCycling || state[Register.powerManagement1] & 0x08 != 0
    if state[Register.userControl] & 0x40 != 0 {
      let sources = state[Register.fifoEnable] & 0xF8
      let gyroscopeAxes = (sources >> 4 & 0x07).nonzeroBitCount
      new.fifoSources = sources
      new.fifoSampleSize = Int64(gyroscopeAxes * 2 + (sources & 0x08 != 0 ? 6 : 0) + (sources & 0x80 != 0 ? 2 : 0))
    }
    settings = new
  }

  /// The present filter of the accelerometer; cycle mode has none.
  private func filter(isCycling: Bool) -> MPU6050Filter {
    if specimen.part.layout == .mpu6050 { return .accelerometer6050(isCycling ? 0 : state[Register.configuration]) }
    let register = isCycling ? 0x08 : state[Register.accelerometerConfiguration2]
    return switch specimen.part.accelerometerFilter {
    case .mpu6500: .accelerometer6500(register)
    case .mpu9250: .accelerometer9250(register)
    }
  }

  /// Two registers, high byte first, as a signed number.
  func word(_ register: Int) -> Int64 {
    Int64(Int16(bitPattern: UInt16(state[register]) << 8 | UInt16(state[register + 1])))
  }

  /// Takes the samples up to `now`.
  mutating func takeSamples(until now: Instant) {
    guard let ticks else { return }
    let newest = ticks.lastSample(by: now)
    guard newest >= nextSample else { return }
    let motion = looksForMotion ? takeSamplesForMotion(until: newest, of: ticks) : nil
    let overflows = takeSamplesIntoFIFO(until: newest, of: ticks)
    state.sampleCount &+= UInt64(truncatingIfNeeded: newest &- nextSample &+ 1)
    nextSample = newest + 1
    nextEvent = ticks.instant(ofUnit: nextSample &* ticks.rate.unitsPerSample)

    let enabled = state[Register.interruptEnable]
    let events: UInt8 = overflows ? 0x11 : 0x01
    // An overflow is shown in any case; a data-ready only if it causes an interrupt.
    status |= events & (enabled | 0x10)
    if events & enabled != 0 { pulse = ticks.instant(ofUnit: newest &* ticks.rate.unitsPerSample) }
    guard let motion else { return }
    status |= 0x40
    if events & enabled == 0 { pulse = ticks.instant(ofUnit: motion &* ticks.rate.unitsPerSample) }
  }

  /// Takes all samples up to `newest`: those for which the FIFO has room into it, and the newest into the registers.
  ///
  /// Returns whether the FIFO overflows.
  private mutating func takeSamplesIntoFIFO(until newest: Int64, of ticks: SampleTicks) -> Bool {
    let size = settings.fifoSampleSize
    guard size > 0 else {
      if !looksForMotion { take(newest, of: ticks) }
      return false
    }
    let stopsWhenFull = specimen.part.layout == .mpu6500 && state[Register.configuration] & 0x40 != 0
    var number = nextSample
    // Samples that later ones push out again need not be stored: this many more than fill the FIFO.
    if !stopsWhenFull { number = max(number, newest - Int64(fifo.capacity) / size - 1) }
    var overflows = false
    while number <= newest {
      take(number, of: ticks)
      overflows = pushSample(droppingOldest: !stopsWhenFull) || overflows
      // Once a FIFO that stops when full is full, nothing sees the samples in between.
      number = stopsWhenFull && overflows && number < newest ? newest : number + 1
    }
    return overflows
  }

  /// Stores the registers selected by FIFO_EN in the FIFO; returns whether a byte was lost.
  private mutating func pushSample(droppingOldest: Bool) -> Bool {
    let sources = settings.fifoSources
    var isLost = false
    func push(_ registers: Range<Int>, _ chip: inout Self) {
      for register in registers {
        isLost = chip.fifo.push(chip.state[register], droppingOldest: droppingOldest) || isLost
      }
    }
    if sources & 0x08 != 0 { push(Register.accelerometerData..<Register.temperatureData, &self) }
    if sources & 0x80 != 0 { push(Register.temperatureData..<Register.gyroscopeData, &self) }
    for axis in 0..<3 where sources & (0x40 >> UInt8(axis)) != 0 {
      push((Register.gyroscopeData + 2 * axis)..<(Register.gyroscopeData + 2 * axis + 2), &self)
    }
    return isLost
  }

  /// Stores sample `number` in the data registers, except in those that hold their values.
  mutating func take(_ number: Int64, of ticks: SampleTicks) {
    if specimen.readsAllZero { return }
    let unit = number &* ticks.rate.unitsPerSample
    let instant = ticks.instant(ofUnit: unit)
    switch state.conditions.measurement {
    case .frozen: return
    case .fullScale:
      put(AxisValues(all: 0x7FFF), in: Register.accelerometerData, standby: 0)
      put(AxisValues(all: 0x7FFF), in: Register.gyroscopeData, standby: 0)
    case .live:
      if instant >= accelerometerReady { takeForce(atUnit: unit &- unit % ticks.rate.accelerometerUnits, of: ticks) }
      if instant >= gyroscopeReady { takeRate(atUnit: unit, instant) }
    }
    guard !settings.holdsTemperature else { return }
    let thermometer = specimen.part.thermometer
    let above = state.analogue.temperature(at: instant) * 100 - Int64(thermometer.offsetHundredths) * 65_536
    let product = above &* Int64(thermometer.hundredthsPerDegree)
    put((product &+ (product < 0 ? -327_680_000 : 327_680_000)) / 655_360_000, in: Register.temperatureData)
  }

  private mutating func takeForce(atUnit unit: Int64, of ticks: SampleTicks) {
    guard settings.standby & 0x38 != 0x38 else { return }
    let instant = ticks.instant(ofUnit: unit) - settings.delay
    let noise = state.analogue.noise(
      noiseIndex &+ UInt64(truncatingIfNeeded: unit), deviation: settings.deviation)
    let shift = settings.rangeShift
    let value = state.analogue.force(at: instant) + settings.forceBias + noise
    put(
      value.map { max(-0x8000, min(0x7FFF, ($0 + 2 << shift) >> (2 + shift))) }, in: Register.accelerometerData,
      standby: settings.standby >> 3)
  }

  private mutating func takeRate(atUnit unit: Int64, _ instant: Instant) {
    guard settings.standby & 0x07 != 0x07 else { return }
    let noise = state.analogue.rotationNoise(
      noiseIndex &+ UInt64(truncatingIfNeeded: unit), deviation: settings.gyroscopeDeviation)
    let value = state.analogue.rotation(at: instant, delay: settings.gyroscopeDelay) + settings.rateBias + noise
    put(
      value.counts(times: settings.countsPerTenDegrees, over: 655_360), in: Register.gyroscopeData,
      standby: settings.standby)
  }

  /// Stores the words of three axes, except of those in standby (X 4, Y 2, Z 1).
  private mutating func put(_ values: AxisValues, in register: Int, standby: UInt8) {
    guard standby & 7 != 0 else { return state.store(values, at: register, highFirst: true) }
    if standby & 4 == 0 { put(values.x, in: register) }
    if standby & 2 == 0 { put(values.y, in: register + 2) }
    if standby & 1 == 0 { put(values.z, in: register + 4) }
  }

  /// Stores a number in two registers, high byte first, clipped to 16 bits.
  private mutating func put(_ value: Int64, in register: Int) {
    let word = max(-0x8000, min(0x7FFF, value))
    state[register] = UInt8(truncatingIfNeeded: word >> 8)
    state[register + 1] = UInt8(truncatingIfNeeded: word)
  }
}

extension AxisValues {
  /// The axes of `trim` whose self-test bit is set: bit 7 X, bit 6 Y, bit 5 Z. Computes powers for `trim` only if one
  /// is, because every write to a register comes here.
  fileprivate static func chosen(_ trim: @autoclosure () -> AxisValues, by bits: UInt8) -> AxisValues {
    guard bits & 0xE0 != 0 else { return AxisValues(x: 0, y: 0, z: 0) }
    let trim = trim()
    return AxisValues(
      x: bits & 0x80 != 0 ? trim.x : 0, y: bits & 0x40 != 0 ? trim.y : 0, z: bits & 0x20 != 0 ? trim.z : 0)
  }
}

/// When an MPU-6050 takes samples, and how often.
extension EmulatedMPU6050.Chip {
  /// The rate of the sample clock with the present registers; nil while it is stopped.
  func clockRate() -> SampleTicks.Rate? {
    let management = state[Register.powerManagement1]
    guard management & 0x40 == 0, let source = clockSource(management & 0x07) else { return nil }
    if management & 0x20 != 0 { return cycleRate() }
    let filter = state[Register.configuration] & 0x07
    let divider = Int64(state[Register.sampleRateDivider]) + 1
    if (1...6).contains(filter) {
      return SampleTicks.Rate(
        unitNanoseconds: 1_000_000, unitsPerSample: divider, partsPerMillion: partsPerMillion(of: source))
    }
    let isNew = specimen.part.layout == .mpu6500
    let isFast = state[Register.accelerometerConfiguration2] & 0x08 != 0
    return SampleTicks.Rate(
      unitNanoseconds: 125_000, unitsPerSample: isNew ? 1 : divider, accelerometerUnits: isFast ? 2 : 8,
      partsPerMillion: partsPerMillion(of: source))
  }

  private enum ClockSource { case internalOscillator, pll }

  /// What CLKSEL selects; nil if there is no clock.
  private func clockSource(_ selection: UInt8) -> ClockSource? {
    let standby = state[Register.powerManagement2] & 0x07
    switch (specimen.part.layout, selection) {
    case (_, 0), (.mpu6500, 6): return .internalOscillator
    case (.mpu6050, 1...3): return standby & (0x08 >> selection) != 0 ? .internalOscillator : .pll
    case (.mpu6500, 1...5): return standby == 0x07 ? .internalOscillator : .pll
    default: return nil
    }
  }

  private func partsPerMillion(of source: ClockSource) -> Int32 {
    switch source {
    case .internalOscillator: specimen.internalOscillatorPartsPerMillion
    case .pll: specimen.pllPartsPerMillion
    }
  }

  /// The rate at which cycle mode wakes the accelerometer.
  private func cycleRate() -> SampleTicks.Rate {
    let nanoseconds: Int64
    switch specimen.part.layout {
    case .mpu6050:
      // 1.25, 5, 20 and 40 Hz.
      let periods: [Int64] = [800_000_000, 200_000_000, 50_000_000, 25_000_000]
      nanoseconds = periods[Int(state[Register.powerManagement2] >> 6)]
    case .mpu6500:
      // 500 Hz for code 11, half as much for each lower code.
      nanoseconds = 2_000_000 << Int64(11 - min(11, state[Register.lowPowerRate]))
    }
    return SampleTicks.Rate(
      unitNanoseconds: nanoseconds, partsPerMillion: specimen.internalOscillatorPartsPerMillion, isCycling: true)
  }
}

/// The instants of an MPU-6050's samples.
///
/// The sample clock counts units (of its 1 kHz or 8 kHz base, or of its wake-up period); sample k is taken at unit `k ×
/// unitsPerSample`. Instants are rounded down to a microsecond.
struct SampleTicks: Equatable {
  /// The properties of the clock that the registers determine.
  struct Rate: Equatable {
    /// The length of a unit in nanoseconds.
    var unitNanoseconds: Int64
    /// The number of units from one sample to the next; 1 or more.
    var unitsPerSample: Int64 = 1
    /// The number of units from one value of the accelerometer to the next; 1 or more.
    var accelerometerUnits: Int64 = 1
    /// How much faster than nominal it runs, in parts per million.
    var partsPerMillion: Int32
    /// Whether this is cycle mode.
    var isCycling = false

    /// The thousandths of a microsecond in a unit, times a million: divided by `divisor` they give microseconds.
    fileprivate var scaledUnit: Int64 { unitNanoseconds * 1_000 }
    fileprivate var divisor: Int64 { 1_000_000 + max(-500_000, min(500_000, Int64(partsPerMillion))) }
    /// The length of a sample's period.
    var period: Microseconds { Microseconds(unitsPerSample * scaledUnit / divisor) }
  }

  /// The clock's rate.
  let rate: Rate
  /// The instant of sample 0.
  let first: Instant

  /// The instant of unit `number`, counted from sample 0.
  func instant(ofUnit number: Int64) -> Instant {
    let (product, overflows) = number.multipliedReportingOverflow(by: rate.scaledUnit)
    if !overflows { return first + Microseconds(product / rate.divisor) }
    let span = Int128(number) * Int128(rate.scaledUnit) / Int128(rate.divisor)
    return first + Microseconds(Int64(truncatingIfNeeded: span))
  }

  /// The number of the last sample up to `now`; negative before the first.
  func lastSample(by now: Instant) -> Int64 {
    let elapsed = (now - first).count
    guard elapsed >= 0 else { return -1 }
    // floor(u × scaledUnit / divisor) ≤ elapsed holds up to this u.
    let (product, overflows) = (elapsed &+ 1).multipliedReportingOverflow(by: rate.divisor)
    if !overflows && elapsed < Int64.max { return (product - 1) / rate.scaledUnit / rate.unitsPerSample }
    let unit = ((Int128(elapsed) + 1) * Int128(rate.divisor) - 1) / Int128(rate.scaledUnit)
    return Int64(truncatingIfNeeded: unit / Int128(rate.unitsPerSample))
  }
}
