import FixedPoint

extension EmulatedADXL345 {
  /// The part, written from the data sheet alone, because no test would find an error shared with the driver.
  struct Chip: EmulatedChip {
    private static let map = RegisterMap(
      identity: 0x00, pointerBits: 0x3F,
      .registers(0x1D...0x29, writable: 0xFF), .registers(0x2A, writable: 0x0F),
      .registers(0x2C, writable: 0x1F, reset: 0x0A), .registers(0x2D, writable: 0x3F),
      .registers(0x2E, 0x2F, 0x38, writable: 0xFF), .registers(0x31, writable: 0xEF))

    var state: ChipState
    private let configuration: Configuration
    /// The noise of undecimated readings: another sequence, as strong as at 3200 Hz.
    private let fineNoise: NoiseSource
    /// What a settled self-test adds, and how far it has settled, in fifths.
    private let selfTest: AxisValues
    private var settled: Int64 = 0

    /// The FIFO behind the output register, which is that of the data.
    private var fifo = SampleFIFO(capacity: 32 * 6)
    /// The most recent sample, wherever it went, and the reading that it was made from.
    private var newest = AxisValues.zero
    private var lastReading = AxisValues.zero
    /// Whether the output register holds an unread sample.
    private var isUnread = false
    /// Whether an unread sample was replaced in bypass mode.
    private var isReplaced = false
    /// Whether a trigger event has occurred since bypass mode.
    private var isTriggered = false
    private var isReadingData = false

    private var detectors = Detectors()
    /// Whether the part has put itself to sleep.
    private var isAsleep = false
    /// The end of the turn-on time.
    private var readyAt = Instant(microseconds: 0)

    /// The pins that an interrupt drives, and those that are high: INT1 is bit 0, INT2 bit 1.
    private var activePins: UInt8 = 0
    private(set) var highPins: UInt8 = 0
    /// The changes of the pins to report; nil without a listener.
    var pinChanges: [(pin: InterruptPin, isHigh: Bool, instant: Instant)]?

    init(_ configuration: Configuration, motion: any Motion, at instant: Instant, seed: UInt64) {
      self.configuration = configuration
      var analogue = Analogue(motion: motion, at: instant, seed: seed)
      configuration.setErrors(of: &analogue)
      state = ChipState(Self.map, analogue, at: instant)
      selfTest = configuration.selfTestForce
      // Other seeds are usually small; this one is not, to differ from them.
      fineNoise = NoiseSource(
        standardDeviation: configuration.deviation(ofRate: 0x0F), seed: seed ^ 0x5EED_0F1A_E5CA_1E00)
    }
  }
}

// Registers.
extension EmulatedADXL345.Chip {
  typealias Interrupt = EmulatedADXL345.Interrupt

  mutating func reset() {
    fifo.removeAll()
    (newest, lastReading, settled) = (.zero, .zero, 0)
    (isUnread, isReplaced, isTriggered, isReadingData) = (false, false, false, false)
    (detectors, isAsleep) = (EmulatedADXL345.Detectors(), false)
    refreshPins(at: state.present)
  }

  mutating func read(_ register: Int) -> UInt8 {
    switch register {
    case 0x00: return configuration.identity
    case 0x2B: return detectors.axes | (isAsleep ? 0x08 : 0)
    case 0x30:
      defer {
        detectors.found = 0
        updateSleep(at: state.present)
      }
      return interruptSource
    case 0x32...0x37:
      isReadingData = true
      // Reading the data ends with the step from 0x37 to 0x38, or with STOP.
      defer { if register == 0x37 { finishDataRead() } }
      return state[register]
    case 0x39: return (isTriggered ? 0x80 : 0) | UInt8(entries)
    default: return state[register]
    }
  }

  mutating func stop(afterReading isRead: Bool) {
    if isRead { finishDataRead() }
    refreshPins(at: state.present)
  }

  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    let changed = before ^ state[register]
    switch register {
    case 0x1D, 0x21...0x23, 0x2A: restartDetectors(of: Interrupt.taps)
    case 0x24...0x27: restartDetectors(of: Interrupt.activity)
    case 0x28, 0x29: restartDetectors(of: Interrupt.freeFall)
    case 0x2C:
      if changed & 0x0F != 0 && isMeasuring && !isSleeping { state.clock = clock(rateCode, from: state.present) }
    case 0x2D: changePower(changed)
    case 0x2E: restartDetectors(of: changed)
    case 0x38: if changed & 0xC0 != 0 { enterFIFOMode() }
    default: return
    }
    updateSleep(at: state.present)
    updateStepClock(at: state.present)
  }

  private mutating func changePower(_ changed: UInt8) {
    // Measure, Link, AUTO_SLEEP: activity and inactivity restart, awake.
    if changed & 0x38 != 0 { restartDetectors(of: Interrupt.activity) }
    guard isMeasuring else {
      (isAsleep, state.clock, state.secondClock) = (false, nil, nil)
      return
    }
    if changed & 0x08 != 0 { restartDetectors(of: 0xFF) }
    if changed & 0x0C != 0 || isSleeping && changed & 0x03 != 0 { startClocks(at: state.present) }
  }

  private var rateCode: UInt8 { state[0x2C] & 0x0F }
  private var isMeasuring: Bool { state[0x2D] & 0x08 != 0 }
  /// Whether samples are taken at the wake-up rate.
  private var isSleeping: Bool { isAsleep || state[0x2D] & 0x04 != 0 }
}

// Clocks and sleep.
extension EmulatedADXL345.Chip {
  /// Starts sampling, at the output data rate after the turn-on time of 1.1 ms, or at the wake-up rate.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 7 and "Wakeup Bits".
  private mutating func startClocks(at now: Instant) {
    if isSleeping {
      state.clock = SampleClock(
        origin: now, period: .seconds(1), halvings: 3 - (state[0x2D] & 0x03),
        partsPerMillion: configuration.ratePartsPerMillion)
    } else {
      readyAt = now + Microseconds(1_100)
      state.clock = clock(rateCode, from: now)
    }
    state.secondClock = nil
    updateStepClock(at: now)
  }

  /// Undecimated data are taken at 3200 Hz, by the second clock, from the moment something uses them.
  private mutating func updateStepClock(at now: Instant) {
    guard isMeasuring && !isSleeping && detectors.useReadings else {
      state.secondClock = nil
      return
    }
    if state.secondClock == nil { state.secondClock = clock(0x0F, from: now) }
  }

  /// Falls asleep or wakes up: a part is asleep if it is linked, has AUTO_SLEEP, is inactive and has no activity to
  /// report.
  private mutating func updateSleep(at instant: Instant) {
    let isIdle = detectors.areInactive && detectors.found & Interrupt.activity == 0
    let sleeps = isIdle && state[0x2D] & 0x38 == 0x38
    guard sleeps != isAsleep else { return }
    isAsleep = sleeps
    if state[0x2D] & 0x04 == 0 { startClocks(at: instant) }
  }

  /// A clock with a period of 10.24 s / 2^code, from `now` on, but not before the part is ready.
  private func clock(_ rateCode: UInt8, from now: Instant) -> SampleClock {
    SampleClock(
      origin: max(now, readyAt), period: .milliseconds(10_240), halvings: rateCode,
      partsPerMillion: configuration.ratePartsPerMillion)
  }

  /// Enough on either side for a self-test to settle; in the modes with a FIFO, for it to fill, trigger and fill again.
  var mostSamples: Int64 { fifoMode == .bypass || isSleeping ? 10 : 160 }

  /// The detectors examine all samples and readings, but look back ten minutes at most, so that a leap of the clock is
  /// bounded.
  mutating func advance(to now: Instant) {
    let useSamples = detectors.findInactivity || detectors.findActivity && isSleeping
    guard useSamples || state.secondClock != nil else { return takeSamples(until: now) }
    let horizon = now - Microseconds.seconds(600)
    if state.present < horizon { leap(to: horizon) }
    state.arrive(at: now)
    while let tick = state.takeTick() { sample(at: tick.instant, of: tick.clock) }
  }

  /// Advances without the detectors, which then start afresh.
  private mutating func leap(to instant: Instant) {
    let watching = detectors
    detectors.turnOff()
    ChipState.skip(&state.secondClock, &state.secondCount, until: instant, allBut: 0)
    takeSamples(until: instant)
    detectors = watching
    detectors.loseTrack(state)
  }
}

// Samples.
extension EmulatedADXL345.Chip {
  mutating func sample(at instant: Instant, of clock: Int) {
    guard clock == 0 else { return takeStep(at: instant) }
    settled = state[0x31] & 0x80 != 0 ? min(5, settled + 1) : max(0, settled - 1)
    let isWanted = isSleeping || !refusesSamples || detectors.findInactivity
    store(isWanted ? measure(at: instant) : newest)
    if isSleeping { return latch(detectors.activity(in: lastReading), at: instant) }
    latch(detectors.inactivity(in: lastReading, offset, at: instant), at: instant)
    refreshPins(at: instant)
  }

  /// The words of the sample of `instant`, as the conditions dictate.
  private mutating func measure(at instant: Instant) -> AxisValues {
    switch state.conditions.measurement {
    case .frozen: return newest
    // Beyond the widest range.
    case .fullScale: lastReading = AxisValues(all: 1 << 32)
    case .live:
      let deviation = configuration.deviation(ofRate: state[0x2C])
      lastReading = force(at: instant) + state.analogue.noise(state.sampleCount, deviation: deviation)
    }
    return encoded(lastReading + offset)
  }

  private func force(at instant: Instant) -> AxisValues {
    let (force, settled) = (state.analogue.force(at: instant), settled)
    return settled > 0 ? force + selfTest.map { $0 * settled / 5 } : force
  }

  /// What the offset registers add, in 1/65536 g. One LSB is 15.625 mg, 1024/65536 g, in every range.
  private var offset: AxisValues {
    func axis(_ register: Int) -> Int64 { Int64(Int8(bitPattern: state[register])) * 1_024 }
    return AxisValues(x: axis(0x1E), y: axis(0x1F), z: axis(0x20))
  }

  /// Values in 1/65536 g as DATA_FORMAT requires them: rounded to nearest, clipped to the range, right- or
  /// left-justified.
  ///
  /// - Datasheet: ADXL345 Rev. E, "DATA_FORMAT", Table 1 and "Data formatting of upper data rates".
  private func encoded(_ values: AxisValues) -> AxisValues {
    let format = state[0x31]
    let range = Int64(format & 0x03)
    let (bits, shift) = format & 0x08 != 0 ? (10 + range, 8) : (10, 8 + range)
    let limit: Int64 = 1 << (bits - 1)
    // At the two fastest rates the lowest bit is always 0 at 256 LSB/g.
    let mask: Int64 = rateCode >= 0x0E && shift == 8 ? ~1 : ~0
    let justification = format & 0x04 != 0 ? 16 - bits : 0
    return values.map { value in
      (max(-limit, min(limit - 1, (value + (1 << (shift - 1))) >> shift)) & mask) << justification
    }
  }

  /// Takes an undecimated reading.
  private mutating func takeStep(at instant: Instant) {
    guard detectors.awaitReading else { return }
    var reading = force(at: instant)
    if configuration.noise != .zero { reading = reading + AxisValues(fineNoise.sample(at: state.secondCount)) }
    latch(detectors.events(in: reading), at: instant)
  }
}

// The output register, which the FIFO refills, and the FIFO.
extension EmulatedADXL345.Chip {
  /// FIFO_MODE of FIFO_CTL.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 22.
  private enum FIFOMode: UInt8 { case bypass, fifo, stream, trigger }

  private var fifoMode: FIFOMode { FIFOMode(rawValue: state[0x38] >> 6) ?? .bypass }
  /// Whether a full FIFO takes no more, rather than dropping its oldest sample.
  private var stopsWhenFull: Bool { fifoMode == .fifo || fifoMode == .trigger && isTriggered }
  private var refusesSamples: Bool { fifo.isFull && stopsWhenFull }
  /// Entries of FIFO_STATUS, 0…32. They wait only while the output register is unread.
  private var entries: Int { fifo.count / 6 }
  /// Samples of FIFO_CTL, 0…31.
  private var samples: Int { Int(state[0x38] & 0x1F) }

  /// Adds a new sample. That of a sleeping part only updates the data registers: nothing is ready and nothing waits.
  private mutating func store(_ words: AxisValues) {
    guard isSleeping || !refusesSamples else { return }
    newest = words
    if fifoMode == .bypass || !isUnread {
      isReplaced = isReplaced || isUnread
      isUnread = isUnread || !isSleeping
      state.store(words, at: 0x32)
    } else if !isSleeping && fifo.makeRoom(for: 6, stopsWhenFull: stopsWhenFull) {
      fifo.append(words)
    }
  }

  /// Ends a read of the data registers: the oldest entry moves up.
  private mutating func finishDataRead() {
    guard isReadingData else { return }
    (isReadingData, isReplaced, isUnread) = (false, false, !fifo.isEmpty)
    for register in 0x32...0x37 where isUnread { state[register] = fifo.pop() }
  }

  /// Enters another mode; bypass empties the FIFO.
  private mutating func enterFIFOMode() {
    isReplaced = false
    guard fifoMode == .bypass else { return }
    fifo.removeAll()
    isTriggered = false
  }
}

// Interrupts.
extension EmulatedADXL345.Chip {
  /// INT_SOURCE. Overrun: in bypass mode an unread sample was replaced, in all others the FIFO is full.
  private var interruptSource: UInt8 {
    detectors.found | (isUnread ? Interrupt.dataReady : 0) | (entries >= samples ? Interrupt.watermark : 0)
      | ((fifoMode == .bypass ? isReplaced : fifo.isFull) ? Interrupt.overrun : 0)
  }

  var isInterruptHigh: Bool { highPins & 1 != 0 }

  /// Drives the pins as INT_SOURCE, INT_ENABLE, INT_MAP and INT_INVERT now require; a pin that becomes active triggers
  /// the FIFO if it is its trigger.
  private mutating func refreshPins(at instant: Instant) {
    let (active, map) = (interruptSource & state[0x2E], state[0x2F])
    let pins: UInt8 = (active & ~map != 0 ? 1 : 0) | (active & map != 0 ? 2 : 0)
    let levels = state[0x31] & 0x20 != 0 ? pins ^ 3 : pins
    let (rising, changed) = (pins & ~activePins, levels ^ highPins)
    (activePins, highPins) = (pins, levels)
    if changed & 1 != 0 { pinChanges?.append((.int1, levels & 1 != 0, instant)) }
    if changed & 2 != 0 { pinChanges?.append((.int2, levels & 2 != 0, instant)) }
    let trigger: UInt8 = state[0x38] & 0x20 != 0 ? 2 : 1
    if rising & trigger != 0 && fifoMode == .trigger && !isTriggered {
      isTriggered = true
      fifo.removeFirst(max(0, entries - samples) * 6)
      // Fewer entries can mean fewer interrupts.
      refreshPins(at: instant)
    }
  }

  /// Sets events of INT_SOURCE, bits 6 to 2, until it is read.
  mutating func latch(_ events: UInt8, at instant: Instant) {
    guard events != 0 else { return }
    detectors.found |= events
    updateSleep(at: instant)
    refreshPins(at: instant)
  }

  private mutating func restartDetectors(of events: UInt8) {
    detectors.restart(events, state, partsPerMillion: configuration.ratePartsPerMillion)
  }
}
