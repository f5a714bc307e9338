import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors

/// A board that is turned every ten seconds for hours to weeks of virtual time, at any rate and with random faults,
/// with every check that can be made sample by sample.
struct Endurance {
  var rate: ADXL345.OutputDataRate
  /// The samples per batch.
  var batch: Int
  /// How much faster than nominal the part's clock runs.
  var partsPerMillion: Int32
  var duration: Microseconds
  var seed: UInt64
  /// One transaction in this many starts a fault, and as many start another kind.
  var faultsOneIn = 20_000
  /// The start time.
  var start = Instant(microseconds: 0)

  /// The results.
  struct Result {
    var complaints: [String] = []
    var counters = Counters()
    /// The longest stretch of samples without a fault or a loss, and the largest error of their times, in µs.
    var longestStretch = 0
    var mostAstray = 0.0
    /// The growth of the process's memory between a tenth of the run and its end, in bytes.
    var growth = 0
  }

  private var plan: FaultPlan {
    .random(seed: seed, oneIn: faultsOneIn, Soak.lasting, lasting: .zero ... .milliseconds(400))
      + .random(seed: seed + 1, oneIn: faultsOneIn, [.brownOut, .noAcknowledge, .shortRead(received: 0)])
      + .random(seed: seed + 2, oneIn: 4, [.reopenFault(.unavailable)])
  }

  func run() throws -> Result {
    var result = Result()
    let (clock, log, tally) = (VirtualClock(startingAt: start), BusLog(capacity: 0), Tally())
    let now: () -> Instant = { clock.now }
    var specimen = EmulatedADXL345.Configuration()
    specimen.ratePartsPerMillion = partsPerMillion
    let part = EmulatedADXL345(motion: Carousel(), configuration: specimen, seed: seed, now: now)
    let bus = EmulatedBus(
      part, at: EmulatedADXL345.address, plan: plan, frequency: 400_000, log: log, pass: { clock.advance(by: $0) },
      now: now)
    var configuration = ADXL345.Configuration(rate: rate)
    if batch > 1 { configuration.fifo = .stream(watermark: .init(nearest: Int32(batch))) }
    let sensor = Batched(ADXL345.Device(bus: bus, configuration: configuration), size: batch)
    let monitor = Monitor.Configuration(period: rate.period * Int64(batch), fullScale: sensor.fullScale)
    var loop = Loop(
      sensor: Tallied(base: sensor, tally: tally), bank: RecordingOutputBank(log: OutputLog(capacity: 0), now: now),
      clock: clock, configuration: monitor)
    var (replay, stretch) = (Replay(startingAt: start), Stretch(self))
    var memory: Int?
    while clock.now - start < duration {
      guard let report = try loop.turn() else { break }
      replay.take(report, loop.monitor.state, at: clock.now)
      stretch.take(report, faults: tally.errors, losses: loop.monitor.counters.lostSamples, at: clock.now)
      if memory == nil && (clock.now - start).count > duration.count / 10 { memory = residentBytes() }
    }
    let present = residentBytes()
    result.growth = present == Int(Int32.max) ? present : present - (memory ?? 0)
    result.counters = loop.monitor.counters
    (result.longestStretch, result.mostAstray) = (stretch.longest, stretch.mostAstray)
    result.complaints = replay.complaints + stretch.complaints
    result.complaints += complaints(replay, tally, result.counters)
    if loop.sensor.base.lostSamples != result.counters.lostSamples { result.complaints.append("lost samples not told") }
    return result
  }

  private func complaints(_ replay: Replay, _ tally: Tally, _ counters: Counters) -> [String] {
    var found: [String] = []
    if let text = tally.difference(from: counters) { found.append(text) }
    if counters.poseChanges != replay.poses { found.append("\(counters.poseChanges) poses, \(replay.poses) told") }
    if counters.recoveries != replay.recoveries { found.append("\(counters.recoveries), \(replay.recoveries) told") }
    // The last turn may not have been detected yet.
    let turns = Int((duration.count - 1) / Carousel.hold)
    if replay.turns != turns && replay.turns != turns - 1 { found.append("\(replay.turns) of \(turns) turns told") }
    return found
  }
}

/// Consecutive samples without a fault or a loss: none may be missing, and their times must be those of the part's
/// own clock, however long that lasts.
private struct Stretch {
  private(set) var complaints: [String] = []
  private(set) var longest = 0
  private(set) var mostAstray = 0.0
  /// In µs: the part's if it keeps time, otherwise the loop's.
  private let period: Double
  private let isBatching: Bool
  private var before = (faults: 0, losses: UInt64(0))
  private var last: Instant?
  private var count = 0
  /// When the first sample with an accurate time was made.
  private var anchor: (at: Instant, number: Int)?

  init(_ endurance: Endurance) {
    isBatching = endurance.batch > 1
    let clock = 1 + Double(endurance.partsPerMillion) / 1e6
    period = Double(endurance.rate.period.count) / (isBatching ? clock : 1)
  }

  mutating func take(_ report: Observation, faults: Int, losses: UInt64, at now: Instant) {
    if faults != before.faults || losses != before.losses || report.events.hasTrouble {
      before = (faults, losses)
      (last, anchor, count) = (nil, nil, 0)
    }
    guard let instant = report.reading?.instant else { return }
    defer { last = instant }
    count += 1
    longest = max(longest, count)
    guard let last else { return }
    let span = Double((instant - last).count)
    // At the start of a stretch the part's clock is not known yet. A check by timer has no such uncertainty.
    let slack = isBatching ? period / 2 : 0
    // The first sample after a fault may be a retry, later than its time; the next one is on the grid again.
    let isAfterRetry = !isBatching && count == 2 && span > 0 && span < period
    if abs(span - period) > slack && !isAfterRetry { complain("\(span) µs from sample to sample", now) }
    if instant > now { complain("a sample of the future", now) }
    // After six seconds the part's clock is known.
    if anchor == nil && Double(count) * period > 6e6 { anchor = (instant, count) }
    guard let anchor else { return }
    let astray = abs(Double((instant - anchor.at).count) - Double(count - anchor.number) * period)
    mostAstray = max(mostAstray, astray)
    if astray > (isBatching ? period : 0) { complain("\(astray) µs astray after \(count) samples", now) }
  }

  private mutating func complain(_ text: String, _ now: Instant) {
    if complaints.count < 20 { complaints.append("at \(now.microseconds) µs: \(text)") }
  }
}

extension Events {
  /// Whether the sensor became untrusted, or trusted again.
  fileprivate var hasTrouble: Bool {
    (0..<count).contains { index in
      switch self[index]?.event {
      case .trouble, .recovered, .notice: true
      default: false
      }
    }
  }
}
