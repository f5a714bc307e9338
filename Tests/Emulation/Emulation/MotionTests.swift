import Emulation
import FixedPoint
import Glibc
import TestSupport
import Testing

private struct Force {
  var x: Double
  var y: Double
  var z: Double
  var length: Double { (x * x + y * y + z * z).squareRoot() }
}

extension Motion {
  fileprivate func force(_ milliseconds: Double) -> Force {
    let f = specificForce(at: Microseconds(Int64((milliseconds * 1_000).rounded())))
    return Force(x: Double(f.x.raw) / 65_536, y: Double(f.y.raw) / 65_536, z: Double(f.z.raw) / 65_536)
  }
}

/// The model: device angle and tilt in degrees to specific force.
private func held(_ angle: Double, _ tilt: Double) -> Force {
  let (a, t) = (angle * Double.pi / 180, tilt * Double.pi / 180)
  return Force(x: -sin(a) * cos(t), y: cos(a) * cos(t), z: sin(t))
}

private func expectNear(
  _ a: Force, _ b: Force, within tolerance: Double = 1.1 / 65_536, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let worst = max(abs(a.x - b.x), abs(a.y - b.y), abs(a.z - b.z))
  #expect(worst <= tolerance, comment, sourceLocation: sourceLocation)
}

struct MotionTests {
  @Test(
    arguments: [
      (Attitude.portrait, [0, 1, 0]), (.portraitUpsideDown, [0, -1, 0]), (.landscapeLeft, [1, 0, 0]),
      (.landscapeRight, [-1, 0, 0]), (.faceUp, [0, 0, 1]), (.faceDown, [0, 0, -1]),
    ] as [(Attitude, [Int32])])
  static func `the six poses read exactly 1 g along their axis`(_ attitude: Attitude, _ g: [Int32]) {
    let force = attitude.specificForce
    expect(force, equals: Vector3(x: Q16(whole: g[0]), y: Q16(whole: g[1]), z: Q16(whole: g[2])))
  }

  @Test static func `an attitude matches the Double model over a grid of angles and tilts`() {
    for angle in stride(from: -180.0, through: 180, by: 7.5) {
      for tilt in stride(from: -90.0, through: 90, by: 7.5) {
        let attitude = Attitude(deviceAngle: binary(angle), tilt: binary(tilt))
        expectNear(AttitudePath.hold(attitude).force(0), held(angle, tilt), "\(angle)° at \(tilt)°")
      }
    }
  }

  private static func binary(_ degrees: Double) -> BinaryAngle {
    BinaryAngle(degrees: Q16(Int32(degrees * 2), over: 2))
  }

  @Test(arguments: [(0, 90), (90, 0), (0, -90), (170, -170), (-90, 180), (10, 50)] as [(Int32, Int32)])
  static func `a turn is uniform, goes the short way and holds before and after`(_ from: Int32, _ to: Int32) {
    let motion = AttitudePath.turn(
      from: BinaryAngle(degrees: from), to: BinaryAngle(degrees: to), in: .milliseconds(300),
      tilt: BinaryAngle(degrees: 20), leadIn: .milliseconds(500), leadOut: .milliseconds(700))
    expect(motion.duration, equals: .milliseconds(1_500))
    let shortWay = remainder(Double(to - from), 360)
    for time in stride(from: -100.0, through: 1_700, by: 12.5) {
      let share = min(max((time - 500) / 300, 0), 1)
      expectNear(motion.force(time), held(Double(from) + shortWay * share, 20), "at \(time) ms")
    }
  }

  @Test static func `half a turn goes through decreasing angles`() {
    let motion = AttitudePath.turn(from: .zero, to: .halfTurn, in: .milliseconds(200), leadIn: .zero)
    expectNear(motion.force(100), held(-90, 0))
  }

  @Test static func `the tumble holds all six poses with quarter turns between and nothing else`() {
    let motion = AttitudePath.tumble
    expect(motion.duration, equals: .milliseconds(11_500))
    let poses = [held(0, 0), held(-90, 0), held(180, 0), held(90, 0), held(0, 90), held(0, 0), held(0, -90)]
    for (index, pose) in poses.enumerated() {
      let start = Double(index) * 1_700
      for time in stride(from: start, to: start + 1_300, by: 50) { expectNear(motion.force(time), pose, "\(time)") }
      guard index + 1 < poses.count else { break }
      let next = poses[index + 1]
      for time in stride(from: 0.0, through: 400, by: 10) {
        // On the great circle between two perpendicular poses.
        let turned = time / 400 * Double.pi / 2
        let model = Force(
          x: pose.x * cos(turned) + next.x * sin(turned), y: pose.y * cos(turned) + next.y * sin(turned),
          z: pose.z * cos(turned) + next.z * sin(turned))
        expectNear(motion.force(start + 1_300 + time), model, "turn \(index) at \(time) ms")
      }
    }
  }

  @Test static func `a path without stops or time, or outside its time, is still`() {
    expectNear(AttitudePath([]).force(5), held(0, 0))
    expect(AttitudePath([]).duration, equals: .zero)
    let jump = AttitudePath([.init(.portrait, held: .zero), .init(.faceUp, held: .zero)])
    expectNear(jump.force(-1), held(0, 0))
    expectNear(jump.force(0), held(0, 90))
    for motion in NamedMotion.allCases.map(\.motion) {
      expect(motion.specificForce(at: Microseconds(.min)), equals: motion.specificForce(at: .zero))
      expect(motion.specificForce(at: Microseconds(.max)), equals: motion.specificForce(at: motion.duration))
    }
  }

  @Test(arguments: [(5.0, 1.5, 0), (3.5, 0.8, 20), (12.0, 4.0, -45)] as [(Double, Double, Int32)])
  static func `a shake adds a sine along X and nothing before and after`(_ hertz: Double, _ peak: Double, _ tilt: Int32)
  {
    let shake = Shake(
      attitude: Attitude(deviceAngle: .zero, tilt: BinaryAngle(degrees: tilt)),
      frequency: Q16(Int32(hertz * 10), over: 10), peak: Q16(Int32(peak * 10), over: 10))
    expect(shake.duration, equals: .seconds(5))
    for time in stride(from: 0.0, through: 5_000, by: 3) {
      var model = held(0, Double(tilt))
      if time >= 1_000 && time < 4_000 { model.x += peak * sin(2 * Double.pi * hertz * (time - 1_000) / 1_000) }
      expectNear(shake.force(time), model, within: 0.0001, "at \(time) ms")
    }
  }

  @Test static func `the default shake peaks at 1.5 g five times a second for 3 s`() {
    let forces = (0...5_000).map { Shake().force(Double($0)).x }
    expect(abs((forces.max() ?? 0) - 1.5), isBelow: 0.001)
    expect(abs((forces.min() ?? 0) + 1.5), isBelow: 0.001)
    let upward = zip(forces, forces.dropFirst()).filter { $0 <= 0 && $1 > 0 }.count
    expect(upward, equals: 15)
  }

  @Test static func `a fall is still, then near 0 g, then a knock, then still`() {
    let fall = FreeFall(attitude: .faceUp)
    expect(fall.duration, equals: .milliseconds(4_540))
    for time in stride(from: 0.0, through: 4_600, by: 1) {
      let share =
        switch time {
        case ..<1_000: 1.0
        case ..<2_500: 1.0 / 32
        case ..<2_540: 1 + 5 * sin(Double.pi * (time - 2_500) / 40)
        default: 1.0
        }
      expectNear(fall.force(time), Force(x: 0, y: 0, z: share), within: 0.0001, "at \(time) ms")
    }
  }

  @Test static func `motions have names`() {
    expect(
      NamedMotion.names,
      equals: [
        "tumble", "hold", "turn", "shake", "machine", "tap", "double-tap", "knocks", "free-fall", "portrait",
        "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown", "six-faces", "six-faces-clumsy",
        "full-turns", "two-poses",
        "two-poses-clumsy",
        "carried", "shaken", "swung", "driven", "turntable", "dropped",
      ])
    for name in NamedMotion.names { expect(NamedMotion(rawValue: name)?.motion.duration ?? .zero, isAbove: .zero) }
    expect(NamedMotion(rawValue: "dance"), equals: nil)
    expectNear(NamedMotion.hold.motion.force(0), held(0, 20))
    expectNear(NamedMotion.turn.motion.force(1_150), held(45, 20))
    expectNear(NamedMotion.turn.motion.force(3_000), held(90, 20))
  }

  @Test static func `at rest every named motion reads 1 g`() {
    for motion in NamedMotion.allCases.map(\.motion) { expect(abs(motion.force(0).length - 1), isBelow: 0.0001) }
  }
}
