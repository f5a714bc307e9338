import FixedPoint
import Orientation
import OrientationModels
import TestSupport
import Testing

struct AlignmentTests {
  @Test
  static func `without calibration, each of the 24 mountings gives exactly its own result`() throws {
    var generator = SplitMix64(seed: 3)
    for x in MountingTests.axes {
      for y in MountingTests.axes {
        for z in MountingTests.axes
        where MountingTests.determinant(MountingTests.unit(x), MountingTests.unit(y), MountingTests.unit(z)) == 1 {
          let mounting = try Mounting(x: x, y: y, z: z)
          let alignment = Alignment(.none, mounting)
          for _ in 0..<100 {
            let vector = Force().noisy(5, &generator).vector
            expect(alignment.applied(to: vector), equals: mounting.applied(to: vector))
          }
        }
      }
    }
  }

  @Test
  static func `offset and scale correct each axis of the sensor before the mounting turns it`() throws {
    var generator = SplitMix64(seed: 4)
    for _ in 0..<2_000 {
      let offset = Force().noisy(0.1, &generator).vector
      func factor() -> Int32 { Int32.random(in: (1 << 29)...Int32.max, using: &generator) }
      let scale = Calibration.Scale(x: factor(), y: factor(), z: factor())
      let alignment = Alignment(
        try Calibration(offset: offset, scale: scale), try Mounting(x: .minusY, y: .plusX, z: .plusZ))
      let measured = Force().noisy(2, &generator).vector
      func model(_ value: Q16, _ offset: Q16, _ scale: Int32) -> Double {
        Double(value.raw - offset.raw) / 65_536 * Double(scale) / 1_073_741_824
      }
      let result = alignment.applied(to: measured)
      let half = 0.5000001 / 65_536
      expect(abs(double(result.x) + model(measured.y, offset.y, scale.y)), isAtMost: half)
      expect(abs(double(result.y) - model(measured.x, offset.x, scale.x)), isAtMost: half)
      expect(abs(double(result.z) - model(measured.z, offset.z, scale.z)), isAtMost: half)
    }
  }

  @Test
  static func `the ends of the range saturate, and an impossible scale is rejected`() throws {
    let ends = Vector3(x: Q16(raw: .max), y: Q16(raw: .min), z: Q16(raw: .max))
    let opposite = Vector3(x: Q16(raw: .min), y: Q16(raw: .max), z: Q16(raw: .min))
    let scale = Calibration.Scale(x: .max, y: .max, z: .max)
    let result = Alignment(try Calibration(offset: opposite, scale: scale)).applied(to: ends)
    let (least, most): (Int32, Int32) = (-256 << 16, (256 << 16) - 1)
    expect([result.x.raw, result.y.raw, result.z.raw], equals: [most, least, most])
    expect(Alignment().applied(to: ends), equals: Vector3(x: Q16(raw: most), y: Q16(raw: least), z: Q16(raw: most)))
    for raw: Int32 in [most - 1, most, most + 1, most + 2, .max] {
      for sign: Int32 in [1, -1] {
        let vector = Vector3(x: Q16(raw: sign * raw), y: .one, z: Q16(raw: -sign * raw))
        func expected(_ value: Int32) -> Q16 { Q16(raw: max(least, min(most, value))) }
        expect(
          Alignment().applied(to: vector), equals: Vector3(x: expected(sign * raw), y: .one, z: expected(-sign * raw)))
      }
    }
    for bad: Int32 in [.min, -1, 0, (1 << 29) - 1] {
      let scale = Calibration.Scale(x: 1 << 30, y: bad, z: 1 << 30)
      expect(throws: CalibrationError.scale) { try Calibration(offset: .zero, scale: scale) }
    }
  }

  @Test
  static func `a rotation turns with each of the 24 mountings as a force does, without the force's calibration`()
    throws
  {
    var generator = SplitMix64(seed: 6)
    let ofForce = try Calibration(
      offset: Vector3(x: .one, y: .one, z: .one), scale: Calibration.Scale(x: 1 << 29, y: 1 << 29, z: 1 << 29))
    for x in MountingTests.axes {
      for y in MountingTests.axes {
        for z in MountingTests.axes
        where MountingTests.determinant(MountingTests.unit(x), MountingTests.unit(y), MountingTests.unit(z)) == 1 {
          let mounting = try Mounting(x: x, y: y, z: z)
          let alignment = Alignment(ofForce, mounting)
          for _ in 0..<100 {
            func rate() -> Q16 { Q16(raw: Int32.random(in: -131_072_000...131_072_000, using: &generator)) }
            let vector = Vector3(x: rate(), y: rate(), z: rate())
            expect(alignment.applied(toRotation: vector), equals: mounting.applied(to: vector))
          }
        }
      }
    }
  }

  @Test
  static func `bias and scale correct each axis of the gyroscope before the mounting turns it`() throws {
    var generator = SplitMix64(seed: 8)
    for _ in 0..<2_000 {
      func rate(_ greatest: Int32) -> Q16 {
        Q16(raw: Int32.random(in: (-greatest * 65_536)...(greatest * 65_536), using: &generator))
      }
      func factor() -> Int32 { Int32.random(in: (1 << 29)...Int32.max, using: &generator) }
      let bias = Vector3(x: rate(40), y: rate(40), z: rate(40))
      let scale = Calibration.Scale(x: factor(), y: factor(), z: factor())
      let alignment = Alignment(
        .none, try Mounting(x: .minusY, y: .plusX, z: .plusZ),
        rotation: try Calibration(offset: bias, scale: scale))
      let measured = Vector3(x: rate(2_000), y: rate(2_000), z: rate(2_000))
      func model(_ value: Q16, _ bias: Q16, _ scale: Int32) -> Double {
        Double(value.raw - bias.raw) / 65_536 * Double(scale) / 1_073_741_824
      }
      let result = alignment.applied(toRotation: measured)
      let half = 0.5000001 / 65_536
      expect(abs(double(result.x) + model(measured.y, bias.y, scale.y)), isAtMost: half)
      expect(abs(double(result.y) - model(measured.x, bias.x, scale.x)), isAtMost: half)
      expect(abs(double(result.z) - model(measured.z, bias.z, scale.z)), isAtMost: half)
      expect(
        alignment.applied(to: measured),
        equals: Alignment(.none, try Mounting(x: .minusY, y: .plusX, z: .plusZ)).applied(to: measured))
    }
  }

  @Test
  static func `a rotation at the ends of the range saturates`() throws {
    let ends = Vector3(x: Q16(raw: .max), y: Q16(raw: .min), z: Q16(raw: .max))
    let opposite = Vector3(x: Q16(raw: .min), y: Q16(raw: .max), z: Q16(raw: .min))
    let scale = Calibration.Scale(x: .max, y: .max, z: .max)
    let result = Alignment(rotation: try Calibration(offset: opposite, scale: scale)).applied(toRotation: ends)
    expect(result, equals: ends)
    expect(Alignment().applied(toRotation: ends), equals: ends)
  }

  private static func double(_ value: Q16) -> Double { Double(value.raw) / 65_536 }
}
