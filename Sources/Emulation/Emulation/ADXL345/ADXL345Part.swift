import FixedPoint

extension EmulatedADXL345 {
  /// The complete state of the part at one moment: a value, so that one access to it suffices for a transaction.
  struct Part {
    let identity: UInt8
    let partsPerMillion: Int32
    var analogue: Analogue
    var conditions = TargetConditions()
    /// The samples and undecimated readings taken since the part was created: they number the noise.
    var sampleCount: UInt64 = 0
    var stepCount: UInt64 = 0

    var registers = RegisterFile()
    var queue = SampleQueue()
    /// The reading that the newest sample was made from.
    var lastReading = AxisReading.zero
    /// The events of INT_SOURCE, bits 6 to 2.
    var latchedEvents: UInt8 = 0
    /// ACT_TAP_STATUS without its bit 3.
    var eventAxes: UInt8 = 0
    /// Whether the part has put itself to sleep.
    var isAsleep = false
    var pins = Pins()
    private var isReadingData = false

    /// At the output data rate, or at the wake-up rate while asleep; nil in standby.
    var sampleClock: SampleClock?
    /// At 3200 Hz; nil while nothing uses undecimated data.
    var stepClock: SampleClock?
    /// The end of the turn-on time.
    var readyAt: Instant
    /// The time up to which the part has been simulated.
    var lookedAt: Instant
    var taps = TapDetector()
    var freeFall = FreeFallDetector()
    var activity = ActivityDetector()
    var detectors = Detectors()

    init(_ configuration: Configuration, motion: any Motion, at instant: Instant, seed: UInt64) {
      identity = configuration.identity
      partsPerMillion = configuration.ratePartsPerMillion
      analogue = Analogue(configuration, motion: motion, at: instant, seed: seed)
      readyAt = instant
      lookedAt = instant
    }
  }
}

extension EmulatedADXL345.Part {
  typealias Register = EmulatedADXL345.Register
  typealias Interrupt = EmulatedADXL345.Interrupt

  /// INT_SOURCE.
  var interruptSource: UInt8 {
    var bits = latchedEvents
    if queue.isUnread { bits |= Interrupt.dataReady }
    if queue.count >= registers.fifoSamples { bits |= Interrupt.watermark }
    if queue.isOverrun(in: registers.fifoMode) { bits |= Interrupt.overrun }
    return bits
  }

  /// Receives a pointer and bytes; returns whether there are pin changes to report.
  mutating func receive(_ bytes: Span<UInt8>, at now: Instant) -> Bool {
    advance(to: now)
    guard bytes.count > 0 else { return pins.hasNews }
    registers.point(to: bytes[0])
    guard bytes.count > 1 else { return pins.hasNews }
    for index in 1..<bytes.count { write(bytes[index], at: now) }
    refreshPins(at: now)
    return pins.hasNews
  }

  /// Transmits the registers from the pointer on; returns whether there are pin changes to report.
  mutating func transmit(into buffer: inout MutableSpan<UInt8>, at now: Instant) -> Bool {
    advance(to: now)
    for index in buffer.indices { buffer[index] = read(at: now) }
    finishDataRead()
    refreshPins(at: now)
    return pins.hasNews
  }

  /// Sets everything digital to its reset values; the board continues moving.
  mutating func powerCycle(at now: Instant) {
    registers = EmulatedADXL345.RegisterFile()
    queue = EmulatedADXL345.SampleQueue()
    lastReading = .zero
    latchedEvents = 0
    eventAxes = 0
    isAsleep = false
    sampleClock = nil
    stepClock = nil
    detectors = EmulatedADXL345.Detectors()
    analogue.powerCycle()
    analogue.setNoise(rateCode: registers.rateCode, isLowPower: registers.isLowPower)
    refreshPins(at: now)
  }

  /// Reads the register at the pointer, with the side effects of reading it, and advances the pointer.
  private mutating func read(at now: Instant) -> UInt8 {
    let register = registers.pointer
    registers.advancePointer()
    switch register {
    case Register.dataX0...Register.dataZ1:
      isReadingData = true
      let value = UInt8(truncatingIfNeeded: queue.output >> (8 * UInt64(register - Register.dataX0)))
      // Reading the data ends with the step from 0x37 to 0x38, or with STOP.
      if register == Register.dataZ1 { finishDataRead() }
      return value
    case Register.deviceID: return conditions.identity ?? identity
    case Register.eventAxes: return eventAxes | (isAsleep ? 0x08 : 0)
    case Register.fifoStatus: return (queue.isTriggered ? 0x80 : 0) | UInt8(queue.count)
    case Register.interruptSource:
      let value = interruptSource
      latchedEvents = 0
      updateSleep(at: now)
      return value
    default: return registers[register]
    }
  }

  private mutating func finishDataRead() {
    guard isReadingData else { return }
    isReadingData = false
    queue.finishRead()
  }
}

extension EmulatedADXL345.Part {
  /// How far back detectors look at most: ten minutes, so that a leap of the clock is bounded.
  static var lookBack: Microseconds { .seconds(600) }

  /// Brings the part up to date.
  mutating func advance(to now: Instant) {
    if detectors.watchSamples || stepClock != nil {
      watch(until: now)
    } else {
      takeSamples(until: now)
    }
    lookedAt = now
  }

  /// Takes the samples up to `now` of which a trace remains, and counts the others.
  ///
  /// In bypass mode that is the newest one; the first two set DATA_READY and Overrun. In the other modes a FIFO fills,
  /// triggers and fills again within 80 samples, and 40 samples replace its whole content.
  private mutating func takeSamples(until now: Instant) {
    guard var due = sampleClock?.due(until: now), due > 0 else { return }
    let keepsNewestOnly = registers.fifoMode == .bypass || isSleeping
    var first: Int64 = keepsNewestOnly ? 2 : 80
    let last: Int64 = keepsNewestOnly ? 1 : 40
    while due > 0 {
      if first == 0 && due > last {
        skipSamples(due - last)
        due = last
      }
      takeSample(isSeen: !keepsNewestOnly || due == 1)
      due -= 1
      first = max(0, first - 1)
    }
  }

  private mutating func skipSamples(_ count: Int64) {
    sampleClock?.take(count)
    sampleCount &+= UInt64(count)
    analogue.settle(isSelfTesting: registers.isSelfTesting, samples: count)
  }

  /// Takes samples and undecimated readings up to `now` in the order of their instants, for the detectors.
  private mutating func watch(until now: Instant) {
    let horizon = now - Self.lookBack
    if lookedAt < horizon { leap(to: horizon) }
    while true {
      let isSampleDue = (sampleClock?.due(until: now) ?? 0) > 0
      let isStepDue = (stepClock?.due(until: now) ?? 0) > 0
      guard isSampleDue || isStepDue else { return }
      if isSampleDue, let sample = sampleClock?.next, !isStepDue || sample <= stepClock?.next ?? sample {
        takeSample(isSeen: true)
      } else {
        takeStep()
      }
    }
  }

  /// Advances without the detectors, which then start afresh.
  private mutating func leap(to instant: Instant) {
    let watching = detectors
    detectors = EmulatedADXL345.Detectors()
    takeSamples(until: instant)
    detectors = watching
    let steps = stepClock?.due(until: instant) ?? 0
    if steps > 0 { stepClock?.take(steps) }
    stepCount &+= UInt64(steps)
    taps = EmulatedADXL345.TapDetector()
    freeFall = EmulatedADXL345.FreeFallDetector()
    activity.loseTrack()
  }

  /// Takes the next sample; only its status unless `isSeen`.
  private mutating func takeSample(isSeen: Bool) {
    guard let instant = sampleClock?.take() else { return }
    sampleCount &+= 1
    analogue.settle(isSelfTesting: registers.isSelfTesting, samples: 1)
    let mode = registers.fifoMode
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

  /// The six data bytes of the sample of `instant`, as the conditions dictate.
  private mutating func measure(at instant: Instant) -> UInt64 {
    switch conditions.measurement {
    case .frozen: return queue.newest
    case .fullScale: lastReading = .fullScale
    case .live: lastReading = analogue.reading(at: instant, number: sampleCount)
    }
    return registers.encoded(lastReading)
  }

  /// Takes the next undecimated reading.
  private mutating func takeStep() {
    guard let instant = stepClock?.take() else { return }
    stepCount &+= 1
    let looksForActivity = detectors.activity && (!detectors.areLinked || activity.isInactive)
    guard detectors.taps || detectors.freeFall || looksForActivity else { return }
    let reading = analogue.undecimatedReading(at: instant, number: stepCount)
    if detectors.taps {
      let events = taps.step(reading, registers) & registers[Register.interruptEnable]
      if events != 0 {
        eventAxes = eventAxes & 0x70 | taps.axes
        latch(events, at: instant)
      }
    }
    if detectors.freeFall && freeFall.step(reading, registers) { latch(Interrupt.freeFall, at: instant) }
    if looksForActivity { lookForActivity(in: reading, at: instant) }
  }
}

extension EmulatedADXL345 {
  /// Which detectors run, as set in the registers.
  struct Detectors {
    var taps = false
    var freeFall = false
    var activity = false
    var inactivity = false
    /// Whether activity and inactivity alternate.
    var areLinked = false
    /// Whether every single sample is examined.
    var watchSamples = false
  }
}

extension EmulatedADXL345.Part {
  /// Whether samples are taken at the wake-up rate.
  var isSleeping: Bool { isAsleep || registers.isSentToSleep }

  /// Sets bits of INT_SOURCE until it is read.
  mutating func latch(_ events: UInt8, at instant: Instant) {
    latchedEvents |= events
    updateSleep(at: instant)
    refreshPins(at: instant)
  }

  mutating func lookForActivity(in reading: EmulatedADXL345.AxisReading, at instant: Instant) {
    guard !detectors.areLinked || activity.isInactive else { return }
    let axes = activity.activity(in: reading, registers)
    guard axes != 0 else { return }
    // The axes are those of the first event: until it is read, there is no other.
    if latchedEvents & Interrupt.activity == 0 { eventAxes = eventAxes & 0x07 | axes << 4 }
    if detectors.areLinked { activity.beginInactivity() }
    latch(Interrupt.activity, at: instant)
  }

  mutating func lookForInactivity(in reading: EmulatedADXL345.AxisReading, at instant: Instant) {
    guard !detectors.areLinked || !activity.isInactive else { return }
    let second = Microseconds.seconds(1).stretched(byClockOf: partsPerMillion)
    guard activity.inactivity(in: reading, at: instant, second: second, registers) else { return }
    if detectors.areLinked { activity.beginActivity(from: reading) }
    latch(Interrupt.inactivity, at: instant)
  }

  /// Falls asleep or wakes up: a part is asleep if it is linked, has AUTO_SLEEP, is inactive and has no activity to
  /// report.
  mutating func updateSleep(at instant: Instant) {
    let sleeps =
      registers.isMeasuring && registers.isLinked && registers.sleepsByItself && detectors.inactivity
      && activity.isInactive && latchedEvents & Interrupt.activity == 0
    guard sleeps != isAsleep else { return }
    isAsleep = sleeps
    if !registers.isSentToSleep { startClocks(at: instant) }
  }

  /// Determines from the registers which detectors run.
  mutating func updateDetectors(at now: Instant) {
    let enabled = registers[Register.interruptEnable]
    let control = registers[Register.activityControl]
    detectors.taps =
      enabled & Interrupt.taps != 0 && registers[Register.tapDuration] != 0
      && registers[Register.tapAxes] & 0x07 != 0
    detectors.freeFall = enabled & Interrupt.freeFall != 0
    detectors.activity = enabled & Interrupt.activity != 0 && control & 0x70 != 0
    detectors.inactivity = enabled & Interrupt.inactivity != 0 && control & 0x07 != 0
    detectors.areLinked = registers.isLinked && detectors.activity && detectors.inactivity
    detectors.watchSamples = detectors.inactivity || (detectors.activity && registers.isSentToSleep)
    updateSleep(at: now)
    updateStepClock(at: now)
  }
}
