import FixedPoint
import Orientation

/// The pose tracker, and the evidence for each pose.
struct TrackerMachine: Machine {
  /// The inputs of a tracker.
  enum Input: CustomStringConvertible {
    case sample(Int, after: Int64)
    /// No sample for this long.
    case silence(Int64)
    case fault
    /// The part watches for movement.
    case sleep

    var description: String {
      switch self {
      case .sample(let place, let span): "\(TrackerMachine.places[place].name) after \(span / 1_000) ms"
      case .silence(let span): "nothing for \(span / 1_000) ms"
      case .fault: "fault"
      case .sleep: "sleep"
      }
    }
  }

  /// Every kind of place on the sphere: poses, on and beside each kind of boundary, and outside the gate.
  static let places: [Place] = {
    var places = Pose.all.map(Place.centre)
    // Between two upright poses, and a little past where each is left, on both sides.
    places += [45, 135, -45, -135].map { Place(turn: $0, inclination: 90) }
    places += [62, -62, 118, -118].map { Place(turn: $0, inclination: 90) }
    // Between a face and the plane, at poses and at corners; slightly inside the entry of a face, and past where it
    // is left.
    places += [0, 45, -90].map { Place(turn: $0, inclination: 32) }
    places += [180, 135].map { Place(turn: $0, inclination: 148) }
    places += [Place(turn: 0, inclination: 23.5), Place(turn: 90, inclination: 156.5)]
    places += [Place(turn: 45, inclination: 42), Place(turn: 90, inclination: 138)]
    // At the entry of a face, to the last bit.
    places += [-1, 0, 1, 2].map { Place(turn: 90, inclination: 25, more: $0) }
    // Outside the gate, and in its corners.
    places += [Place(turn: 0, inclination: 90, size: 1.6), Place(turn: 0, inclination: 180, size: 0.3)]
    places += [Place(turn: 90, inclination: 90, size: 1.39), Place(turn: -90, inclination: 90, size: 0.61)]
    return places + [Place("nothing", .zero)]
  }()

  static let period: Int64 = 100_000

  let inputs: [Input]
  private let fingerprint: Fingerprint<PoseTracker>
  private(set) var tracker: PoseTracker
  private var evidence: Evidence
  private var now: Int64 = 1_000_000_000

  /// A new tracker with samples from `places` every 100 ms, which is its dwell; its patience and its longest gap are
  /// two and a half times that. With `oddTimes`, samples of some places also come at the same time as the one before,
  /// earlier and later.
  init(places: some Sequence<Int> = Self.places.indices, evidence: Q16 = Q16(1, over: 100), oddTimes: Bool) throws {
    var rules = Evidence.Rules()
    (rules.dwell, rules.patience, rules.longestGap) = (Self.period, 250_000, 250_000)
    rules.evidence = Double(evidence.raw) / 65_536
    tracker = PoseTracker(
      try PoseTracker.Configuration(
        dwell: Microseconds(rules.dwell), evidence: evidence, patience: Microseconds(rules.patience),
        longestGap: Microseconds(rules.longestGap)))
    self.evidence = Evidence(rules)
    fingerprint = try Fingerprint(
      without: ["configuration"], candidates: ["face", "plane", "leaving"],
      idle: ["region": { $0.state.pose == nil }], horizon: rules.horizon)
    var inputs: [Input] = [.silence(Self.period), .silence(rules.longestGap + Self.period / 2), .fault, .sleep]
    for (number, place) in places.enumerated() {
      inputs.append(.sample(place, after: Self.period))
      if oddTimes && (number % 8 == 0 || number == Self.places.count - 1) {
        inputs += [0, -Self.period, rules.longestGap + Self.period / 2].map { .sample(place, after: $0) }
      }
    }
    self.inputs = inputs
  }

  mutating func take(_ input: Input) -> String? {
    switch input {
    case .sample(let number, let span):
      now += span
      return step(Self.places[number])
    case .silence(let span):
      now += span
      return expire()
    case .fault:
      _ = tracker.fail()
      evidence.interrupt(at: now)
      return tracker.state == .unknown(.fault) ? nil : "\(tracker.state) at fault"
    case .sleep:
      let before = tracker.state
      tracker.suspend(at: Instant(microseconds: now))
      evidence.interrupt(at: now)
      return tracker.state == before ? nil : "\(tracker.state) asleep"
    }
  }

  private mutating func step(_ place: Place) -> String? {
    if let complaint = expire() { return complaint }
    let before = tracker.state
    let change = tracker.step(place.force, at: Instant(microseconds: now))
    if change != (before == tracker.state ? nil : PoseChange(from: before, to: tracker.state)) {
      return "told \(String(describing: change)), from \(before) to \(tracker.state)"
    }
    return evidence.judge(place, at: now, from: before, to: tracker.state)
  }

  /// A pose whose last sample is too old is given up.
  private mutating func expire() -> String? {
    let before = tracker.state
    let change = tracker.expire(at: Instant(microseconds: now))
    guard let change else { return nil }
    evidence.interrupt(at: now)
    return before.pose != nil && change.to == .unknown(.stale) ? nil : "\(change) by a pause"
  }

  /// From here each pose is found by its samples alone, within patience and a sample.
  mutating func judge() -> String? {
    let (kept, most) = (self, 4)
    for pose in Pose.all {
      self = kept
      var count = 0
      while tracker.state != .known(pose) {
        if count == most { return "\(tracker.state) after \(count) samples of \(pose)" }
        count += 1
        now += Self.period
        if let complaint = step(Place.centre(pose)) { return complaint }
      }
    }
    return nil
  }

  var hash: Hash {
    var hash = Hash()
    fingerprint.add(tracker, at: now, to: &hash)
    evidence.add(at: now, to: &hash)
    return hash
  }
}
