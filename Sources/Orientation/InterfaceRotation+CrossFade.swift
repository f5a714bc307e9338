public import FixedPoint

/// Which of the old and the new orientation lamps show while an interface turns, so that one fades into the other.
///
/// A turn is divided into sixteen equal parts. The old orientation (`.`) is shown for most of the first half and the new one
/// (`#`) for most of the second; they alternate until `didRotate`:
///
///     first half ...#...# | second half .###.### | didRotate #
///
/// With the standard 300 ms one part takes 18.75 ms. A pure function of the time since `willRotate`: it has no state.
public struct CrossFade: Equatable, Sendable {
  /// How long the turn takes, 0…60 s; below 0 taken for 0 and above for 60 s.
  public let duration: Microseconds

  /// The cross-fade of a turn that takes `duration`.
  public init(over duration: Microseconds) {
    self.duration = max(.zero, min(duration, .seconds(60)))
  }

  /// How many parts a turn is divided into.
  public static var parts: Int64 { 16 }

  /// Bit n is set where part n shows the new orientation.
  private static var pattern: UInt32 { 0b1110_1110_1000_1000 }

  /// Whether the new orientation is shown `elapsed` after `willRotate`: never before it, always from `didRotate` on.
  public func showsNew(after elapsed: Microseconds) -> Bool {
    guard elapsed >= .zero else { return false }
    return elapsed >= duration || Self.isNew(part(at: elapsed))
  }

  /// How long after `willRotate` the other orientation comes next, seen from `elapsed` after it; nil once the new one is
  /// shown for good. Rounded up to a whole microsecond, so that ``showsNew(after:)`` has changed by then.
  public func nextFlip(after elapsed: Microseconds) -> Microseconds? {
    guard elapsed < duration else { return nil }
    let shown = showsNew(after: elapsed)
    var part = elapsed < .zero ? 0 : part(at: elapsed) &+ 1
    while part < Self.parts {
      let begin = beginning(of: part)
      if begin > elapsed, showsNew(after: begin) != shown { return begin }
      part &+= 1
    }
    return nil
  }

  private static func isNew(_ part: Int64) -> Bool {
    pattern &>> UInt32(truncatingIfNeeded: part) & 1 != 0
  }

  /// The part that `elapsed` lies in, for 0 ≤ `elapsed` < `duration`; compared rather than divided, since a target without
  /// a divide would carry one.
  private func part(at elapsed: Microseconds) -> Int64 {
    var part: Int64 = 0
    while part < Self.parts &- 1, elapsed >= beginning(of: part &+ 1) { part &+= 1 }
    return part
  }

  /// When a part begins, rounded up to a whole microsecond.
  private func beginning(of part: Int64) -> Microseconds {
    Microseconds((duration.count &* part &+ Self.parts &- 1) &>> 4)
  }
}

extension InterfaceRotation {
  /// The orientation that lamps show at `now`, which must not be before the last step: while a turn is under way the old
  /// and the new one alternate, as ``CrossFade`` says.
  public func shown(at now: Instant) -> InterfaceOrientation {
    guard let turn else { return orientation }
    return CrossFade(over: turn.duration).showsNew(after: elapsed(of: turn, at: now)) ? turn.to : turn.from
  }

  /// When ``shown(at:)`` changes next, seen from `now`, if nothing else happens; nil while it does not.
  public func nextFlip(after now: Instant) -> Instant? {
    guard let turn, turn.from != turn.to else { return nil }
    let elapsed = elapsed(of: turn, at: now)
    return CrossFade(over: turn.duration).nextFlip(after: elapsed).map { now + ($0 - elapsed) }
  }

  /// How much of `turn` has passed at `now`, 0 up to its duration.
  private func elapsed(of turn: Turn, at now: Instant) -> Microseconds {
    let span = lastStep.map { now - $0 } ?? .zero
    return span >= turn.remaining ? turn.duration : turn.elapsed + max(.zero, span)
  }
}
