import FixedPoint

extension EmulatedADXL345 {
  /// All that the part is at one moment: a value, so that one access to it is enough for a transaction.
  struct Part {
    let identity: UInt8
    let partsPerMillion: Int32
    var analogue: Analogue
    var conditions = TargetConditions()
    /// Samples and undecimated readings taken since the part was made: they number the noise.
    var sampleCount: UInt64 = 0
    var stepCount: UInt64 = 0

    var registers = RegisterFile()
    var queue = SampleQueue()
    /// What the newest sample was made of.
    var lastReading = AxisReading.zero
    /// The events of INT_SOURCE, bits 6 to 2.
    var latchedEvents: UInt8 = 0
    /// ACT_TAP_STATUS without its bit 3.
    var eventAxes: UInt8 = 0
    /// Whether the part has put itself to sleep.
    var isAsleep = false
    var pins = Pins()
    private var isReadingData = false

    /// At the output data rate, or while asleep at the wake-up rate; nil in standby.
    var sampleClock: SampleClock?
    /// At 3200 Hz; nil while nothing looks at undecimated data.
    var stepClock: SampleClock?
    /// When the turn-on time is over.
    var readyAt: Instant
    /// The present, as far as it was looked at.
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

  /// Takes a pointer and bytes; whether there are pin changes to tell.
  mutating func receive(_ bytes: Span<UInt8>, at now: Instant) -> Bool {
    advance(to: now)
    guard bytes.count > 0 else { return pins.hasNews }
    registers.point(to: bytes[0])
    guard bytes.count > 1 else { return pins.hasNews }
    for index in 1..<bytes.count { write(bytes[index], at: now) }
    refreshPins(at: now)
    return pins.hasNews
  }

  /// Gives the registers from the pointer on; whether there are pin changes to tell.
  mutating func transmit(into buffer: inout MutableSpan<UInt8>, at now: Instant) -> Bool {
    advance(to: now)
    for index in buffer.indices { buffer[index] = read(at: now) }
    finishDataRead()
    refreshPins(at: now)
    return pins.hasNews
  }

  /// Everything digital at its reset values; the board goes on moving.
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

  /// Reads the register at the pointer, with what reading does to it, and moves on.
  private mutating func read(at now: Instant) -> UInt8 {
    let register = registers.pointer
    registers.advancePointer()
    switch register {
    case Register.dataX0...Register.dataZ1:
      isReadingData = true
      let value = UInt8(truncatingIfNeeded: queue.output >> (8 * UInt64(register - Register.dataX0)))
      // The end of reading the data is the step from 0x37 to 0x38, or STOP.
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
