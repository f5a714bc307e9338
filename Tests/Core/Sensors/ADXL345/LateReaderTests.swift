import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// A force that gives the number of its sample: X counts up to 4000, Y counts the overflows.
///
/// Sample n comes n periods and 1.1 ms after Measure, with which the motion begins.
struct Numbered: Motion {
  /// The period of the part's own clock in microseconds.
  var period: Double
  var duration: Microseconds { .zero }

  func specificForce(at time: Microseconds) -> Vector3 {
    let number = Int32((Double(time.count - 1_100) / period).rounded())
    return Still(x: number % 4_000, y: number / 4_000, z: 256).vector
  }
}

/// The FIFO of the emulated part at 800 Hz, with a late reader.
struct LateReaderTests {
  /// A driver at 800 Hz with a FIFO, on a part whose clock is off, and the numbers of the samples read.
  final class Reader {
    let rig: ADXL345Rig
    private(set) var numbers: [Int32] = []
    /// Whether the last batch reports that samples may be missing.
    private(set) var mayLackSamples = false

    init(partsPerMillion: Int32 = 0, plan: FaultPlan = .none) throws {
      let fifo = ADXL345.FIFO.stream(watermark: .init(nearest: 16))
      var specimen = ADXL345Rig.quiet
      specimen.ratePartsPerMillion = partsPerMillion
      period = 1_250 / (1 + Double(partsPerMillion) / 1e6)
      rig = ADXL345Rig(
        Numbered(period: period), ADXL345.Configuration(rate: .hz800, fifo: fifo), plan: plan, specimen: specimen)
      _ = try rig.driver.start()
    }

    let period: Double

    /// Waits until just after sample `number`.
    func wait(forSample number: Int) {
      rig.clock.advance(to: Instant(microseconds: 1_100 + Int64((Double(number) * period).rounded(.up)) + 2))
    }

    /// Takes all waiting samples; the newest stays in the output register.
    func take() throws {
      var batch = SampleBatch()
      let waiting = try rig.driver.waiting()
      try rig.driver.take(waiting.count, into: &batch)
      mayLackSamples = waiting.followsGap
      for index in 0..<batch.count {
        let sample = try require(batch[index]).force
        numbers.append(sample.x.raw / 256 + 4_000 * (sample.y.raw / 256))
      }
    }
  }

  @Test(arguments: [-30_000, 0, 30_000] as [Int32])
  static func `up to 31 samples late, none is lost, doubled or reported missing; later a loss is reported`(
    _ partsPerMillion: Int32
  ) throws {
    for lateness in 0...60 {
      let reader = try Reader(partsPerMillion: partsPerMillion)
      reader.wait(forSample: 10)
      try reader.take()
      reader.wait(forSample: 10 + lateness)
      try reader.take()
      expect(reader.mayLackSamples, equals: lateness > 31)
      expect(reader.numbers == Array(1...Int32(9 + lateness)), equals: lateness <= 31)
      expect(reader.numbers, equals: Array(Set(reader.numbers)).sorted())
      expect(reader.numbers.last, equals: Int32(9 + lateness))
    }
  }

  @Test static func `a full FIFO reports a gap once, and has room for the samples that come before it is read`() throws
  {
    for lateness in [10, 30, 31, 32, 33, 60] {
      let reader = try Reader()
      reader.wait(forSample: 10)
      try reader.take()
      reader.wait(forSample: 10 + lateness)
      let waiting = try reader.rig.driver.waiting()
      let isFull = lateness > 31
      expect(waiting.followsGap, equals: isFull, "\(lateness)")
      // One sample is in the output register. Of a full FIFO, that one and the four oldest entries are discarded.
      expect(waiting.count, equals: isFull ? 27 : lateness, "\(lateness): \(waiting)")
      expect(waiting.unreachable, equals: 1, "\(lateness): \(waiting)")
      try expect(reader.rig.driver.waiting().followsGap, equals: false)
    }
  }

  @Test static func `on a slow bus, samples that come while others are read are not lost or doubled either`()
    throws
  {
    // 102 bits at 400 kHz.
    let reader = try Reader(plan: [.init(.slow(Microseconds(255)), .transactions(14..<Int.max))])
    for turn in 0..<300 {
      try reader.take()
      expect(that: !reader.mayLackSamples)
      reader.rig.clock.advance(by: .milliseconds(Int64(turn % 25)))
    }
    let last = try require(reader.numbers.last)
    expect(last, isAbove: 3_000)
    expect(reader.numbers, equals: Array(1...last))
  }

  @Test static func `a delay in the middle of a batch is reported, wherever it was`() throws {
    for heldUpAt in 0..<20 {
      // 0.1 s at one transaction of the batch: 80 samples come.
      let reader = try Reader(plan: [.init(.slow(.milliseconds(100)), .transaction(14 + heldUpAt))])
      reader.wait(forSample: 17)
      var reports: [Bool] = []
      for _ in 0..<6 {
        try reader.take()
        reports.append(reader.mayLackSamples)
      }
      let first = try require(reader.numbers.first)
      let last = try require(reader.numbers.last)
      let isWhole = reader.numbers == Array(first...last) && first == 1
      #expect(reports.contains(true) || isWhole)
      expect(reports.last, equals: false)
      expect(reader.numbers, equals: Array(Set(reader.numbers)).sorted())
    }
  }

  @Test static func `the watermark drives its pin while enough entries wait, and no longer`() throws {
    let configuration = ADXL345.Configuration(
      rate: .hz800, fifo: .stream(watermark: .init(nearest: 16)),
      interrupts: ADXL345.Interrupts(conditions: .watermark, onInterrupt2: .watermark))
    let rig = ADXL345Rig(ADXL345Rig.force, configuration)
    _ = try rig.driver.start()
    for _ in 0..<5 {
      expect(that: !rig.part.isINT2High)
      rig.clock.advance(by: Microseconds(14 * 1_250))
      expect(that: !rig.part.isINT2High)
      rig.clock.advance(by: Microseconds(5 * 1_250))
      expect(that: rig.part.isINT2High)
      expect(that: !rig.part.isINT1High)
      var batch = SampleBatch()
      try rig.driver.take(try rig.driver.waiting().count, into: &batch)
      expect(batch.count, isAtLeast: 17)
    }
  }
}
