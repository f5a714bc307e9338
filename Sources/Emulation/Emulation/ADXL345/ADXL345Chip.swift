import FixedPoint

extension EmulatedADXL345 {
  /// The numbers of the ADXL345's registers that have an effect.
  ///
  /// Written from the data sheet alone: an error shared with a driver would go unnoticed in both.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 19.
  enum Register {
    static var tapThreshold: Int { 0x1D }
    static var offsetX: Int { 0x1E }
    static var tapDuration: Int { 0x21 }
    static var tapLatency: Int { 0x22 }
    static var tapWindow: Int { 0x23 }
    static var activityThreshold: Int { 0x24 }
    static var inactivityThreshold: Int { 0x25 }
    static var inactivityTime: Int { 0x26 }
    static var activityControl: Int { 0x27 }
    static var fallThreshold: Int { 0x28 }
    static var fallTime: Int { 0x29 }
    static var tapAxes: Int { 0x2A }
    static var bandwidthRate: Int { 0x2C }
    static var powerControl: Int { 0x2D }
    static var interruptEnable: Int { 0x2E }
    static var interruptMap: Int { 0x2F }
    static var dataFormat: Int { 0x31 }
    static var fifoControl: Int { 0x38 }
  }

  /// The bits of INT_ENABLE, INT_MAP and INT_SOURCE.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Register 0x30—INT_SOURCE".
  enum Interrupt {
    static var dataReady: UInt8 { 0x80 }
    static var singleTap: UInt8 { 0x40 }
    static var doubleTap: UInt8 { 0x20 }
    static var activity: UInt8 { 0x10 }
    static var inactivity: UInt8 { 0x08 }
    static var freeFall: UInt8 { 0x04 }
    static var watermark: UInt8 { 0x02 }
    static var overrun: UInt8 { 0x01 }
    /// The bits of both kinds of tap.
    static var taps: UInt8 { 0x60 }
  }

  /// FIFO_MODE of FIFO_CTL.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 22.
  enum FIFOMode: UInt8 {
    case bypass, fifo, stream, trigger
  }

  /// The complete state of the part at one moment.
  struct Chip: EmulatedChip {
    private static let map = RegisterMap(
      identity: 0x00, pointerBits: 0x3F,
      .registers(0x1D...0x29, writable: 0xFF), .registers(0x2A, writable: 0x0F),
      .registers(0x2C, writable: 0x1F, reset: 0x0A), .registers(0x2D, writable: 0x3F),
      .registers(0x2E, 0x2F, 0x38, writable: 0xFF), .registers(0x31, writable: 0xEF))

    var state: ChipState
    private let identity: UInt8
    private let partsPerMillion: Int32
    /// The noise at normal power up to 100 Hz, and at the present rate and power.
    private let noise: Vector3
    private var deviation: Vector3
    /// The noise of undecimated readings: another sequence, as strong as at 3200 Hz.
    private let fineNoise: NoiseSource
    private let selfTest: AxisValues
    /// How far the self-test has settled, in fifths.
    private var settled: Int64 = 0

    var queue = SampleQueue()
    /// The reading that the newest sample was made from.
    private var lastReading = AxisValues.zero
    /// The events of INT_SOURCE, bits 6 to 2.
    private var latchedEvents: UInt8 = 0
    /// ACT_TAP_STATUS without its bit 3.
    private var eventAxes: UInt8 = 0
    /// Whether the part has put itself to sleep.
    private var isAsleep = false
    var pins = Pins()
    private var isReadingData = false
    /// The end of the turn-on time.
    private var readyAt: Instant
    private var taps = TapDetector()
    private var freeFall = FreeFallDetector()
    private var activity = ActivityDetector()
    private var detectors = Detectors()

    init(_ configuration: Configuration, motion: any Motion, at instant: Instant, seed: UInt64) {
      identity = configuration.identity
      partsPerMillion = configuration.ratePartsPerMillion
      var analogue = Analogue(motion: motion, at: instant, seed: seed)
      (analogue.gain, analogue.offset) = (configuration.gain, configuration.bias)
      state = ChipState(Self.map, analogue, at: instant)
      (noise, deviation) = (configuration.noise, configuration.noise)
      selfTest = configuration.selfTestForce
      // Other seeds are usually small; this one is not, to differ from them.
      fineNoise = NoiseSource(
        standardDeviation: Self.deviation(configuration.noise, rateCode: 0x0F, isLowPower: false),
        seed: seed ^ 0x5EED_0F1A_E5CA_1E00)
      readyAt = instant
    }
  }
}

// Registers.
extension EmulatedADXL345.Chip {
  typealias Register = EmulatedADXL345.Register
  typealias Interrupt = EmulatedADXL345.Interrupt

  /// INT_SOURCE.
  var interruptSource: UInt8 {
    var bits = latchedEvents
    if queue.isUnread { bits |= Interrupt.dataReady }
    if queue.count >= fifoSamples { bits |= Interrupt.watermark }
    if queue.isOverrun(in: fifoMode) { bits |= Interrupt.overrun }
    return bits
  }

  mutating func reset() {
    (queue, lastReading, latchedEvents, eventAxes) = (EmulatedADXL345.SampleQueue(), .zero, 0, 0)
    (isAsleep, settled, detectors) = (false, 0, EmulatedADXL345.Detectors())
    setNoise()
  }

  mutating func powerCycle(at now: Instant) {
    state.powerUp(at: now)
    reset()
    refreshPins(at: now)
  }

  mutating func read(_ register: Int) -> UInt8 {
    switch register {
    case 0x32...0x37:
      isReadingData = true
      let value = UInt8(truncatingIfNeeded: queue.output >> (8 * UInt64(register - 0x32)))
      // Reading the data ends with the step from 0x37 to 0x38, or with STOP.
      if register == 0x37 { finishDataRead() }
      return value
    case 0x00: return identity
    case 0x2B: return eventAxes | (isAsleep ? 0x08 : 0)
    case 0x30:
      let value = interruptSource
      latchedEvents = 0
      updateSleep(at: state.present)
      return value
    case 0x39: return (queue.isTriggered ? 0x80 : 0) | UInt8(queue.count)
    default: return state[register]
    }
  }

  mutating func stop(afterReading isRead: Bool) {
    if isRead { finishDataRead() }
    refreshPins(at: state.present)
  }

  private mutating func finishDataRead() {
    guard isReadingData else { return }
    isReadingData = false
    queue.finishRead()
  }

  /// A detector restarts when one of its registers is written or its function is switched on.
  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    let (changed, now) = (before ^ state[register], state.present)
    switch register {
    case 0x1D, 0x21...0x23, 0x2A: taps = EmulatedADXL345.TapDetector()
    case 0x24...0x27: activity = EmulatedADXL345.ActivityDetector()
    case 0x28, 0x29: freeFall = EmulatedADXL345.FreeFallDetector()
    case Register.bandwidthRate:
      setNoise()
      if changed & 0x0F != 0 && isMeasuring && !isSleeping { state.clock = clock(origin: max(now, readyAt), rateCode) }
    case Register.powerControl: changePower(changed, at: now)
    case Register.interruptEnable: restartDetectors(changed)
    case Register.fifoControl: if changed & 0xC0 != 0 { queue.enter(fifoMode) }
    default: return
    }
    detectors = EmulatedADXL345.Detectors(state)
    updateSleep(at: now)
    updateStepClock(at: now)
  }

  private mutating func restartDetectors(_ events: UInt8) {
    if events & Interrupt.taps != 0 { taps = EmulatedADXL345.TapDetector() }
    if events & Interrupt.freeFall != 0 { freeFall = EmulatedADXL345.FreeFallDetector() }
    if events & (Interrupt.activity | Interrupt.inactivity) != 0 { activity = EmulatedADXL345.ActivityDetector() }
  }

  private mutating func changePower(_ changed: UInt8, at now: Instant) {
    // Measure, Link, AUTO_SLEEP: activity and inactivity restart, awake.
    if changed & 0x38 != 0 { activity = EmulatedADXL345.ActivityDetector() }
    guard isMeasuring else {
      (isAsleep, state.clock, state.secondClock) = (false, nil, nil)
      return
    }
    if changed & 0x08 != 0 {
      restartDetectors(0xFF)
      startClocks(at: now)
    } else if changed & 0x04 != 0 || (isSleeping && changed & 0x03 != 0) {
      startClocks(at: now)
    }
  }

  private var rateCode: UInt8 { state[Register.bandwidthRate] & 0x0F }
  private var isMeasuring: Bool { state[Register.powerControl] & 0x08 != 0 }
  /// Whether samples are taken at the wake-up rate.
  private var isSleeping: Bool { isAsleep || state[Register.powerControl] & 0x04 != 0 }
  private var isSelfTesting: Bool { state[Register.dataFormat] & 0x80 != 0 }
  var fifoMode: EmulatedADXL345.FIFOMode { .init(rawValue: state[Register.fifoControl] >> 6) ?? .bypass }
  /// Samples of FIFO_CTL, 0…31.
  var fifoSamples: Int { Int(state[Register.fifoControl] & 0x1F) }
  /// What the offset registers add, in 1/65536 g. One LSB is 15.625 mg, 1024/65536 g, in every range.
  private var offset: AxisValues {
    func axis(_ number: Int) -> Int64 { Int64(Int8(bitPattern: state[Register.offsetX + number])) * 1_024 }
    return AxisValues(x: axis(0), y: axis(1), z: axis(2))
  }
}

// Clocks.
extension EmulatedADXL345.Chip {
  /// Starts sampling, at the output data rate after the turn-on time of 1.1 ms, or at the wake-up rate.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 7 and "Wakeup Bits".
  private mutating func startClocks(at now: Instant) {
    if isSleeping {
      state.clock = SampleClock(
        origin: now, period: .seconds(1), halvings: 3 - (state[Register.powerControl] & 0x03),
        partsPerMillion: partsPerMillion)
    } else {
      readyAt = now + Microseconds(1_100)
      state.clock = clock(origin: readyAt, rateCode)
    }
    state.secondClock = nil
    updateStepClock(at: now)
  }

  /// Undecimated data are taken at 3200 Hz, by the second clock, from the moment something uses them.
  private mutating func updateStepClock(at now: Instant) {
    guard isMeasuring && !isSleeping && (detectors.taps || detectors.freeFall || detectors.activity) else {
      state.secondClock = nil
      return
    }
    if state.secondClock == nil { state.secondClock = clock(origin: max(now, readyAt), 0x0F) }
  }

  /// 10.24 s / 2^code.
  private func clock(origin: Instant, _ rateCode: UInt8) -> SampleClock {
    SampleClock(origin: origin, period: .milliseconds(10_240), halvings: rateCode, partsPerMillion: partsPerMillion)
  }

  /// How far back detectors look at most: ten minutes, so that a leap of the clock is bounded.
  private static var lookBack: Microseconds { .seconds(600) }

  mutating func advance(to now: Instant) {
    let before = state.present
    state.arrive(at: now)
    if detectors.watchSamples || state.secondClock != nil {
      watch(since: before)
    } else {
      takeSamples(until: state.present)
    }
  }

  /// Takes the samples up to `now` of which a trace remains, and counts the others.
  ///
  /// In bypass mode that is the newest one; the first two set DATA_READY and Overrun. In the other modes a FIFO fills,
  /// triggers and fills again within 80 samples, and 40 samples replace its whole content.
  private mutating func takeSamples(until now: Instant) {
    guard var due = state.clock?.due(until: now), due > 0 else { return }
    let keepsNewestOnly = fifoMode == .bypass || isSleeping
    var first: Int64 = keepsNewestOnly ? 2 : 80
    let last: Int64 = keepsNewestOnly ? 1 : 40
    while due > 0 {
      if first == 0 && due > last {
        settle(ChipState.skip(&state.clock, &state.sampleCount, until: now, allBut: last))
        due = last
      }
      guard let instant = state.clock?.take() else { return }
      state.sampleCount &+= 1
      takeSample(at: instant, isSeen: !keepsNewestOnly || due == 1)
      due -= 1
      first = max(0, first - 1)
    }
  }

  /// Takes samples and undecimated readings in the order of their instants, for the detectors.
  private mutating func watch(since before: Instant) {
    let horizon = state.present - Self.lookBack
    if before < horizon { leap(to: horizon) }
    while let tick = state.takeTick() { sample(at: tick.instant, of: tick.clock) }
  }

  /// Advances without the detectors, which then start afresh.
  private mutating func leap(to instant: Instant) {
    let watching = detectors
    detectors = EmulatedADXL345.Detectors()
    takeSamples(until: instant)
    detectors = watching
    ChipState.skip(&state.secondClock, &state.secondCount, until: instant, allBut: 0)
    taps = EmulatedADXL345.TapDetector()
    freeFall = EmulatedADXL345.FreeFallDetector()
    activity.loseTrack()
  }
}

// Samples.
extension EmulatedADXL345.Chip {
  mutating func sample(at instant: Instant, of clock: Int) {
    if clock == 0 { takeSample(at: instant, isSeen: true) } else { takeStep(at: instant) }
  }

  /// Takes a sample; only its status unless `isSeen`.
  private mutating func takeSample(at instant: Instant, isSeen: Bool) {
    settle(1)
    let mode = fifoMode
    if isSleeping {
      queue.pushAsleep(isSeen ? measure(at: instant) : queue.newest, in: mode)
      if detectors.activity { lookForActivity(in: lastReading, at: instant) }
      return
    }
    let isWanted = (isSeen && !queue.refuses(in: mode)) || detectors.inactivity
    queue.push(isWanted ? measure(at: instant) : queue.newest, in: mode)
    if detectors.inactivity { lookForInactivity(in: lastReading, at: instant) }
    refreshPins(at: instant)
  }

  /// Lets the self-test force build up or fade over `samples` samples; it takes five.
  private mutating func settle(_ samples: Int64) {
    settled = isSelfTesting ? min(5, settled + min(5, samples)) : max(0, settled - min(5, samples))
  }

  /// The six data bytes of the sample of `instant`, as the conditions dictate.
  private mutating func measure(at instant: Instant) -> UInt64 {
    switch state.conditions.measurement {
    case .frozen: return queue.newest
    // Beyond the widest range.
    case .fullScale: lastReading = AxisValues(all: 1 << 32)
    case .live: lastReading = force(at: instant) + state.analogue.noise(state.sampleCount, deviation: deviation)
    }
    let sum = lastReading + offset
    return UInt64(encoded(sum.x)) | UInt64(encoded(sum.y)) << 16 | UInt64(encoded(sum.z)) << 32
  }

  private func force(at instant: Instant) -> AxisValues {
    let force = state.analogue.force(at: instant)
    let settled = settled
    return settled > 0 ? force + selfTest.map { $0 * settled / 5 } : force
  }

  /// Takes an undecimated reading.
  private mutating func takeStep(at instant: Instant) {
    let looksForActivity = detectors.activity && (!detectors.areLinked || activity.isInactive)
    guard detectors.taps || detectors.freeFall || looksForActivity else { return }
    var reading = force(at: instant)
    if deviation != .zero { reading = reading + AxisValues(fineNoise.sample(at: state.secondCount)) }
    if detectors.taps {
      let events = taps.step(reading, detectors) & state[Register.interruptEnable]
      if events != 0 {
        eventAxes = eventAxes & 0x70 | taps.axes
        latch(events, at: instant)
      }
    }
    if detectors.freeFall && freeFall.step(reading, detectors) { latch(Interrupt.freeFall, at: instant) }
    if looksForActivity { lookForActivity(in: reading, at: instant) }
  }

  /// A value in 1/65536 g as DATA_FORMAT requires it: rounded to nearest, clipped to the range, right- or
  /// left-justified.
  ///
  /// - Datasheet: ADXL345 Rev. E, "DATA_FORMAT", Table 1 and "Data formatting of upper data rates".
  private func encoded(_ value: Int64) -> UInt16 {
    let format = state[Register.dataFormat]
    let range = Int64(format & 0x03)
    let isFullResolution = format & 0x08 != 0
    let bits = isFullResolution ? 10 + range : 10
    let shift = isFullResolution ? 8 : 8 + range
    let limit: Int64 = 1 << (bits - 1)
    var counts = max(-limit, min(limit - 1, (value + (1 << (shift - 1))) >> shift))
    // At the two fastest rates the lowest bit is always 0 at 256 LSB/g.
    if rateCode >= 0x0E && shift == 8 { counts &= ~1 }
    let isLeftJustified = format & 0x04 != 0
    return UInt16(truncatingIfNeeded: isLeftJustified ? counts << (16 - bits) : counts)
  }

  private mutating func setNoise() {
    deviation = Self.deviation(noise, rateCode: rateCode, isLowPower: state[Register.bandwidthRate] & 0x10 != 0)
  }

  /// The noise at a rate: greater by √2 with every doubling above 100 Hz, and at low power at least 1.8 and 2.6 LSB on
  /// a typical part, which has 0.75 and 1.1.
  private static func deviation(_ base: Vector3, rateCode: UInt8, isLowPower: Bool) -> Vector3 {
    // Powers of √2 in Q16.16, for 100 Hz and below, 200, 400, 800, 1600 and 3200 Hz.
    let growth: InlineArray<6, Int32> = [65_536, 92_682, 131_072, 185_364, 262_144, 370_728]
    let normal = growth[max(10, Int(rateCode & 0x0F)) - 10]
    let horizontal = Q16(raw: isLowPower ? max(normal, 157_286) : normal)
    let vertical = Q16(raw: isLowPower ? max(normal, 154_903) : normal)
    return Vector3(
      x: base.x.multipliedSaturating(by: horizontal), y: base.y.multipliedSaturating(by: horizontal),
      z: base.z.multipliedSaturating(by: vertical))
  }
}

// Events.
extension EmulatedADXL345.Chip {
  /// Sets bits of INT_SOURCE until it is read.
  mutating func latch(_ events: UInt8, at instant: Instant) {
    latchedEvents |= events
    updateSleep(at: instant)
    refreshPins(at: instant)
  }

  private mutating func lookForActivity(in reading: AxisValues, at instant: Instant) {
    guard !detectors.areLinked || activity.isInactive else { return }
    let axes = activity.activity(in: reading, detectors)
    guard axes != 0 else { return }
    // The axes are those of the first event: until it is read, there is no other.
    if latchedEvents & Interrupt.activity == 0 { eventAxes = eventAxes & 0x07 | axes << 4 }
    if detectors.areLinked { activity.beginInactivity() }
    latch(Interrupt.activity, at: instant)
  }

  private mutating func lookForInactivity(in reading: AxisValues, at instant: Instant) {
    guard !detectors.areLinked || !activity.isInactive else { return }
    let second = Microseconds.seconds(1).stretched(byClockOf: partsPerMillion)
    guard activity.inactivity(in: reading, offset, at: instant, second: second, detectors) else { return }
    if detectors.areLinked { activity.beginActivity(from: reading) }
    latch(Interrupt.inactivity, at: instant)
  }

  /// Falls asleep or wakes up: a part is asleep if it is linked, has AUTO_SLEEP, is inactive and has no activity to
  /// report.
  private mutating func updateSleep(at instant: Instant) {
    let power = state[Register.powerControl]
    let sleeps =
      power & 0x38 == 0x38 && detectors.inactivity && activity.isInactive && latchedEvents & Interrupt.activity == 0
    guard sleeps != isAsleep else { return }
    isAsleep = sleeps
    if power & 0x04 == 0 { startClocks(at: instant) }
  }
}
