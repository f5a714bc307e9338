public import FixedPoint

/// A board in the hand of a walker: steps, sway, and slow turns from pose to pose.
///
/// At rest for 3 s, in portrait; then 24 s of walking with two steps a second, 1.2 to 1.5 m/s in a bend, while the hand
/// turns the board by six quarter turns of 1.2 to 1.8 s about its own axes; then 3 s at rest in the last pose. The hand
/// holds every pose up to 10° askew. Linear acceleration reaches 0.45 to 0.75 g, the rotation rate 130 to 165 °/s.
public struct CarriedMotion: RigidMotion, Equatable {
  /// Determines steps, bend, turns and poses.
  public let seed: UInt64
  private let walk: Walk
  private let turns: [QuarterTurn]

  /// A quarter turn about an axis of the board.
  private struct QuarterTurn: Equatable {
    var start: Double
    var length: Double
    var axis: JetRotation.Axis
    var sign: Double
  }

  /// The walk for that seed.
  public init(seed: UInt64 = 1) {
    self.seed = seed
    var dice = PathDice(seed: seed, kind: 1)
    walk = Walk(&dice, from: 3, to: 27)
    var turns: [QuarterTurn] = []
    // The vertical axis of the board: a turn about it would not change the pose.
    var vertical = JetRotation.Axis.y
    for number in 0..<6 {
      let others: [JetRotation.Axis] = [.x, .y, .z].filter { $0 != vertical }
      let axis = others[dice.index(below: 2)]
      vertical = others.first { $0 != axis } ?? vertical
      turns.append(
        QuarterTurn(
          start: 5 + 3.5 * Double(number), length: dice.number(in: 1.2...1.8), axis: axis, sign: dice.sign()))
    }
    self.turns = turns
  }

  /// 30 s.
  public var duration: Microseconds { .seconds(30) }

  /// The state of the board `time` after the start.
  public func state(at time: Microseconds) -> BoardState {
    let now = seconds(time)
    var attitude = walk.attitude(at: now)
    for turn in turns where now > turn.start {
      let share = Jet.step(at: now, from: turn.start, taking: turn.length)
      attitude = attitude * JetRotation(about: turn.axis, turn.sign * Double.pi / 2 * share)
    }
    attitude = attitude * walk.wobble(at: now)
    return BoardState(attitude, velocity: walk.velocity(at: now), position: walk.sway(at: now))
  }
}

/// A board that is carried, falls, hits the floor, bounces once and lies flat.
///
/// At rest for 3 s, in portrait; carried for 6 s; released at 9.5 s, within 20 ms; 0.4 s of free fall, in which it
/// turns by nearly a quarter to land on its back or on its face, depending on the seed; an impact of 50 ms and 16 g, a
/// bounce of 0.1 s with an impact of about 2 g, and rest. 14 s in all.
public struct DroppedMotion: RigidMotion, Equatable {
  /// Determines the steps and the side on which it lands.
  public let seed: UInt64
  private let walk: Walk
  /// Plus 1 if it ends up face up.
  private let side: Double

  /// The fall for that seed.
  public init(seed: UInt64 = 1) {
    self.seed = seed
    var dice = PathDice(seed: seed, kind: 2)
    walk = Walk(&dice, from: 3, to: 9.2)
    side = dice.sign()
  }

  /// 14 s.
  public var duration: Microseconds { .seconds(14) }

  /// The time at which it is released and only gravity acts: full free fall.
  static let drop = 9.5
  private static let ease = 0.02

  /// The state of the board `time` after the start.
  public func state(at time: Microseconds) -> BoardState {
    let now = seconds(time)
    // The hand holds it askew by `lean`; the floor does not.
    let turned = Jet.glide(at: now, Self.drop - 0.02, Self.drop + 0.44, ease: 0.06)
    let angle = side * (Double.pi / 2) - walk.lean
    let attitude =
      walk.heading(at: now) * JetRotation(about: .x, Jet(-walk.lean) - (angle / 0.4) * turned)
      * JetRotation(held: .portrait) * walk.wobble(at: now)
    var velocity = walk.velocity(at: now)
    velocity.z = velocity.z + Self.fall(at: now)
    return BoardState(attitude, velocity: velocity, position: walk.sway(at: now))
  }

  /// The velocity of the fall, of the impact, of the bounce and of its impact: in the end, 0 together.
  private static func fall(at now: Double) -> Jet {
    let gravity = BoardState.gravity
    func change(_ velocity: Double, from start: Double, for length: Double, ease: Double) -> Jet {
      velocity / (length - ease) * Jet.glide(at: now, start, start + length, ease: ease)
    }
    let (fallen, bounce, lasting) = (gravity * 0.42, 0.5, 1 / gravity)
    let struck = drop + 0.42
    let again = struck + 0.05 + lasting
    return change(-fallen, from: drop, for: 0.42 + ease, ease: ease)
      + change(fallen + bounce, from: struck, for: 0.05, ease: ease)
      + change(-2 * bounce, from: struck + 0.05, for: lasting + ease, ease: ease)
      + change(bounce, from: again, for: 0.04, ease: 0.015)
  }
}

/// What walking does to a board in the hand.
struct Walk: Equatable {
  private let start: Double
  private let end: Double
  private let speed: Double
  private let bend: Double
  /// How far askew the hand holds the board, in radians.
  let lean: Double
  private let roll: Double
  /// The phases of the waves, in turns.
  private let phases: [Double]
  private let strength: Double

  /// A walk from `start` to `end` s.
  init(_ dice: inout PathDice, from start: Double, to end: Double) {
    self.start = start
    self.end = end
    speed = dice.number(in: 1.2...1.5)
    bend = dice.sign() * dice.number(in: 0.5...1.5)
    lean = dice.number(in: -0.12...0.12)
    roll = dice.number(in: -0.12...0.12)
    strength = dice.number(in: 0.8...1.1)
    var phases: [Double] = []
    for _ in 0..<8 { phases.append(dice.number(in: 0...1)) }
    self.phases = phases
  }

  /// The present strength of the walk, 0…1.
  private func share(at now: Double) -> Jet { Jet.box(at: now, start, end, ease: 1) }

  private func angle(at now: Double) -> Jet { bend * Jet.step(at: now, from: start, taking: end - start) }

  /// The direction that the walker faces.
  func heading(at now: Double) -> JetRotation { JetRotation(about: .z, angle(at: now)) }

  /// How the hand holds the board.
  func attitude(at now: Double) -> JetRotation {
    heading(at: now) * JetRotation(about: .x, Jet(-lean)) * JetRotation(about: .y, Jet(roll))
      * JetRotation(held: .portrait)
  }

  /// The walker's velocity in m/s.
  func velocity(at now: Double) -> JetVector {
    let (sine, cosine) = angle(at: now).sinCos
    let pace = speed * share(at: now)
    return JetVector(x: -(pace * sine), y: pace * cosine)
  }

  /// The hand's path relative to the walker, in metres: two steps and one sway a second.
  func sway(at now: Double) -> JetVector {
    let share = strength * share(at: now)
    func wave(_ metres: Double, _ hertz: Double, _ phase: Int) -> Jet {
      share * Jet.wave(metres, hertz: hertz, phase: phases[phase], at: now)
    }
    return JetVector(
      x: wave(0.02, 1, 0), y: wave(0.012, 2, 1), z: wave(0.022, 2, 2) + wave(0.003, 4, 3) + wave(0.000_6, 8, 4))
  }

  /// The hand's own rotation about the axes of the board.
  func wobble(at now: Double) -> JetRotation {
    let share = share(at: now)
    func wave(_ degrees: Double, _ hertz: Double, _ phase: Int) -> Jet {
      share * Jet.wave(degrees * Double.pi / 180, hertz: hertz, phase: phases[phase], at: now)
    }
    return JetRotation(about: .x, wave(2, 2, 5)) * JetRotation(about: .y, wave(3, 1, 6))
      * JetRotation(about: .z, wave(2, 2, 7))
  }
}
