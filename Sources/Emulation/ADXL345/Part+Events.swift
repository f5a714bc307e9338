import FixedPoint

extension EmulatedADXL345 {
  /// Which detectors run, as the registers have it.
  struct Detectors {
    var taps = false
    var freeFall = false
    var activity = false
    var inactivity = false
    /// Whether activity and inactivity take turns.
    var areLinked = false
    /// Whether the samples are looked at one by one.
    var watchSamples = false
  }
}

extension EmulatedADXL345.Part {
  /// Whether samples come at the wake-up rate.
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
    // The axes are those that were first: while the event is not read, there is no other.
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

  /// Falls asleep or wakes up: asleep is who is linked, has AUTO_SLEEP, is inactive and has no activity to report.
  mutating func updateSleep(at instant: Instant) {
    let sleeps =
      registers.isMeasuring && registers.isLinked && registers.sleepsByItself && detectors.inactivity
      && activity.isInactive && latchedEvents & Interrupt.activity == 0
    guard sleeps != isAsleep else { return }
    isAsleep = sleeps
    if !registers.isSentToSleep { startClocks(at: instant) }
  }

  /// Which detectors run, from the registers.
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
