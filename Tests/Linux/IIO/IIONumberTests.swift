import FixedPoint
import Foundation
import IIO
import TestSupport
import Testing
import Text

struct IIONumberTests {
  @Test(
    arguments: [
      ("0", 0), ("1", 1_000_000), ("-1", -1_000_000), ("+2.5", 2_500_000), ("0.000598550", 599), ("0.0000005", 1),
      ("0.00000049999", 0), ("-0.0000005", -1), ("12.500000000000", 12_500_000), ("007", 7_000_000),
      ("99999999999", 99_999_999_999_000_000),
    ] as [(String, Int64)])
  static func `a number is in units of its last place, rounded`(_ text: String, _ millionths: Int64) {
    expect(ShortText<64>(cutting: text).fixed(places: 6), equals: millionths)
  }

  @Test(arguments: [
    "", "-", "+", ".", ".5", "5.", "--1", "1-", "1,5", "1e3", "0x1", "one", " 1", "1 ", "99999999999999999999",
  ])
  static func `anything else is no number`(_ text: String) {
    expect(ShortText<64>(cutting: text).fixed(places: 6), equals: nil)
  }

  /// Scales of real parts, and the ends of what is taken.
  private static let scales: [Double] = [
    0.000_000_1, 0.000_598_550, 0.002_394_202, 0.009_582_000, 0.009_806_65, 0.038_344, 0.153_072, 0.6131, 1, 9.806_65,
    999,
  ]

  @Test(arguments: scales)
  static func `counts become g and degrees a second as a model in Double has them`(_ scale: Double) throws {
    for offset in [0.0, -10.5, 2_048, 2_000_000_000, -0.000_001] {
      for (quantity, unit) in [(IIOConversion.Quantity.force, 9.806_65), (.rotation, Double.pi / 180)] {
        let conversion = IIOConversion(
          quantity, scale: Int64((scale * 1e12).rounded()), offset: Int64((offset * 1e6).rounded()))
        guard let conversion else {
          // One count would be beyond every range.
          expect(scale / unit, isAbove: 16_383)
          continue
        }
        for count in [0, 1, -1, 127, -128, 2_047, 32_767, -32_768, 8_388_607, .max, .min] as [Int32] {
          let exact = (Double(count) + offset) * scale / unit * 65_536
          let clamped = min(2_147_483_647, max(-2_147_483_648, exact))
          let error = abs(Double(conversion.value(count).raw) - clamped)
          // One LSB, and the 31 bits of the factor.
          let largest = max(abs(Double(count)), abs(offset)) * scale / unit * 65_536
          expect(error, isAtMost: 1.01 + min(abs(largest), 1e15) / 1e9, "\(scale) \(offset) \(count)")
        }
      }
    }
  }

  @Test static func `a scale or an offset that no part has is refused`() {
    for scale in [0, -1, Int64.min, 1_000_000_000_000_001, Int64.max] {
      expect(IIOConversion(.force, scale: scale, offset: 0), equals: nil)
    }
    for offset in [Int64.max, -2_147_483_648_000_001, 2_147_483_648_000_001] {
      expect(IIOConversion(.force, scale: 1_000_000_000, offset: offset), equals: nil)
    }
    expect(IIOConversion(.force, scale: 1, offset: 2_147_483_648_000_000), isNot: nil)
  }

  @Test(arguments: [
    "1, 0, 0; 0, 1, 0; 0, 0, 1", "1,0,0;0,1,0;0,0,1", "1.000000, 0.000000, 0.000000; 0 1 0; 0 0 1;",
  ])
  static func `the matrix that changes nothing is known in every spelling`(_ text: String) {
    expect(MountMatrix(ShortText<256>(cutting: text))?.isIdentity, equals: true)
  }

  @Test static func `a matrix turns a vector as a model in Double does`() throws {
    let rows: [[Double]] = [[0.866_025_404, -0.5, 0], [0.5, 0.866_025_404, 0], [0, 0, -1]]
    let text = rows.map { $0.map { "\($0)" }.joined(separator: ", ") }.joined(separator: "; ")
    let matrix = try require(MountMatrix(ShortText<256>(cutting: text)))
    for vector in [(65_536, -131_072, 7), (Int32.max, Int32.max, Int32.min), (1, 0, -1)] as [(Int32, Int32, Int32)] {
      let turned = matrix.applied(to: Vector3(x: Q16(raw: vector.0), y: Q16(raw: vector.1), z: Q16(raw: vector.2)))
      for (row, value) in zip(rows, [turned.x.raw, turned.y.raw, turned.z.raw]) {
        let exact = row[0] * Double(vector.0) + row[1] * Double(vector.1) + row[2] * Double(vector.2)
        expect(abs(Double(value) - min(2_147_483_647, max(-2_147_483_648, exact))), isAtMost: 2.1)
      }
    }
  }

  @Test(
    arguments: [
      ("12.5 25 50 100 200", 100_000, "100"), ("12.5 25 50 100 200", 100_001, "200"), ("200 100 50", 60_000, "100"),
      ("1 2 3", 100_000, "3"), ("104.000000 ", 10_000, "104.000000"), ("[1 1 100]", 10_000, nil), ("", 10_000, nil),
      ("fast", 10_000, nil), ("10 fast", 10_000, nil), ("0 10", 10_000, nil), ("10,20", 15_000, nil),
    ] as [(String, Int32, String?)])
  static func `the lowest rate that is high enough is chosen, or else the highest`(
    _ list: String, _ millihertz: Int32, _ rate: String?
  ) {
    expect(ShortText<256>(cutting: list).rate(atLeast: millihertz)?.description, equals: rate)
  }
}
