public import FixedPoint

/// A board shaken in the hand: three bouts of 3 s in directions given by the seed, with some rotation, and pauses
/// between them.
///
/// At rest for 3 s; then 2 to 3 Hz with up to 3 g, 3.3 to 4.6 Hz with up to 4 g, and 4.8 to 6 Hz with up to 5 g. The
/// hand also turns the board about all three axes, 3° to 7° either way, which is up to 350 °/s. 16 s in all. The true
/// pose does not change.
public struct ShakenMotion: RigidMotion, Equatable {
  /// Determines directions, strengths and frequencies.
  public let seed: UInt64
  /// How the board is held.
  public let attitude: Attitude
  private let bouts: [Bout]

  private struct Bout: Equatable {
    var start: Double
    var hertz: Double
    /// The peak displacement, in metres, along two directions a quarter of a wave apart.
    var along: SIMD3<Double>
    var across: SIMD3<Double>
    /// The peak rotation about X, Y and Z in radians, and its phases in turns.
    var turn: SIMD3<Double>
    var phase: SIMD3<Double>
  }

  /// The shaking for that seed; by default of a board that leans back 10°.
  public init(seed: UInt64 = 1, attitude: Attitude = Attitude(deviceAngle: .zero, tilt: BinaryAngle(degrees: 10))) {
    self.seed = seed
    self.attitude = attitude
    var dice = PathDice(seed: seed, kind: 3)
    let plans: [(hertz: ClosedRange<Double>, g: ClosedRange<Double>)] = [
      (2...3, 2...3), (3.3...4.6, 3...4), (4.8...6, 4.5...5),
    ]
    var bouts: [Bout] = []
    for (number, plan) in plans.enumerated() {
      let hertz = dice.number(in: plan.hertz)
      let pace = 2 * Double.pi * hertz
      let metres = dice.number(in: plan.g) * BoardState.gravity / (pace * pace)
      let (along, across) = (dice.direction(), dice.direction())
      func radians(_ dice: inout PathDice) -> Double { dice.number(in: 3...7) * Double.pi / 180 }
      let turn = SIMD3(radians(&dice), radians(&dice), radians(&dice))
      let phase = SIMD3(dice.number(in: 0...1), dice.number(in: 0...1), dice.number(in: 0...1))
      bouts.append(
        Bout(
          start: 3 + 3.8 * Double(number), hertz: hertz, along: along * (0.97 * metres),
          across: across * (0.3 * metres), turn: turn, phase: phase))
    }
    self.bouts = bouts
  }

  /// 16 s.
  public var duration: Microseconds { .seconds(16) }

  /// The state of the board `time` after the start.
  public func state(at time: Microseconds) -> BoardState {
    let now = seconds(time)
    var rotation = JetRotation(held: attitude)
    var position = JetVector()
    for bout in bouts where now > bout.start && now < bout.start + 3 {
      let share = Jet.box(at: now, bout.start, bout.start + 3, ease: 0.6)
      func wave(_ amplitude: Double, _ phase: Double) -> Jet {
        share * Jet.wave(amplitude, hertz: bout.hertz, phase: phase, at: now)
      }
      position = position + wave(1, 0) * bout.along + wave(1, 0.25) * bout.across
      rotation =
        rotation * JetRotation(about: .x, wave(bout.turn.x, bout.phase.x))
        * JetRotation(about: .y, wave(bout.turn.y, bout.phase.y))
        * JetRotation(about: .z, wave(bout.turn.z, bout.phase.z))
    }
    return BoardState(rotation, position: position)
  }
}

/// A board at the end of a swinging arm: it turns with the arm, and centripetal acceleration acts on it.
///
/// At rest for 3 s; two bouts of 10 s in vertical planes given by the seed, at 0.85 to 1.05 Hz and 26° to 34° either
/// way, with the arm of 0.6 to 0.7 m twisting by 10°; at rest before, between and after. 28 s in all. Centripetal and
/// tangential acceleration together reach 1 to 1.7 g, the rotation rate 160 to 215 °/s. The true pose does not change.
public struct SwungMotion: RigidMotion, Equatable {
  /// Determines planes, angles and frequencies.
  public let seed: UInt64
  /// How the hanging arm holds the board.
  public let attitude: Attitude
  private let bouts: [Bout]

  private struct Bout: Equatable {
    var start: Double
    var hertz: Double
    /// The greatest angle of the arm in radians.
    var angle: Double
    /// The direction of the level axis, in radians from X.
    var plane: Double
    var arm: Double
    var twist: Double
  }

  /// The swinging for that seed; by default of a board that hangs upright.
  public init(seed: UInt64 = 1, attitude: Attitude = .portrait) {
    self.seed = seed
    self.attitude = attitude
    var dice = PathDice(seed: seed, kind: 4)
    var bouts: [Bout] = []
    for start in [3.0, 14.5] {
      bouts.append(
        Bout(
          start: start, hertz: dice.number(in: 0.85...1.05), angle: dice.number(in: 26...34) * Double.pi / 180,
          plane: dice.number(in: 0...2 * Double.pi), arm: dice.number(in: 0.6...0.7),
          twist: dice.number(in: -0.17...0.17)
        ))
    }
    self.bouts = bouts
  }

  /// 28 s.
  public var duration: Microseconds { .seconds(28) }

  /// The state of the board `time` after the start.
  public func state(at time: Microseconds) -> BoardState {
    let now = seconds(time)
    let held = JetRotation(held: attitude)
    guard let bout = bouts.last(where: { now > $0.start && now < $0.start + 10 }) else {
      return BoardState(held, position: JetVector())
    }
    let share = Jet.box(at: now, bout.start, bout.start + 10, ease: 1.5)
    let angle = share * Jet.wave(bout.angle, hertz: bout.hertz, at: now)
    let twist = share * Jet.wave(bout.twist, hertz: bout.hertz, phase: 0.2, at: now)
    let plane = JetRotation(about: .z, Jet(bout.plane))
    let back = JetRotation(about: .z, Jet(-bout.plane))
    let swing = plane * JetRotation(about: .x, angle) * back
    let position = swing.applied(to: SIMD3(0, 0, -bout.arm))
    return BoardState(swing * JetRotation(about: .z, twist) * held, position: position)
  }
}

/// A board on a turntable, 0.12 m from its vertical axis: at rest for 5 s, then a uniform turn for 40 s, then at rest.
///
/// An accelerometer feels next to nothing of it, and to a gyroscope it looks like a bias. 50 s in all.
public struct TurntableMotion: RigidMotion, Equatable {
  /// How fast it turns in °/s, counter-clockwise seen from above; reached within 1 s.
  public let degreesPerSecond: Q16
  /// How the board lies or stands on it.
  public let attitude: Attitude

  /// A turntable; by default at 5 °/s, with a board that leans back 30°.
  public init(
    degreesPerSecond: Q16 = Q16(whole: 5),
    attitude: Attitude = Attitude(deviceAngle: .zero, tilt: BinaryAngle(degrees: 30))
  ) {
    self.degreesPerSecond = degreesPerSecond
    self.attitude = attitude
  }

  /// 50 s.
  public var duration: Microseconds { .seconds(50) }

  /// The state of the board `time` after the start.
  public func state(at time: Microseconds) -> BoardState {
    let rate = Double(degreesPerSecond.raw) / 65_536 * Double.pi / 180
    let turn = JetRotation(about: .z, rate * Jet.glide(at: seconds(time), 5, 45, ease: 1))
    return BoardState(turn * JetRotation(held: attitude), position: turn.applied(to: SIMD3(0.12, 0, 0)))
  }
}
