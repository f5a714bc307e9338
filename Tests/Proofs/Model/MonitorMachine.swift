import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors

/// A monitor in its loop, in a world in which anything can happen, and the requirements for both.
struct MonitorMachine: Machine {
  /// What the world can do in a turn.
  enum Input: CustomStringConvertible {
    /// No fault; a sample is from this place.
    case good(Place, late: Bool)
    case fault(SensorError)
    case reopenFault
    /// The part must be left alone once more.
    case takesTime
    /// The watching part has moved.
    case moved
    /// Samples are needed from a watching part.
    case wakeUp

    var description: String {
      switch self {
      case .good(let place, let late): place.name + (late ? ", late" : "")
      case .fault(let error): "\(error)"
      case .reopenFault: "the bus cannot be opened"
      case .takesTime: "the part takes time"
      case .moved: "moved"
      case .wakeUp: "samples are needed"
      }
    }
  }

  /// The world of one search.
  struct Setup {
    var name: String
    var places: [Place]
    var errors: [SensorError]
    var code = LineCode.leds
    var faults = FaultPolicy(
      retries: 1, firstBackOff: .milliseconds(50), longestBackOff: .milliseconds(100), implausibleLimit: 0,
      quietLimit: .milliseconds(400), weightlessLimit: .zero)
    /// If set, the search begins asleep.
    var sleep: Sleep?
    /// How many inputs deep the search goes if there are too many states; nil for all of them.
    var depth: Int?
    /// Whether the reported causes are part of the state.
    var remembersCauses = true
  }

  private let setup: Setup
  private let shell: Shell
  private let fingerprint: Fingerprint<Monitor>
  private(set) var monitor: Monitor
  private var now: Int64 = 1_000_000_000
  private var evidence: Evidence
  private var trust: Trust
  private var lines: ShownLines
  /// The state according to the events.
  private var told = PoseState.unknown(.notYetSampled)
  /// Faults since the last accepted sample, and uses of the sensor without time passing.
  private var (faults, uses) = (0, 0)
  private var giveUps = 0
  /// Whether it was asleep, without a sample since.
  private var isWaking = false

  /// Only levels and sleep are read back; the filter's gravity, taps and movement do not affect poses.
  static let omitted: Set = [
    "snapshot.state", "snapshot.since", "snapshot.cause", "snapshot.force", "snapshot.temperature", "snapshot.isStill",
    "snapshot.isBusy", "snapshot.attitude", "snapshot.clippedSamples", "snapshot.steering", "snapshot.position",
    "snapshot.tare", "snapshot.events", "snapshot.counters", "snapshot.transactions", "snapshot.outputWrites",
    "lastEvent", "configuration", "notice", "movement", "knocks",
    "pipeline.alignment", "pipeline.gravity", "pipeline.lastHeld", "pipeline.tracker.configuration", "outage.since",
    "outage.start", "lastCollected",
  ]
  static let period: Int64 = 100_000
  private static let lateness: Int64 = 300_000

  init(_ setup: Setup) throws {
    var rules = Evidence.Rules()
    (rules.dwell, rules.patience, rules.longestGap) = (Self.period, 250_000, 250_000)
    let least = Q16(raw: 65)
    rules.evidence = Double(least.raw) / 65_536
    let tracker = try PoseTracker.Configuration(
      dwell: Microseconds(rules.dwell), evidence: least, patience: Microseconds(rules.patience),
      longestGap: Microseconds(rules.longestGap))
    let configuration = Monitor.Configuration(
      period: Microseconds(Self.period), fullScale: Q16(whole: 2),
      pipeline: Pipeline.Configuration(tracker: tracker),
      indicator: Indicator.Configuration(
        slowHalfPeriod: .milliseconds(200), fastHalfPeriod: .milliseconds(100), flash: .milliseconds(100),
        pause: .milliseconds(200), code: setup.code, hold: .milliseconds(50)),
      faults: setup.faults, sleep: setup.sleep)
    var omitted = Self.omitted
    if !setup.remembersCauses { omitted.insert("outage.reported") }
    let row = setup.faults.implausibleLimit + 1
    fingerprint = try Fingerprint(
      without: omitted,
      candidates: ["pipeline.tracker.face", "pipeline.tracker.plane", "pipeline.tracker.leaving"],
      idle: ["pipeline.tracker.region": { $0.state.pose == nil }],
      limits: [
        "plausibility.repeats": row, "plausibility.atFullScale": row,
        "outage.failedRestarts": max(1, setup.faults.restartLimit),
      ], horizon: rules.horizon)
    self.setup = setup
    shell = Shell(configuration)
    monitor = Monitor(configuration, at: Instant(microseconds: now))
    evidence = Evidence(rules)
    trust = Trust(setup.faults)
    lines = ShownLines(setup.code)
    guard setup.sleep != nil else { return }
    // Sleep is too far from the start for a search, so the search begins there.
    for turn in 0..<60 where !monitor.isAsleep {
      let place = setup.places[0]
      if let complaint = take(.good(turn % 2 == 0 ? place : place.shifted, late: false)) { throw Wrong(complaint) }
    }
    if !monitor.isAsleep { throw Wrong("not asleep") }
  }

  /// An error on the way to the beginning of a search.
  private struct Wrong: Error {
    let complaint: String
    init(_ complaint: String) { self.complaint = complaint }
  }

  var inputs: [Input] {
    let first = setup.places[0]
    let all: [Input] = [.good(first, late: false), .good(first, late: true)]
    let errors = setup.errors.map(Input.fault)
    switch monitor.next.task {
    case .rest: return all
    case .start, .wake: return all + errors
    case .restart: return all + errors + [.reopenFault]
    case .proceed, .sample:
      let start: [Input] = monitor.next.task == .proceed ? [.takesTime] : []
      return start + setup.places.map { .good($0, late: false) } + [.good(first, late: true)] + errors
    case .watch: return [.good(first, late: false), .moved, .takesTime] + errors
    case .sleep: return all + [.moved, .wakeUp] + errors
    }
  }

  mutating func take(_ input: Input) -> String? {
    let (before, task, start) = (monitor, monitor.next.task, now)
    let world = shell.world
    (world.lateness, world.fault, world.reopenFault, world.takesTime, world.hasMoved) = (0, nil, nil, false, false)
    var place: Place?
    var isFault = false
    switch input {
    case .good(let here, let late):
      (place, world.force, world.lateness) = (here, here.force, late ? Self.lateness : 0)
    case .fault(let error): (world.fault, isFault) = (error, true)
    case .reopenFault: (world.reopenFault, isFault) = (.bus(.unavailable), true)
    case .takesTime: world.takesTime = true
    case .moved: world.hasMoved = true
    case .wakeUp:
      monitor.wakeUp(at: Instant(microseconds: now))
      return nil
    }
    guard let (uses, report) = shell.turn(&monitor, at: &now) else { return "the loop did nothing" }
    self.uses = (now == start ? self.uses : 0) + uses
    if let complaint = replay(report) { return complaint }
    if report.reading != nil || task == .sleep && !isFault { faults = 0 }
    if isFault { faults += 1 }
    if let complaint = judgePose(report, place, before, hasMoved: world.hasMoved) { return complaint }
    if let complaint = judgeOutage(uses, isFault, before) { return complaint }
    let isMeasured = place != nil && uses > 0 && (task == .sample || task == .proceed)
    if let complaint = trust.judge(isMeasured ? place : nil, isFault, report, monitor.state, at: now) {
      return complaint
    }
    if world.lines != monitor.levels { return "lines are \(world.lines), levels \(monitor.levels)" }
    isWaking = isWaking || before.isAsleep && !monitor.isAsleep
    if report.reading != nil || monitor.state.pose == nil { isWaking = false }
    return lines.judge(
      monitor.levels, of: monitor.state, isDark: (monitor.isAsleep || isWaking) && setup.sleep?.darkens == true,
      hasGivenUp: monitor.hasGivenUp, at: now)
  }

  /// The state follows from its reported changes.
  private mutating func replay(_ report: Observation) -> String? {
    for index in 0..<report.events.count {
      switch report.events[index]?.event {
      case .pose(let from, let to, _):
        if from != told.pose || told == .known(to) { return "\(to) told from \(from, default: "none") after \(told)" }
        told = .known(to)
      case .trouble(let reason, _): told = .unknown(reason)
      case .gaveUp: giveUps += 1
      default: break
      }
    }
    return told == monitor.state ? nil : "\(monitor.state), but told \(told)"
  }

  private mutating func judgePose(
    _ report: Observation, _ place: Place?, _ before: Monitor, hasMoved: Bool
  ) -> String? {
    if let reading = report.reading, let place {
      var from = before.state
      if let expired = reading.expired {
        evidence.interrupt(at: now)
        from = expired.to
      }
      if let complaint = evidence.judge(place, at: now, from: from, to: reading.state) { return complaint }
    } else if before.isAsleep != monitor.isAsleep || hasMoved {
      evidence.interrupt(at: now)
    }
    if report.reading == nil && before.state != monitor.state {
      if monitor.state.pose != nil { return "\(monitor.state) without a sample" }
      evidence.interrupt(at: now)
    }
    return nil
  }

  /// In an outage there is no pose, and attempts to end it are not too frequent.
  private func judgeOutage(_ uses: Int, _ isFault: Bool, _ before: Monitor) -> String? {
    let policy = setup.faults
    // One fault that is retried, one that costs only a new configuration, and the one that ends it.
    let most = Int(policy.retries) + 2
    if isFault && faults >= most && monitor.state.pose != nil { return "\(monitor.state) after \(faults) faults" }
    if self.uses > most + (setup.sleep == nil ? 2 : 6) { return "\(self.uses) uses of the sensor at one time" }
    if monitor.hasGivenUp {
      if policy.restartLimit == 0 || giveUps != 1 || monitor.state.pose != nil { return "given up \(giveUps) times" }
      if before.hasGivenUp && uses > 0 { return "the sensor is used after it was given up" }
    } else if policy.restartLimit > 0 && faults > Int(policy.retries) + Int(policy.restartLimit) {
      return "not given up after \(faults) faults"
    }
    return nil
  }

  /// From here some pose is found if no more faults occur; another attempt comes in time.
  mutating func judge() -> String? {
    let kept = self
    let choice = hash.word % 30
    for number in [Int(choice % 6), Int(choice % 6 + choice / 6 + 1) % 6] {
      self = kept
      if let complaint = recover(Pose.all[number]) { return complaint }
    }
    return nil
  }

  private mutating func recover(_ pose: Pose) -> String? {
    let (begin, centre) = (now, Place.centre(pose))
    let goal = ShownLines.levels(of: pose, setup.code)
    // The longest pause, a start with settling, patience and some samples.
    let limit = monitor.isAsleep ? 2_000_000 : 1_000_000 as Int64
    var turns = 0
    while monitor.state != .known(pose) || monitor.levels.bits != goal {
      if monitor.hasGivenUp && turns >= 3 { return nil }
      if now - begin > limit && !monitor.hasGivenUp {
        return "\(monitor.state) after \(now - begin) µs of \(pose), lines \(monitor.levels)"
      }
      if turns > 60 { return "\(turns) turns without an end" }
      let isWatching = monitor.next.task == .sleep || monitor.next.task == .watch
      let next = turns % 2 == 0 ? centre : centre.shifted
      if let complaint = take(isWatching ? .moved : .good(next, late: false)) { return complaint }
      turns += 1
    }
    return nil
  }

  var hash: Hash {
    var hash = Hash()
    fingerprint.add(monitor, at: now, to: &hash)
    evidence.add(at: now, to: &hash)
    trust.add(at: now, to: &hash)
    lines.add(at: now, to: &hash)
    hash.add(UInt64(min(faults, 16) << 24 | uses << 16 | giveUps << 8 | (isWaking ? 1 : 0)))
    return hash
  }
}
