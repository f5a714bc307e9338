import FixedPoint
import Sensors
import Testing

@Suite struct LikenessTests {
  @Test func `an ADXL345 within its tolerances is told by 1 g, whichever way it lies`() {
    // 230 to 282 LSB/g, and ±150, ±150 and ±250 mg of offset.
    for sensitivity in [230, 256, 282] as [Int32] {
      for (x, y, z) in [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)] as [(Int32, Int32, Int32)]
      {
        for sign in [-1, 0, 1] as [Int32] {
          let rest = Still(
            x: x * sensitivity + 38 * sign, y: y * sensitivity - 38 * sign, z: z * sensitivity + 64 * sign)
          #expect(ADXL345.likeness(atRest: rest.vector) == .adxl345)
        }
      }
    }
  }

  @Test func `an ADXL375 is told by a twelfth of that`() {
    // 49 mg/LSB: 20.4 LSB at 1 g.
    for force in [
      Still(x: 0, y: 0, z: 20), Still(x: -21, y: 0, z: 0), Still(x: 12, y: 12, z: -12), Still(x: 0, y: 8, z: 29),
    ] {
      #expect(ADXL345.likeness(atRest: force.vector) == .adxl375)
    }
  }

  @Test func `nothing, next to nothing and far too much are neither`() {
    for z in [0, 1, 4, 60, 100, 127, 400, 512, 4_095, -4_096] as [Int32] {
      #expect(ADXL345.likeness(atRest: Still(x: 0, y: 0, z: z).vector) == .neither)
    }
    let extreme = Q16(raw: Int32.min)
    #expect(ADXL345.likeness(atRest: Vector3(x: extreme, y: extreme, z: extreme)) == .neither)
  }
}
