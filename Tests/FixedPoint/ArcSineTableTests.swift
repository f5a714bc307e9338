import FixedPoint
import Foundation
import Testing

/// That the tables hold what their documentation says, worked out here by another way than the generator's.
@Suite struct ArcSineTableTests {
  /// What `Double` and the division by differences of nodes leave of a coefficient, relative to the function's scale.
  private static let noise = 1e-10

  @Test func `the wide quartics meet the root at the Chebyshev nodes`() {
    #expect((0..<16).allSatisfy { row in (0..<5).allSatisfy { wideRoots[64 * $0 + row] == 0 } })
    for row in 16..<64 {
      let expected = Newton(0, 1, degree: 4) { ((Double(row) + $0) / 16).squareRoot() }.coefficients
      for degree in 0...4 {
        let entry = Double(wideRoots[64 * (4 - degree) + row]) * (degree == 0 ? 0x1p-62 : 0x1p-36)
        #expect(abs(entry - expected[degree]) < ArcSineTableTests.noise, "\(row), \(degree)")
      }
    }
  }

  @Test func `the quartics of the ratio meet it at the Chebyshev nodes`() {
    for row in 0..<16 {
      let wide = Newton(0, 1, degree: 4) { ratio((Double(row) + $0) / 16) }.coefficients
      let narrow = Newton(-0.5, 0.5, degree: 4) { 1 - 4 * ratio((Double(row) + 0.5 + $0) / 16) }.coefficients
      for degree in 0...4 {
        let entry = Double(wideArcRatios[16 * (4 - degree) + row]) * (degree == 0 ? 0x1p-64 : 0x1p-38)
        #expect(abs(entry - wide[degree]) < ArcSineTableTests.noise, "\(row), \(degree)")
        let bias = degree == 0 ? 3 : degree == 4 ? 0 : 0.5
        let short = (Double(narrowArcRatios[16 * (4 - degree) + row]) - bias) * 0x1p-34
        #expect(abs(short - narrow[degree]) < ArcSineTableTests.noise, "\(row), \(degree)")
      }
    }
  }

  @Test func `the lines for the inverse root err by 1_4e-5 at most`() {
    for row in 0..<192 {
      let (start, slope) = (Double(inverseRoots[row] >> 12) * 0x1p-19, Double(inverseRoots[row] & 0xFFF) * 0x1p-19)
      for part in 0...16 {
        let place = Double(part) / 16
        let exact = 1 / ((Double(row + 64) + place) / 64).squareRoot()
        #expect(abs((start - slope * place) / exact - 1) < 1.4e-5, "\(row), \(part)")
      }
    }
  }

  /// acos(s) / √(1 - s) in turns.
  private func ratio(_ s: Double) -> Double {
    // 1 - s is exact, so that the half angle's sine keeps all digits up to s = 1.
    let half = ((1 - s) / 2).squareRoot()
    return 2 * asin(half) / (2 * .pi * (1 - s).squareRoot())
  }
}
