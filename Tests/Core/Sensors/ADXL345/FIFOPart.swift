import Emulation
import FixedPoint
import HAL
import Sensors

/// A FIFO whose samples are numbered, in each of the ways in which the data sheet can be read, and a counter of what it loses.
///
/// Sample n measures n, -n and 256 counts. Its other registers are plain memory.
final class FIFOPart: EmulatedTarget {
  /// Where the 33rd sample is, "because an additional entry is available at the output filter of the device".
  enum Reading: CaseIterable {
    /// Nowhere: it pushes the oldest out (or is dropped) at once.
    case none
    /// Before the entries: it waits until there is room.
    case before
    /// Behind the entries, in the data registers: the oldest is there, and does not count as an entry.
    case behind
  }

  private(set) var bytes = [UInt8](repeating: 0, count: 64)
  /// How many samples were made, and the numbers of those that were lost.
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
      } else if mode == 2 {
        // The data registers keep what they show.
        lost.append(waiting.remove(at: reading == .behind ? 1 : 0))
        waiting.append(made)
      } else {
        lost.append(made)
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

/// A driver on a bus with a FIFO of numbered samples, and what it read.
final class FIFORig {
  let part: FIFOPart
  let log = BusLog()
  var driver: ADXL345.Device<EmulatedBus>
  /// Each sample that was read, and the number of the batch that it was in.
  private(set) var samples: [(number: Int32, batch: Int)] = []
  /// Whether each batch says that samples may be missing; nil where its drain threw.
  private(set) var batches: [Bool?] = []

  init(
    _ reading: FIFOPart.Reading, _ fifo: ADXL345.FIFO = .stream(watermark: .init(nearest: 16)), plan: FaultPlan = .none
  ) {
    part = FIFOPart(reading)
    let bus = EmulatedBus(part, at: ADXL345.address, plan: plan, log: log) { Instant(microseconds: 0) }
    driver = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: .hz800, fifo: fifo))
  }

  /// Drains once; keeps what came, after an error too.
  func drain() throws(SensorError) {
    var batch = ADXL345.Batch()
    defer { keep(batch) }
    batches.append(nil)
    try driver.drain(into: &batch)
    batches[batches.count - 1] = batch.mayLackSamples
  }

  private func keep(_ batch: ADXL345.Batch) {
    for index in 0..<batch.count {
      guard let sample = batch[index] else { continue }
      samples.append((sample.x.raw / 256, batches.count - 1))
    }
  }

  /// The numbers that are missing between the first sample read and the last.
  var missing: [Int32] {
    let read = Set(samples.map(\.number))
    guard let first = read.min(), let last = read.max() else { return [] }
    return (first...last).filter { !read.contains($0) }
  }

  /// Whether samples came in order and none twice.
  var isStrictlyAscending: Bool { zip(samples, samples.dropFirst()).allSatisfy { $0.number < $1.number } }

  /// Whether each gap is told of by the batch before it, by the one behind it, or by one between; with a FIFO that stops when
  /// it is full, the gap comes after all that waited, which can be a batch later.
  func tellsEveryGap(isStream: Bool = true) -> Bool {
    zip(samples, samples.dropFirst()).allSatisfy { a, b in
      let first = max(0, isStream ? a.batch : a.batch - 1)
      return a.number + 1 == b.number || batches[first...b.batch].contains(true)
    }
  }
}
