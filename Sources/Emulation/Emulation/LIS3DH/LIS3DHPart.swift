import FixedPoint

extension EmulatedLIS3DH {
  /// Three axes, in 1/65536 g or in counts.
  typealias Axes = SIMD3<Int64>

  /// The whole state of the part.
  ///
  /// Written from the data sheet alone, because no test would find an error shared with the driver.
  struct Part {
    private let configuration: Configuration
    private let noise: NoiseSource
    private var motion: any Motion
    private var motionStart: Instant
    var conditions = TargetConditions()
    private(set) var sampleCount: UInt64 = 0
    private(set) var reservedWrites = 0
    /// The part's present time, which advances with each byte of a burst.
    private var present: Instant

    private var registers: [UInt8]
    private var pointer: UInt8 = 0
    private var increments = false
    private var clock: SampleClock?
    /// Samples since power-down, for the turn-on time, and since the self-test bits changed.
    private var samplesAwake = 0
    private var samplesOfTest = 0
    /// Whether REFERENCE has yet to be read since power-down.
    private var isStale = false
    /// The newest sample; the axes with unread data, and those with lost data.
    private var output = Axes.zero
    private var unread: UInt8 = 0
    private var overrun: UInt8 = 0
    /// With BDU, the axis with one byte read, its value, which byte was read, and the number of the sample.
    private var held: (axis: Int, value: Int64, isHigh: Bool, sample: UInt64)?
    private var fifo: [Axes] = []
    private var isTriggered = false
    /// The filter: its last input and output.
    private var filter: (last: Axes, output: Axes)?
    private var reading = Axes.zero
    private var samplesBeyond: UInt8 = 0
    private var isInterrupted = false
    private var source: UInt8 = 0

    init(_ configuration: Configuration, motion: any Motion, at instant: Instant, seed: UInt64) {
      self.configuration = configuration
      (self.motion, motionStart, present) = (motion, instant, instant)
      noise = NoiseSource(standardDeviation: configuration.noise, seed: seed)
      registers = Self.reset
    }

    /// CTRL_REG0 0x10, CTRL_REG1 0x07, all others 0.
    private static var reset: [UInt8] { (0..<128).map { $0 == 0x1E ? 0x10 : $0 == 0x20 ? 0x07 : 0 } }

    /// The writable bits of a register; 0 for a read-only or reserved register.
    private static func writable(_ register: UInt8) -> UInt8 {
      switch register {
      case 0x1E: 0x80
      case 0x1F: 0xC0
      case 0x20, 0x21, 0x23, 0x26, 0x2E, 0x30, 0x34, 0x3A, 0x3C, 0x3D, 0x3F: 0xFF
      case 0x22: 0xFE
      case 0x24: 0xCF
      case 0x25: 0xFA
      case 0x32, 0x33, 0x36, 0x37, 0x3B, 0x3E: 0x7F
      case 0x38: 0x3F
      default: 0
      }
    }
  }
}

// Registers.
extension EmulatedLIS3DH.Part {
  mutating func play(_ motion: any Motion, at instant: Instant) {
    advance(to: instant)
    (self.motion, motionStart) = (motion, instant)
  }

  /// Resets all digital state; the board keeps moving.
  mutating func powerCycle() {
    registers = Self.reset
    (pointer, increments, clock, samplesAwake, samplesOfTest, isStale) = (0, false, nil, 0, 0, false)
    (output, unread, overrun, held, fifo, isTriggered) = (.zero, 0, 0, nil, [], false)
    (filter, reading, samplesBeyond, isInterrupted, source) = (nil, .zero, 0, false, 0)
  }

  mutating func point(to address: UInt8) {
    (pointer, increments) = (address & 0x7F, address & 0x80 != 0)
  }

  private mutating func movePointer() {
    guard increments else { return }
    pointer = pointer == 0x2D && usesFIFO ? 0x28 : (pointer + 1) & 0x7F
  }

  mutating func write(_ value: UInt8, at now: Instant) {
    let (register, mask) = (Int(pointer), Self.writable(pointer))
    movePointer()
    // The other bits of CTRL_REG0 must be written with their reset values.
    let fixed: UInt8 = register == 0x1E ? 0x10 : 0
    if mask == 0 || value & ~mask != fixed { reservedWrites += 1 }
    guard mask != 0 else { return }
    let before = registers[register]
    // BOOT clears itself, and reloads only the trimming.
    registers[register] = (value & mask | fixed) & (register == 0x24 ? 0x7F : 0xFF)
    let changed = before ^ registers[register]
    switch register {
    case 0x20 where changed & 0xF8 != 0: restart(wasOff: before < 0x10)
    case 0x23 where changed & 0x06 != 0: samplesOfTest = 0
    case 0x2E where value < 0x40: (fifo, isTriggered) = ([], false)
    case 0x30, 0x32, 0x33: samplesBeyond = 0
    case 0x3E where changed != 0: restart(wasOff: false)
    default: break
    }
    if register == 0x24, !usesFIFO { fifo = [] }
  }

  /// Reads the register at the pointer, with the side effects of the read, and advances.
  mutating func read(at now: Instant) -> UInt8 {
    advance(to: now)
    let register = pointer
    var value = registers[Int(register)]
    switch register {
    case 0x07: value = rate == nil ? 0 : 0x44
    case 0x0C, 0x0D: value = byte(of: temperature, isHigh: register == 0x0D)
    case 0x0F: value = conditions.identity ?? configuration.identity
    case 0x26: (isStale, filter) = (false, (reading, .zero))
    case 0x27: value = (overrun == 0 ? 0 : 0x80) | overrun << 4 | (unread == 0 ? 0 : 0x08) | unread
    case 0x28...0x2D: value = readData(Int(register - 0x28))
    case 0x2F:
      value = (fifo.count >= Int(registers[0x2E] & 0x1F) && usesFIFO ? 0x80 : 0) | (fifo.count == 32 ? 0x40 : 0)
      value |= (fifo.isEmpty ? 0x20 : 0) | UInt8(min(31, fifo.count))
    case 0x31:
      value = source | (isInterrupted ? 0x40 : 0)
      if registers[0x24] & 0x08 != 0 { (isInterrupted, source) = (false, 0) }
    default: break
    }
    movePointer()
    if configuration.byteTime > 0 { advance(to: present + Microseconds(configuration.byteTime)) }
    return value
  }

  private mutating func readData(_ index: Int) -> UInt8 {
    let (axis, isHigh) = (index / 2, index % 2 == 1)
    if usesFIFO {
      let set = fifo.first ?? output
      if index == 5, !fifo.isEmpty { fifo.removeFirst() }
      (unread, overrun) = (0, 0)
      return byte(of: set[axis], isHigh: isHigh)
    }
    let updatesInBlocks = registers[0x23] & 0x80 != 0
    if !updatesInBlocks || held?.axis != axis { held = (axis, output[axis], isHigh, sampleCount) }
    guard let now = held else { return 0 }
    if isHigh || now.isHigh != isHigh {
      // A newer sample is still unread.
      if now.sample == sampleCount { unread &= ~(1 << UInt8(axis)) }
      overrun &= ~(1 << UInt8(axis))
    }
    if !updatesInBlocks || now.isHigh != isHigh { held = nil }
    return byte(of: now.value, isHigh: isHigh)
  }

  private func byte(of value: Int64, isHigh: Bool) -> UInt8 {
    UInt8(truncatingIfNeeded: isHigh != (registers[0x23] & 0x40 != 0) ? value >> 8 : value)
  }

  /// Relative to 25 °C, 256 per degree in steps of 1/4 °C; 0 unless the thermometer and the ADC are on.
  private var temperature: Int64 {
    guard registers[0x1F] == 0xC0, rate != nil else { return 0 }
    return (Int64(configuration.temperature.raw) - 25 * 65_536) / 16_384 * 64
  }

  private var usesFIFO: Bool { registers[0x24] & 0x40 != 0 && registers[0x2E] >= 0x40 }
  private var isLowPower: Bool { registers[0x20] & 0x08 != 0 }
  private var isHighResolution: Bool { registers[0x23] & 0x08 != 0 }
  private var isFiltered: Bool { registers[0x21] & 0x01 != 0 }

  /// INT1, with the sources in CTRL_REG3 and the polarity in CTRL_REG6.
  var isINT1High: Bool {
    let enabled = registers[0x22]
    let isActive =
      enabled & 0x10 != 0 && unread != 0 || enabled & 0x40 != 0 && isInterrupted
      || enabled & 0x04 != 0 && usesFIFO && fifo.count >= Int(registers[0x2E] & 0x1F)
      || enabled & 0x02 != 0 && fifo.count == 32
    return isActive != (registers[0x25] & 0x02 != 0)
  }
}

// Samples.
extension EmulatedLIS3DH.Part {
  private typealias Axes = EmulatedLIS3DH.Axes

  /// A period and its number of halvings, which represent 1344 and 1620 Hz closely enough; nil in power-down.
  private var rate: (period: Int64, halvings: UInt8, hertz: Int32)? {
    // With ACT_THS set the board counts as inactive, so the part runs at 10 Hz.
    let code = registers[0x20] >> 4
    switch registers[0x3E] != 0 && code > 2 ? 2 : code {
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
    held = nil
    guard let rate else {
      (clock, isStale) = (nil, true)
      return
    }
    clock = SampleClock(
      origin: present, period: Microseconds(rate.period), halvings: rate.halvings,
      partsPerMillion: configuration.ratePartsPerMillion)
    if wasOff { samplesAwake = 0 }
  }

  /// Advances the part to `now`; its time never goes back.
  mutating func advance(to now: Instant) {
    present = max(present, now)
    guard let due = clock?.due(until: present), due > 0 else { return }
    // Enough samples to fill and overrun the FIFO on each side of the gap.
    let most: Int64 = registers[0x30] & 0x3F == 0 ? 80 : 10_000
    for _ in 0..<min(due, most / 2) { makeSample() }
    guard due > most / 2 else { return }
    let skipped = due - most
    if skipped > 0 {
      clock?.take(skipped)
      sampleCount += UInt64(skipped)
    }
    for _ in 0..<min(due - most / 2, most / 2) { makeSample() }
  }

  private mutating func makeSample() {
    guard let instant = clock?.take() else { return }
    (sampleCount, samplesAwake, samplesOfTest) = (sampleCount + 1, samplesAwake + 1, samplesOfTest + 1)
    overrun |= unread
    unread = registers[0x20] & 0x07
    switch conditions.measurement {
    case .frozen: break
    case .fullScale: output = Axes(repeating: 0x7FF0)
    case .live:
      measure(at: instant)
      lookForInterrupt()
      output = encoded(registers[0x21] & 0x08 != 0 ? filter?.output ?? .zero : reading)
    }
    guard usesFIFO else { return }
    isTriggered = isTriggered || registers[0x2E] >= 0xC0 && isInterrupted
    if fifo.count == 32 {
      guard registers[0x2E] >= 0x80, !isTriggered else { return }
      fifo.removeFirst()
    }
    fifo.append(output)
  }

  /// Measures the axes and filters the reading, before conversion to words.
  private mutating func measure(at instant: Instant) {
    func axes(_ vector: Vector3) -> Axes { Axes(Int64(vector.x.raw), Int64(vector.y.raw), Int64(vector.z.raw)) }
    let gain = axes(configuration.sensitivityError) &+ 65_536
    var value = axes(motion.specificForce(at: instant - motionStart))
    value = (value &* gain &+ 0x8000) &>> 16 &+ axes(configuration.zeroGOffset)
    if configuration.noise != .zero {
      value &+= (axes(noise.sample(at: sampleCount)) &* noiseFactor) &>> 8
    }
    let settling = Int64(min(samplesOfTest, isHighResolution ? 8 : 2))
    let test = axes(configuration.selfTest) &* settling / (isHighResolution ? 8 : 2)
    if registers[0x23] & 0x06 == 0x02 { value &+= test }
    if registers[0x23] & 0x06 == 0x04 { value &-= test }
    if isStale { value &+= 16_384 }
    if isHighResolution && samplesAwake <= 7 { value = value &* Int64(samplesAwake - 1) / 7 }
    reading = value
    guard let before = filter else {
      filter = (value, .zero)
      return
    }
    // 1 - 2π fc/ODR, in 1/1024.
    let share: Int64 = [895, 960, 309, 1_008][Int(registers[0x21] >> 4 & 3)]
    filter = (value, (before.output &+ value &- before.last) &* share / 1_024)
  }

  /// The square root of the rate over 100 Hz, times the factor of the mode, in 1/256.
  private var noiseFactor: Int64 {
    let root = (Double(rate?.hertz ?? 100) / 100).squareRoot()
    return Int64((root * (isLowPower ? 6 : isHighResolution ? 1 : 2.1) * 256).rounded())
  }

  /// A reading as words of 8, 10 or 12 bits, left-aligned; axes that are off are 0.
  private func encoded(_ value: Axes) -> Axes {
    let bits: Int64 = isLowPower ? 8 : isHighResolution ? 12 : 10
    let milliG: Int64 = [1, 2, 4, 12][Int(registers[0x23] >> 4 & 3)] << (12 - bits)
    var counts = Axes.zero
    for axis in 0..<3 where registers[0x20] & 1 << UInt8(axis) != 0 {
      let exact = (value[axis] * 1_000 * 2 + milliG * 65_536) / (milliG * 65_536 * 2)
      let isExactBelow = (value[axis] * 1_000 * 2 + milliG * 65_536) % (milliG * 65_536 * 2) < 0
      counts[axis] = max(-(1 << (bits - 1)), min(1 << (bits - 1) - 1, exact - (isExactBelow ? 1 : 0))) << (16 - bits)
    }
    return counts
  }

  /// Checks the latest reading for the event in INT1_CFG.
  private mutating func lookForInterrupt() {
    let wanted = registers[0x30] & 0x3F
    guard wanted != 0 else { return }
    let value = isFiltered ? filter?.output ?? .zero : reading
    let milliG: Int64 = [16, 32, 62, 186][Int(registers[0x23] >> 4 & 3)]
    let threshold = Int64(registers[0x32]) * milliG * 65_536 / 1_000
    var events: UInt8 = 0
    for axis in 0..<3 { events |= (value[axis].magnitude > threshold ? 2 : 1) << UInt8(2 * axis) }
    let isAnd = registers[0x30] & 0x80 != 0
    let isBeyond = isAnd ? events & wanted == wanted : events & wanted != 0
    samplesBeyond = isBeyond ? min(samplesBeyond, 254) + 1 : 0
    let isLatched = registers[0x24] & 0x08 != 0
    guard isBeyond, samplesBeyond > registers[0x33] else {
      if !isLatched { (isInterrupted, source) = (false, 0) }
      return
    }
    (isInterrupted, source) = (true, events & wanted)
  }
}
