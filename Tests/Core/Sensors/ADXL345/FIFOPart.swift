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

  /// Called before each transaction that reaches the part.
  var beforeTransaction: () -> Void = {}

  private var memory: FIFOMemory

  init(_ reading: Reading) { memory = FIFOMemory(reading) }

  var bytes: [UInt8] { memory.bytes }
  /// The number of samples made, and the numbers of those lost.
  var made: Int32 { memory.made }
  var lost: [Int32] { memory.lost }
  var entries: Int { memory.entries }

  /// Makes `count` samples, if it measures.
  func make(_ count: Int) { memory.make(count) }

  func prepare(under conditions: TargetConditions) { beforeTransaction() }

  func receive(_ written: Span<UInt8>) { memory.receive(written) }

  func transmit(into buffer: inout MutableSpan<UInt8>) { memory.transmit(into: &buffer) }

  func powerCycle() { memory.powerCycle() }
}

/// What is in such a part. A structure, because each access to a property of an object is checked while tests run.
private struct FIFOMemory {
  private(set) var bytes = [UInt8](repeating: 0, count: 64)
  private(set) var made: Int32 = 0
  private(set) var lost: [Int32] = []

  private let reading: FIFOPart.Reading
  /// The samples that wait, from the index `first` on; those before have been read.
  private var samples: [Int32] = []
  private var first = 0
  private var shown: Int32 = 0
  private var pointer = 0
  private var hasReadData = false

  init(_ reading: FIFOPart.Reading) {
    self.reading = reading
    bytes[0x00] = 0xE5
  }

  private var waiting: Int { samples.count - first }
  private var capacity: Int { reading == .none ? 32 : 33 }
  private var mode: UInt8 { bytes[0x38] >> 6 }
  var entries: Int {
    let counted = reading == .behind ? waiting - 1 : waiting
    return counted < 0 ? 0 : counted > 32 ? 32 : counted
  }

  mutating func make(_ count: Int) {
    guard bytes[0x2D] & 0x08 != 0 else { return }
    for _ in 0..<count {
      made += 1
      if mode == 0 {
        hold([made])
      } else if waiting < capacity {
        samples.append(made)
      } else {
        // The data registers keep their sample.
        lost.append(samples.remove(at: reading == .behind ? first + 1 : first))
        samples.append(made)
      }
    }
  }

  mutating func receive(_ written: Span<UInt8>) {
    for index in written.indices {
      if index == 0 {
        pointer = Int(written[0])
      } else {
        bytes[pointer] = written[index]
        if pointer == 0x38, mode == 0 { hold([]) }
        pointer += 1
      }
    }
  }

  mutating func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices {
      buffer[index] = value(of: pointer)
      pointer += 1
      if pointer == 0x38 { pop() }
    }
    pop()
  }

  mutating func powerCycle() {
    bytes = [UInt8](repeating: 0, count: 64)
    bytes[0x00] = 0xE5
    bytes[0x2C] = 0x0A
    hold([])
    shown = 0
  }

  private mutating func hold(_ waiting: [Int32]) {
    samples = waiting
    first = 0
  }

  private mutating func pop() {
    if hasReadData, waiting > 0 { first += 1 }
    hasReadData = false
  }

  private mutating func value(of register: Int) -> UInt8 {
    switch register {
    case 0x30:
      return (waiting == 0 ? 0 : 0x80) | (entries >= Int(bytes[0x38] & 0x1F) ? 0x02 : 0) | (entries == 32 ? 0x01 : 0)
    case 0x32...0x37:
      if !hasReadData, waiting > 0 { shown = samples[first] }
      hasReadData = true
      let counts = register < 0x34 ? shown : register < 0x36 ? -shown : 256
      return UInt8(truncatingIfNeeded: register % 2 == 0 ? counts : counts >> 8)
    case 0x39: return UInt8(entries)
    default: return bytes[register]
    }
  }
}

/// A driver on a bus with a FIFO of numbered samples, and the samples read.
final class FIFORig {
  /// A sample read, and the index of its batch.
  struct Sample {
    var number: Int32
    var batch: Int
  }

  let part: FIFOPart
  let log: BusLog
  var driver: ADXL345.Device<EmulatedBus>
  private(set) var samples: [Sample] = []
  /// The samples on both sides of each gap.
  private var gaps: [(before: Sample, after: Sample)] = []
  /// Whether samples came in order and without repeats.
  private(set) var isStrictlyAscending = true
  /// Whether each batch reported that samples may be missing before it; nil for a failed one.
  private(set) var batches: [Bool?] = []

  init(
    _ reading: FIFOPart.Reading, plan: FaultPlan = .none, log: BusLog = BusLog()
  ) {
    part = FIFOPart(reading)
    self.log = log
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
      let read = Sample(number: sample.force.x.raw / 256, batch: batches.count - 1)
      if let last = samples.last {
        if read.number <= last.number { isStrictlyAscending = false }
        if read.number > last.number + 1 { gaps.append((last, read)) }
      }
      samples.append(read)
    }
  }

  /// The numbers missing between the first sample read and the last.
  var missing: [Int32] {
    let read = Set(samples.map(\.number))
    guard let first = read.min(), let last = read.max() else { return [] }
    return (first...last).filter { !read.contains($0) }
  }

  /// Whether each gap is reported by the batch after it or by one in between. If a full FIFO pushes out the oldest
  /// sample, which was to be read next (see `FIFOPart.Reading`), the gap may only be noticed with the sample after
  /// it, and the next batch reports it.
  func tellsEveryGap(_ reading: FIFOPart.Reading) -> Bool {
    gaps.allSatisfy { a, b in
      let told = reading == .behind ? a.batch + 1..<b.batch + 1 : a.batch..<min(b.batch + 2, batches.count)
      return batches[told].contains(true)
    }
  }
}
