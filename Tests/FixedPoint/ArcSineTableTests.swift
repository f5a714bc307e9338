import FixedPoint
import Foundation
import Testing

/// That the tables hold what their documentation says, worked out here by another way than the generator's.
@Suite struct ArcSineTableTests {
  @Test func `the quartics of the ratio meet it at the Chebyshev nodes`() {
    for row in 0..<16 {
      let expected = Newton(-0.5, 0.5, degree: 4) { 1 - 4 * ratio((Double(row) + 0.5 + $0) / 16) }.coefficients
      for degree in 0...4 {
        let bias = degree == 0 ? 3 : degree == 4 ? 0 : 0.5
        let entry = (Double(arcRatios[16 * (4 - degree) + row]) - bias) * 0x1p-34
        #expect(abs(entry - expected[degree]) < 1e-10, "\(row), \(degree)")
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
