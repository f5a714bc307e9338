import Emulation
import FixedPoint
import TestSupport
import Testing

struct SampleFIFOTests {
  /// The bytes of sample `number`.
  private static func bytes(_ number: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number * 16 + $0) }
  }

  @Test(arguments: [1, 6, 7, 12], [true, false])
  static func `at every level a sample is kept, refused or displaces the oldest`(_ size: Int, _ stopsWhenFull: Bool) {
    let sets = 5
    // Bytes that no sample fills stay free.
    var fifo = SampleFIFO(capacity: sets * size + size / 2)
    var model: [[UInt8]] = []
    var hasLost = false
    for number in 0..<40 {
      let hasRoom = fifo.makeRoom(for: size, stopsWhenFull: stopsWhenFull)
      expect(hasRoom, equals: model.count < sets || !stopsWhenFull)
      hasLost = hasLost || model.count == sets
      if hasRoom {
        for byte in bytes(number, size) { fifo.append(byte) }
        if model.count == sets { model.removeFirst() }
        model.append(bytes(number, size))
      }
      expect(fifo.count, equals: model.count * size)
      expect(fifo.hasLost, equals: hasLost)
      expect((0..<fifo.count).map { fifo[$0] }, equals: model.flatMap(\.self))
      if number % 7 == 6 {
        for _ in 0..<(number % 3) where !model.isEmpty {
          let popped = (0..<size).map { _ in fifo.pop() }
          expect(popped, equals: model.removeFirst())
        }
      }
    }
    fifo.removeAll()
    #expect(fifo.isEmpty && !fifo.hasLost && fifo[0] == 0)
  }

  @Test(arguments: [true, false]) static func `a FIFO of single bytes loses its alignment, and says so`(
    _ dropsOldest: Bool
  ) {
    var fifo = SampleFIFO(capacity: 4)
    let lost = (0..<6).map { fifo.push(UInt8($0), droppingOldest: dropsOldest) }
    expect(lost, equals: [false, false, false, false, true, true])
    expect(that: fifo.isFull)
    let popped = (0..<5).map { _ in fifo.pop() }
    // Empty, it returns the last byte again.
    #expect(popped == (dropsOldest ? [2, 3, 4, 5, 5] : [0, 1, 2, 3, 3]) && fifo.isEmpty)
  }

  @Test static func `a sample that is larger than the FIFO does not fit, and words come in either order`() {
    var fifo = SampleFIFO(capacity: 8)
    let hasRoom = fifo.makeRoom(for: 9, stopsWhenFull: false)
    expect(that: !hasRoom)
    fifo.append(AxisValues(x: 0x0102, y: -2, z: 0x0304))
    expect((0..<6).map { fifo[$0] }, equals: [2, 1, 0xFE, 0xFF, 4, 3])
    fifo.removeFirst(99)
    fifo.append(AxisValues(x: 0x0102, y: -2, z: 0x0304), highFirst: true)
    expect((0..<6).map { fifo[$0] }, equals: [1, 2, 0xFF, 0xFE, 3, 4])
  }
}

struct OutputLatchTests {
  private let first = AxisValues(x: 0x0102, y: 0x0304, z: 0x0506)
  private let second = AxisValues(x: 0x1112, y: 0x1314, z: 0x1516)

  @Test(arguments: 0..<6, [true, false])
  func `an axis of which one byte was read keeps its value for the other byte`(_ index: Int, _ inBlocks: Bool) {
    var latch = OutputLatch()
    latch.update(first)
    let before = latch.read(index, inBlocks: inBlocks)
    latch.update(second)
    let after = latch.read(index ^ 1, inBlocks: inBlocks)
    func byte(_ values: AxisValues, _ index: Int) -> UInt8 {
      UInt8(truncatingIfNeeded: index % 2 == 1 ? values[index / 2] >> 8 : values[index / 2])
    }
    expect(before, equals: byte(first, index))
    expect(after, equals: byte(inBlocks ? first : second, index ^ 1))
    // The hold has ended.
    let next = latch.read(index, inBlocks: inBlocks)
    expect(next, equals: byte(second, index))
  }

  @Test func `unread and overrun are those of the axes`() {
    var latch = OutputLatch()
    latch.update(first, axes: 0x05)
    expect(latch.unread, equals: 0x05)
    expect(latch.overrun, equals: 0)
    latch.update(second, axes: 0x05)
    expect(latch.overrun, equals: 0x05)
    _ = (latch.read(0, inBlocks: true), latch.read(1, inBlocks: true))
    expect(latch.unread, equals: 0x04)
    expect(latch.overrun, equals: 0x04)
    latch.markRead()
    expect(latch.unread, equals: 0)
    expect(latch.overrun, equals: 0)
  }
}

struct AnalogueTests {
  @Test(arguments: [(1, 4), (1_000_000, 61 * 65_536), (1_310, 655_360)] as [(Int64, Int64)], [8, 12, 16] as [Int64])
  static func `counts are the nearest numbers, clipped to the format`(_ scale: (Int64, Int64), _ bits: Int64) {
    let limit = Double(1 << (bits - 1))
    for value in stride(from: Int64(-300_000), through: 300_000, by: 997) {
      let exact = Double(value) * Double(scale.0) / Double(scale.1)
      let expected = max(-limit, min(limit - 1, exact.rounded()))
      expect(
        AxisValues(all: value).counts(times: scale.0, over: scale.1, bits: bits).y, equals: Int64(expected), "\(value)")
    }
  }

  @Test static func `a specimen's errors are in what the part measures, and its noise only if it has any`() {
    var specimen = Specimen()
    specimen.errors = SpecimenErrors(seed: 3, offset: Q16(1, over: 10), sensitivity: Q16(1, over: 20))
    specimen.gyroscopeErrors.bias = Vector3(x: Q16(whole: 1), y: Q16(whole: -2), z: Q16(whole: 3))
    specimen.turn = Vector3(x: .zero, y: .zero, z: Q16(whole: 100))
    specimen.isNoisy = false
    let start = Instant(microseconds: 5)
    let analogue = Analogue(specimen, motion: AttitudePath.hold(.faceUp), at: start, seed: 1)
    let (offset, error) = (specimen.errors.zeroGOffset, specimen.errors.sensitivityError)
    let force = analogue.force(at: start)
    expect(force.x, equals: Int64(offset.x.raw))
    expect(force.y, equals: Int64(offset.y.raw))
    expect(abs(force.z - 65_536 - Int64(offset.z.raw) - Int64(error.z.raw)), isAtMost: 2)
    let rate = analogue.rotation(at: start)
    expect(rate.x, equals: 65_536)
    expect(rate.y, equals: -2 * 65_536)
    expect(abs(rate.z - 103 * 65_536 - 100 * Int64(error.z.raw)), isAtMost: 1)
    let deviation = Analogue.deviation(millionthsPerRootHertz: 400, bandwidthTenths: 940)
    expect(abs(Double(deviation.x.raw) / 65_536 - 0.003_878), isBelow: 0.000_02)
    expect(analogue.noise(7, deviation: deviation), equals: .zero)
    specimen.isNoisy = true
    let noisy = Analogue(specimen, motion: AttitudePath.hold(.faceUp), at: start, seed: 1)
    expect(noisy.noise(7, deviation: deviation), isNot: .zero)
    expect(noisy.noise(7, deviation: deviation), isNot: noisy.rotationNoise(7, deviation: deviation))
    expect(noisy.noise(7, deviation: .zero), equals: .zero)
  }
}
