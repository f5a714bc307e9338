public import FixedPoint

/// A board that is held, dropped, lands with a knock and lies still.
///
/// During the fall, air leaves 1/32 of the force at rest. The knock is half a sine wave added to the force at rest, in
/// the same direction.
public struct FreeFall: Motion, Equatable {
  /// How the board is held throughout.
  public var attitude: Attitude
  /// How long it falls.
  public var falling: Microseconds
  /// The peak force of the knock in g, more than 1.
  public var knock: Q16
  /// How long the knock lasts.
  public var knocking: Microseconds
  /// How long the board is still before the fall.
  public var leadIn: Microseconds
  /// How long the board is still after the knock.
  public var leadOut: Microseconds

  /// A fall; by default of 1.5 s, with a 40 ms knock of 6 g, 1 s still before and 2 s after.
  public init(
    attitude: Attitude = .portrait, falling: Microseconds = .milliseconds(1_500), knock: Q16 = Q16(whole: 6),
    knocking: Microseconds = .milliseconds(40), leadIn: Microseconds = .seconds(1), leadOut: Microseconds = .seconds(2)
  ) {
    self.attitude = attitude
    self.falling = falling
    self.knock = knock
    self.knocking = knocking
    self.leadIn = leadIn
    self.leadOut = leadOut
  }

  /// Lead-in, fall, knock and lead-out.
  public var duration: Microseconds { leadIn + falling + knocking + leadOut }

  /// Up does not change: the board does not turn.
  public func up(at time: Microseconds) -> Vector3 { attitude.specificForce }

  /// The specific force in g, always in the direction of the one at rest.
  public func specificForce(at time: Microseconds) -> Vector3 {
    let rest = attitude.specificForce
    let share = share(of: time - leadIn)
    return Vector3(
      x: rest.x.multipliedSaturating(by: share),
      y: rest.y.multipliedSaturating(by: share),
      z: rest.z.multipliedSaturating(by: share))
  }

  /// The force as a multiple of the one at rest, `time` after the drop.
  private func share(of time: Microseconds) -> Q16 {
    if time < .zero { return .one }
    if time < falling { return Q16(1, over: 32) }
    let part = time - falling
    guard part < knocking else { return .one }
    let phase = (Int128(part.count) << 31) / Int128(knocking.count)
    // At most half a turn, so the sine is never negative.
    let sine = BinaryAngle(raw: Int32(truncatingIfNeeded: phase)).sinCos.sine
    let bump = ((Int64(knock.raw) - 65_536) * Int64(sine) + (1 << 30)) >> 31
    return Q16.one.addingSaturating(Q16(raw: Int32(truncatingIfNeeded: bump)))
  }
}
