import FixedPoint

extension EmulatedLSM9DS1 {
  /// The part, written from the data sheet alone, because no test would find an error shared with the driver.
  struct Chip: EmulatedChip {
    private static let map = RegisterMap(
      identity: 0x0F, pointerBits: 0x7F, increment: .whileSet(.init(0x22, 0x04)),
      steps: [
        .init(at: 0x16, to: 0x18, whileSet: .init(0x10, 0xE0)), .init(at: 0x1D, to: 0x28, whileSet: .init(0x10, 0xE0)),
        .init(at: 0x2D, to: 0x18, whileSet: .init(0x10, 0xE0)), .init(at: 0x2D, to: 0x28),
      ],
      .registers(0x04...0x0C, writable: 0xFF), .registers(0x0D, writable: 0xBF), .registers(0x0F, reset: 0x68),
      .registers(0x10, writable: 0xFB), .registers(0x11, writable: 0x0F), .registers(0x12, writable: 0xCF),
      .registers(0x13, writable: 0x3F), .registers(0x1E, writable: 0x3B, reset: 0x38),
      .registers(0x1F, writable: 0xF8, reset: 0x38), .registers(0x20, writable: 0xFF),
      .registers(0x21, writable: 0xE5), .registers(0x22, writable: 0xFF, reset: 0x04, selfClearing: 0x81),
      .registers(0x23, writable: 0x5F), .registers(0x24, writable: 0x05), .registers(0x2E, writable: 0xFF),
      .registers(0x30...0x37, writable: 0xFF))

    var state: ChipState
    private let configuration: Configuration
    /// Samples since the last change of rate, and since the self-test bits changed.
    private var samplesAwake: Int64 = 0
    private var force = OutputLatch()
    private var rotation = OutputLatch()
    /// TDA, GDA and XLDA, as in STATUS.
    private var fresh: UInt8 = 0
    private var fifo = SampleFIFO(capacity: 192)
    /// Whether the next set is the first after a change of mode.
    private var isFirstSet = false
    /// The filter for the interrupt.
    private var filter = HighPassFilter(from: .zero)
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
extension EmulatedLSM9DS1.Chip {
  mutating func reset() { self = Self(configuration, state) }

  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    let changed = before ^ state[register]
    switch register {
    case 0x10 where changed & 0xE0 != 0, 0x20 where changed & 0xE0 != 0: restart()
    case 0x22 where value & 0x01 != 0:
      state.reset()
      reset()
    case 0x23 where changed & 0x02 != 0, 0x2E where changed & 0xE0 != 0:
      fifo = SampleFIFO(capacity: 32 * setSize)
      isFirstSet = true
    default: break
    }
  }

  mutating func read(_ register: Int) -> UInt8 {
    switch register {
    case 0x15, 0x16:
      fresh &= ~0x04
      return UInt8(truncatingIfNeeded: (register == 0x16) != isBigEndian ? temperature >> 8 : temperature)
    case 0x17, 0x27: return fresh | (interrupt.isActive ? 0x40 : 0)
    case 0x18...0x1D: return readData(register - 0x18, of: \.rotation, flag: 0x02, first: 0)
    case 0x26: return interrupt.readSource(isLatched: isLatched)
    case 0x28...0x2D: return readData(register - 0x28, of: \.force, flag: 0x01, first: setSize - 6)
    case 0x2F:
      return (usesFIFO && sets >= state[0x2E] & 0x1F ? 0x80 : 0) | (fifo.isFull && fifo.hasLost ? 0x40 : 0) | sets
    default: return state[register]
    }
  }

  /// Data byte `index` of a sensor, whose six bytes begin at `first` in a set of the FIFO.
  private mutating func readData(
    _ index: Int, of latch: WritableKeyPath<Self, OutputLatch>, flag: UInt8, first: Int
  ) -> UInt8 {
    if index % 2 == 1 { fresh &= ~flag }
    guard usesFIFO, !fifo.isEmpty else {
      return self[keyPath: latch].read(index, inBlocks: state[0x22] & 0x40 != 0, highFirst: isBigEndian)
    }
    let byte = fifo[first + (isBigEndian ? index ^ 1 : index)]
    if first + index == setSize - 1 { fifo.removeFirst(setSize) }
    return byte
  }

  private var isLatched: Bool { state[0x1E] & 0x02 != 0 }
  private var isBigEndian: Bool { state[0x22] & 0x02 != 0 }
  private var turns: Bool { state[0x10] & 0xE0 != 0 }
  private var usesFIFO: Bool { state[0x23] & 0x02 != 0 && state[0x2E] >= 0x20 }
  private var setSize: Int { turns ? 12 : 6 }
  private var sets: UInt8 { UInt8(fifo.count / setSize) }

  /// 16 per degree from 25 °C on, 12 bits with their sign; 0 with both sensors off.
  private var temperature: Int64 {
    guard state.clock != nil else { return 0 }
    return max(-2_048, min(2_047, state.warmth(above: 25) / 4_096))
  }

  /// INT1, with the sources in INT1_CTRL and the polarity in CTRL_REG8.
  var isInterruptHigh: Bool {
    let enabled = state[0x0C]
    let isActive =
      enabled & fresh & 0x03 != 0 || enabled & 0x40 != 0 && interrupt.isActive
      || enabled & 0x08 != 0 && usesFIFO && sets >= state[0x2E] & 0x1F || enabled & 0x20 != 0 && fifo.isFull
      || enabled & 0x10 != 0 && fifo.isFull && fifo.hasLost
    return isActive != (state[0x22] & 0x20 != 0)
  }
}

// Samples.
extension EmulatedLSM9DS1.Chip {
  private mutating func restart() {
    force.release()
    rotation.release()
    (samplesAwake, filter, fifo) = (0, HighPassFilter(from: .zero), SampleFIFO(capacity: 32 * setSize))
    // 952 Hz is 67 227 µs, halved six times; 59.5 and 14.9 Hz are a 16th and a 64th of it.
    let period: (whole: Int64, halvings: UInt8)? =
      switch turns ? state[0x10] >> 5 : state[0x20] >> 5 {
      case 1: turns ? (67_227, 0) : (100_000, 0)
      case 2: turns ? (67_227, 2) : (20_000, 0)
      case 3: (67_227, 3)
      case 4: (67_227, 4)
      case 5: (67_227, 5)
      case 6: (67_227, 6)
      default: nil
      }
    state.clock = period.map { state.clock($0.whole, halvings: $0.halvings) }
  }

  /// The interrupt counts on every sample.
  var mostSamples: Int64 { state[0x06] & 0x3F == 0 ? 80 : 10_000 }

  mutating func sample(at instant: Instant, of clock: Int) {
    samplesAwake += 1
    var (forces, turnRates) = (force.words, rotation.words)
    switch state.conditions.measurement {
    case .frozen: break
    case .fullScale: (forces, turnRates) = (AxisValues(all: 0x7FFF), AxisValues(all: 0x7FFF))
    case .live:
      let value = measuredForce(at: instant)
      lookForInterrupt(value)
      // µg a count; at ±16 g not twice those of ±8 g.
      let unit: Int64 = [61, 732, 122, 244][Int(state[0x20] >> 3 & 3)]
      forces = value.counts(times: 1_000_000, over: unit * 65_536)
      turnRates = turns ? measuredRotation(at: instant) : .zero
    }
    forces = forces.masked(state[0x20] < 0x20 ? 0 : state[0x1F] >> 3)
    turnRates = turnRates.masked(state[0x1E] >> 3)
    force.update(forces)
    rotation.update(turnRates)
    fresh = turns ? 0x07 : 0x05
    guard usesFIFO, fifo.makeRoom(for: setSize, stopsWhenFull: state[0x2E] >> 5 == 1) else { return }
    let invalid = isFirstSet ? AxisValues(all: 0x5555) : nil
    if turns { fifo.append(invalid ?? turnRates) }
    fifo.append(invalid ?? forces)
    isFirstSet = false
  }

  /// The force on the axes of the part, in 1/65536 g. Its Y points down on the board.
  private func measuredForce(at instant: Instant) -> AxisValues {
    var value = state.force(at: instant, noise: configuration.noise)
    value.y = -value.y
    if state[0x24] & 0x01 != 0 { value = value + AxisValues(configuration.selfTest) }
    let age = min(14, samplesAwake - 1)
    return value.map { $0 * age / 14 }
  }

  /// The rotation about the axes of the part, in counts, each counter-clockwise seen from its arrow.
  private func measuredRotation(at instant: Instant) -> AxisValues {
    var value = state.rotation(at: instant, noise: configuration.rotationNoise)
    value.y = -value.y
    if state[0x24] & 0x04 != 0 { value = value + AxisValues(configuration.rotationTest) }
    let age = min(8, samplesAwake - 1)
    // Hundredths of m°/s a count; the third code is not defined.
    let unit: Int64 = [875, 1_750, 1_750, 7_000][Int(state[0x10] >> 3 & 3)]
    var counts = value.map { $0 * age / 8 }.counts(times: 100_000, over: unit * 65_536)
    // SignX_G, SignY_G and SignZ_G, from bit 5 down.
    for axis in 0..<3 where state[0x13] & 0x20 >> UInt8(axis) != 0 { counts[axis] = -counts[axis] }
    return counts
  }

  /// Filters a force, and checks it for the event in INT_GEN_CFG_XL.
  private mutating func lookForInterrupt(_ value: AxisValues) {
    filter.pass(value, code: state[0x21] >> 5)
    let compared = state[0x21] & 0x01 != 0 ? filter.output : value
    let range: Int64 = [2, 16, 4, 8][Int(state[0x20] >> 3 & 3)]
    let thresholds = AxisValues(x: Int64(state[0x07]), y: Int64(state[0x08]), z: Int64(state[0x09]))
    interrupt.check(
      compared, against: thresholds.map { $0 * range * 256 }, configuration: state[0x06], isLatched: isLatched)
  }
}
