import FixedPoint

// What a hand does with a board whose sensor is calibrated, or whose mounting is looked for.
extension AttitudePath {
  /// Held for 3 s in portrait, landscapeLeft, portraitUpsideDown, landscapeRight, faceUp and faceDown, each exactly.
  ///
  /// The turns between take 0.8 s. 22 s in all.
  public static var sixFaces: AttitudePath {
    let attitudes = [
      .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, flat(.quarterTurn), flat(-.quarterTurn),
    ]
    return AttitudePath(attitudes.map { Stop($0, held: .seconds(3), turning: .milliseconds(800)) })
  }

  /// The six faces held by a clumsy hand.
  ///
  /// Portrait is first held 8° slanted (from 0 s) and at last exactly (from 28.8 s); between lie a hold at 45° (from
  /// 3.8 s), portrait once more as slanted as before (from 7.1 s), landscapeLeft with a jerk after 0.9 s (at 10.6 s), and
  /// the others as in `sixFaces`: faceUp from 21.2 s, faceDown from 25 s. 31.8 s in all.
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

  /// The two poses by a clumsy hand: face down for 3 s; at 45°, upright, upside down and face up, each for 2.5 s.
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

  /// Flat, reached from landscapeRight: face up and face down are one direction each for every device angle.
  private static func flat(_ tilt: BinaryAngle) -> Attitude { Attitude(deviceAngle: .quarterTurn, tilt: tilt) }
}
