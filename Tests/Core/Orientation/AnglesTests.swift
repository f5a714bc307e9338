import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

struct AnglesTests {
  struct Row: Sendable {
    var pose: Pose
    var device: Double?
    var pitch: Double
    var roll: Double?
    var inclination: Double
  }

  /// The angles of the six poses by convention; nil where an angle is undefined.
  static let table = [
    Row(pose: .portrait, device: 0, pitch: 90, roll: nil, inclination: 90),
    Row(pose: .portraitUpsideDown, device: 180, pitch: -90, roll: nil, inclination: 90),
    Row(pose: .landscapeLeft, device: -90, pitch: 0, roll: -90, inclination: 90),
    Row(pose: .landscapeRight, device: 90, pitch: 0, roll: 90, inclination: 90),
    Row(pose: .faceUp, device: nil, pitch: 0, roll: 0, inclination: 0),
    Row(pose: .faceDown, device: nil, pitch: 0, roll: 180, inclination: 180),
  ]

  @Test(arguments: table)
  static func `the six poses have the angles of the conventions`(row: Row) {
    let force = Force.at(rest: row.pose).vector
    if let device = row.device {
      expect(degrees(force.deviceAngle), equals: device)
      expect(degrees(force.relativeAngle(to: row.pose)), equals: 0)
    }
    expect(degrees(force.pitch), equals: row.pitch)
    if let roll = row.roll { expect(degrees(force.roll), equals: roll) }
    expect(degrees(force.inclination), equals: row.inclination)
  }

  @Test
  static func `all angles match the formulas in Double over the whole sphere, at 0.5, 1 and 1.4 g`() {
    for length in [0.5, 1, 1.4] {
      let count = 20_000
      for index in 0..<count {
        // Points of a golden spiral, evenly spread over the sphere.
        let z = 1 - 2 * (Double(index) + 0.5) / Double(count)
        let r = (1 - z * z).squareRoot()
        let turn = Double(index) * 2.399963229728653
        let vector = Force(x: length * r * cos(turn), y: length * r * sin(turn), z: length * z).vector
        compare(vector)
      }
    }
  }

  @Test static func `the angles of a sample are defined as those of its force: from 0.1 g in their plane on`() {
    var undefined = (device: 0, roll: 0)
    for index in 0..<40_000 {
      // Up to 0.2 g in the plane, most of them near 0.1 g; some are whole counts of an ADXL345.
      let turn = Double(index) * 2.399963229728653
      let length = index % 4 == 0 ? Double(index) / 200_000 : 0.1 + Double(index % 201 - 100) / 6_553_600
      let (across, along) = (length * cos(turn), length * sin(turn))
      for force in [
        Force(x: across, y: along, z: index % 2 == 0 ? 1 : -0.3),
        Force(x: across, y: index % 2 == 0 ? 1 : -0.3, z: along),
      ].map(\.vector) {
        let angles = Angles(of: force, gravity: force)
        for (isDefined, isNoise, other) in [
          (angles.hasDevice, force.isFlat, force.y), (angles.hasRoll, force.isOnEnd, force.z),
        ] {
          let size = (Double(force.x.raw) * Double(force.x.raw) + Double(other.raw) * Double(other.raw)).squareRoot()
          // Whether an angle is defined is decided by a length with a relative error of 1e-6.
          if abs(size - 6_554) > 0.02 { expect(isDefined, equals: size >= 6_554, "\(size)") }
          expect(isNoise, equals: size < 6_554, "\(size)")
        }
        if !angles.hasDevice { undefined.device += 1 }
        if !angles.hasRoll { undefined.roll += 1 }
      }
    }
    expect(undefined.device, isAbove: 10_000)
    expect(undefined.roll, isAbove: 10_000)
  }

  @Test static func `mirrored forces have exactly mirrored angles, and the same angles are defined`() {
    // 0.1 g is 6554, or two equal components of 4634.4; 2^23 is 128 g.
    let sizes: [Int32] = [0, 1, 2, 655, 4_634, 4_635, 6_553, 6_554, 6_555, 32_768, 65_536, 65_537, 1 << 23]
    for x in sizes {
      for y in sizes {
        for z in sizes {
          let of = { (x: Int32, y: Int32, z: Int32) in Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z)) }
          let angles = Angles(of: of(x, y, z), gravity: of(x, y, z))
          let (inPlane, beside) = (Int64(x) * Int64(x) + Int64(y) * Int64(y), Int64(x) * Int64(x) + Int64(z) * Int64(z))
          let isDefined = [inPlane, beside].map { $0 >= 6_554 * 6_554 }
          for (signX, signY, signZ) in [
            (1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1), (-1, 1, 1), (-1, 1, -1), (-1, -1, 1), (-1, -1, -1),
          ] as [(Int32, Int32, Int32)] {
            let isSame = (x == 0 && signX < 0) || (y == 0 && signY < 0) || (z == 0 && signZ < 0)
            if isSame { continue }
            let force = of(signX * x, signY * y, signZ * z)
            let found = Angles(of: force, gravity: force)
            func turned(_ angle: BinaryAngle, over: Int32) -> Int32 {
              // From Y or Z towards X, that is, to the left.
              let size = over < 0 ? Int32.min &+ angle.raw : 0 &- angle.raw
              return signX < 0 ? size : 0 &- size
            }
            let expected = [
              turned(angles.device, over: signY), turned(angles.roll, over: signZ), signY &* angles.pitch.raw,
              signZ < 0 ? Int32.min &- angles.inclination.raw : angles.inclination.raw, signY &* angles.steering.raw,
            ]
            // The angle of a force alone uses another arc, and is mirrored as exactly.
            let wheel = signY &* of(x, y, z).steeringAngle.raw
            if force.steeringAngle.raw != wheel || (y == 0 && wheel != 0) { Issue.record("\(force): \(wheel)") }
            let raws = [found.device, found.roll, found.pitch, found.inclination, found.steering].map(\.raw)
            let defined = [[found.hasDevice, found.hasRoll], [!force.isFlat, !force.isOnEnd]]
            if raws != expected || defined != [isDefined, isDefined] {
              Issue.record("\(force): \(raws) for \(expected), \(defined) for \(isDefined)")
            }
          }
        }
      }
    }
  }

  /// Compares all angles of `vector` with the published formulas, in gravity a = -f, if they are defined.
  private static func compare(_ vector: Vector3) {
    let a = (-double(vector.x), -double(vector.y), -double(vector.z))
    let inPlane = hypot(a.0, a.1)
    if inPlane > 0.05 {
      near(vector.deviceAngle, wrapped(.pi / 2 - Glibc.atan2(-a.1, a.0)))
      near(vector.levelAngle, wrapped(Glibc.atan2(a.1, -a.0) + .pi / 2))
      near(vector.relativeAngle(to: .landscapeRight), wrapped(.pi / 2 - Glibc.atan2(-a.1, a.0) - .pi / 2))
      near(vector.relativeAngle(to: .landscapeLeft), wrapped(.pi / 2 - Glibc.atan2(-a.1, a.0) + .pi / 2))
      near(vector.relativeAngle(to: .portraitUpsideDown), wrapped(.pi / 2 - Glibc.atan2(-a.1, a.0) - .pi))
    }
    near(vector.inclination, Glibc.atan2(inPlane, -a.2))
    near(vector.pitch, Glibc.atan2(-a.1, hypot(a.0, a.2)))
    if hypot(a.0, a.2) > 0.05 { near(vector.roll, Glibc.atan2(a.0, -a.2)) }
  }

  @Test
  static func `all angles of a sample match the formulas in Double over the whole sphere, at 0.5, 1 and 1.4 g`() {
    var (worstDirect, worstOfLength) = (0.0, 0.0)
    for (index, length) in [0.5, 1, 1.4].enumerated() {
      let count = 100_000
      for point in 0..<count {
        let height = 1 - 2 * (Double(point) + 0.5) / Double(count)
        let r = length * (1 - height * height).squareRoot()
        let turn = Double(point * 3 + index) * 2.399963229728653
        let f = Force(x: r * cos(turn), y: r * sin(turn), z: length * height).vector
        let angles = Angles(of: f, gravity: .zero)
        let (x, y, z) = (double(f.x), double(f.y), double(f.z))
        if hypot(x, y) > 0.25 { worstDirect = max(worstDirect, apart(angles.device, Glibc.atan2(-x, y))) }
        if hypot(x, z) > 0.25 { worstDirect = max(worstDirect, apart(angles.roll, Glibc.atan2(-x, z))) }
        worstOfLength = max(
          worstOfLength, apart(angles.pitch, Glibc.atan2(y, hypot(x, z))),
          apart(angles.inclination, Glibc.atan2(hypot(x, y), z)))
        if angles.level != -angles.device { Issue.record("\(f): \(angles)") }
      }
    }
    expect(worstDirect, isBelow: 3.5e-6)
    expect(worstOfLength, isBelow: 4e-5)
  }

  @Test(arguments: table)
  static func `the six poses have exact angles in a sample too`(row: Row) {
    let angles = Angles(of: Force.at(rest: row.pose).vector, gravity: .zero)
    if let device = row.device { expect(degrees(angles.device), equals: device) }
    if let roll = row.roll { expect(degrees(angles.roll), equals: roll) }
    expect(degrees(angles.pitch), equals: row.pitch)
    expect(degrees(angles.inclination), equals: row.inclination)
  }

  @Test
  static func `a sample of zero, or of more than 256 g on an axis, has angles like any other`() {
    let none = Angles(of: .zero, gravity: .zero)
    expect(
      [none.device, none.pitch, none.roll, none.inclination, none.steering], equals: Array(repeating: .zero, count: 5))
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max]
    for x in ends {
      for y in ends {
        for z in ends where (x, y, z) != (0, 0, 0) {
          let force = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
          func bounded(_ raw: Int32) -> Double { Double(max(-256 << 16, min(256 << 16, raw))) }
          let angles = Angles(of: force, gravity: force)
          // One part in 2^24 of the largest is dropped, and vectors of single parts have little resolution.
          let room = [x, y, z].contains { $0.magnitude > 1 } ? 5e-5 : 0.05
          expect(apart(angles.pitch, Glibc.atan2(bounded(y), hypot(bounded(x), bounded(z)))), isBelow: room)
          expect(apart(angles.inclination, Glibc.atan2(hypot(bounded(x), bounded(y)), bounded(z))), isBelow: room)
          expect(abs(angles.steering.degrees.raw), isAtMost: 90 << 16)
        }
      }
    }
  }

  @Test
  static func `full-range components neither trap nor reverse an angle`() {
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max]
    for x in ends {
      for y in ends {
        for z in ends where (x, y, z) != (0, 0, 0) {
          let vector = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
          near(vector.pitch, Glibc.atan2(Double(y), hypot(Double(x), Double(z))))
          near(
            vector.inclination, .pi / 2 - Glibc.atan2(Double(z), hypot(Double(x), Double(y))))
        }
      }
    }
    expect(Vector3.zero.deviceAngle, equals: .zero)
    expect(Vector3.zero.roll, equals: .zero)
    expect(Vector3.zero.pitch, equals: .zero)
  }

  /// Records an issue only on a mismatch: an expectation for each of a million angles would drown it.
  private static func near(_ angle: BinaryAngle, _ radians: Double) {
    let difference = wrapped(Double(angle.raw) / 4_294_967_296 * 2 * .pi - radians) * 180 / .pi
    if abs(difference) > 2e-7 { Issue.record("\(angle) is \(difference)° off") }
  }

  /// Degrees between `angle` and `radians`.
  private static func apart(_ angle: BinaryAngle, _ radians: Double) -> Double {
    abs(wrapped(Double(angle.raw) / 4_294_967_296 * 2 * .pi - radians) * 180 / .pi)
  }

  private static func wrapped(_ radians: Double) -> Double { remainder(radians, 2 * .pi) }
  private static func double(_ value: Q16) -> Double { Double(value.raw) / 65_536 }
  private static func degrees(_ angle: BinaryAngle) -> Double { Double(angle.degrees.raw) / 65_536 }
}
