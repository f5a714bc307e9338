import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Samples that are waiting in the sensor when a fault comes are counted and reported, and the outage begins at the
/// last good one.
struct LostSamplesTests {
  /// When the samples of a run were produced, and its reports.
  private struct Run {
    var samples: [Int64] = []
    var reported: [Int] = []
    var recoveries: [(at: Int64, outage: Int64)] = []
    var counters = Counters()
    var transactions = 0

    /// The number of samples missing in gaps longer than `period`, judged by time.
    func missing(_ period: Int64) -> Int {
      zip(samples, samples.dropFirst()).reduce(0) { $0 + Int(($1.1 - $1.0 + period / 2) / period) - 1 }
    }
  }

  private static func drive<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, _ clock: VirtualClock, for duration: Int64
  ) throws -> Run {
    var run = Run()
    var loop = Loop(sensor: sensor, bank: NoLines(), clock: clock, period: .milliseconds(100))
    while loop.hasSamples || clock.now.microseconds < duration, let seen = try loop.turn() {
      if let reading = seen.reading { run.samples.append(reading.instant.microseconds) }
      seen.forEachEvent { occurrence in
        switch occurrence.event {
        case .notice(.samplesLost(let count)): run.reported.append(Int(count))
        case .recovered(_, let outage): run.recoveries.append((occurrence.at.microseconds, outage.count))
        default: break
        }
      }
    }
    run.counters = loop.monitor.counters
    return run
  }

  private static func run(_ isADXL345: Bool, _ plan: FaultPlan, for duration: Int64 = 4_000_000) throws -> Run {
    let (clock, log) = (VirtualClock(), BusLog())
    let motion = AttitudePath.hold(.portrait, for: .seconds(60))
    var run: Run
    if isADXL345 {
      let part = EmulatedADXL345(motion: motion, now: { clock.now })
      var bus = EmulatedBus(
        part, at: EmulatedADXL345.address, plan: plan, log: log, pass: { clock.advance(by: $0) }, now: { clock.now })
      bus.readsPerTransaction = 21
      let configuration = ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 10)))
      run = try drive(Batched(ADXL345.Device(bus: bus, configuration: configuration), size: 10), clock, for: duration)
    } else {
      let part = EmulatedMPU6050(motion: motion, now: { clock.now })
      let bus = EmulatedBus(
        part, at: EmulatedMPU6050.address, plan: plan, log: log, pass: { clock.advance(by: $0) }, now: { clock.now })
      let configuration = MPU6050.Configuration(fifo: MPU6050.FIFO(longestBurst: 240))
      run = try drive(Batched(MPU6050.Device(bus: bus, configuration: configuration), size: 10), clock, for: duration)
    }
    run.transactions = log.transactionCount
    return run
  }

  private static func judge(_ run: Run, _ words: String) {
    expect(run.reported.reduce(0, +), equals: Int(run.counters.lostSamples), "\(words)")
    // A restarted part restarts its clock, so each gap may be off by one sample. The clock is also some percent off
    // nominal.
    let (gaps, lost) = (zip(run.samples, run.samples.dropFirst()).count { $1 - $0 > 15_000 }, run.counters.lostSamples)
    expect(abs(run.missing(10_000) - Int(lost)), isAtMost: gaps + Int(lost) * 3 / 100, "\(words): \(run.reported)")
    for (at, outage) in run.recoveries {
      guard let first = run.samples.firstIndex(where: { $0 >= at }), first > 0 else { continue }
      // A recovery has the time of the first good sample.
      expect(outage, equals: run.samples[first] - run.samples[first - 1], "\(words)")
    }
  }

  private static let effects: [FaultPlan.Effect] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .fault(.other(code: 5)), .shortRead(received: 3), .brownOut,
  ]

  @Test(arguments: [true, false], effects)
  static func `a lasting fault at any transaction costs counted samples, and an outage since the last good one`(
    isADXL345: Bool, effect: FaultPlan.Effect
  ) throws {
    let clean = try run(isADXL345, .none)
    expect(clean.counters.lostSamples, equals: 0)
    expect(clean.counters.faults, equals: 0)
    for first in 0..<clean.transactions {
      // Twelve faults in a row outlast the retries.
      let isBrief = if case .brownOut = effect { true } else { false }
      let rule = FaultPlan.Rule(effect, .transactions(first..<first + (isBrief ? 1 : 12)))
      judge(try run(isADXL345, [rule]), "transaction \(first)")
    }
  }

  @Test(arguments: [true, false]) static func `a long outage counts from its beginning to its end`(isADXL345: Bool)
    throws
  {
    let span = Microseconds.milliseconds(5_437)..<Microseconds.milliseconds(6_000)
    let run = try run(isADXL345, [.init(.noAcknowledge, .during(span))], for: 9_000_000)
    judge(run, "for half a second")
    expect(run.recoveries.count, equals: 1)
    expect(run.reported.count, equals: 1)
    expect(run.counters.lostSamples, isIn: 55...130, "\(run.counters.lostSamples)")
    expect(run.recoveries.first.map { $0.outage >= 560_000 }, equals: true)
  }
}
