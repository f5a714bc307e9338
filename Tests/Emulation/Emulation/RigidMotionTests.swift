import Emulation
import FixedPoint
import TestSupport
import Testing

extension Quaternion {
  init(_ state: BoardState) {
    self.init(w: state.attitude.w, v: SIMD3(state.attitude.x, state.attitude.y, state.attitude.z))
  }
}

private func wide(_ vector: Vector3) -> SIMD3<Double> {
  SIMD3(Double(vector.x.raw), Double(vector.y.raw), Double(vector.z.raw)) / 65_536
}
private let level = SIMD3<Double>(0, 0, 1)
private let gravity = 9.806_65

extension RigidMotion {
  fileprivate func state(_ seconds: Double) -> BoardState { state(at: Microseconds(Int64((seconds * 1e6).rounded()))) }
  fileprivate var end: Double { Double(duration.count) / 1e6 }
}

/// A motion with a seed, for a table of tests.
struct SeededMotion: CustomTestStringConvertible {
  let name: NamedMotion
  let seed: UInt64
  var testDescription: String { "\(name) of seed \(seed)" }

  func motion() throws -> any RigidMotion { try require(name.motion(seed: seed) as? any RigidMotion) }

  static let names: [NamedMotion] = [.carried, .shaken, .swung, .driven, .turntable, .dropped]
  static let all = names.flatMap { name in [1, 2, 77].map { SeededMotion(name: name, seed: $0) } }
}

struct RigidMotionTests {
  @Test(arguments: SeededMotion.all)
  static func `the integrated rotation rate gives the attitude`(_ row: SeededMotion) throws {
    let motion = try row.motion()
    let step = 0.000_5
    var turned = Quaternion(motion.state(0))
    for index in 0..<Int(motion.end / step) {
      let middle = (Double(index) + 0.5) * step
      turned = turned * Quaternion(turning: motion.state(middle).rate, times: Double.pi / 180 * step)
      guard index % 500 == 499 else { continue }
      let state = motion.state((Double(index) + 1) * step)
      expect(angle(turned.seen(level), state.up), isBelow: 0.002, "at \(middle) s")
      // The whole attitude, including the heading.
      let rest = Quaternion(w: turned.w, v: -turned.v) * Quaternion(state)
      expect(2 * length(rest.v) * 180 / Double.pi, isBelow: 0.002, "at \(middle) s")
    }
  }

  @Test(arguments: SeededMotion.all)
  static func `the integrated acceleration gives the velocity, and none remains`(_ row: SeededMotion) throws {
    let motion = try row.motion()
    let step = 0.001
    var velocity = SIMD3<Double>.zero
    var fastest = 0.0
    for index in 0..<Int(motion.end / step) {
      velocity = sum(velocity, motion.state((Double(index) + 0.5) * step).acceleration, times: gravity * step)
      guard index % 100 == 99 else { continue }
      let state = motion.state((Double(index) + 1) * step)
      fastest = max(fastest, length(state.velocity))
      expect(length(velocity - state.velocity), isBelow: 0.000_5, "at \((Double(index) + 1) * step) s")
    }
    expect(fastest, isAbove: 0.01)
    expect(length(velocity), isBelow: 0.000_5)
  }

  @Test(arguments: SeededMotion.all)
  static func `force, rate and up belong to the same path`(_ row: SeededMotion) throws {
    let motion = try row.motion()
    for time in stride(from: 0, through: motion.end, by: 0.037) {
      let state = motion.state(time)
      let attitude = Quaternion(state)
      expect(abs(attitude.w * attitude.w + dot(attitude.v, attitude.v) - 1), isBelow: 1e-12)
      expect(length(attitude.seen(state.acceleration + level) - state.force), isBelow: 1e-9)
      expect(length(attitude.seen(level) - state.up), isBelow: 1e-12)
      let instant = Microseconds(Int64((time * 1e6).rounded()))
      expect(length(wide(motion.specificForce(at: instant)) - state.force), isBelow: 1.0 / 65_536)
      expect(length(wide(motion.rotationRate(at: instant)) - state.rate), isBelow: 1.0 / 65_536)
      expect(length(wide(motion.up(at: instant)) - state.up), isBelow: 1.0 / 65_536)
    }
  }

  @Test(arguments: SeededMotion.all)
  static func `it rests for at least 3 s at the beginning, and for 1 s at the end`(_ row: SeededMotion) throws {
    let motion = try row.motion()
    for time in [-1, 0, 1, 2, 2.999, motion.end - 1, motion.end, motion.end + 10] {
      let state = motion.state(time)
      expect(state.rate, equals: .zero, "at \(time) s")
      expect(state.acceleration, equals: .zero, "at \(time) s")
      expect(length(state.velocity), isBelow: 1e-12, "at \(time) s")
      expect(abs(length(state.force) - 1), isBelow: 1e-12)
    }
    expect(motion.state(at: Microseconds(.min)), equals: motion.state(0))
    expect(motion.state(at: Microseconds(.max)), equals: motion.state(motion.end))
  }

  @Test static func `each motion does what its name says`() throws {
    for seed: UInt64 in 1...20 {
      func check(_ name: NamedMotion, g: ClosedRange<Double>, rate: ClosedRange<Double>) throws {
        let motion = try SeededMotion(name: name, seed: seed).motion()
        var (force, turn) = (0.0, 0.0)
        for time in stride(from: 0, through: motion.end, by: 0.003) {
          let state = motion.state(time)
          let (pull, rate) = (length(state.acceleration), length(state.rate))
          if pull > force { force = pull }
          if rate > turn { turn = rate }
        }
        expect(that: g.contains(force), "\(name), seed \(seed): \(force) g")
        expect(that: rate.contains(turn), "\(name), seed \(seed): \(turn) °/s")
      }
      try check(.carried, g: 0.4...0.8, rate: 120...170)
      try check(.shaken, g: 4.2...5, rate: 190...360)
      try check(.swung, g: 1...1.8, rate: 150...220)
      try check(.driven, g: 0.5...0.65, rate: 20...30)
      try check(.turntable, g: 0...0.01, rate: 5...5.001)
      try check(.dropped, g: 15...17, rate: 200...250)
    }
  }

  @Test static func `a car's pull lasts for seconds, which an accelerometer mistakes for a tilt`() throws {
    let motion = DrivenMotion()
    // The mean over a second, which averages the road out.
    var longest = 0.0
    var began: Double?
    for time in stride(from: 0, through: motion.end - 1, by: 0.05) {
      var sum = SIMD3<Double>.zero
      for part in 0..<100 { sum += motion.state(time + Double(part) / 100).force / 100 }
      let isTilted = angle(sum, motion.state(time + 0.5).up) > 15
      if !isTilted { began = nil } else if began == nil { began = time }
      longest = max(longest, time - (began ?? time))
    }
    expect(longest, isAbove: 3)
  }

  @Test(arguments: 1...20)
  static func `shaken, swung, driven or on a turntable, the true pose stays`(_ seed: UInt64) throws {
    for name in [NamedMotion.shaken, .swung, .driven, .turntable] {
      let motion = try SeededMotion(name: name, seed: seed).motion()
      let first = motion.pose(at: .zero)
      for time in stride(from: 0, through: motion.duration.count, by: 10_000) {
        expect(motion.pose(at: Microseconds(time)), equals: first, "\(name) at \(time) µs")
      }
    }
  }

  @Test(arguments: 1...20)
  static func `carried, the board gets to six other poses by quarter turns`(_ seed: UInt64) throws {
    let motion = CarriedMotion(seed: seed)
    var poses: [TruePose] = []
    for time in stride(from: 0, through: motion.duration.count, by: 10_000) {
      let pose = motion.pose(at: Microseconds(time))
      if pose != poses.last { poses.append(pose) }
    }
    expect(poses.first, equals: .portrait)
    expect(poses.count, equals: 7, "\(poses)")
  }

  @Test(arguments: 1...20)
  static func `dropped, it is weightless for 0.4 s, hits the ground, and lies flat`(_ seed: UInt64) throws {
    let motion = DroppedMotion(seed: seed)
    var longest = 0.0
    var began: Double?
    for time in stride(from: 0, through: motion.end, by: 0.001) {
      if length(motion.state(time).force) > 0.001 { began = nil } else if began == nil { began = time }
      longest = max(longest, time - (began ?? time))
    }
    expect(abs(longest - 0.4), isBelow: 0.005)
    expect(motion.pose(at: .zero), equals: .portrait)
    let last = motion.state(motion.end).up
    expect(abs(abs(last.z) - 1), isBelow: 1e-12)
  }

  @Test static func `twenty falls include some on the back and some on the face`() {
    let poses = (1...20).map { DroppedMotion(seed: $0).pose(at: .seconds(14)) }
    expect(Set(poses), equals: [.faceUp, .faceDown])
  }

  @Test static func `a turntable turns at its rate about the vertical, and up stays`() {
    let motion = TurntableMotion(degreesPerSecond: Q16(whole: -7))
    for time in stride(from: 6.0, through: 44, by: 0.5) {
      let state = motion.state(time)
      expect(length(state.rate + 7 * state.up), isBelow: 1e-9)
      expect(length(state.up - motion.state(0).up), isBelow: 1e-12)
    }
    expect(motion.state(5).rate, equals: .zero)
    expect(motion.state(45).rate, equals: .zero)
  }

  @Test static func `a path depends on its seed, and takes as long with any other`() {
    for name in NamedMotion.allCases {
      let times = (0..<200).map { Microseconds($0 * 97_000) }
      func forces(_ seed: UInt64) -> [Vector3] { times.map { name.motion(seed: seed).specificForce(at: $0) } }
      let hasChance = [NamedMotion.carried, .shaken, .swung, .driven, .dropped].contains(name)
      expect(forces(5), equals: forces(5))
      expect(forces(5) == forces(6), isNot: hasChance, "\(name)")
      expect(forces(1), equals: times.map { name.motion.specificForce(at: $0) })
      expect(name.motion(seed: 5).duration, equals: name.motion.duration)
    }
  }

  @Test static func `a path has the same bits on every machine`() {
    // The sum of every motion at 100 Hz, computed on x86-64: no mathematical library is involved.
    func digest(_ name: NamedMotion) -> UInt64 {
      let motion = name.motion(seed: 3)
      var sum: UInt64 = 0
      for time in stride(from: 0, through: motion.duration.count, by: 10_000) {
        let (force, rate) = (motion.specificForce(at: Microseconds(time)), motion.rotationRate(at: Microseconds(time)))
        for part in [force.x, force.y, force.z, rate.x, rate.y, rate.z] {
          sum = (sum ^ UInt64(UInt32(bitPattern: part.raw))) &* 0x0000_0100_0000_01B3
        }
      }
      return sum
    }
    let digests = SeededMotion.names.map(digest)
    expect(
      digests,
      equals: [
        10_243_248_105_944_802_003, 3_746_627_316_816_991_381, 1_112_700_330_931_375_328, 1_687_618_300_487_472_117,
        1_493_790_099_512_553_992, 14_799_341_993_165_732_235,
      ])
  }
}

struct RotationRateTests {
  /// The motions of attitudes alone, and those without a turn.
  static let names = NamedMotion.allCases.filter { !SeededMotion.names.contains($0) }

  @Test(arguments: names)
  static func `the rotation rate of every other motion turns up as its force does`(_ name: NamedMotion) {
    let motion = name.motion
    let step: Int64 = 250
    var up = wide(motion.up(at: .zero))
    var isTurning = false
    for time in stride(from: 0, to: motion.duration.count + 500_000, by: Int(step)) {
      let rate = wide(motion.rotationRate(at: Microseconds(Int64(time) + step / 2)))
      isTurning = isTurning || rate != .zero
      // What is fixed in the world turns the other way in the board's frame.
      let turn = Quaternion(turning: rate * (Double.pi / 180 * Double(step) / 1e6))
      up = turn.seen(up)
      let now = wide(motion.up(at: Microseconds(Int64(time) + step)))
      expect(angle(up, now), isBelow: 0.1, "at \(time) µs")
    }
    let turns: [NamedMotion] = [
      .tumble, .turn, .sixFaces, .sixFacesClumsy, .fullTurns, .twoPoses, .twoPosesClumsy,
    ]
    expect(isTurning, equals: turns.contains(name))
  }

  @Test static func `a turn of 90° in 0.3 s is 300 °/s about the board's own Z, backwards`() {
    let motion = AttitudePath.turn(
      from: .zero, to: .quarterTurn, in: .milliseconds(300), tilt: BinaryAngle(degrees: 20), leadIn: .seconds(1))
    let rate = wide(motion.rotationRate(at: .milliseconds(1_150)))
    expect(length(rate - SIMD3(0, 0, -300)), isBelow: 0.000_1)
    for time: Int64 in [-5, 0, 999, 1_300, 2_000, 9_999] {
      expect(motion.rotationRate(at: .milliseconds(time)), equals: .zero)
    }
  }

  @Test static func `a motion with only a force does not rotate, and its force is up`() {
    struct Pushed: Motion {
      var duration: Microseconds { .seconds(1) }
      func specificForce(at time: Microseconds) -> Vector3 { Vector3(x: Q16(whole: 3), y: .zero, z: Q16(whole: -4)) }
    }
    expect(Pushed().rotationRate(at: .milliseconds(5)), equals: .zero)
    expect(length(wide(Pushed().up(at: .zero)) - SIMD3(0.6, 0, -0.8)), isBelow: 2.0 / 65_536)
    expect(Pushed().pose(at: .zero), equals: .faceDown)
  }

  @Test static func `shaken or falling, up and the pose are those of the board, not of the force`() {
    expect(Shake(attitude: .landscapeLeft, peak: Q16(whole: 4)).pose(at: .milliseconds(1_750)), equals: .landscapeLeft)
    let fall = FreeFall(attitude: .faceDown)
    for time: Int64 in [0, 1_700, 2_520, 4_000] {
      expect(fall.up(at: .milliseconds(time)), equals: Attitude.faceDown.specificForce)
    }
  }

  @Test(
    arguments: [
      (Attitude.portrait, TruePose.portrait), (.portraitUpsideDown, .portraitUpsideDown),
      (.landscapeLeft, .landscapeLeft),
      (.landscapeRight, .landscapeRight), (.faceUp, .faceUp), (.faceDown, .faceDown),
    ])
  static func `the pose is that of the nearest axis`(_ attitude: Attitude, _ pose: TruePose) {
    expect(TruePose(up: attitude.specificForce), equals: pose)
    var slanted = attitude
    for degrees: Int32 in [-44, 44] {
      slanted.tilt = attitude.tilt + BinaryAngle(degrees: degrees)
      expect(TruePose(up: slanted.specificForce), equals: pose)
    }
  }
}
