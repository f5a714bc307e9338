import FixedPoint

extension EmulatedLSM6DS {
  /// The part, written from the data sheets alone, because no test would find an error shared with the driver.
  struct Chip: EmulatedChip {
    var state: ChipState
    private let part: Part
    private let configuration: Configuration
    private var force = OutputLatch()
    private var rotation = OutputLatch()
    private var forcesAwake = 0
    private var rotationStart: Instant?
    private var fifo: SampleFIFO
    /// The next byte of a set without tags, and the number of the set with tags.
    private var position = 0
    private var instantCount: UInt8 = 0
    private var last: AxisValues?
    private var wakeSource: UInt8 = 0
    private var isDeaf = false

    init(_ part: Part, _ configuration: Configuration, _ state: ChipState) {
      (self.part, self.configuration, self.state) = (part, configuration, state)
      fifo = SampleFIFO(capacity: part.fifoCapacity)
    }
  }
}

// Registers.
extension EmulatedLSM6DS.Chip {
  mutating func reset() { self = Self(part, configuration, state) }

  private var isElsewhere: Bool { state[0x01] != 0 }
  /// The codes of the rates; 0 for power-down.
  private var forceRate: UInt8 { state[0x10] >> 4 }
  private var rotationRate: UInt8 { state[0x11] >> 4 }
  private var isOff: Bool { forceRate == 0 && rotationRate == 0 }

  func accepts(writesTo register: Int) -> Bool { !isDeaf && !state.isResetting && (register == 0x01 || !isElsewhere) }

  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    switch register {
    case 0x10, 0x11:
      if before >> 4 != value >> 4 { restart(register, wasOff: before < 0x10) }
    case 0x12 where value & 0x01 != 0:
      let entersI3C = part.hasTags && configuration.isINT1High && state[0x18] & 0x02 == 0
      state.reset()
      reset()
      state.resetEnd = configuration.resetsForever ? Instant(microseconds: .max) : state.present + Microseconds(50)
      isDeaf = entersI3C
    case 0x0A where value & 0x07 == 0:
      fifo.removeAll()
      (position, instantCount) = (0, 0)
    default: break
    }
  }

  mutating func read(_ register: Int) -> UInt8 {
    guard !isDeaf else { return 0xFF }
    guard register == 0x01 || !isElsewhere else { return 0 }
    switch register {
    case 0x0F: return part.rawValue
    case 0x12: return state[0x12] | (state.isResetting ? 0x01 : 0)
    case 0x1A where part.hasTags, 0x1B:
      defer { if isLatched { wakeSource = 0 } }
      return register == 0x1B || wakeSource == 0 ? wakeSource : 0x02
    case 0x1E: return (force.isNew ? 0x01 : 0) | (rotation.isNew ? 0x02 : 0) | (isOff ? 0 : 0x04)
    case 0x20, 0x21: return UInt8(truncatingIfNeeded: register == 0x21 ? temperature >> 8 : temperature)
    case 0x22...0x27: return rotation.read(register - 0x22, inBlocks: isBlocked, highFirst: isBigEndian)
    case 0x28...0x2D: return force.read(register - 0x28, inBlocks: isBlocked, highFirst: isBigEndian)
    case 0x3A: return UInt8(truncatingIfNeeded: words)
    case 0x3B: return UInt8(words >> 8 & 0x0F) | fifoFlags
    case 0x3C where !part.hasTags: return UInt8(position / 2)
    case 0x3E, 0x3F:
      guard !part.hasTags, !fifo.isEmpty else { return 0 }
      position = (position + 1) % setSize
      return fifo.pop()
    case 0x78...0x7E where part.hasTags:
      defer { if register == 0x7E { fifo.removeFirst(7) } }
      return fifo[register - 0x78]
    default: return state[register]
    }
  }

  private var isLatched: Bool { state[part.hasTags ? 0x56 : 0x58] & 0x01 != 0 }
  private var isBlocked: Bool { state[0x12] & 0x40 != 0 }
  private var isBigEndian: Bool { !part.hasTags && state[0x12] & 0x02 != 0 }

  /// 0 at 25 °C, and in power-down.
  private var temperature: Int64 {
    isOff ? 0 : (state.warmth(above: 25) * part.temperatureScale + 32_768) >> 16
  }

  /// INT2: data ready, FIFO threshold, wake-up.
  var isInterruptHigh: Bool {
    let enabled = state[0x0E]
    let isActive =
      enabled & 0x01 != 0 && force.isNew || enabled & 0x02 != 0 && rotation.isNew
      || enabled & 0x08 != 0 && fifoFlags & 0x80 != 0 || state[0x5F] & 0x20 != 0 && wakeSource != 0
    return isActive != (state[0x12] & 0x20 != 0)
  }
}

// The FIFO.
extension EmulatedLSM6DS.Chip {
  /// Which sensors it stores.
  private var stored: (rotation: Bool, force: Bool) {
    guard state[0x0A] & 0x07 != 0 else { return (false, false) }
    // Without tags, one rate for the sensors that are not decimated.
    let (rates, rate, decimations) = (state[0x09], state[0x0A] >> 3, state[0x08])
    let ofRotation = part.hasTags ? rates >> 4 : decimations >> 3 == 1 ? rate : 0
    let ofForce = part.hasTags ? rates & 0x0F : decimations & 7 == 1 ? rate : 0
    return (rotationRate != 0 && ofRotation == rotationRate, forceRate != 0 && ofForce == forceRate)
  }

  /// The bytes of a set; at least 6.
  private var setSize: Int { (part.hasTags ? 7 : 6) * (stored == (true, true) ? 2 : 1) }

  /// The number of words, of a sensor with its tag or of an axis.
  private var words: Int { part.hasTags ? fifo.count / 7 : fifo.hasLost ? 0 : fifo.count / 2 }

  /// FIFO_STATUS2 without the number of words.
  private var fifoFlags: UInt8 {
    let (low, high) = part.hasTags ? (state[0x07], state[0x08] & 0x01) : (state[0x06], state[0x07] & 0x0F)
    let threshold = Int(low) | Int(high) << 8
    let isFull = fifo.count + setSize > fifo.capacity
    let own: UInt8 = part.hasTags ? (fifo.hasLost ? 0x08 : 0) : fifo.isEmpty ? 0x10 : 0
    return (words >= threshold && threshold > 0 ? 0x80 : 0) | (fifo.hasLost ? 0x40 : 0) | (isFull ? 0x20 : 0) | own
  }

  /// Stores the newest samples of these sensors.
  private mutating func store(rotation hasRotation: Bool, force hasForce: Bool) {
    let (turns, pulls) = (hasRotation && stored.rotation, hasForce && stored.force)
    guard turns || pulls, fifo.makeRoom(for: setSize, stopsWhenFull: state[0x0A] & 0x07 == 1) else { return }
    for (isStored, kind, words) in [(turns, UInt8(1), rotation.words), (pulls, 2, force.words)] where isStored {
      let tag = kind << 3 | instantCount << 1
      if part.hasTags { fifo.append(tag | UInt8(tag.nonzeroBitCount & 1)) }
      fifo.append(words, highFirst: isBigEndian)
    }
    instantCount = (instantCount + 1) & 3
  }
}

// Samples.
extension EmulatedLSM6DS.Chip {
  /// The clock of a rate's code; nil for power-down and codes that are not emulated.
  private func clock(_ code: UInt8) -> SampleClock? {
    // 13 Hz doubled, except that the later parts have 12.5 Hz.
    (1...10).contains(code)
      ? state.clock(code == 1 && part != .lsm6ds33 ? 80_000 : 76_923, halvings: code - 1) : nil
  }

  /// Starts the clocks after a change of rate.
  private mutating func restart(_ register: Int, wasOff: Bool) {
    if wasOff, register == 0x10 { (forcesAwake, last) = (0, nil) }
    if wasOff, register == 0x11 { rotationStart = state.present }
    state.clock = clock(forceRate)
    state.secondClock = rotationRate == forceRate ? nil : clock(rotationRate)
    force.release()
    rotation.release()
  }

  /// The standard deviation at a rate, half of which is the bandwidth.
  private func deviation(_ density: Int32, _ code: UInt8) -> Vector3 {
    Analogue.deviation(millionthsPerRootHertz: density, bandwidthTenths: 130 << Int32(code) / 4)
  }

  /// Enough to overrun the FIFO, or to see a movement.
  var mostSamples: Int64 { looksForMovement ? 10_000 : state[0x0A] & 0x07 != 0 ? 3_000 : 8 }

  mutating func sample(at instant: Instant, of clock: Int) {
    let hasForce = clock == 0
    let hasRotation = !hasForce || rotationRate != 0 && rotationRate == forceRate
    if hasForce { takeForce(at: instant) }
    if hasRotation { takeRotation(at: instant) }
    store(rotation: hasRotation, force: hasForce)
  }

  private mutating func takeForce(at instant: Instant) {
    forcesAwake += 1
    var value = state.force(at: instant, noise: deviation(part.noise.force, forceRate))
    if forcesAwake <= 2 { value = value + AxisValues(all: 16_384) }
    value = value.deflected(by: configuration.selfTest, [0, 1, -1, 0], code: state[0x14] & 3)
    let unclipped = state.measured(value)
    if let unclipped { lookForMovement(unclipped) }
    // 0.061 mg, and its doubles.
    force.update(unclipped?.counts(times: 1_000_000, over: (61 << doublings) * 65_536).masked(axesOn(0x18)))
  }

  private mutating func takeRotation(at instant: Instant) {
    var value = state.rotation(at: instant, noise: deviation(part.noise.rotation, rotationRate))
    let age = rotationStart.map { (instant - $0).count } ?? 0
    if age < 80_000 { value = value + AxisValues(all: (50 << 16) * (80_000 - age) / 80_000) }
    value = value.deflected(by: configuration.rotationSelfTest, [0, 1, 0, -1], code: state[0x14] >> 2 & 3)
    // 4.375 mdps at 125 °/s, and its doubles.
    let bits = state[0x11]
    let doublings: Int64 = bits & 0x01 != 0 ? 5 : bits & 0x02 != 0 ? 0 : Int64(bits >> 2 & 3) + 1
    let words = state.measured(value)?.counts(times: 1_000_000, over: (4_375 << doublings) * 65_536)
    rotation.update(words?.masked(axesOn(0x19)))
  }

  /// How often ±2 g must be doubled for the range of the force.
  private var doublings: Int64 { [0, 3, 1, 2][Int(state[0x10] >> 2 & 3)] }

  /// The axes that a register enables; only the LSM6DS33 has a choice.
  private func axesOn(_ register: Int) -> UInt8 { part == .lsm6ds33 ? state[register] >> 3 : 0x07 }

  /// The LSM6DS33 has no bit to enable events.
  private var looksForMovement: Bool { (part == .lsm6ds33 || state[0x58] & 0x80 != 0) && state[0x5B] & 0x3F != 0 }

  private mutating func lookForMovement(_ value: AxisValues) {
    defer { last = value }
    guard looksForMovement, let last else { return }
    // In 1/64 of the range.
    let threshold = Int64(state[0x5B] & 0x3F) << doublings * 2_048
    var axes: UInt8 = 0
    for axis in 0..<3 where abs(value[axis] - last[axis]) / 2 > threshold { axes |= 4 >> UInt8(axis) }
    if axes != 0 { wakeSource = 0x08 | axes } else if !isLatched { wakeSource = 0 }
  }
}
