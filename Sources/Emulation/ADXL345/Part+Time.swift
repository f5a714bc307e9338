import FixedPoint

extension EmulatedADXL345.Part {
  /// How far back detectors look when nobody has looked for longer: ten minutes, so that a leap of the clock is bounded.
  static var lookBack: Microseconds { .seconds(600) }

  /// Brings the part to the present.
  mutating func advance(to now: Instant) {
    if detectors.watchSamples || stepClock != nil {
      watch(until: now)
    } else {
      takeSamples(until: now)
    }
    lookedAt = now
  }

  /// Takes the samples up to `now` of which something is left to see, and counts the others.
  ///
  /// In bypass mode that is the newest one; the first two set DATA_READY and Overrun. In the other modes a FIFO fills,
  /// triggers and fills again within 80 samples, and 40 replace all of it.
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

  /// Goes on without the detectors, which then begin anew.
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

  /// Takes the next sample; only its status where it is not `isSeen`.
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

  /// The six data bytes of the sample of `instant`, as the conditions allow.
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
