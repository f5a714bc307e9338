import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// How the driver interprets each level of the FIFO, compared with the data sheet.
struct FIFOLevelTests {
  static let stream = ADXL345.Configuration(rate: .hz800, fifo: .stream(watermark: .init(nearest: 16)))

  /// A check that finds `entries`.
  private static func look(_ entries: Int) -> BusScript.Step {
    .writeRead([0x38], reply: [0x90, UInt8(entries)], at: ADXL345.address)
  }

  /// A read of a sample, after which `entries` are left.
  private static func read(_ entries: Int) -> BusScript.Step {
    .writeRead([0x32], reply: [1, 0, 2, 0, 3, 0, 0x90, UInt8(entries)], at: ADXL345.address)
  }

  private static var discard: BusScript.Step { .writeRead([0x32], reply: [0, 0, 0, 0, 0, 0], at: ADXL345.address) }

  @Test static func `at each level a check finds the available samples, and the first after a gap reports it`()
    throws
  {
    // What a check finds, and what the next one finds after a full FIFO, of which five samples are discarded.
    for (first, second) in (0...32).flatMap({ level in [0, 1, 27, 31, 32].map { (level, $0) } }) {
      for next in [0, 1, 31] {
        let isFull = first == 32
        let script = BusScript(
          [look(first)] + (isFull ? Array(repeating: discard, count: 5) + [look(second)] : []) + [
            look(next), look(1), look(1),
          ])
        var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: Self.stream)
        var isGap = isFull
        for level in [isFull ? second : first, next, 1, 1] {
          let expected = WaitingSamples(count: level, unreachable: level == 0 ? nil : 1, followsGap: isGap)
          let found = try driver.waiting()
          if found != expected { Issue.record("\(first), \(second), \(next): \(found) for \(expected)") }
          if level > 0 { isGap = false }
        }
        if script.complaints != [] { Issue.record("\(first), \(second), \(next): \(script.complaints)") }
      }
    }
  }

  @Test static func `a gap follows a read after which 31 or more entries are left, or fewer than are yet to be read`()
    throws
  {
    for count in 1...32 {
      for left in 0...32 {
        let isGap = left >= 31 || left < count - 1
        // The rest is not read after a gap.
        let rest = isGap ? [] : (0..<count - 1).reversed().map { read($0) }
        let script = BusScript([read(left)] + rest + [look(1), look(1)])
        var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: Self.stream)
        var batch = SampleBatch()
        try driver.take(count, into: &batch)
        let gaps = [try driver.waiting().followsGap, try driver.waiting().followsGap]
        if batch.count != (isGap ? 1 : count) || gaps != [isGap, false] || script.complaints != [] {
          Issue.record("\(left) left of \(count): \(batch.count), \(gaps), \(script.complaints)")
        }
      }
    }
  }

  @Test static func `the requested number of samples is taken, or as many as fit, and earlier ones stay`() throws {
    for room in [0, 1, 2, 20, 31, 64] {
      for count in 0...31 {
        let taken = min(room, count)
        let script = BusScript((0..<taken).reversed().map { read($0) })
        var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: Self.stream)
        var batch = SampleBatch()
        for _ in 0..<SampleBatch.capacity - room { batch.append(Measurement(force: .zero)) }
        try driver.take(count, into: &batch)
        let forces = (0...SampleBatch.capacity).map { batch[$0]?.force }
        let old = SampleBatch.capacity - room
        let fresh = Vector3(x: Q16(raw: 256), y: Q16(raw: 512), z: Q16(raw: 768))
        let expected = (0...SampleBatch.capacity).map { $0 < old ? Vector3.zero : $0 < old + taken ? fresh : nil }
        if forces != expected || script.complaints != [] {
          Issue.record("\(count), room for \(room): \(script.complaints)")
        }
      }
    }
  }

  @Test static func `at most 21 reads are joined, and each shows a gap at its position`() throws {
    for readsPerTransaction in [2, 3, 21, 42] {
      for count in [1, 2, 20, 21, 22, 31] {
        for gap in 0...count {
          let part = LevelPart(count: count, gap: gap)
          var bus = EmulatedBus(part, at: ADXL345.address) { Instant(microseconds: 0) }
          bus.readsPerTransaction = readsPerTransaction
          var driver = ADXL345.Device(bus: bus, configuration: Self.stream)
          var batch = SampleBatch()
          try driver.take(count, into: &batch)
          let most = min(readsPerTransaction, 21)
          let reads = min(count, gap + 1)
          let transactions = UInt64((reads + most - 1) / most)
          let isGap = try driver.waiting().followsGap
          if batch.count != reads || isGap != (gap < count) || driver.transactions != transactions + 1 {
            Issue.record("\(count), \(gap), \(readsPerTransaction): \(batch.count), \(isGap), \(driver.transactions)")
          }
        }
      }
    }
  }

  /// A part from which `count` samples are read, and which reports that it is full after sample number `gap`.
  private final class LevelPart: EmulatedTarget {
    private var left: Int
    private let full: Int
    private var pointer: UInt8 = 0

    init(count: Int, gap: Int) {
      left = count
      full = count - 1 - gap
    }

    func receive(_ written: Span<UInt8>) { pointer = written[0] }

    func transmit(into buffer: inout MutableSpan<UInt8>) {
      for index in buffer.indices { buffer[index] = 0 }
      guard pointer == 0x32 else {
        buffer[0] = 0x90
        buffer[1] = 1
        return
      }
      left -= 1
      buffer[6] = 0x90
      buffer[7] = left == full ? 32 : UInt8(max(0, left))
    }

    func powerCycle() {}
  }
}
