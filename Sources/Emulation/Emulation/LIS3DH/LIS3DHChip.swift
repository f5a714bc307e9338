import FixedPoint

extension EmulatedLIS3DH {
  /// The part, written from the data sheet alone, because no test would find an error shared with the driver.
  struct Chip: EmulatedChip {
    /// The registers. The bits of CTRL_REG0 other than 7 must be written with their reset values; BOOT of CTRL_REG5 clears
    /// itself, and reloads only the trimming.
    private static let map = RegisterMap(
      identity: 0x0F, pointerBits: 0x7F, increment: .byAddressBit7,
      steps: [.init(at: 0x2D, to: 0x28, whileSet: .init(0x24, 0x40), .init(0x2E, 0xC0))],
      .registers(0x1E, writable: 0x80, reset: 0x10), .registers(0x1F, writable: 0xC0),
      .registers(0x20, writable: 0xFF, reset: 0x07), .registers(0x22, writable: 0xFE),
      .registers(0x24, writable: 0xCF, selfClearing: 0x80), .registers(0x25, writable: 0xFA),
      .registers(0x21, 0x23, 0x26, 0x2E, 0x30, 0x34, 0x3A, 0x3C, 0x3D, 0x3F, writable: 0xFF),
      .registers(0x32, 0x33, 0x36, 0x37, 0x3B, 0x3E, writable: 0x7F), .registers(0x38, writable: 0x3F))

    var state: ChipState
    private let configuration: Configuration
    /// Samples since power-down, for the turn-on time, and since the self-test bits changed.
    private var samplesAwake = 0
    private var samplesOfTest = 0
    /// Whether REFERENCE has yet to be read since power-down.
    private var isStale = false
    private var output = OutputLatch()
    private var fifo = SampleFIFO(capacity: 192)
    private var isTriggered = false
    private var filter = HighPassFilter()
    private var reading = AxisValues.zero
    private var interrupt = AxisInterrupt()

    init(_ configuration: Configuration, motion: any Motion, at instant: Instant, seed: UInt64) {
      self.init(
        configuration, ChipState(Self.map, configuration.specimen, motion: motion, at: instant, seed: seed))
    }

    private init(_ configuration: Configuration, _ state: ChipState) {
      (self.configuration, self.state) = (configuration, state)
    }
  }
}

// Registers.
extension EmulatedLIS3DH.Chip {
  mutating func reset() { self = Self(configuration, state) }

  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    let changed = before ^ state[register]
    switch register {
    case 0x20 where changed & 0xF8 != 0: restart(wasOff: before < 0x10)
    case 0x23 where changed & 0x06 != 0: samplesOfTest = 0
    case 0x24 where !usesFIFO: fifo.removeAll()
    case 0x2E where value < 0x40:
      fifo.removeAll()
      isTriggered = false
    case 0x30, 0x32, 0x33: interrupt.restart()
    case 0x3E where changed != 0: restart(wasOff: false)
    default: break
    }
  }

  mutating func read(_ register: Int) -> UInt8 {
    switch register {
    case 0x07: return rate == nil ? 0 : 0x44
    case 0x0C, 0x0D:
      return UInt8(truncatingIfNeeded: (register == 0x0D) != isBigEndian ? temperature >> 8 : temperature)
    case 0x0F: return configuration.identity
    case 0x26: (isStale, filter) = (false, HighPassFilter(from: reading))
    case 0x27:
      return (output.overrun == 0 ? 0 : 0x80) | output.overrun << 4 | (output.unread == 0 ? 0 : 0x08) | output.unread
    case 0x28...0x2D: return readData(register - 0x28)
    case 0x2F: return (isAtWatermark ? 0x80 : 0) | (fifo.isFull ? 0x40 : 0) | (fifo.isEmpty ? 0x20 : 0) | min(31, sets)
    case 0x31: return interrupt.readSource(isLatched: isLatched)
    default: break
    }
    return state[register]
  }

  private mutating func readData(_ index: Int) -> UInt8 {
    guard usesFIFO else { return output.read(index, inBlocks: state[0x23] & 0x80 != 0, highFirst: isBigEndian) }
    output.markRead()
    let place = isBigEndian ? index ^ 1 : index
    guard !fifo.isEmpty else {
      let word = output.words[index / 2]
      return UInt8(truncatingIfNeeded: place % 2 == 1 ? word >> 8 : word)
    }
    let byte = fifo[place]
    if index == 5 { fifo.removeFirst(6) }
    return byte
  }

  /// Relative to 25 °C, 256 per degree in steps of 1/4 °C; 0 unless the thermometer and the ADC are on.
  private var temperature: Int64 {
    guard state[0x1F] == 0xC0, rate != nil else { return 0 }
    return (Int64(configuration.specimen.temperature.raw) - 25 * 65_536) / 16_384 * 64
  }

  private var isBigEndian: Bool { state[0x23] & 0x40 != 0 }
  private var isLatched: Bool { state[0x24] & 0x08 != 0 }
  private var usesFIFO: Bool { state[0x24] & 0x40 != 0 && state[0x2E] >= 0x40 }
  private var sets: UInt8 { UInt8(fifo.count / 6) }
  private var isAtWatermark: Bool { usesFIFO && sets >= state[0x2E] & 0x1F }
  private var isLowPower: Bool { state[0x20] & 0x08 != 0 }
  private var isHighResolution: Bool { state[0x23] & 0x08 != 0 }

  /// INT1, with the sources in CTRL_REG3 and the polarity in CTRL_REG6.
  var isInterruptHigh: Bool {
    let enabled = state[0x22]
    let isActive =
      enabled & 0x10 != 0 && output.unread != 0 || enabled & 0x40 != 0 && interrupt.isActive
      || enabled & 0x04 != 0 && isAtWatermark || enabled & 0x02 != 0 && fifo.isFull
    return isActive != (state[0x25] & 0x02 != 0)
  }
}

// Samples.
extension EmulatedLIS3DH.Chip {
  /// A period and its number of halvings, which represent 1344 and 1620 Hz closely enough; nil in power-down.
  private var rate: (period: Int64, halvings: UInt8, hertz: Int32)? {
    // With ACT_THS set the board counts as inactive, so the part runs at 10 Hz.
    let code = state[0x20] >> 4
    switch state[0x3E] != 0 && code > 2 ? 2 : code {
    case 1: return (1_000_000, 0, 1)
    case 2: return (100_000, 0, 10)
    case 3: return (40_000, 0, 25)
    case 4: return (20_000, 0, 50)
    case 5: return (10_000, 0, 100)
    case 6: return (5_000, 0, 200)
    case 7: return (2_500, 0, 400)
    case 8 where isLowPower: return (19_753, 5, 1_620)
    case 9: return isLowPower ? (47_619, 8, 5_376) : (47_619, 6, 1_344)
    default: return nil
    }
  }

  private mutating func restart(wasOff: Bool) {
    output.release()
    guard let rate else {
      (state.clock, isStale) = (nil, true)
      return
    }
    state.clock = state.clock(rate.period, halvings: rate.halvings)
    if wasOff { samplesAwake = 0 }
  }

  /// Interrupt 1 counts samples.
  var mostSamples: Int64 { state[0x30] & 0x3F == 0 ? 80 : 10_000 }

  mutating func sample(at instant: Instant, of clock: Int) {
    (samplesAwake, samplesOfTest) = (samplesAwake + 1, samplesOfTest + 1)
    var words = output.words
    switch state.conditions.measurement {
    case .frozen: break
    case .fullScale: words = AxisValues(all: 0x7FF0)
    case .live:
      measure(at: instant)
      lookForInterrupt()
      words = encoded(state[0x21] & 0x08 != 0 ? filter.output : reading)
    }
    output.update(words, axes: state[0x20] & 0x07)
    guard usesFIFO else { return }
    isTriggered = isTriggered || state[0x2E] >= 0xC0 && interrupt.isActive
    if fifo.makeRoom(for: 6, stopsWhenFull: state[0x2E] < 0x80 || isTriggered) { fifo.append(words) }
  }

  /// Measures the axes and filters the reading, before conversion to words.
  private mutating func measure(at instant: Instant) {
    let factor = noiseFactor
    let noise = state.analogue.noise(state.sampleCount, deviation: configuration.noise)
    var value = state.analogue.force(at: instant) + noise.map { ($0 * factor) >> 8 }
    let samples: Int64 = isHighResolution ? 8 : 2
    let settling = min(Int64(samplesOfTest), samples)
    let test = AxisValues(configuration.selfTest).map { $0 * settling / samples }
    if state[0x23] & 0x06 == 0x02 { value = value + test }
    if state[0x23] & 0x06 == 0x04 { value = value - test }
    if isStale { value = value + AxisValues(all: 16_384) }
    let age = Int64(samplesAwake - 1)
    if isHighResolution && age < 7 { value = value.map { $0 * age / 7 } }
    reading = value
    filter.pass(value, code: state[0x21] >> 4)
  }

  /// The square root of the rate over 100 Hz, times the factor of the mode, in 1/256.
  private var noiseFactor: Int64 {
    let root = (Double(rate?.hertz ?? 100) / 100).squareRoot()
    return Int64((root * (isLowPower ? 6 : isHighResolution ? 1 : 2.1) * 256).rounded())
  }

  /// A reading as words of 8, 10 or 12 bits, left-aligned; axes that are off are 0.
  private func encoded(_ value: AxisValues) -> AxisValues {
    let bits: Int64 = isLowPower ? 8 : isHighResolution ? 12 : 10
    let milliG: Int64 = [1, 2, 4, 12][Int(state[0x23] >> 4 & 3)] << (12 - bits)
    var counts = AxisValues.zero
    for axis in 0..<3 where state[0x20] & 1 << UInt8(axis) != 0 {
      let (exact, rest) = (value[axis] * 1_000 * 2 + milliG * 65_536).quotientAndRemainder(
        dividingBy: milliG * 65_536 * 2)
      counts[axis] = max(-(1 << (bits - 1)), min(1 << (bits - 1) - 1, exact - (rest < 0 ? 1 : 0))) << (16 - bits)
    }
    return counts
  }

  /// Checks the latest reading for the event in INT1_CFG.
  private mutating func lookForInterrupt() {
    let value = state[0x21] & 0x01 != 0 ? filter.output : reading
    let milliG: Int64 = [16, 32, 62, 186][Int(state[0x23] >> 4 & 3)]
    interrupt.check(
      value, against: AxisValues(all: Int64(state[0x32]) * milliG * 65_536 / 1_000), configuration: state[0x30],
      duration: state[0x33], isLatched: isLatched)
  }
}
