public import FixedPoint

/// A board mounted in a car for a minute: it accelerates, brakes and takes bends, with up to 0.5 g for several seconds.
///
/// At rest for 4 s. Then: to about 50 km/h, a bend of 5 s, braking, a turn at a junction, to about 85 km/h, one long
/// bend and two short ones, braking to a halt; a slow turn into a parking space, and 3.5 s at rest. The road rises and
/// falls by 2°, the body pitches and rolls on its springs, and the road shakes it at 1.3 to 24 Hz with about 0.1 g rms.
/// 66 s in all. The true pose does not change.
public struct DrivenMotion: RigidMotion, Equatable {
  /// Determines accelerations, directions of the bends, and the road.
  public let seed: UInt64
  /// How the board is mounted, as seen by the driver.
  public let attitude: Attitude
  private let pedals: [Span]
  private let bends: [Span]
  private let bumps: [Bump]
  private let end: Double

  /// An acceleration in m/s², or a yaw rate in rad/s, over a span of time.
  private struct Span: Equatable {
    var start: Double
    var end: Double
    var value: Double
    static let ease = 0.6

    func box(at now: Double) -> Jet { value * Jet.box(at: now, start, end, ease: Self.ease) }
    func glide(at now: Double) -> Jet { value * Jet.glide(at: now, start, end, ease: Self.ease) }
    var whole: Double { value * (end - start - Self.ease) }
  }

  /// A wave of the road: a displacement in metres.
  private struct Bump: Equatable {
    var hertz: Double
    var phase: Double
    var metres: SIMD3<Double>
  }

  /// The drive for that seed; by default with a board that leans back 35°, as in a holder on the dashboard.
  public init(seed: UInt64 = 1, attitude: Attitude = Attitude(deviceAngle: .zero, tilt: BinaryAngle(degrees: 35))) {
    self.seed = seed
    self.attitude = attitude
    var dice = PathDice(seed: seed, kind: 5)
    let gravity = BoardState.gravity
    var pedals: [Span] = []
    var bends: [Span] = []
    var speed = 0.0
    func pedal(_ g: Double, from start: Double, for length: Double) {
      let span = Span(start: start, end: start + length, value: g * gravity * dice.number(in: 0.92...1))
      speed += span.whole
      pedals.append(span)
    }
    func bend(_ g: Double, from start: Double, for length: Double) {
      // The yaw rate that gives this lateral acceleration at this speed.
      let rate = g * gravity * dice.number(in: 0.85...1) / speed
      bends.append(Span(start: start, end: start + length, value: dice.sign() * rate))
    }
    func brake(_ g: Double, from start: Double) {
      let value = g * gravity * dice.number(in: 0.92...1)
      pedals.append(Span(start: start, end: start + speed / value + Span.ease, value: -value))
      speed = 0
    }
    pedal(0.4, from: 4, for: 4.2)
    bend(0.35, from: 10, for: 5)
    pedal(-0.5, from: 16.5, for: 2.1)
    bend(0.3, from: 20, for: 3)
    pedal(0.5, from: 24.5, for: 4.2)
    bend(0.4, from: 30.5, for: 6)
    bend(0.3, from: 38, for: 3.5)
    bend(0.3, from: 42, for: 3.5)
    brake(0.5, from: 46.5)
    pedal(0.25, from: 55, for: 2)
    bend(0.15, from: 56.5, for: 3)
    brake(0.25, from: 60)
    end = pedals.last?.end ?? 0

    var bumps: [Bump] = []
    for hertz in [1.3, 8, 11, 14, 18, 24] {
      let hertz = hertz * dice.number(in: 0.95...1.05)
      let pace = 2 * Double.pi * hertz
      let strength = dice.number(in: 0.05...0.08) * gravity / (pace * pace)
      let side = SIMD3(dice.number(in: -0.4...0.4), dice.number(in: -0.4...0.4), 1)
      bumps.append(Bump(hertz: hertz, phase: dice.number(in: 0...1), metres: side * strength))
    }
    (self.pedals, self.bends, self.bumps) = (pedals, bends, bumps)
  }

  /// 66 s.
  public var duration: Microseconds { .seconds(66) }

  /// The state of the board `time` after the start. The world's Y is the direction in which the car points at first.
  public func state(at time: Microseconds) -> BoardState {
    let now = seconds(time)
    var (speed, pull, yaw, yawRate) = (Jet(0), Jet(0), Jet(0), Jet(0))
    for pedal in pedals where now > pedal.start {
      speed = speed + pedal.glide(at: now)
      pull = pull + pedal.box(at: now)
    }
    for bend in bends where now > bend.start {
      yaw = yaw + bend.glide(at: now)
      yawRate = yawRate + bend.box(at: now)
    }
    let grade = Jet.box(at: now, 5, 50, ease: 5) * Jet.wave(0.035, hertz: 0.05, at: now)
    // 1.5° at 0.5 g: the springs.
    let give = 1.5 * Double.pi / 180 / (0.5 * BoardState.gravity)
    let running = Jet.box(at: now, 4, end, ease: 0.8)
    let road = 0.25 * running + 0.03 * (running * speed)
    let shiver = road * Jet.wave(0.003, hertz: 9, at: now)
    let attitude =
      JetRotation(about: .z, yaw) * JetRotation(about: .x, grade + give * pull + shiver)
      * JetRotation(about: .y, give * (speed * yawRate) + shiver) * JetRotation(held: attitude)

    let (sine, cosine) = yaw.sinCos
    let (climb, level) = grade.sinCos
    let ahead = speed * level
    let velocity = JetVector(x: -(ahead * sine), y: ahead * cosine, z: speed * climb)
    var position = JetVector()
    for bump in bumps {
      position = position + (road * Jet.wave(1, hertz: bump.hertz, phase: bump.phase, at: now)) * bump.metres
    }
    return BoardState(attitude, velocity: velocity, position: position)
  }
}
