import FixedPoint
import Glibc
import Orientation
import OrientationModels
import Testing
import TestSupport

/// A tare's rotations in Double, by angles and rotations about one axis, where the code uses rows.
private struct TareModel {
  /// The rotations about X and then Y that take up to +Z, and the one about Z before them.
  var aboutZ = 0.0
  var aboutX = 0.0
  var axis = Force()
  var angle = 0.0
  var isTurnedOver = false
  /// The rotation of the plane, and that of the wheel.
  var plane = 0.0
  var wheel = 0.0

  init(_ up: Force) {
    let inPlane = hypot(up.x, up.y)
    if inPlane >= 0.1 {
      plane = Glibc.atan2(up.x, up.y)
      wheel = plane + (up.x > abs(up.y) ? -Double.pi / 2 : .pi / 2)
    }
    if abs(up.z) < 0.5.squareRoot() {
      (aboutZ, aboutX) = (plane, Glibc.atan2(inPlane, up.z))
    } else {
      isTurnedOver = up.z < 0
      let (x, y) = (isTurnedOver ? -up.x : up.x, up.y)
      // The axis is up × Z.
      if inPlane > 0 { axis = Force(x: y / inPlane, y: -x / inPlane, z: 0) }
      angle = Glibc.atan2(inPlane, abs(up.z))
    }
  }

  func tilted(_ f: Force) -> Force {
    guard axis.x == 0 && axis.y == 0 && !isTurnedOver && angle == 0 && aboutX != 0 else {
      return turned(isTurnedOver ? Force(x: -f.x, y: f.y, z: -f.z) : f)
    }
    let g = inPlane(f, aboutZ)
    return Force(x: g.x, y: cos(aboutX) * g.y - sin(aboutX) * g.z, z: sin(aboutX) * g.y + cos(aboutX) * g.z)
  }

  /// Rotated by the angle about the axis, by Rodrigues' formula.
  private func turned(_ f: Force) -> Force {
    let (c, s) = (cos(angle), sin(angle))
    let along = (axis.x * f.x + axis.y * f.y) * (1 - c)
    return Force(
      x: c * f.x + s * (axis.y * f.z) + axis.x * along, y: c * f.y - s * (axis.x * f.z) + axis.y * along,
      z: c * f.z + s * (axis.x * f.y - axis.y * f.x))
  }

  /// Rotated by `angle` about Z.
  func inPlane(_ f: Force, _ angle: Double) -> Force {
    Force(x: cos(angle) * f.x - sin(angle) * f.y, y: sin(angle) * f.x + cos(angle) * f.y, z: f.z)
  }
}

struct TareTests {
  /// Evenly distributed directions.
  private static func directions(_ count: Int) -> [Force] {
    (0..<count).map { index in
      let z = 1 - 2 * (Double(index) + 0.5) / Double(count)
      let (r, turn) = ((1 - z * z).squareRoot(), Double(index) * 2.399963229728653)
      return Force(x: r * cos(turn), y: r * sin(turn), z: z)
    }
  }

  private static func double(_ v: Vector3) -> Force {
    Force(x: Double(v.x.raw) / 65_536, y: Double(v.y.raw) / 65_536, z: Double(v.z.raw) / 65_536)
  }

  /// The largest difference of a component, in LSB.
  private static func distance(_ a: Vector3, _ b: Force) -> Double {
    let a = double(a)
    return max(abs(a.x - b.x), max(abs(a.y - b.y), abs(a.z - b.z))) * 65_536
  }

  @Test
  static func `a turned force matches the model in Double within 0.6 LSB, at every attitude and up to 16 g`() throws {
    var worst = 0.0
    for reference in Self.directions(2_000) {
      let measured = reference.vector
      let tare = try Tare(measured)
      let length = sqrt(
        double(measured).x * double(measured).x + double(measured).y * double(measured).y + double(measured).z
          * double(measured).z)
      let exact = double(measured)
      let model = TareModel(Force(x: exact.x / length, y: exact.y / length, z: exact.z / length))
      for (index, direction) in Self.directions(40).enumerated() {
        let g = [0.01, 0.5, 1, 16][index % 4]
        let force = Force(x: direction.x * g, y: direction.y * g, z: direction.z * g).vector
        let seen = tare.applied(to: force)
        let off = distance(seen.tilted, model.tilted(double(force)))
        let plane = distance(seen.inPlane, model.inPlane(double(force), model.plane))
        expect(off, isAtMost: 0.6, "\(reference), \(force)")
        expect(plane, isAtMost: 0.6, "\(reference), \(force)")
        worst = max(worst, max(off, plane))
        // The board's own force, which differs only in the last bit of a component.
        let wheel = model.inPlane(double(force), model.wheel)
        if abs(direction.z) < 0.9 && g == 1 {
          let ratio = asin(max(-1, min(1, -wheel.y))) * 90 / acos(min(1, abs(wheel.z)))
          let expected = max(-90, min(90, ratio))
          expect(abs(degrees(seen.steeringAngle) - expected), isBelow: 0.6, "\(reference), \(force)")
        }
      }
    }
    expect(worst, isAbove: 0.4, "a bound that nothing comes near says nothing")
  }

  private static func degrees(_ angle: BinaryAngle) -> Double { Double(angle.raw) * 180 / 0x1p31 }

  @Test
  static func `in the attitude of the tare every angle is 0, for every attitude`() throws {
    for reference in Self.directions(5_000) {
      let force = reference.vector
      let seen = try Tare(force).applied(to: force)
      expect(abs(degrees(seen.pitch)), isBelow: 0.001)
      expect(abs(degrees(seen.roll)), isBelow: 0.001)
      expect(degrees(seen.inclination), isBelow: 0.0015)
      expect(that: !seen.isOnEnd)
      expect(seen.isFlat, equals: force.isFlat)
      guard !seen.isFlat else { continue }
      expect(abs(degrees(seen.deviceAngle)), isBelow: 0.01)
      expect(abs(degrees(seen.levelAngle)), isBelow: 0.01)
      // Its arc functions err by some hundredths of a degree near their ends, where the board lies flat.
      if abs(reference.z) < 0.9 { expect(abs(degrees(seen.steeringAngle)), isBelow: 0.02, "\(reference)") }
    }
  }

  @Test(arguments: [
    // The direction of up at the tare, the force of the board tilted by 10°, and pitch and roll. Pitch is positive if
    // the top edge, or the back of the board, goes up; roll is positive if the right side goes down.
    (Force(z: 1), Force(y: sin(10 * .pi / 180), z: cos(10 * .pi / 180)), 10.0, 0.0),
    (Force(z: 1), Force(x: -sin(10 * .pi / 180), z: cos(10 * .pi / 180)), 0, 10),
    (Force(z: -1), Force(y: sin(10 * .pi / 180), z: -cos(10 * .pi / 180)), 10, 0),
    (Force(z: -1), Force(x: sin(10 * .pi / 180), z: -cos(10 * .pi / 180)), 0, 10),
    (Force(y: 1), Force(y: cos(10 * .pi / 180), z: -sin(10 * .pi / 180)), 10, 0),
    (Force(y: 1), Force(x: -sin(10 * .pi / 180), y: cos(10 * .pi / 180)), 0, 10),
    (Force(y: -1), Force(x: sin(10 * .pi / 180), y: -cos(10 * .pi / 180)), 0, 10),
    (Force(x: 1), Force(x: cos(10 * .pi / 180), y: sin(10 * .pi / 180)), 0, 10),
    (Force(x: -1), Force(x: -cos(10 * .pi / 180), z: -sin(10 * .pi / 180)), 10, 0),
  ])
  static func `pitch and roll count from the tare, with the top edge or the back of the board in front`(
    up: Force, then: Force, pitch: Double, roll: Double
  ) throws {
    let seen = try Tare(up.vector).applied(to: then.vector)
    expect(abs(degrees(seen.pitch) - pitch), isBelow: 0.002, "\(seen)")
    expect(abs(degrees(seen.roll) - roll), isBelow: 0.002, "\(seen)")
    expect(abs(degrees(seen.inclination) - 10), isBelow: 0.002)
  }

  @Test(arguments: [0.0, 30, -30, 44, 90, 135, 180, -90, -135], [0.0, 30, -30, 50])
  static func `the angle in the plane counts from the tare, at any lean`(start: Double, tilt: Double) throws {
    let tare = try Tare(Force.held(at: start, tilt: tilt).vector)
    for turn in stride(from: -170.0, through: 170, by: 17) {
      let seen = tare.applied(to: Force.held(at: start + turn, tilt: tilt).vector)
      expect(abs(degrees(seen.deviceAngle) - turn), isBelow: 0.004)
      expect(abs(degrees(seen.levelAngle) + turn), isBelow: 0.004)
      expect(
        abs(degrees(seen.relativeAngle(to: .landscapeRight)) - (turn < -90 ? turn + 270 : turn - 90)), isBelow: 0.004)
    }
  }

  @Test(arguments: [(90.0, 1.0), (60, 1), (0, 1), (180, 1), (-90, -1), (-60, -1), (30, 1), (-30, 1)])
  static func `a wheel is straight in the tare; a right turn is positive, except with the left edge down`(
    start: Double, sign: Double
  ) throws {
    for tilt in [0.0, 20, 50] {
      let tare = try Tare(Force.held(at: start, tilt: tilt).vector)
      for turn in stride(from: -90.0, through: 90, by: 15) {
        let seen = tare.applied(to: Force.held(at: start + turn, tilt: tilt).vector)
        // By the formula itself, whose angle is not the turn except with the board upright.
        let (t, lean) = (turn * .pi / 180, tilt * .pi / 180)
        let expected = asin(sin(t) * cos(lean)) * 90 / (.pi / 2 - lean)
        expect(abs(degrees(seen.steeringAngle) - sign * expected), isBelow: 0.5, "\(start) \(turn) \(tilt)")
      }
    }
  }

  @Test
  static func `undoing a tare restores the force`() throws {
    for reference in Self.directions(500) {
      let tare = try Tare(reference.vector)
      for direction in Self.directions(20) {
        let force = direction.vector
        expect(distance(tare.undone(on: tare.applied(to: force).tilted), double(force)), isAtMost: 2)
      }
    }
  }

  @Test
  static func `without a tare a force stays the same to the last bit`() {
    for raw in [Int32.min, -1, 0, 1, Int32.max] {
      let force = Vector3(x: Q16(raw: raw), y: Q16(raw: 0 &- raw), z: Q16(raw: 77))
      let seen = Tare.none.applied(to: force)
      expect(seen.tilted, equals: force)
      expect(seen.inPlane, equals: force)
      expect(seen.steeringAngle, equals: force.steeringAngle)
      expect(Tare.none.undone(on: Vector3(x: force.x, y: force.y, z: .zero)).z, equals: .zero)
    }
    expect(Tare.none.up, equals: nil)
  }

  @Test(arguments: [
    Vector3.zero, Force(z: 0.499).vector, Force(x: 1.501).vector,
    Vector3(x: Q16(raw: .min), y: Q16(raw: .min), z: Q16(raw: .min)), Vector3(x: Q16(raw: .max), y: .zero, z: .zero),
  ])
  static func `a board that is not held still gives no tare`(force: Vector3) {
    expect(throws: TareError.magnitude) { try Tare(force) }
  }

  @Test
  static func `no force traps, and the largest ones saturate`() throws {
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for reference in Self.directions(100) {
      let tare = try Tare(reference.vector)
      for x in ends {
        for y in ends {
          for z in ends {
            let force = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
            let seen = tare.applied(to: force)
            _ = (seen.pitch, seen.roll, seen.inclination, seen.deviceAngle, seen.steeringAngle, tare.undone(on: force))
          }
        }
      }
    }
    let diagonal = try Tare(Force(x: 0.577, y: 0.577, z: 0.577).vector)
    let force = Vector3(x: Q16(raw: .max), y: Q16(raw: .max), z: Q16(raw: .max))
    expect(diagonal.applied(to: force).tilted.z.raw, equals: .max)
  }

  @Test
  static func `six decimals of up are read back within 0.0001°, and a length other than 1 is rejected`() throws {
    for reference in Self.directions(2_000) {
      let tare = try Tare(reference.vector)
      let up = try require(tare.up)
      func millionths(_ part: Int32) -> Int32 { Int32((Double(part) / 0x1p30 * 1e6).rounded()) }
      let read = try require(Tare(millionths: millionths(up.x), millionths(up.y), millionths(up.z))?.up)
      let apart = hypot(Double(up.x - read.x), hypot(Double(up.y - read.y), Double(up.z - read.z))) / 0x1p30
      expect(apart * 180 / .pi, isBelow: 0.0001)
    }
    expect(Tare(millionths: 0, 0, 0), equals: nil)
    expect(Tare(millionths: 0, 0, 989_999), equals: nil)
    expect(Tare(millionths: 1_010_001, 0, 0), equals: nil)
    expect(Tare(millionths: .min, .min, .min), equals: nil)
    let down = try require(Tare(millionths: 0, -990_001, 0)?.up)
    expect(down.x, equals: 0)
    expect(down.z, equals: 0)
    expect(abs(Int(down.y) + 1 << 30), isBelow: 16)
  }

  @Test(arguments: [(10, 126), (100, 14), (500, 9), (5_000, 9), (20_000, 9)] as [(Int64, Int)])
  static func `a capture takes 1.25 s, or nine samples if they are rare`(_ milliseconds: Int64, _ samples: Int) {
    var capture = TareCapture(at: Instant(microseconds: 0), period: .milliseconds(milliseconds))
    var taken = 0
    while taken < 200 {
      let progress = capture.step(
        Vector3(x: .zero, y: .one, z: .zero), at: Instant(microseconds: Int64(taken) * milliseconds * 1_000))
      taken += 1
      guard progress == .measuring else {
        guard case .tare = progress else { return #expect(Bool(false), "\(progress)") }
        break
      }
    }
    expect(taken, equals: samples)
  }
}
