import FixedPoint

extension EmulatedICM20948 {
  /// The part, written from the data sheet alone, because no test would find an error shared with the driver.
  ///
  /// A register of bank b is b << 8 | its address.
  struct Chip: EmulatedChip {
    private static let map = RegisterMap(
      identity: 0x00, pointerBits: 0x7F, steps: [.init(at: 0x72, to: 0x72)], banks: .init(0x7F, 0x30),
      // Bank 0. USER_CTRL has three bits that clear themselves, and I2C_IF_DIS, bit 4.
      .registers(0x00, reset: 0xEA), .registers(0x03, writable: 0xEE, selfClearing: 0x0E),
      .registers(0x05, writable: 0x70, reset: 0x40), .registers(0x06, writable: 0xEF, reset: 0x41),
      .registers(0x07, writable: 0x3F), .registers(0x0F, writable: 0xFE), .registers(0x10, writable: 0x8F),
      .registers(0x11, writable: 0x81), .registers(0x12, 0x13, 0x67, 0x68, 0x69, writable: 0x1F),
      .registers(0x66, writable: 0x0F), .registers(0x72, writable: 0xFF), .registers(0x76, writable: 0x01),
      .registers(0x7F, writable: 0x30),
      // Bank 1: factory codes are read-only, offsets are not.
      .registers(0x114, 0x115, 0x117, 0x118, 0x11A, 0x11B, writable: 0xFF),
      // Bank 2.
      .registers(0x203...0x208, writable: 0xFF), .registers(0x200, 0x211, 0x213, writable: 0xFF),
      .registers(0x201, 0x214, writable: 0x3F, reset: 0x01), .registers(0x202, writable: 0x3F),
      .registers(0x209, writable: 0x01), .registers(0x210, writable: 0x0F), .registers(0x212, writable: 0x03),
      .registers(0x215, writable: 0x1F), .registers(0x252, 0x253, 0x254, writable: 0xFF),
      // Bank 3: the I2C master.
      .registers(0x300...0x316, writable: 0xFF))

    var state: ChipState
    private let configuration: Configuration
    private var fifo: InvenSenseFIFO
    private var pin = InvenSensePin()
    /// When a reset ends; nil if there is none.
    private var resetEnd: Instant?
    /// When the first sample of each sensor comes after its start.
    private var forceReady = Instant(microseconds: 0)
    private var rotationReady = Instant(microseconds: 0)
    /// What wake on motion compares with; nil if nothing yet.
    private var reference: AxisValues?
    /// The standard deviations that the filters leave, in g and °/s.
    private var forceNoise = Vector3.zero
    private var rotationNoise = Vector3.zero

    init(_ configuration: Configuration, motion: any Motion, at instant: Instant, seed: UInt64) {
      self.configuration = configuration
      fifo = InvenSenseFIFO(capacity: configuration.fifoSize)
      state = ChipState(Self.map, configuration.specimen, motion: motion, at: instant, seed: seed)
      filter()
    }
  }
}

// Registers.
extension EmulatedICM20948.Chip {
  mutating func reset() {
    fifo = InvenSenseFIFO(capacity: configuration.fifoSize)
    (resetEnd, reference, pin) = (nil, nil, InvenSensePin())
    filter()
  }

  /// Ends a reset once its time is over.
  private mutating func finishReset() {
    guard let resetEnd, state.present >= resetEnd else { return }
    self.resetEnd = nil
    state[0x06] = 0x41
  }

  mutating func write(_ value: UInt8, to register: Int) {
    finishReset()
    guard resetEnd == nil, register < 0x100 || !isAsleep else { return }
    guard let before = state.registers.store(value, in: register) else { return }
    let changed = before ^ state[register]
    switch register {
    case 0x06 where value & 0x80 != 0:
      let present = state.present
      state.reset()
      reset()
      (resetEnd, state[0x06]) = (present + .milliseconds(20), 0xC1)
    case 0x06, 0x07: power(before, changed, of: register)
    case 0x03, 0x68: if state[0x68] & 0x1F != 0 { fifo.bytes.removeAll() }
    case 0x200: restart(force: state[0x209] != 0, rotation: true)
    case 0x210, 0x211: restart(force: true, rotation: state[0x209] != 0)
    case 0x201, 0x214: filter()
    case 0x212 where changed != 0: reference = nil
    // Slave 4 of the I2C master finishes at once; at 0x0C it finds WIA2.
    case 0x315 where value & 0x80 != 0:
      state[0x17] = 0x40
      state[0x317] = state[0x313] == 0x8C && state[0x314] == 0x01 ? 0x09 : 0
      state[0x315] = value & 0x7F
    default: break
    }
  }

  mutating func read(_ register: Int) -> UInt8 {
    finishReset()
    var value = state[register]
    switch register {
    case 0x17, 0x19...0x1C: state[register] = 0
    case 0x70...0x72: value = fifo.read(register - 0x70)
    case 0x102...0x104: value = configuration.rotationCodes[register - 0x102]
    case 0x10E...0x110: value = configuration.forceCodes[register - 0x10E]
    default: break
    }
    if state[0x0F] & 0x10 != 0 { for status in 0x19...0x1C { state[status] = 0 } }
    return value
  }

  /// INT1.
  var isInterruptHigh: Bool {
    let hasEvents = (0..<4).contains { state[0x10 + $0] & state[0x19 + $0] != 0 }
    return pin.isHigh(state[0x0F], hasEvents: hasEvents, at: state.present)
  }

  private mutating func note(_ events: UInt8, in status: Int, at instant: Instant) {
    state[status] |= events
    if state[status - 9] & events != 0 { pin.pulse = instant }
  }
}

// Sensors.
extension EmulatedICM20948.Chip {
  private var isAsleep: Bool { state[0x06] & 0x40 != 0 || state[0x06] & 0x07 == 7 }
  private var hasForce: Bool { !isAsleep && state[0x07] & 0x38 != 0x38 }
  private var hasRotation: Bool { !isAsleep && state[0x07] & 0x07 != 0x07 }

  /// Starts and stops the sensors after a change of PWR_MGMT_1 or _2.
  private mutating func power(_ before: UInt8, _ changed: UInt8, of register: Int) {
    let wasAsleep = register == 0x06 && (before & 0x40 != 0 || before & 0x07 == 7)
    let startsForce = wasAsleep || register == 0x07 && changed & 0x38 != 0
    let startsRotation = wasAsleep || register == 0x07 && changed & 0x07 != 0
    if startsForce { forceReady = state.present + .milliseconds(20) }
    if startsRotation { rotationReady = state.present + .milliseconds(35) }
    restart(
      force: startsForce || (state.clock == nil) == hasForce,
      rotation: startsRotation || (state.secondClock == nil) == hasRotation)
  }

  private mutating func restart(force: Bool, rotation: Bool) {
    func clock(_ divider: Int64) -> SampleClock { state.clock((8_000 << 15) * (divider + 1) / 9, halvings: 15) }
    if force { state.clock = hasForce ? clock(Int64(state[0x210]) << 8 | Int64(state[0x211])) : nil }
    if rotation { state.secondClock = hasRotation ? clock(Int64(state[0x200])) : nil }
  }

  /// Enough to fill the FIFO with the smallest records on both sides of a silence; wake on motion sees every sample.
  var mostSamples: Int64 { state[0x212] & 0x02 != 0 ? 10_000 : Int64(configuration.fifoSize) }

  mutating func sample(at instant: Instant, of clock: Int) {
    let stored = clock == 0 ? takeForce(at: instant) : takeRotation(at: instant)
    if state.conditions.measurement == .live, clock == 1 || !hasRotation { takeTemperature(at: instant) }
    note(0x01, in: 0x1A, at: instant)
    guard state[0x03] & 0x40 != 0, state[0x68] & 0x1F == 0 else { return }
    for byte in stored { push(byte, at: instant) }
    let hasTemperature = clock == 1 || state[0x67] & 0x0E == 0
    if state[0x67] & 0x01 != 0, hasTemperature { for byte in 0x39...0x3A { push(state[byte], at: instant) } }
  }

  /// Stores a byte; a full FIFO loses its oldest one, or in snapshot mode this one.
  private mutating func push(_ byte: UInt8, at instant: Instant) {
    if fifo.bytes.push(byte, droppingOldest: state[0x69] & 0x01 == 0) { note(0x01, in: 0x1B, at: instant) }
  }

  /// Derives the noise from the filters, of which bandwidths are in tenths of a hertz, by code.
  private mutating func filter() {
    func deviation(_ density: Int32, _ register: Int, _ table: [Int32], bypassed: Int32) -> Vector3 {
      let bandwidth = state[register] & 0x01 == 0 ? bypassed : table[Int(state[register] >> 3 & 7)]
      return Analogue.deviation(millionthsPerRootHertz: density, bandwidthTenths: bandwidth)
    }
    forceNoise = deviation(230, 0x214, [2_460, 2_460, 1_114, 504, 239, 115, 57, 4_730], bypassed: 12_090)
    rotationNoise = deviation(15_000, 0x201, [1_966, 1_518, 1_195, 512, 239, 116, 57, 3_614], bypassed: 121_060)
  }

  /// Measures the force; returns the bytes for the FIFO.
  private mutating func takeForce(at instant: Instant) -> [UInt8] {
    switch state.conditions.measurement {
    case .frozen: break
    case .fullScale: state.store(AxisValues(all: 32_767), at: 0x2D, highFirst: true)
    case .live where instant >= forceReady:
      var force = state.analogue.force(at: instant) + state.analogue.noise(state.sampleCount, deviation: forceNoise)
      force = force + AxisValues(configuration.selfTest).chosen(by: state[0x215], first: 0x10)
      lookForMotion(force, at: instant)
      // 65536 / 16384, and twice as much for each range.
      state.store(force.counts(over: 4 << Int64(state[0x214] >> 1 & 3)), at: 0x2D, highFirst: true)
    case .live: break
    }
    return state[0x67] & 0x10 != 0 ? (0x2D...0x32).map { state[$0] } : []
  }

  /// Measures the rotation; returns the bytes for the FIFO.
  private mutating func takeRotation(at instant: Instant) -> [UInt8] {
    switch state.conditions.measurement {
    case .frozen: break
    case .fullScale: state.store(AxisValues(all: 32_767), at: 0x33, highFirst: true)
    case .live where instant >= rotationReady && (1...5).contains(state[0x06] & 0x07):
      var rate = state.analogue.rotation(at: instant)
      rate = rate + state.analogue.rotationNoise(state.secondCount, deviation: rotationNoise)
      rate = rate + AxisValues(configuration.rotationSelfTest).chosen(by: state[0x202], first: 0x20)
      state.store(rate.rotationCounts(range: state[0x201] >> 1), at: 0x33, highFirst: true)
    case .live: break
    }
    var bytes: [UInt8] = []
    for axis in 0..<3 where state[0x67] & 0x02 << UInt8(axis) != 0 {
      bytes += [state[0x33 + 2 * axis], state[0x34 + 2 * axis]]
    }
    return bytes
  }

  private mutating func takeTemperature(at instant: Instant) {
    guard state[0x06] & 0x08 == 0 else { return }
    let thermometer = EmulatedMPU6050.Part.Thermometer.mpu6500
    state.store(thermometer.count(at: state.analogue.temperature(at: instant)), at: 0x39, highFirst: true)
  }

  /// Wake on motion: compares with the previous sample, or with the first one after it was switched on.
  private mutating func lookForMotion(_ force: AxisValues, at instant: Instant) {
    guard state[0x212] & 0x02 != 0 else { return }
    if let reference {
      let threshold = UInt64(state[0x213]) * 4 * 65_536
      if (force - reference).peak * 1_000 > threshold { note(0x08, in: 0x19, at: instant) }
    }
    if reference == nil || state[0x212] & 0x01 != 0 { reference = force }
  }
}
