import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Drivers of parts in which samples wait: each sample comes once, or the driver reports that some may be missing.
struct BatchConformanceTests {
  static let specimens = SensorSpecimen.all.filter { $0.rig(.none).keepsSamples }

  /// A force that gives the time at which it is measured: X, Y and Z are digits of microseconds, in 1/256 g, below 2
  /// g each.
  private struct Stamp: Motion {
    var duration: Microseconds { .zero }

    func specificForce(at time: Microseconds) -> Vector3 {
      func digit(_ number: Int64) -> Int32 { Int32((time.count >> (9 * number)) & 0x1FF) }
      return Still(x: digit(0), y: digit(1), z: digit(2)).vector
    }

    static func time(of force: Vector3) -> Int64 {
      func digit(_ value: Q16) -> Int64 { Int64((value.raw + 128) / 256) }
      return digit(force.x) | digit(force.y) << 9 | digit(force.z) << 18
    }
  }

  /// When the samples read in batches were made, and where some may be missing.
  private struct Reader {
    let period: Double
    var last: Int64?
    var mayLack = false
    var samples = 0
    var gaps = 0
    var wrong: [String] = []

    /// Takes the waiting samples; returns whether some may be missing before them.
    @discardableResult
    mutating func read(_ rig: any SensorRig) throws(SensorError) -> Bool {
      var batch: (samples: [Vector3], followsGap: Bool) = ([], false)
      defer { take(batch) }
      try rig.takeWaiting(into: &batch)
      return batch.followsGap
    }

    private mutating func take(_ batch: (samples: [Vector3], followsGap: Bool)) {
      mayLack = mayLack || batch.followsGap
      for sample in batch.samples {
        let time = Stamp.time(of: sample)
        if let last {
          let periods = (Double(time - last) / period).rounded()
          if periods < 1 { wrong.append("\(time) after \(last)") }
          if periods > 1 {
            gaps += 1
            if !mayLack { wrong.append("\(periods - 1) missing before \(time), and nothing said so") }
          }
        }
        (last, mayLack) = (time, false)
        samples += 1
      }
    }
  }

  private static func started(_ specimen: SensorSpecimen) throws -> (rig: any SensorRig, reader: Reader) {
    let rig = specimen.rig(.none, motion: Stamp())
    try rig.start()
    // The first samples may follow others.
    rig.clock.advance(by: Microseconds(rig.samplePeriod.count * 3))
    _ = try rig.nextSamples()
    return (rig, Reader(period: Double(rig.samplePeriod.count)))
  }

  @Test(arguments: specimens)
  static func `a reader in time gets every sample once, and no gap is reported`(_ specimen: SensorSpecimen) throws {
    var random = SplitMix64(seed: 8_000)
    let (rig, fresh) = try started(specimen)
    var reader = fresh
    let begin = rig.clock.now
    for _ in 0..<200 {
      rig.clock.advance(by: Microseconds(rig.samplePeriod.count * Int64.random(in: 0...25, using: &random)))
      try expect(that: !reader.read(rig))
    }
    expect(that: reader.wrong.isEmpty, "\(reader.wrong.prefix(3))")
    expect(reader.gaps, equals: 0, "\(reader.wrong.prefix(3))")
    let made = Double((rig.clock.now - begin).count) / reader.period
    expect(abs(Double(reader.samples) - made), isAtMost: 3, "\(reader.samples) of \(made)")
  }

  @Test(arguments: specimens)
  static func `a late reader gets one report, and its samples are complete after it`(_ specimen: SensorSpecimen) throws
  {
    for lateness in [300, 1_000, 5_000] as [Int64] where lateness > specimen.depth {
      let (rig, fresh) = try started(specimen)
      var reader = fresh
      var told: [Int] = []
      for turn in 0..<40 {
        rig.clock.advance(by: Microseconds(rig.samplePeriod.count * (turn == 20 ? lateness : 5)))
        if try reader.read(rig) { told.append(turn) }
      }
      // If all samples were discarded, the next ones report the gap again.
      #expect(told == [20] || told == [20, 21], "\(told)")
      expect(that: reader.wrong.isEmpty, "\(reader.gaps): \(reader.wrong.prefix(3))")
      expect(reader.gaps, equals: 1, "\(reader.gaps): \(reader.wrong.prefix(3))")
    }
  }

  @Test(arguments: specimens, 0..<6 as Range<UInt64>)
  static func `with random faults no sample comes twice, and every gap is reported`(
    _ specimen: SensorSpecimen, _ seed: UInt64
  )
    throws
  {
    let effects: [FaultPlan.Effect] = [
      .noAcknowledge, .timedOut, .arbitrationLost, .shortRead(received: 3), .hang(.milliseconds(30)),
      .slow(.milliseconds(250)), .fault(.other(code: 5)),
    ]
    let rig = specimen.rig(.random(seed: seed, oneIn: 40, effects), motion: Stamp())
    var reader = Reader(period: Double(rig.samplePeriod.count))
    var isStarted = false
    var errors = 0
    for _ in 0..<2_000 {
      let error = sensorError { () throws(SensorError) in
        if !isStarted {
          try rig.start()
          (isStarted, reader.mayLack) = (true, true)
        }
        rig.clock.advance(by: Microseconds(rig.samplePeriod.count * 5))
        try reader.read(rig)
      }
      guard let error else { continue }
      errors += 1
      if case .bus = error { continue }
      isStarted = false
    }
    expect(empty: reader.wrong, "\(reader.wrong.prefix(3)) of \(reader.wrong.count)")
    expect(errors, isAbove: 50, "\(errors), \(reader.samples)")
    expect(reader.samples, isAbove: 5_000, "\(errors), \(reader.samples)")
  }

  @Test(arguments: specimens)
  static func `a supply lost before a batch is detected, and the batch stays empty`(_ specimen: SensorSpecimen) throws {
    for isCounted in [false, true] {
      let rig = try started(specimen).rig
      rig.clock.advance(by: Microseconds(rig.samplePeriod.count * 10))
      if isCounted { _ = try rig.waiting() }
      rig.powerCycle()
      var batch = SampleBatch()
      let error = sensorError { () throws(SensorError) in
        if !isCounted { _ = try rig.waiting() }
        try rig.take(10, into: &batch)
      }
      expect(error, equals: .configurationLost)
      expect(batch.count, equals: 0)
    }
  }

  @Test(arguments: SensorSpecimen.all.filter { !$0.rig(.none).keepsSamples })
  static func `without a FIFO, asking for waiting samples is an error`(_ specimen: SensorSpecimen) throws {
    let rig = specimen.rig(.none)
    try rig.start()
    expect(sensorError { () throws(SensorError) in _ = try rig.waiting() }, equals: .configurationLost)
  }
}
