import FixedPoint
import TestSupport
import Testing

struct BinaryAngleTests {
  /// ±92 parts around every whole degree and around both ends: half an LSB of Q16.16 degrees is 91.02 parts.
  static let nearDegrees: [Int32] = (Int64(-180)...180).flatMap { (degree) -> [Int32] in
    let middle = degree * (1 << 32) / 360
    return (Int64(-92)...92).map { Int32(truncatingIfNeeded: middle + $0) }
  }
  static let raws = nearDegrees + values(1_000_000, seed: 360)

  @Test static func `an angle in degrees is the nearest one, ties up, on either side of half a turn`() {
    let wrong = BinaryAngleTests.raws.first { raw in
      // In units of 2^-32 · 2^-16 degrees, modulo a turn.
      let degrees = Int64(BinaryAngle(raw: raw).degrees.raw)
      let error = reduced(degrees * 65_536 - Int64(raw) * 360, modulo: 360 << 32)
      return !(error > -0x8000 && error <= 0x8000)
    }
    expect(wrong, equals: nil)
  }

  @Test static func `an angle in degrees is above -180 and at most 180`() {
    let wrong = BinaryAngleTests.raws.first { raw in
      let degrees = BinaryAngle(raw: raw).degrees
      return degrees <= Q16(whole: -180) || degrees > Q16(whole: 180)
    }
    expect(wrong, equals: nil)
  }

  @Test static func `an angle from degrees is the nearest one, for any number of turns`() {
    let wrong = BinaryAngleTests.raws.first { degrees in
      // In 45ths of a part, modulo a turn.
      let raw = Int64(BinaryAngle(degrees: Q16(raw: degrees)).raw)
      return abs(reduced(raw * 45 - Int64(degrees) * 8_192, modulo: 45 << 32)) > 22
    }
    expect(wrong, equals: nil)
  }

  @Test static func `every Q16.16 number of degrees above -180 and up to 180 survives the round trip`() {
    let half: Int32 = 180 * 65_536
    expect((1 - half...half).first { BinaryAngle(degrees: Q16(raw: $0)).degrees.raw != $0 }, equals: nil)
  }

  @Test static func `an angle survives the round trip through degrees within half an LSB of degrees`() {
    let wrong = BinaryAngleTests.raws.first { raw in
      let angle = BinaryAngle(raw: raw)
      return (BinaryAngle(degrees: angle.degrees) - angle).magnitude > 91
    }
    expect(wrong, equals: nil)
  }

  @Test(
    arguments: [
      (0, 0), (90, 1 << 30), (-90, -1 << 30), (180, Int32.min), (-180, Int32.min), (270, -1 << 30), (360, 0),
      (45, 1 << 29), (-135, -3 << 29), (720, 0), (32_767, 83_513_253), (36_000, 0), (Int32.max, 1_515_169_018),
      (Int32.min, -1_527_099_483),
    ] as [(Int32, Int32)])
  static func `whole degrees wrap at a turn, for any number of turns`(_ degrees: Int32, _ raw: Int32) {
    expect(BinaryAngle(degrees: degrees), equals: BinaryAngle(raw: raw))
  }

  @Test static func `the named angles have the degrees that their names say`() {
    expect(BinaryAngle.zero.degrees, equals: .zero)
    expect(BinaryAngle.quarterTurn.degrees, equals: Q16(whole: 90))
    expect(BinaryAngle.halfTurn.degrees, equals: Q16(whole: 180))
    expect((-BinaryAngle.quarterTurn).degrees, equals: Q16(whole: -90))
  }

  @Test static func `sums, differences and opposites wrap at a turn`() {
    let wrong = (cornerPairs + randomPairs(100_000, seed: 361)).first { pair in
      let (a, b) = (BinaryAngle(raw: pair.a), BinaryAngle(raw: pair.b))
      let turn: Int64 = 1 << 32
      let sum = reduced(Int64(pair.a) + Int64(pair.b), modulo: turn)
      let difference = reduced(Int64(pair.a) - Int64(pair.b), modulo: turn)
      let opposite = reduced(-Int64(pair.a), modulo: turn)
      return Int64((a + b).raw) != sum || Int64((a - b).raw) != difference || Int64((-a).raw) != opposite
    }
    expect(wrong, equals: nil)
  }

  @Test static func `the magnitude is the size of the angle, half a turn included`() {
    expect(values(100_000, seed: 362).first { Int64(BinaryAngle(raw: $0).magnitude) != abs(Int64($0)) }, equals: nil)
  }
}

/// `value` plus or minus whole turns, in -turn/2 ..< turn/2.
private func reduced(_ value: Int64, modulo turn: Int64) -> Int64 {
  let rest = value % turn
  if rest >= turn / 2 { return rest - turn }
  return rest < -turn / 2 ? rest + turn : rest
}
