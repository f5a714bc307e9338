public import FixedPoint

/// A board that is held in one attitude after another, with uniform turns between them.
///
/// Only gravity acts. Device angle and tilt change uniformly, each the short way round (for half a turn: through
/// decreasing angles, which is counter-clockwise for the device angle). A turn that takes no time has no rotation rate:
/// it is for two attitudes with the same up, such as the two sides from which face up is reached.
public struct AttitudePath: Motion, Equatable {
  /// An attitude, how long it is held, and how long the turn to the next one takes.
  public struct Stop: Equatable, Sendable {
    /// How the board is held.
    public var attitude: Attitude
    /// How long it is held; 0 or more.
    public var held: Microseconds
    /// How long the turn to the next stop takes; 0 or more. Has no effect at the last stop.
    public var turning: Microseconds

    /// A stop.
    public init(_ attitude: Attitude, held: Microseconds, turning: Microseconds = .zero) {
      self.attitude = attitude
      self.held = held
      self.turning = turning
    }
  }

  /// The stops, first to last; none at all is a board held in portrait for no time.
  public var stops: [Stop]

  /// A path through these stops.
  public init(_ stops: [Stop]) { self.stops = stops }

  /// The sum of all holds and turns.
  public var duration: Microseconds {
    var sum = Microseconds.zero
    for (index, stop) in stops.enumerated() {
      sum = sum + stop.held + (index + 1 < stops.count ? stop.turning : .zero)
    }
    return sum
  }

  /// The specific force in g, always of length 1.
  public func specificForce(at time: Microseconds) -> Vector3 { attitude(at: time).specificForce }

  /// The rotation rate in °/s, rounded to nearest: 0 while the board is held, and that of both angles during a turn.
  ///
  /// The angles of ``Attitude`` turn the board about its own Z, and about the level axis of the device angle 0.
  public func rotationRate(at time: Microseconds) -> Vector3 {
    guard case .turning(let from, let to, _, let whole) = phase(at: time) else { return .zero }
    func degreesPerSecond(_ turn: BinaryAngle) -> Double {
      Double(turn.raw) / 2_147_483_648 * 180 / (Double(whole.count) / 1_000_000)
    }
    let lean = degreesPerSecond(to.tilt - from.tilt)
    let (sine, cosine) = attitude(at: time).deviceAngle.sinCos
    func part(_ share: Int32) -> Double { -lean * Double(share) / 2_147_483_648 }
    return Vector3(
      rounding: SIMD3(part(cosine), part(sine), -degreesPerSecond(to.deviceAngle - from.deviceAngle)))
  }

  /// How the board is held `time` after the start.
  public func attitude(at time: Microseconds) -> Attitude {
    switch phase(at: time) {
    case .held(let attitude): attitude
    case .turning(let from, let to, let part, let whole): between(from, to, part, of: whole)
    }
  }

  /// What the board is doing at some time.
  private enum Phase {
    case held(Attitude)
    case turning(from: Attitude, to: Attitude, part: Microseconds, whole: Microseconds)
  }

  private func phase(at time: Microseconds) -> Phase {
    var rest = time
    for (stop, next) in zip(stops, stops.dropFirst()) {
      if rest < stop.held { return .held(stop.attitude) }
      rest = rest - stop.held
      if rest < stop.turning {
        return .turning(from: stop.attitude, to: next.attitude, part: rest, whole: stop.turning)
      }
      rest = rest - stop.turning
    }
    return .held(stops.last?.attitude ?? .portrait)
  }

  private func between(_ from: Attitude, _ to: Attitude, _ part: Microseconds, of whole: Microseconds) -> Attitude {
    func share(_ a: BinaryAngle, _ b: BinaryAngle) -> BinaryAngle {
      let turn = Int128((b - a).raw) * Int128(part.count) / Int128(whole.count)
      return a + BinaryAngle(raw: Int32(truncatingIfNeeded: turn))
    }
    return Attitude(deviceAngle: share(from.deviceAngle, to.deviceAngle), tilt: share(from.tilt, to.tilt))
  }
}

extension AttitudePath {
  /// A board held still in one attitude.
  public static func hold(_ attitude: Attitude, for duration: Microseconds = .seconds(5)) -> AttitudePath {
    AttitudePath([Stop(attitude, held: duration)])
  }

  /// A turn in the board's own plane after a still lead-in, followed by a hold.
  public static func turn(
    from start: BinaryAngle, to end: BinaryAngle, in turning: Microseconds, tilt: BinaryAngle = .zero,
    leadIn: Microseconds = .seconds(1), leadOut: Microseconds = .seconds(2)
  ) -> AttitudePath {
    AttitudePath([
      Stop(Attitude(deviceAngle: start, tilt: tilt), held: leadIn, turning: turning),
      Stop(Attitude(deviceAngle: end, tilt: tilt), held: leadOut),
    ])
  }

  /// All six poses: portrait, landscapeLeft, portraitUpsideDown, landscapeRight, faceUp, portrait again, faceDown.
  ///
  /// Each is held for 1.3 s; the quarter turns between them take 0.4 s and pass through no third pose. 11.5 s in all.
  public static var tumble: AttitudePath {
    let held = Microseconds.milliseconds(1_300)
    let turning = Microseconds.milliseconds(400)
    // Face up is the same direction for every device angle: its hold is split in two, to be entered from one side and
    // left towards another.
    let sideways = Attitude(deviceAngle: .quarterTurn, tilt: .quarterTurn)
    return AttitudePath([
      Stop(.portrait, held: held, turning: turning),
      Stop(.landscapeLeft, held: held, turning: turning),
      Stop(.portraitUpsideDown, held: held, turning: turning),
      Stop(.landscapeRight, held: held, turning: turning),
      Stop(sideways, held: Microseconds(held.count / 2)),
      Stop(.faceUp, held: Microseconds(held.count / 2), turning: turning),
      Stop(.portrait, held: held, turning: turning),
      Stop(.faceDown, held: held),
    ])
  }
}

// What a hand does with a board whose sensor is being calibrated, or whose mounting is being determined.

extension AttitudePath {
  /// Held for 3 s in each of portrait, landscapeLeft, portraitUpsideDown, landscapeRight, faceUp and faceDown, exactly.
  ///
  /// The turns between them take 0.8 s. 22 s in all.
  public static var sixFaces: AttitudePath {
    let attitudes = [
      .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, flat(.quarterTurn), flat(-.quarterTurn),
    ]
    return AttitudePath(attitudes.map { Stop($0, held: .seconds(3), turning: .milliseconds(800)) })
  }

  /// The six faces held by a clumsy hand.
  ///
  /// Portrait is first held slanted by 8° (from 0 s) and finally exactly (from 28.8 s); in between are a hold at 45°
  /// (from 3.8 s), portrait again with the same slant (from 7.1 s), landscapeLeft with a jerk after 0.9 s (at 10.6 s),
  /// and the others as in `sixFaces`: faceUp from 21.2 s, faceDown from 25 s. 31.8 s in all.
  public static var sixFacesClumsy: AttitudePath {
    let slanted = Attitude(deviceAngle: .zero, tilt: BinaryAngle(degrees: 8))
    let turning = Microseconds.milliseconds(800)
    return AttitudePath([
      Stop(slanted, held: .seconds(3), turning: turning),
      Stop(Attitude(deviceAngle: BinaryAngle(degrees: -45)), held: .milliseconds(2_500), turning: turning),
      Stop(slanted, held: .milliseconds(1_800), turning: turning),
      Stop(.landscapeLeft, held: .milliseconds(900), turning: .milliseconds(100)),
      Stop(Attitude(deviceAngle: BinaryAngle(degrees: -70)), held: .zero, turning: .milliseconds(100)),
      Stop(.landscapeLeft, held: .milliseconds(2_000), turning: turning),
      Stop(.portraitUpsideDown, held: .milliseconds(3_000), turning: turning),
      Stop(.landscapeRight, held: .milliseconds(3_000), turning: turning),
      Stop(flat(.quarterTurn), held: .milliseconds(3_000), turning: turning),
      Stop(flat(-.quarterTurn), held: .milliseconds(3_000), turning: turning),
      Stop(.portrait, held: .milliseconds(3_000)),
    ])
  }

  /// Face down for 1 s, as it lay on the table; then upright and face up, each for 3 s. 8.6 s in all.
  public static var twoPoses: AttitudePath {
    let turning = Microseconds.milliseconds(800)
    return AttitudePath([
      Stop(.faceDown, held: .seconds(1), turning: turning), Stop(.portrait, held: .seconds(3), turning: turning),
      Stop(.faceUp, held: .seconds(3)),
    ])
  }

  /// The two poses held by a clumsy hand: face down for 3 s; at 45°, upright, upside down and face up, each for 2.5 s.
  public static var twoPosesClumsy: AttitudePath {
    let (held, turning) = (Microseconds.milliseconds(2_500), Microseconds.milliseconds(800))
    return AttitudePath([
      Stop(.faceDown, held: .seconds(3), turning: turning),
      Stop(Attitude(deviceAngle: BinaryAngle(degrees: 45)), held: held, turning: turning),
      Stop(.portrait, held: held, turning: turning),
      Stop(.portraitUpsideDown, held: held, turning: turning),
      Stop(Attitude(deviceAngle: .halfTurn, tilt: .quarterTurn), held: held),
    ])
  }

  /// Flat, reached from landscapeRight: face up and face down are each the same direction for every device angle.
  private static func flat(_ tilt: BinaryAngle) -> Attitude { Attitude(deviceAngle: .quarterTurn, tilt: tilt) }
}
