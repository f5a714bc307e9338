public import FixedPoint

/// A board that is held still and knocked: each knock is half a sine wave of force along an axis of the board.
public struct KnockedMotion: Motion, Equatable {
  /// One knock.
  public struct Knock: Equatable, Sendable {
    /// When it begins.
    public var start: Microseconds
    /// The peak force in g, which is added to that at rest: along each axis, in the direction in which it pushes the
    /// board.
    public var peak: Vector3
    /// How long it lasts.
    public var length: Microseconds

    /// A knock; by default 10 ms long.
    public init(at start: Microseconds, _ peak: Vector3, for length: Microseconds = .milliseconds(10)) {
      self.start = start
      self.peak = peak
      self.length = length
    }
  }

  /// How the board is held.
  public var attitude: Attitude
  /// The knocks.
  public var knocks: [Knock]
  /// How long all of it takes.
  public var duration: Microseconds

  /// A board that is held in `attitude` and knocked.
  public init(_ knocks: [Knock], attitude: Attitude = .portrait, duration: Microseconds) {
    self.knocks = knocks
    self.attitude = attitude
    self.duration = duration
  }

  /// One knock of 6 g on the right edge of a board in portrait, after 1.5 s; 3 s in all.
  public static var tap: KnockedMotion {
    KnockedMotion(
      [Knock(at: .milliseconds(1_500), Vector3(x: Q16(whole: -6), y: .zero, z: .zero))], duration: .seconds(3))
  }

  /// Two knocks of 6 g on the back, 0.25 s apart, after 1.5 s; 3 s in all.
  public static var doubleTap: KnockedMotion {
    let push = Vector3(x: .zero, y: .zero, z: Q16(whole: 6))
    return KnockedMotion(
      [Knock(at: .milliseconds(1_500), push), Knock(at: .milliseconds(1_750), push)], duration: .seconds(3))
  }

  /// Knocks of 6 g on all six sides, a second apart; two on the face; a knock of 2 g, which is too weak. 10 s in all.
  public static var knocks: KnockedMotion {
    func along(_ axis: Int, _ g: Int32) -> Vector3 {
      Vector3(x: Q16(whole: axis == 0 ? g : 0), y: Q16(whole: axis == 1 ? g : 0), z: Q16(whole: axis == 2 ? g : 0))
    }
    let sides = [(0, 6), (0, -6), (1, 6), (1, -7), (2, 6), (2, -6)] as [(Int, Int32)]
    var knocks = sides.enumerated().map { Knock(at: .milliseconds(1_500 + 1_000 * Int64($0)), along($1.0, $1.1)) }
    knocks += [
      Knock(at: .milliseconds(7_500), along(2, -6)), Knock(at: .milliseconds(7_700), along(2, -6)),
      Knock(at: .milliseconds(9_000), along(0, 2)),
    ]
    return KnockedMotion(knocks, duration: .seconds(10))
  }

  /// Up does not change: the board does not turn.
  public func up(at time: Microseconds) -> Vector3 { attitude.specificForce }

  /// The specific force in g: gravity and the knocks.
  public func specificForce(at time: Microseconds) -> Vector3 {
    var force = attitude.specificForce
    for knock in knocks {
      let part = time - knock.start
      guard part >= .zero && part < knock.length else { continue }
      // At most half a turn, so the sine is never negative.
      let phase = Int32(truncatingIfNeeded: (Int128(part.count) << 31) / Int128(knock.length.count))
      let sine = Int64(BinaryAngle(raw: phase).sinCos.sine)
      func share(_ peak: Q16) -> Q16 { Q16(raw: Int32(truncatingIfNeeded: (Int64(peak.raw) * sine + (1 << 30)) >> 31)) }
      force.x = force.x.addingSaturating(share(knock.peak.x))
      force.y = force.y.addingSaturating(share(knock.peak.y))
      force.z = force.z.addingSaturating(share(knock.peak.z))
    }
    return force
  }
}
