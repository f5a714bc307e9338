import FixedPoint

/// How an MPU-6050 takes its samples.
extension MPU6050Model {
  /// Brings registers and FIFO up to date.
  mutating func advance(to now: Instant) {
    guard now >= nextEvent else { return }
    if let end = resetEnd { start(at: end) }
    if now >= nextEvent { takeSamples(until: now) }
  }

  private mutating func takeSamples(until now: Instant) {
    guard let ticks else { return }
    let newest = ticks.lastSample(by: now)
    guard newest >= nextSample else { return }
    let motion = looksForMotion ? takeSamplesForMotion(until: newest, of: ticks) : nil
    let overflows = takeSamplesIntoFIFO(until: newest, of: ticks)
    sampleCount &+= UInt64(truncatingIfNeeded: newest &- nextSample &+ 1)
    nextSample = newest + 1
    nextEvent = ticks.instant(ofUnit: nextSample &* ticks.rate.unitsPerSample)

    let enabled = bytes[Register.interruptEnable]
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
    let stopsWhenFull = specimen.part.layout == .mpu6500 && bytes[Register.configuration] & 0x40 != 0
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
    func push(_ range: Range<Int>, _ fifo: inout ByteQueue) {
      for register in range { isLost = fifo.push(bytes[register], droppingOldest: droppingOldest) || isLost }
    }
    if sources & 0x08 != 0 { push(Register.accelerometerData..<Register.temperatureData, &fifo) }
    if sources & 0x80 != 0 { push(Register.temperatureData..<Register.gyroscopeData, &fifo) }
    for axis in 0..<3 where sources & (0x40 >> UInt8(axis)) != 0 {
      let register = Register.gyroscopeData + 2 * axis
      push(register..<(register + 2), &fifo)
    }
    return isLost
  }

  /// Stores sample `number` in the data registers, except in those that hold their values.
  mutating func take(_ number: Int64, of ticks: SampleTicks) {
    if specimen.readsAllZero { return }
    switch conditions.measurement {
    case .frozen: return
    case .fullScale:
      for axis in 0..<3 {
        put(.max, in: Register.accelerometerData + 2 * axis)
        put(.max, in: Register.gyroscopeData + 2 * axis)
      }
    case .live:
      let unit = number &* ticks.rate.unitsPerSample
      let instant = ticks.instant(ofUnit: unit)
      if instant >= accelerometerReady { takeForce(atUnit: unit &- unit % ticks.rate.accelerometerUnits, of: ticks) }
      if instant >= gyroscopeReady { takeRate(atUnit: unit, of: ticks) }
    }
    if !settings.holdsTemperature { takeTemperature(at: ticks.instant(ofUnit: number &* ticks.rate.unitsPerSample)) }
  }

  private mutating func takeForce(atUnit unit: Int64, of ticks: SampleTicks) {
    let instant = ticks.instant(ofUnit: unit) - settings.delay
    let force = motion.specificForce(at: instant - motionStart)
    let noise = noise.sample(at: noiseIndex &+ UInt64(truncatingIfNeeded: unit))
    let shift = settings.rangeShift
    func counts(_ force: Q16, _ gain: Int64, _ bias: Int64, _ noise: Q16) -> Int64 {
      let value = ((Int64(force.raw) * gain + 0x8000) >> 16) + bias + Int64(noise.raw)
      return (value + 2 << shift) >> (2 + shift)
    }
    let (gain, bias, register) = (settings.forceGain, settings.forceBias, Register.accelerometerData)
    if settings.standby & 0x20 == 0 { put(counts(force.x, gain.x, bias.x, noise.x), in: register) }
    if settings.standby & 0x10 == 0 { put(counts(force.y, gain.y, bias.y, noise.y), in: register + 2) }
    if settings.standby & 0x08 == 0 { put(counts(force.z, gain.z, bias.z, noise.z), in: register + 4) }
  }

  private mutating func takeRate(atUnit unit: Int64, of ticks: SampleTicks) {
    guard settings.standby & 0x07 != 0x07 else { return }
    let noise = gyroscopeNoise.sample(at: noiseIndex &+ UInt64(truncatingIfNeeded: unit))
    let scale = settings.countsPerTenDegrees
    func counts(_ rate: Int64, _ bias: Int64, _ noise: Q16) -> Int64 {
      quotient((rate + bias + Int64(noise.raw)) * scale, 655_360)
    }
    let (rate, bias, register) = (
      measuredRate(at: ticks.instant(ofUnit: unit)), settings.rateBias, Register.gyroscopeData
    )
    if settings.standby & 0x04 == 0 { put(counts(rate.x, bias.x, noise.x), in: register) }
    if settings.standby & 0x02 == 0 { put(counts(rate.y, bias.y, noise.y), in: register + 2) }
    if settings.standby & 0x01 == 0 { put(counts(rate.z, bias.z, noise.z), in: register + 4) }
  }

  /// What this specimen's gyroscope measures of the board at `instant`, in 1/65536 °/s.
  private func measuredRate(at instant: Instant) -> MPU6050Settings.Triple {
    let moment = instant - settings.gyroscopeDelay - motionStart
    var rate = MPU6050Settings.Triple(motion.rotationRate(at: moment)) + MPU6050Settings.Triple(angularRate)
    let errors = specimen.gyroscopeErrors
    guard errors != .none else { return rate }
    rate = errors.distorted(rate)
    if errors.perG != .zero { rate = rate + errors.dragged(by: motion.specificForce(at: moment)) }
    return rate + errors.zeroRate(at: temperature(at: instant))
  }

  /// The temperature of the die in 1/65536 °C.
  private func temperature(at instant: Instant) -> Int64 {
    let base = Int64(dieTemperature.raw)
    guard specimen.selfHeating != .zero else { return base }
    let age = Double(max(0, (instant - suppliedAt).count)) / Double(max(1, specimen.selfHeatingTime.count))
    return base + Int64((Double(specimen.selfHeating.raw) * (1 - Circle.decay(age))).rounded())
  }

  private mutating func takeTemperature(at instant: Instant) {
    let thermometer = specimen.part.thermometer
    let above = temperature(at: instant) * 100 - Int64(thermometer.offsetHundredths) * 65_536
    put(quotient(above &* Int64(thermometer.hundredthsPerDegree), 655_360_000), in: Register.temperatureData)
  }

  /// The quotient rounded to nearest, ties away from zero.
  private func quotient(_ value: Int64, _ divisor: Int64) -> Int64 {
    (value &+ (value < 0 ? -divisor / 2 : divisor / 2)) / divisor
  }

  /// Stores a number in two registers, high byte first, clipped to 16 bits.
  private mutating func put(_ value: Int64, in register: Int) {
    let word = max(-0x8000, min(0x7FFF, value))
    bytes[register] = UInt8(truncatingIfNeeded: word >> 8)
    bytes[register + 1] = UInt8(truncatingIfNeeded: word)
  }
}

/// When an MPU-6050 takes samples, and how often.
extension MPU6050Model {
  /// The rate of the sample clock with the present registers; nil while it is stopped.
  func clockRate() -> SampleTicks.Rate? {
    let management = bytes[Register.powerManagement1]
    guard management & 0x40 == 0, let source = clockSource(management & 0x07) else { return nil }
    if management & 0x20 != 0 { return cycleRate() }
    let filter = bytes[Register.configuration] & 0x07
    let divider = Int64(bytes[Register.sampleRateDivider]) + 1
    if (1...6).contains(filter) {
      return SampleTicks.Rate(
        unitNanoseconds: 1_000_000, unitsPerSample: divider, partsPerMillion: partsPerMillion(of: source))
    }
    let isNew = specimen.part.layout == .mpu6500
    let isFast = bytes[Register.accelerometerConfiguration2] & 0x08 != 0
    return SampleTicks.Rate(
      unitNanoseconds: 125_000, unitsPerSample: isNew ? 1 : divider, accelerometerUnits: isFast ? 2 : 8,
      partsPerMillion: partsPerMillion(of: source))
  }

  private enum ClockSource { case internalOscillator, pll }

  /// What CLKSEL selects; nil if there is no clock.
  private func clockSource(_ selection: UInt8) -> ClockSource? {
    let standby = bytes[Register.powerManagement2] & 0x07
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
      nanoseconds = periods[Int(bytes[Register.powerManagement2] >> 6)]
    case .mpu6500:
      // 500 Hz for code 11, half as much for each lower code.
      nanoseconds = 2_000_000 << Int64(11 - min(11, bytes[Register.lowPowerRate]))
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
