import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The monitor over the emulated bus: every kind of fault at every transaction, once and for a time.
struct MonitorMatrixTests {
  /// The end of a run, and what was wrong on the way.
  struct End {
    var states: [PoseState] = []
    /// The time, in µs.
    var end: Int64 = 0
    var counters = Counters()
    var replay = Replay()
    var tally = Tally()
    var log = BusLog(capacity: 0)
    var turns = 0
    /// The number of transactions before the first sample.
    var start: Int?
  }

  /// A sensor, and the samples per batch.
  struct Reading {
    var kind: Kind
    var batch = 1

    static let thorough = Kind.thorough.flatMap { [Reading(kind: $0), Reading(kind: $0, batch: 25)] }
    static let all = thorough + Kind.allCases.filter { !Kind.thorough.contains($0) }.map { Reading(kind: $0) }
  }

  /// How long the pose has to stay right, with no event, before a case ends early: its set-up is compared once a
  /// second.
  private static let settling: Int64 = 1_500_000

  /// Runs until `end`; or until the pose has settled after `fault`, when the last fault is over.
  private static func run(
    _ reading: Reading, _ plan: FaultPlan, until end: Int64, settledAfter fault: Int64? = nil, capacity: Int = 0
  ) throws(OutputFault) -> End {
    var result = End()
    result.log = BusLog(capacity: capacity)
    let clock = VirtualClock()
    var rightSince = Int64.max
    try reading.kind.run(
      Carousel(), plan: plan, log: result.log, tally: result.tally, clock: clock, batch: reading.batch
    ) {
      report, state, counters in
      result.turns += 1
      if result.tally.samples > 0 { result.start = result.start ?? result.log.transactionCount - 1 }
      result.replay.take(report, state, at: clock.now)
      result.counters = counters
      result.states = [state]
      let now = clock.now.microseconds
      result.end = now
      let isRight = report.events.count == 0 && state == .known(Carousel.pose(at: now))
      rightSince = isRight ? min(rightSince, now) : .max
      if let fault, max(fault, rightSince) <= now - settling { return false }
      return now < end && result.turns < 20_000
    }
    return result
  }

  /// What is wrong with the end of a case; nil if nothing is.
  private static func failure(
    _ reading: Reading, _ trial: FaultTrial, at number: Int, in clean: [BusLog.Transaction], until end: Int64
  ) throws(OutputFault) -> String? {
    let over = clean[number].instant.microseconds + trial.span.count
    let result = try run(reading, trial.plan(at: number, of: number + 1), until: end, settledAfter: over)
    if let complaint = result.replay.complaints.first { return complaint }
    let right = Carousel.pose(at: result.end)
    if result.states != [.known(right)] { return "ends with \(result.states), not \(right)" }
    if result.turns >= 20_000 { return "does not end" }
    let counters = result.counters
    guard counters.poseChanges == result.replay.poses, counters.recoveries == result.replay.recoveries else {
      return "events and counters differ: \(counters)"
    }
    if let text = result.tally.difference(from: counters) { return text }
    if isFaultOfBus(trial.effect), result.log.faultCount != result.log.injectionCount {
      return "\(result.log.injectionCount) injected, \(result.log.faultCount) on the bus"
    }
    // An ICM-20948 selects its bank 0 after a fault, perhaps in vain.
    let errors = result.tally.errors * (reading.kind == .icm20948 ? 2 : 1)
    if isFaultOfBus(trial.effect), errors < result.log.faultCount { return "a fault was swallowed" }
    return nil
  }

  private static func isFaultOfBus(_ effect: FaultPlan.Effect) -> Bool {
    switch effect {
    case .fault, .shortRead, .hang, .stuckBus, .unplugged: true
    default: false
    }
  }

  @Test(arguments: Reading.all)
  static func `after every fault at every transaction the pose is right, and was never wrong`(
    _ reading: Reading
  ) throws {
    let clean = try run(reading, .none, until: 2_000_000, capacity: 1_000)
    expect(empty: clean.replay.complaints)
    expect(clean.counters.faults, equals: 0)
    let transactions = clean.log.transactions
    // Of a batch the first read, because one that is slow later dates its samples too early, even before the start.
    let read = transactions.firstIndex { $0.read.count >= 6 && $0.written[0] >= 0x31 }
    let firstSample = try #require(reading.batch > 1 ? read : clean.start)
    var generator = SplitMix64(seed: 4)
    var cases = 0
    var failures: [String] = []
    // The start and the first samples one by one, then some far apart.
    let later = [40, 61, 120].filter { $0 < transactions.count }
    for number in Array(0..<(firstSample + 4)) + later {
      let length = transactions[number].read.count
      var trials = FaultTrial.all(reading: length, [0x00, 0xE6, 0xFF], &generator)
      trials += Self.lasting
      for trial in trials where !Self.isSeveralBits(trial.effect) {
        cases += 1
        if let text = try failure(reading, trial, at: number, in: transactions, until: 4_500_000) {
          failures.append("\(trial) at \(number): \(text)")
        }
      }
    }
    #expect(cases >= 600 || reading.batch > 1 && cases >= 400, "\(cases)")
    expect(empty: failures, "\(failures.count) of \(cases): \(failures.prefix(12).joined(separator: "\n"))")
  }

  /// The same during a turn of the board: the old pose must not outlive it.
  @Test(arguments: Reading.thorough)
  static func `a fault while the board turns does not keep the old pose, and loses no event`(_ reading: Reading) throws
  {
    var cases = 0
    var failures: [String] = []
    // The turn is at ten seconds.
    let clean = try run(reading, .none, until: 11_000_000, capacity: 4_000).log.transactions
    let first = try require(clean.firstIndex { $0.instant.microseconds > 9_600_000 })
    let last = try require(clean.lastIndex { $0.instant.microseconds < 10_600_000 })
    for number in stride(from: first, through: last, by: reading.batch == 1 ? 4 : max(1, (last - first) / 24)) {
      for trial in Self.lasting {
        cases += 1
        if let text = try failure(reading, trial, at: number, in: clean, until: 15_000_000) {
          failures.append("\(trial) at \(number): \(text)")
        }
      }
    }
    expect(cases, isAtLeast: 200)
    expect(empty: failures, "\(failures.count) of \(cases): \(failures.prefix(12).joined(separator: "\n"))")
  }

  /// Several bits of one byte can turn a first sample upside down; see the test of corrupt bytes.
  private static func isSeveralBits(_ effect: FaultPlan.Effect) -> Bool {
    guard case .corruptByte(_, let mask) = effect else { return false }
    return mask.nonzeroBitCount > 1
  }

  /// Every kind of fault that can last, for a short and a long time.
  static let lasting: [FaultTrial] = [Microseconds.milliseconds(60), .milliseconds(1_300)].flatMap { span in
    [
      FaultPlan.Effect.noAcknowledge, .timedOut, .arbitrationLost, .fault(.other(code: 5)), .shortRead(received: 2),
      .hang(.milliseconds(20)), .stuckBus(each: .milliseconds(5)), .unplugged, .brownOut, .identity(0x00),
      .frozenData, .fullScaleData, .slow(.milliseconds(25)), .fault(.unavailable),
    ].map { FaultTrial(effect: $0, length: .time(span)) }
  }

  @Test(arguments: Reading.all)
  static func `an undetectable corrupt byte sets no wrong pose`(
    _ reading: Reading
  )
    throws
  {
    var generator = SplitMix64(seed: 44)
    var failures: [String] = []
    let transactions = try run(reading, .none, until: 4_500_000, capacity: 4_000).log.transactions
    // The transactions of the third second, without faults.
    let steady = try require(transactions.firstIndex { $0.instant.microseconds > 600_000 })..<transactions.count / 2
    for index in 0..<([.adxl345, .mpu6050, .mpu6500].contains(reading.kind) ? 10 : 18) {
      for _ in 0..<30 {
        let mask = UInt8.random(in: 1...255, using: &generator)
        let trial = FaultTrial(effect: .corruptByte(index: index, mask: mask))
        let number = Int.random(in: steady, using: &generator)
        if let text = try failure(reading, trial, at: number, in: transactions, until: 4_500_000) {
          failures.append("\(trial): \(text)")
        }
      }
    }
    expect(empty: failures, "\(failures.count): \(failures.prefix(12).joined(separator: "\n"))")
  }

  @Test(arguments: Reading.all)
  static func `a stop during any fault is immediate, and leaves no unfinished business on the bus`(_ reading: Reading)
    throws
  {
    for trial in Self.lasting {
      for sleeps in stride(from: 0, to: 90, by: 3) {
        let log = BusLog(capacity: 0)
        let tally = Tally()
        let clock = VirtualClock()
        var turns = 0
        var counters = Counters()
        let plan = trial.plan(at: sleeps / 2, of: 0)
        try reading.kind.run(
          Carousel(), plan: plan, log: log, tally: tally, clock: clock, sleeps: sleeps, batch: reading.batch
        ) { _, _, now in
          turns += 1
          counters = now
          return true
        }
        // For a batch only the first sample is waited for.
        #expect(reading.batch == 1 ? turns == sleeps : turns >= sleeps)
        expect(tally.difference(from: counters), equals: nil)
      }
    }
  }
}
