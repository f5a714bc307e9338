public import FixedPoint

/// A board held in one attitude and shaken along its X axis, still before and after.
///
/// `fx` gains `peak · sin(2π · frequency · t)`, with t from the start of the shaking.
public struct Shake: Motion, Equatable {
  /// How the board is held.
  public var attitude: Attitude
  /// The frequency in Hz, 0…32767.
  public var frequency: Q16
  /// The peak force of the shaking in g.
  public var peak: Q16
  /// How long the shaking lasts.
  public var shaking: Microseconds
  /// How long the board is still before the shaking.
  public var leadIn: Microseconds
  /// How long the board is still after the shaking.
  public var leadOut: Microseconds

  /// A shaking; by default at 5 Hz with 1.5 g peak for 3 s, upright, 1 s still before and after.
  public init(
    attitude: Attitude = .portrait, frequency: Q16 = Q16(whole: 5), peak: Q16 = Q16(3, over: 2),
    shaking: Microseconds = .seconds(3), leadIn: Microseconds = .seconds(1), leadOut: Microseconds = .seconds(1)
  ) {
    self.attitude = attitude
    self.frequency = frequency
    self.peak = peak
    self.shaking = shaking
    self.leadIn = leadIn
    self.leadOut = leadOut
  }

  /// A machine on which the board lies flat: 24 Hz with 0.5 g peak for 8 s, and 2 s of rest before and after.
  public static var machine: Shake {
    Shake(
      attitude: .faceUp, frequency: Q16(whole: 24), peak: Q16(1, over: 2), shaking: .seconds(8), leadIn: .seconds(2),
      leadOut: .seconds(2))
  }

  /// Lead-in, shaking and lead-out.
  public var duration: Microseconds { leadIn + shaking + leadOut }

  /// Up does not change: the board does not turn.
  public func up(at time: Microseconds) -> Vector3 { attitude.specificForce }

  /// The specific force in g: gravity and the shaking.
  public func specificForce(at time: Microseconds) -> Vector3 {
    var force = attitude.specificForce
    let part = time - leadIn
    guard part >= .zero && part < shaking else { return force }
    // Q16.16 Hz times microseconds, divided by a million, is Q16.16 turns; 16 more bits make a binary angle.
    let phase = ((Int128(part.count) * Int128(frequency.raw)) << 16) / 1_000_000
    let sine = BinaryAngle(raw: Int32(truncatingIfNeeded: phase)).sinCos.sine
    let shake = (Int64(peak.raw) * Int64(sine) + (1 << 30)) >> 31
    force.x = force.x.addingSaturating(Q16(raw: Int32(truncatingIfNeeded: shake)))
    return force
  }
}
