import Emulation
import FixedPoint
import HAL
import Sensors

/// A FIFO in stream mode with numbered samples, for each interpretation of the data sheet, which counts the samples
/// that it loses.
///
/// Sample n measures n, -n and 256 counts. The other registers are plain memory.
final class FIFOPart: EmulatedTarget {
  /// Where the 33rd sample is, "because an additional entry is available at the output filter of the device".
  enum Reading: CaseIterable {
    /// Nowhere: it pushes the oldest out at once.
    case none
    /// Before the entries: it waits until there is room.
    case before
    /// Behind the entries, in the data registers: they hold the oldest, which does not count as an entry.
    case behind

    /// The samples that the driver leaves in the part: the newest is out of reach if it does not count as an entry.
    var unreachable: Int32 { self == .behind ? 1 : 0 }
  }

  private(set) var bytes = [UInt8](repeating: 0, count: 64)
  /// The number of samples made, and the numbers of those lost.
  private(set) var made: Int32 = 0
  private(set) var lost: [Int32] = []
  /// Called before each transaction that reaches the part.
  var beforeTransaction: () -> Void = {}

  private let reading: Reading
  private var waiting: [Int32] = []
  private var shown: Int32 = 0
  private var pointer = 0
  private var hasReadData = false

  init(_ reading: Reading) {
    self.reading = reading
    bytes[0x00] = 0xE5
  }

  private var capacity: Int { reading == .none ? 32 : 33 }
  private var mode: UInt8 { bytes[0x38] >> 6 }
  var entries: Int { reading == .behind ? max(0, waiting.count - 1) : min(32, waiting.count) }

  /// Makes `count` samples, if it measures.
  func make(_ count: Int) {
    guard bytes[0x2D] & 0x08 != 0 else { return }
    for _ in 0..<count {
      made += 1
      if mode == 0 {
        waiting = [made]
      } else if waiting.count < capacity {
        waiting.append(made)
      } else {
        // The data registers keep their sample.
        lost.append(waiting.remove(at: reading == .behind ? 1 : 0))
        waiting.append(made)
      }
    }
  }

  func prepare(under conditions: TargetConditions) { beforeTransaction() }

  func receive(_ written: Span<UInt8>) {
    for index in written.indices {
      if index == 0 {
        pointer = Int(written[0])
      } else {
        bytes[pointer] = written[index]
        if pointer == 0x38, mode == 0 { waiting = [] }
        pointer += 1
      }
    }
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices {
      buffer[index] = value(of: pointer)
      pointer += 1
      if pointer == 0x38 { pop() }
    }
    pop()
  }

  func powerCycle() {
    bytes = [UInt8](repeating: 0, count: 64)
    bytes[0x00] = 0xE5
    bytes[0x2C] = 0x0A
    waiting = []
    shown = 0
  }

  private func pop() {
    if hasReadData, !waiting.isEmpty { waiting.removeFirst() }
    hasReadData = false
  }

  private func value(of register: Int) -> UInt8 {
    switch register {
    case 0x30:
      return (waiting.isEmpty ? 0 : 0x80) | (entries >= Int(bytes[0x38] & 0x1F) ? 0x02 : 0) | (entries == 32 ? 0x01 : 0)
    case 0x32...0x37:
      if !hasReadData { shown = waiting.first ?? shown }
      hasReadData = true
      let counts = [shown, -shown, 256][(register - 0x32) / 2]
      return UInt8(truncatingIfNeeded: register % 2 == 0 ? counts : counts >> 8)
    case 0x39: return UInt8(entries)
    default: return bytes[register]
    }
  }
}

/// A driver on a bus with a FIFO of numbered samples, and the samples read.
final class FIFORig {
  let part: FIFOPart
  let log = BusLog()
  var driver: ADXL345.Device<EmulatedBus>
  /// Each sample read, and the index of its batch.
  private(set) var samples: [(number: Int32, batch: Int)] = []
  /// Whether each batch reported that samples may be missing before it; nil for a failed one.
  private(set) var batches: [Bool?] = []

  init(
    _ reading: FIFOPart.Reading, plan: FaultPlan = .none
  ) {
    part = FIFOPart(reading)
    let bus = EmulatedBus(part, at: ADXL345.address, plan: plan, log: log) { Instant(microseconds: 0) }
    let fifo = ADXL345.FIFO.stream(watermark: .init(nearest: 16))
    driver = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: .hz800, fifo: fifo))
  }

  /// Takes all waiting samples; keeps those read before an error too.
  func take() throws(SensorError) {
    var batch = SampleBatch()
    defer { keep(batch) }
    batches.append(nil)
    let waiting = try driver.waiting()
    batches[batches.count - 1] = waiting.followsGap
    try driver.take(waiting.count, into: &batch)
  }

  private func keep(_ batch: SampleBatch) {
    for index in 0..<batch.count {
      guard let sample = batch[index] else { continue }
      samples.append((sample.force.x.raw / 256, batches.count - 1))
    }
  }

  /// The numbers missing between the first sample read and the last.
  var missing: [Int32] {
    let read = Set(samples.map(\.number))
    guard let first = read.min(), let last = read.max() else { return [] }
    return (first...last).filter { !read.contains($0) }
  }

  /// Whether samples came in order and without repeats.
  var isStrictlyAscending: Bool { zip(samples, samples.dropFirst()).allSatisfy { $0.number < $1.number } }

  /// Whether each gap is reported by the batch after it or by one in between. If a full FIFO pushes out the oldest
  /// sample, which was to be read next (see `FIFOPart.Reading`), the gap may only be noticed with the sample after
  /// it, and the next batch reports it.
  func tellsEveryGap(_ reading: FIFOPart.Reading) -> Bool {
    zip(samples, samples.dropFirst()).allSatisfy { a, b in
      guard a.number + 1 < b.number else { return true }
      let told = reading == .behind ? a.batch + 1..<b.batch + 1 : a.batch..<min(b.batch + 2, batches.count)
      return batches[told].contains(true)
    }
  }
}
