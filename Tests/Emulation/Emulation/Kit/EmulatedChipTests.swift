import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// A chip with every rule that a map can have, which notes what the engine asks of it.
private struct Probe: EmulatedChip {
  final class Notes {
    var samples: [(microseconds: Int64, clock: Int, number: UInt64)] = []
    var resets = 0
    var stops: [Bool] = []
  }

  var state: ChipState
  let notes: Notes
  var mostSamples: Int64

  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    func clock(_ hertz: Int64) -> SampleClock? {
      hertz == 0 ? nil : SampleClock(origin: state.present, period: Microseconds(1_000_000 / hertz))
    }
    // Rates in units of 10 Hz.
    if register == 0x10 { state.clock = clock(Int64(value) * 10) }
    if register == 0x11 { state.secondClock = clock(Int64(value) * 10) }
  }

  mutating func sample(at instant: Instant, of clock: Int) {
    let number = clock == 0 ? state.sampleCount : state.secondCount
    notes.samples.append(((instant - Instant(microseconds: 0)).count, clock, number))
    state[0x20] &+= 1
  }

  mutating func reset() { notes.resets += 1 }
  mutating func stop(afterReading isRead: Bool) { notes.stops.append(isRead) }
}

struct EmulatedChipTests {
  private final class Rig {
    let clock = VirtualClock()
    let notes = Probe.Notes()
    let part: EmulatedSensor

    init(_ map: RegisterMap = Rig.map(), mostSamples: Int64 = 80, byteTime: Int64 = 0) {
      let analogue = Analogue(motion: AttitudePath.hold(.portrait), at: clock.now, seed: 1)
      let state = ChipState(map, analogue, at: clock.now, byteTime: Microseconds(byteTime))
      let clock = clock
      part = EmulatedSensor(Probe(state: state, notes: notes, mostSamples: mostSamples)) { clock.now }
    }

    static func map(
      _ increment: RegisterMap.Increment = .always, bits: UInt8 = 0xFF, steps: [RegisterMap.Step] = []
    ) -> RegisterMap {
      RegisterMap(
        identity: 0x0F, pointerBits: bits, increment: increment, steps: steps, banks: .init(0x7F, 0x30),
        .registers(0x0F, reset: 0x5A), .registers(0x10, 0x11, writable: 0xFF),
        .registers(0x12, writable: 0xF7, reset: 0x0C, selfClearing: 0x80), .registers(0x20...0x2F),
        .registers(0x30...0x3F, writable: 0xFF), .registers(0x7F, writable: 0x30),
        .registers(0x130, writable: 0xFF, reset: 0x31), .registers(0x230...0x23F, writable: 0x0F, reset: 0x02),
        .registers(0x7E, reset: 0xFF))
    }

    func write(_ bytes: UInt8...) { part.receive(bytes.span) }

    func read(_ register: UInt8, _ count: Int = 1) -> [UInt8] {
      write(register)
      var bytes = [UInt8](repeating: 0xAA, count: count)
      var span = bytes.mutableSpan
      part.transmit(into: &span)
      return bytes
    }
  }

  // The pointer.

  @Test static func `the pointer advances always, by bit 7 of the address, or while a bit is set`() {
    for (increment, address, advances) in [
      (.always, 0x30, true), (.byAddressBit7, 0x30, false), (.byAddressBit7, 0xB0, true),
      (.whileSet(.init(0x12, 0x04)), 0x30, true), (.whileSet(.init(0x12, 0x01)), 0x30, false),
    ] as [(RegisterMap.Increment, UInt8, Bool)] {
      let rig = Rig(Rig.map(increment, bits: 0x7F))
      rig.write(address, 1, 2, 3)
      expect(rig.read(address, 3), equals: (advances ? [1, 2, 3] : [3, 3, 3]))
    }
  }

  @Test static func `an increment by a register changes within a write`() {
    let rig = Rig(Rig.map(.whileSet(.init(0x30, 0x01)), bits: 0x7F))
    rig.write(0x30, 0x01, 0x05, 0x07)
    expect(rig.read(0x30, 2), equals: [0x05, 0x07])
  }

  @Test(arguments: [0x3F, 0x7F, 0xFF] as [UInt8])
  static func `the pointer wraps within its bits, and the others are ignored`(_ bits: UInt8) {
    let rig = Rig(Rig.map(bits: bits))
    rig.write(0x30, 7)
    expect(rig.read(0x30 | ~bits), equals: [7])
    let length = Int(bits) + 1
    let all = rig.read(0x30, length + 1)
    #expect(all[0] == 7 && all[length] == 7)
  }

  @Test static func `a step leads elsewhere while all of its conditions hold`() {
    let rig = Rig(
      Rig.map(
        bits: 0x7F,
        steps: [.init(at: 0x33, to: 0x33), .init(at: 0x3D, to: 0x38, whileSet: .init(0x10, 0x40), .init(0x11, 0xC0))]))
    for register: UInt8 in 0x30...0x3F { rig.write(register, register) }
    expect(rig.read(0x31, 5), equals: [0x31, 0x32, 0x33, 0x33, 0x33])
    for (first, second, next) in [(0, 0, 0x3E), (0x40, 0x3F, 0x3E), (0xBF, 0xC0, 0x3E), (0x40, 0x80, 0x38)]
      as [(UInt8, UInt8, UInt8)]
    {
      rig.write(0x10, first, second)
      expect(rig.read(0x3D, 2), equals: [0x3D, next])
    }
  }

  // Registers and banks.

  @Test static func `read-only, reserved and fixed bits keep their values, and wrong writes are counted`() {
    let rig = Rig()
    for (register, value, stored, isWrong) in [
      (0x0F, 0x12, 0x5A, true), (0x01, 0x12, 0, true), (0x20, 0x12, 0, true), (0x30, 0x12, 0x12, false),
      (0x12, 0x5B, 0x5B, false), (0x12, 0x53, 0x5B, true), (0x12, 0xFF, 0x7F, false),
    ] as [(UInt8, UInt8, UInt8, Bool)] {
      let before = rig.part.reservedWrites
      rig.write(register, value)
      expect(rig.read(register), equals: [stored], "\(register)")
      expect(rig.part.reservedWrites, equals: before + (isWrong ? 1 : 0), "\(register)")
    }
  }

  @Test static func `a bank has registers of its own, and the register that selects it is in all`() {
    let rig = Rig()
    rig.write(0x30, 0x77)
    rig.write(0x7F, 0x10)
    expect(rig.read(0x30, 2), equals: [0x31, 0])
    expect(rig.read(0x7F), equals: [0x10])
    rig.write(0x30, 0x11)
    rig.write(0x7F, 0x20)
    expect(rig.read(0x3F), equals: [2])
    rig.write(0x3F, 0xFF)
    expect(rig.read(0x3F), equals: [0x0F])
    expect(rig.part.reservedWrites, equals: 1)
    rig.write(0x7F, 0x30)
    expect(rig.read(0x30), equals: [0])
    rig.write(0x7F, 0x00)
    expect(rig.read(0x30), equals: [0x77])
    rig.write(0x7F, 0x10)
    rig.part.powerCycle()
    expect(rig.read(0x30), equals: [0])
    expect(rig.read(0x0F), equals: [0x5A])
    rig.write(0x7F, 0x10)
    expect(rig.read(0x30), equals: [0x31])
  }

  // Faults.

  @Test
  static func `a foreign identity is read for the plan's transaction only, and not from a part that drives nothing`() {
    let rig = Rig()
    rig.part.prepare(under: TargetConditions(identity: 0x11))
    expect(rig.read(0x0E, 2), equals: [0, 0x11])
    rig.part.prepare(under: TargetConditions())
    expect(rig.read(0x0F), equals: [0x5A])
    let silent = Rig(RegisterMap(identity: 0x0F, .registers(0x0F, reset: 0xFF)))
    silent.part.prepare(under: TargetConditions(identity: 0x11))
    expect(silent.read(0x0F), equals: [0xFF])
  }

  @Test static func `a brown-out resets registers, pointer and clocks, but not the count of samples`() {
    let rig = Rig()
    rig.write(0x10, 1)
    rig.clock.advance(by: .milliseconds(350))
    expect(rig.read(0x10, 1), equals: [1])
    expect(rig.part.sampleCount, equals: 3)
    rig.clock.advance(by: .milliseconds(350))
    rig.part.powerCycle()
    expect(rig.notes.resets, equals: 1)
    var byte: [UInt8] = [0xAA]
    var span = byte.mutableSpan
    rig.part.transmit(into: &span)
    // The pointer is at 0; what was due at the brown-out is lost.
    expect(byte, equals: [0])
    expect(rig.read(0x10), equals: [0])
    expect(rig.read(0x20), equals: [0])
    rig.clock.advance(by: .seconds(1))
    expect(rig.read(0x20), equals: [0])
    expect(rig.part.sampleCount, equals: 3)
  }

  // Time.

  @Test static func `samples come at their own instants, whenever the part is accessed`() {
    let rig = Rig()
    rig.clock.advance(by: Microseconds(77))
    rig.write(0x10, 1)
    for span: Int64 in [99_999, 1, 250_000, 0, 149_999, 1] {
      rig.clock.advance(by: Microseconds(span))
      _ = rig.read(0x20)
    }
    expect(rig.notes.samples.map(\.microseconds), equals: [100_077, 200_077, 300_077, 400_077, 500_077])
    expect(rig.notes.samples.map(\.number), equals: [1, 2, 3, 4, 5])
  }

  @Test static func `two clocks tick in the order of their instants, the first one first, each with its own numbers`() {
    let rig = Rig()
    rig.write(0x10, 1, 2)
    rig.clock.advance(by: .milliseconds(200))
    _ = rig.read(0x20)
    expect(rig.notes.samples.map(\.microseconds), equals: [50_000, 100_000, 100_000, 150_000, 200_000, 200_000])
    expect(rig.notes.samples.map(\.clock), equals: [1, 0, 1, 1, 0, 1])
    expect(rig.notes.samples.map(\.number), equals: [1, 1, 2, 3, 2, 4])
    expect(rig.part.sampleCount, equals: 6)
  }

  @Test(arguments: 0...30)
  static func `after a silence of any length, the samples at both ends are taken and all counted`(
    _ due: Int
  ) {
    let rig = Rig(mostSamples: 8)
    rig.write(0x10, 10)
    rig.clock.advance(by: .milliseconds(Int64(due) * 10 + 3))
    _ = rig.read(0x20)
    let taken = due <= 8 ? Array(0..<due) : Array(0..<4) + Array((due - 4)..<due)
    expect(rig.notes.samples.map(\.microseconds), equals: taken.map { Int64($0 + 1) * 10_000 })
    expect(rig.notes.samples.map(\.number), equals: taken.map { UInt64($0 + 1) })
    expect(rig.part.sampleCount, equals: UInt64(due))
  }

  @Test static func `a century of silence costs a few samples`() {
    let rig = Rig()
    rig.write(0x10, 10, 20)
    rig.clock.advance(by: .seconds(3_155_760_000))
    _ = rig.read(0x20)
    let taken = rig.notes.samples.count
    expect(taken, isAtMost: 160)
    expect(rig.part.sampleCount, equals: 946_728_000_000)
    _ = rig.read(0x20)
    expect(rig.notes.samples.count, equals: taken, "none of either clock was left")
  }

  @Test(arguments: [0, 33_333, -7, 500_000, -500_000] as [Int32])
  static func `ticks come whole periods after the first, rounded down, however late they are taken`(_ ppm: Int32) {
    for step: Int64 in [1, 130, 2_500, 9_000] {
      let clock = VirtualClock()
      let notes = Probe.Notes()
      let analogue = Analogue(motion: AttitudePath.hold(.portrait), at: clock.now, seed: 1)
      var state = ChipState(Rig.map(), analogue, at: clock.now)
      let first = Instant(microseconds: 700)
      state.clock = SampleClock(first: first, period: Microseconds(125), partsPerMillion: ppm)
      let part = EmulatedSensor(Probe(state: state, notes: notes, mostSamples: 1_000)) { clock.now }
      while clock.now < Instant(microseconds: 9_000) {
        clock.advance(by: Microseconds(step))
        part.receive(([0x20] as [UInt8]).span)
      }
      let end = (clock.now - Instant(microseconds: 0)).count
      let ticks = (0..<1_000).map { 700 + $0 * 125 * 1_000_000 / (1_000_000 + Int64(ppm)) }
      expect(notes.samples.map(\.microseconds), equals: ticks.filter { $0 <= end }, "\(step)")
    }
  }

  @Test static func `numbers of two bytes are stored and read in either order, with their sign`() {
    var state = ChipState(
      Rig.map(), Analogue(motion: AttitudePath.hold(.portrait), at: Instant(microseconds: 0), seed: 1),
      at: Instant(microseconds: 0))
    let words = AxisValues(x: 0x1234, y: -2, z: -0x8000)
    for highFirst in [false, true] {
      state.store(words, at: 0x20, highFirst: highFirst)
      expect(state[0x20], equals: highFirst ? 0x12 : 0x34)
      expect(state[0x25], equals: highFirst ? 0x00 : 0x80)
      expect(state.words(at: 0x20, highFirst: highFirst), equals: words)
      state.store(-0x0400, at: 0x22, highFirst: highFirst)
      expect(state[0x22], equals: highFirst ? 0xFC : 0x00)
      expect(state.word(at: 0x22, highFirst: highFirst), equals: -0x0400)
    }
  }

  @Test static func `bits choose axes from the first one down, and the peak is a magnitude`() {
    let values = AxisValues(x: 3, y: -5, z: 4)
    for (bits, chosen) in [
      (0x40, AxisValues(x: 3, y: 0, z: 0)), (0x20, AxisValues(x: 0, y: -5, z: 0)), (0x90, AxisValues(x: 0, y: 0, z: 4)),
      (0x8F, .zero), (0xFF, values),
    ] as [(UInt8, AxisValues)] {
      expect(values.chosen(by: bits, first: 0x40), equals: chosen, "\(bits)")
    }
    expect(values.peak, equals: 5)
    expect(AxisValues(x: -7, y: 0, z: 6).peak, equals: 7)
    expect(AxisValues(x: 0, y: 0, z: .min).peak, equals: 1 << 63)
  }

  @Test static func `time goes on within a burst only if a byte takes time`() {
    for (byteTime, values) in [(0, [0, 0, 0, 0]), (60_000, [0, 0, 1, 1])] as [(Int64, [UInt8])] {
      let rig = Rig(Rig.map(steps: [.init(at: 0x20, to: 0x20)]), byteTime: byteTime)
      rig.write(0x10, 1)
      expect(rig.read(0x20, 4), equals: values)
    }
  }

  @Test static func `the time of a part never goes back`() {
    let notes = Probe.Notes()
    var now = Instant(microseconds: 1_000_000)
    let state = ChipState(Rig.map(), Analogue(motion: AttitudePath.hold(.portrait), at: now, seed: 1), at: now)
    let part = EmulatedSensor(Probe(state: state, notes: notes, mostSamples: 80)) { now }
    let start: [UInt8] = [0x10, 1]
    let access: [UInt8] = [0x20]
    part.receive(start.span)
    for microseconds: Int64 in [1_100_000, 900_000, 1_199_999, 1_200_000] {
      now = Instant(microseconds: microseconds)
      part.receive(access.span)
    }
    expect(notes.samples.map(\.microseconds), equals: [1_100_000, 1_200_000])
  }

  @Test static func `the end of a transfer is reported, but not that of a mere address`() {
    let rig = Rig()
    rig.write()
    rig.write(0x10)
    expect(empty: rig.notes.stops)
    rig.write(0x10, 0)
    _ = rig.read(0x10)
    expect(rig.notes.stops, equals: [false, true])
    expect(that: !rig.part.isInterruptHigh)
  }

  @Test static func `bytes read one by one are those of a burst, in the time of the reader`() {
    let (burst, single) = (Rig(), Rig())
    for rig in [burst, single] {
      rig.write(0x10, 1)
      rig.clock.advance(by: .milliseconds(250))
    }
    single.write(0x1F)
    var found: [UInt8] = []
    for _ in 0..<4 { found.append(single.part.transmitByte()) }
    expect(single.notes.stops, equals: [false])
    single.part.endRead()
    expect(found, equals: burst.read(0x1F, 4))
    expect(single.notes.stops, equals: burst.notes.stops)
    single.write(0x1F)
    _ = single.part.transmitByte()
    single.clock.advance(by: .milliseconds(100))
    expect(single.part.transmitByte(), equals: 3)
    single.part.prepare(under: TargetConditions(identity: 0x77))
    single.write(0x0F)
    expect(single.part.transmitByte(), equals: 0x77)
  }
}
