import FixedPoint
import Orientation

/// The evidence for each pose, counted by the documented rules and not by the tracker's code: in `Double`, from
/// angles.
///
/// It counts the most that the rules allow, so a tracker that requires more evidence is right, and one that acts on
/// less is wrong.
struct Evidence {
  /// The parameters of the rules, in degrees, g and µs.
  struct Rules {
    var gate = 0.6...1.4
    var leave = 60.0
    var faceEnter = 25.0
    var faceStart = 21.875
    var faceLeave = 40.0
    var dwell: Int64 = 40_000
    /// In g·s.
    var evidence = 0.01
    var patience: Int64 = 1_000_000
    var longestGap: Int64 = 1_000_000

    /// Longer than any rule looks back, by more than a period.
    var horizon: Int64 { max(patience, longestGap, dwell * 4) + 100_000 }
  }

  /// Since when a pose has been claimed, and with how much evidence, in g·s.
  private struct Claim {
    var since: Int64?
    var sum = 0.0

    mutating func add(_ excess: Double, for span: Int64, at now: Int64, most: Double) {
      if excess > 0 { since = since ?? now }
      sum = max(0, min(most, sum + excess * Double(span) / 1e6))
      if sum <= 0 && excess <= 0 { since = nil }
    }
  }

  let rules: Rules
  private var claims = InlineArray<6, Claim>(repeating: Claim())
  private var leaving = Claim()
  /// When a sample last agreed with the known pose: surely, and perhaps.
  private var confirmed: (surely: Int64, perhaps: Int64) = (0, 0)
  /// The last sample; nil if the next one decides like the first.
  private var last: Int64?

  init(_ rules: Rules) { self.rules = rules }

  /// More than the rounding of a force, in g.
  private static let slack = 0.001

  /// Only the next sample counts from now on.
  mutating func interrupt(at now: Int64) {
    forget()
    (last, confirmed) = (nil, (now, now))
  }

  private mutating func forget() {
    for index in 0..<6 { claims[index] = Claim() }
    leaving = Claim()
  }

  /// What is wrong about the step from `before` to `after` by the sample `place` at `now`; nil for nothing. A pause
  /// was reported before.
  mutating func judge(_ place: Place, at now: Int64, from before: PoseState, to after: PoseState) -> String? {
    let elapsed = last.map { now - $0 }
    defer { last = now }
    if let elapsed, elapsed < 0 {
      forget()
      confirmed = (now, now)
    }
    if let elapsed, elapsed > rules.longestGap, before.pose != nil { return "\(before) kept over a pause" }
    let isOut = place.size < rules.gate.lowerBound - 1e-4 || place.size > rules.gate.upperBound + 1e-4
    if isOut { return judge(outside: place, at: now, from: before, to: after) }
    guard case .known(let settled) = before, let elapsed else {
      confirmed = (now, now)
      forget()
      return judge(first: place, after)
    }
    weigh(place, against: settled, span: max(0, min(elapsed, rules.longestGap)), at: now)
    defer { if after != before { forget() } }
    switch after {
    case before:
      return now - confirmed.perhaps > rules.patience ? "\(settled) kept without a sample that confirms it" : nil
    case .known(let pose):
      defer { confirmed = (now, now) }
      return judge(pose, for: place, at: now)
    case .unknown(.ambiguous):
      return now - confirmed.surely > rules.patience ? nil : "\(settled) given up before patience is over"
    case .unknown(let reason): return "\(reason) by a sample that is no such"
    }
  }

  /// A sample outside the gate decides nothing, but a pose that is not confirmed for long is given up.
  private mutating func judge(
    outside place: Place, at now: Int64, from before: PoseState, to after: PoseState
  ) -> String? {
    forget()
    let reason = PoseState.unknown(place.size < 1 ? .freeFall : .accelerating)
    if after == reason {
      let isEarly = before.pose != nil && now - confirmed.surely <= rules.patience
      return isEarly ? "\(reason) before patience is over" : nil
    }
    let isKept = after == before && after.pose != nil && now - confirmed.perhaps <= rules.patience
    return isKept ? nil : "\(after) by a sample outside the gate"
  }

  /// Without a known pose one sample is enough.
  private func judge(first place: Place, _ after: PoseState) -> String? {
    guard case .known(let pose) = after else { return "no pose by a first sample" }
    let start = max(place.inside(.faceUp, rules.faceStart), place.inside(.faceDown, rules.faceStart))
    if pose.isFace {
      return place.inside(pose, rules.faceStart) > -Self.slack ? nil : "\(pose) by a first sample outside its cone"
    }
    if start > Self.slack { return "\(pose) by a first sample in the cone of a face" }
    return place.isNearest(pose) ? nil : "\(pose) by a first sample nearer to another"
  }

  private mutating func weigh(_ place: Place, against settled: Pose, span: Int64, at now: Int64) {
    let entry = max(place.inside(.faceUp, rules.faceEnter), place.inside(.faceDown, rules.faceEnter))
    let left =
      settled.isFace ? -place.inside(settled, rules.faceLeave) : place.beyond(settled, rules.leave)
    let isNearSettled = settled.isFace && place.inside(settled, 90) >= 0
    let leave = isNearSettled ? left : max(left, entry)
    // A pose taken near a face is left for the face only well inside its cone: up to there its upright rivals may
    // gain.
    let start = max(place.inside(.faceUp, rules.faceStart), place.inside(.faceDown, rules.faceStart))
    if left <= Self.slack && (isNearSettled || start <= Self.slack) { confirmed.perhaps = max(confirmed.perhaps, now) }
    // After a sleep time may run backwards undetected.
    confirmed.surely = leave <= -Self.slack ? now : min(confirmed.surely, now)
    for pose in Pose.all where pose != settled {
      let number = Int(pose.rawValue)
      guard pose.isFace ? place.inside(pose, 90) > -Self.slack : place.beyond(pose, rules.leave) < Self.slack else {
        claims[number] = Claim()
        continue
      }
      let excess = pose.isFace ? place.inside(pose, rules.faceEnter) : min(left, -start)
      claims[number].add(excess + Self.slack, for: span, at: now, most: rules.evidence)
    }
    leaving.add(leave + Self.slack, for: span, at: now, most: rules.evidence)
  }

  /// Whether there is enough evidence for `pose` while another one was known.
  private func judge(_ pose: Pose, for place: Place, at now: Int64) -> String? {
    let claim = claims[Int(pose.rawValue)]
    guard let since = claim.since else { return "\(pose) without a claim" }
    if now - since < rules.dwell { return "\(pose) after \(now - since) µs, before it has held for its dwell" }
    let isRipe = claim.sum >= rules.evidence * 0.999
    let isLeft = leaving.sum >= rules.evidence * 0.999 && now - (leaving.since ?? now) >= rules.dwell * 4
    let isUnconfirmed = now - confirmed.surely > rules.patience
    return isRipe || isLeft || isUnconfirmed ? nil : "\(pose) by \(claim.sum) g·s of evidence"
  }

  /// Adds everything that the judgement of later samples depends on.
  func add(at now: Int64, to hash: inout Hash) {
    for index in 0..<7 {
      let claim = index < 6 ? claims[index] : leaving
      hash.add(age: claim.since ?? Int64.min, at: now, rules.horizon)
      hash.add(UInt64((claim.sum / rules.evidence * 1_000).rounded()))
    }
    hash.add(age: confirmed.surely, at: now, rules.horizon)
    hash.add(age: confirmed.perhaps, at: now, rules.horizon)
    hash.add(age: last ?? Int64.min, at: now, rules.horizon)
  }
}
