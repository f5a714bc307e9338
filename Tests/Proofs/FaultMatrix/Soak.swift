import Emulation
import FixedPoint
import Foundation
import HAL
import Monitor
import Orientation
import Sensors

/// A long run in virtual time with random faults from a seed, with every check that can be made at its end.
struct Soak {
  var kind: Kind
  var hours: Int64
  var seed: UInt64

  /// The results.
  struct Result {
    var complaints: [String] = []
    var samples = 0
    var faults: UInt64 = 0
    var turns = 0
    /// The growth of the process's memory between a tenth of the run and its end, in bytes.
    var growth = 0
  }

  /// Faults that last up to 0.4 s. Together with the momentary ones they cover all kinds except reopening.
  static let lasting: [FaultPlan.Effect] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .fault(.other(code: 5)), .fault(.busy), .shortRead(received: 2),
    .hang(.milliseconds(20)), .stuckBus(each: .milliseconds(5)), .unplugged, .slow(.milliseconds(15)),
    .identity(0x00), .frozenData, .fullScaleData,
  ]
  /// Faults of one transaction. Bytes change for only one sample: several in a row could not be distinguished from a
  /// real force.
  static let momentary: [FaultPlan.Effect] = [
    .brownOut, .corruptByte(index: 1, mask: 0x10), .corruptByte(index: 2, mask: 0x40),
    .corruptByte(index: 5, mask: 0x08), .noAcknowledge, .shortRead(received: 0),
  ]

  var plan: FaultPlan {
    .random(seed: seed, oneIn: 3_000, Self.lasting, lasting: .zero ... .milliseconds(400))
      + .random(seed: seed + 1, oneIn: 3_000, Self.momentary)
      // Reopening draws separately, and is rare.
      + .random(seed: seed + 2, oneIn: 4, [.reopenFault(.unavailable)])
  }

  func run() throws -> Result {
    var result = Result()
    let log = BusLog(capacity: 0)
    let tally = Tally()
    let clock = VirtualClock()
    let end = hours * 3_600_000_000
    var replay = Replay()
    var counters = Counters()
    var memory: Int?
    var last = clock.now
    tally.samplesUntilNoticed = kind == .adxl345 ? 0 : 101
    tally.disturbances = Self.disturbances(log)
    try kind.run(Carousel(), plan: plan, log: log, tally: tally, clock: clock) { report, state, now in
      result.turns += 1
      replay.take(report, state, at: clock.now)
      if clock.now < last { result.complaints.append("time ran backwards") }
      last = clock.now
      counters = now
      if memory == nil && clock.now.microseconds > end / 10 { memory = residentBytes() }
      return clock.now.microseconds < end
    }
    let present = residentBytes()
    result.growth = present == Int(Int32.max) ? present : present - (memory ?? 0)
    result.samples = tally.samples
    result.faults = counters.faults
    result.complaints += replay.complaints
    result.complaints += complaints(replay, counters, tally, log)
    return result
  }

  /// Finds the rules once; their counts are read at every sample.
  private static func disturbances(_ log: BusLog) -> () -> (losses: Int, corruptions: Int) {
    let effects = lasting + momentary
    let losses = effects.indices.filter { effects[$0] == .brownOut || effects[$0] == .unplugged }
    let corruptions = effects.indices.filter { if case .corruptByte = effects[$0] { true } else { false } }
    return {
      let injections = log.injections
      return (
        losses.reduce(0) { $0 + injections[$1].count }, corruptions.reduce(0) { $0 + injections[$1].count }
      )
    }
  }

  private func complaints(_ replay: Replay, _ counters: Counters, _ tally: Tally, _ log: BusLog) -> [String] {
    var found: [String] = []
    func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) { if !isTrue { found.append(text()) } }
    if let text = tally.difference(from: counters) { found.append(text) }
    expect(counters.poseChanges == replay.poses, "\(counters.poseChanges) poses counted, \(replay.poses) told")
    expect(counters.recoveries == replay.recoveries, "\(counters.recoveries) recoveries, \(replay.recoveries) told")
    let turns = Int(hours * 360) - 1
    expect(turns == replay.turns, "\(replay.turns) turns told of \(turns)")
    found += Self.miscounts(tally, log)
    expect(counters.giveUps == 0, "gave up")
    return found
  }

  /// The injected faults that differ from the sensor's errors, kind by kind.
  private static func miscounts(_ tally: Tally, _ log: BusLog) -> [String] {
    func injected(_ isMeant: (FaultPlan.Effect) -> Bool) -> UInt64 {
      log.injections.reduce(0) { $0 + (isMeant($1.rule.effect) ? UInt64($1.count) : 0) }
    }
    let timedOut = injected {
      switch $0 {
      case .fault(.timedOut), .hang, .stuckBus: true
      default: false
      }
    }
    let short = injected { if case .shortRead = $0 { true } else { false } }
    let table: [(String, UInt64, UInt64)] = [
      ("no acknowledge", injected { $0 == .noAcknowledge || $0 == .unplugged }, tally.noAcknowledge),
      ("time-out", timedOut, tally.timedOut), ("short read", short, tally.shortRead),
      ("arbitration lost", injected { $0 == .arbitrationLost }, tally.arbitrationLost),
      ("other", injected { $0 == .fault(.other(code: 5)) }, tally.otherBusFault),
      ("busy", injected { $0 == .fault(.busy) }, tally.busy),
      ("unavailable", injected { $0 == .reopenFault(.unavailable) }, tally.unavailable),
    ]
    var found = table.filter { $0.1 != $0.2 || $0.1 == 0 }.map { "\($0.0): \($0.1) injected, \($0.2) thrown" }
    // A loss of supply ends in a lost configuration, and nothing else does except a changed byte in its registers.
    if tally.swallowed > 0 || tally.unexplained > 0 || tally.configurationLost == 0 {
      found.append("\(tally.swallowed) lost configurations not noticed, \(tally.unexplained) without a loss")
    }
    found += log.injections.filter { $0.count == 0 }.map { "\($0.rule.effect) never came" }
    if log.faultCount + log.reopenFaults != Int(table.reduce(0) { $0 + $1.2 }) { found.append("faults of the bus") }
    return found
  }
}

extension BusLog {
  /// How often reopening failed.
  fileprivate var reopenFaults: Int { injectionCount(of: .reopenFault(.unavailable)) }
}

/// The resident memory of this process, in bytes.
func residentBytes() -> Int {
  do {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    if fields.count > 1, let pages = Int(fields[1]), pages > 0 { return pages * Int(getpagesize()) }
  } catch {}
  // Unknown, so the calling test must fail.
  return Int(Int32.max)
}
