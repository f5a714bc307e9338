import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors

/// What the lines may show, specified independently: a pose only while it is known, trouble on all lines or none, and
/// a code that is valid only while it does not change.
struct ShownLines {
  private let code: LineCode
  private var levels: UInt32 = 0
  private var state = PoseState.unknown(.notYetSampled)
  /// When the valid line last went off, and when other lines or the state last changed.
  private var withdrawn = Int64.min / 2
  private var changed = Int64.min / 2
  private var changedAny = Int64.min / 2

  init(_ code: LineCode) { self.code = code }

  static func levels(of pose: Pose, _ code: LineCode) -> UInt32 {
    let number = UInt32(pose.rawValue)
    switch code {
    case .leds: return 1 << number
    case .oneHot: return 2 << number | 1
    case .binary: return number << 1 | 1
    }
  }

  mutating func judge(
    _ levels: Levels, of state: PoseState, isDark: Bool, hasGivenUp: Bool, at now: Int64
  ) -> String? {
    let (before, after) = (self.levels, levels.bits)
    defer {
      if before & 1 == 1 && after & 1 == 0 { withdrawn = now }
      if before & ~1 != after & ~1 { changed = now }
      if before != after || self.state != state { changedAny = now }
      (self.levels, self.state) = (after, state)
    }
    if isDark { return after == 0 ? nil : "lines \(after) in the dark" }
    if code == .leds { return judgeLEDs(after, state, hasGivenUp: hasGivenUp, at: now) }
    if (before ^ after) & 1 == 1 && before ^ after != 1 { return "the valid line changes along with others" }
    if before & 1 == 1 && before != after && after & 1 == 1 { return "the code changes while it is valid" }
    // The valid line is off for 50 ms before the code changes, and as long afterwards.
    if before & ~1 != after & ~1 && now - withdrawn < 50_000 { return "the code changes too soon" }
    if after & 1 == 0 { return nil }
    if before & 1 == 0 && now - changed < 50_000 { return "the code is valid too soon" }
    guard case .known(let pose) = state else { return "a code is valid while the pose is unknown" }
    return after == Self.levels(of: pose, code) ? nil : "code \(after) is valid for \(pose)"
  }

  private func judgeLEDs(_ after: UInt32, _ state: PoseState, hasGivenUp: Bool, at now: Int64) -> String? {
    switch state {
    case .known(let pose): return after == Self.levels(of: pose, .leds) ? nil : "LEDs \(after) for \(pose)"
    case .unknown(.notYetSampled): return after == (hasGivenUp ? 63 : 0) ? nil : "LEDs \(after) before any sample"
    case .unknown(let reason):
      if after != 0 && after != 63 { return "LEDs \(after) for \(reason)" }
      if hasGivenUp { return after == 63 ? nil : "LEDs \(after) for a sensor that was given up" }
      let isUnchanged = after == levels && state == self.state
      return isUnchanged && now - changedAny > 200_000 ? "LEDs do not blink for \(reason)" : nil
    }
  }

  func add(at now: Int64, to hash: inout Hash) {
    hash.add(UInt64(levels))
    hash.add(age: changed, at: now, 100_000)
    hash.add(age: withdrawn, at: now, 100_000)
    hash.add(age: changedAny, at: now, 250_000)
  }
}

/// Which samples may be believed, counted by the documented rules.
struct Trust {
  private let policy: FaultPolicy
  private var last: Vector3?
  private var repeats: UInt32 = 0
  private var repeatedSince: Int64 = 0
  private var atEnd: UInt32 = 0
  private var weightlessSince: Int64?
  /// Whether samples were reported as faulty, with none believed since.
  private var isDoubtful = false

  init(_ policy: FaultPolicy) { self.policy = policy }

  /// What is wrong after a turn with the sample `place`, or without one; nil for nothing.
  mutating func judge(
    _ place: Place?, _ isFault: Bool, _ report: Observation, _ state: PoseState, at now: Int64
  ) -> String? {
    if isFault { (repeats, atEnd, weightlessSince) = (0, 0, nil) }
    guard let place else { return nil }
    let greatest = max(abs(place.force.x.raw), abs(place.force.y.raw), abs(place.force.z.raw))
    let isRepeated = place.force == last
    let isAtEnd = greatest >= 2 * 65_536
    let isWeightless = greatest < 65_536 / 5
    defer { last = place.force }
    if isRepeated && repeats == 0 { repeatedSince = now }
    repeats = isRepeated ? repeats + 1 : 0
    atEnd = isAtEnd ? atEnd + 1 : 0
    weightlessSince = isWeightless ? weightlessSince ?? now : nil
    if isDoubtful && report.reading != nil {
      if isRepeated || isAtEnd || isWeightless { return "a sample like those at fault is believed" }
      isDoubtful = false
    }
    for index in 0..<report.events.count {
      guard case .trouble(_, let cause?) = report.events[index]?.event else { continue }
      if [.frozen, .stuckAtFullScale, .weightless].contains(cause) { isDoubtful = true }
    }
    guard state != .unknown(.fault) else { return nil }
    let limit = policy.implausibleLimit
    if limit > 0 && atEnd >= limit { return "\(atEnd) samples at the end of the range are believed" }
    if limit > 0 && repeats >= limit && now - repeatedSince >= policy.quietLimit.count {
      return "\(repeats) equal samples are believed"
    }
    let time = weightlessSince.map { now - $0 } ?? 0
    if policy.weightlessLimit > .zero && time > policy.weightlessLimit.count { return "weightless for \(time) µs" }
    return nil
  }

  func add(at now: Int64, to hash: inout Hash) {
    hash.add(UInt64(min(repeats, 16) << 16 | min(atEnd, 16) << 8 | (isDoubtful ? 1 : 0)))
    hash.add(age: repeats > 0 ? repeatedSince : Int64.min, at: now, 600_000)
    hash.add(age: weightlessSince ?? Int64.min, at: now, 600_000)
  }
}
