import FixedPoint
import Foundation
import Testing

/// That the tables of `sinCos` and `polar` hold what their documentation says.
@Suite struct SinCosTableTests {
  @Test func `the wide sines are those of the middles of 256 segments of the turn`() {
    for segment in 0..<320 {
      let exact = sin(2 * .pi * (Double(segment) + 0.5) / 256) + 0x1p-32
      #expect(abs(Double(wideSines[segment]) * 0x1p-62 - exact) < 1e-15, "\(segment)")
    }
  }

  @Test func `the narrow sines are those of the middles of 64 segments of the quarter turn, rounded`() {
    for segment in 0..<64 {
      let exact = sin(.pi / 2 * (Double(segment) + 0.5) / 64) * 0x1p32
      #expect(abs(Double(narrowSines[segment]) - exact) < 0.500_01, "\(segment)")
    }
  }

  @Test func `the parabolas meet the secant at the Chebyshev nodes`() {
    for segment in 0..<128 {
      let expected = Newton(0, 1, degree: 2) { secant((Double(segment) + $0) / 128) }.coefficients
      for degree in 0...2 {
        let entry = Double(widePolarSecants[128 * (2 - degree) + segment]) * 0x1p-31
        #expect(abs(entry - expected[degree]) < 0x1p-31, "\(segment), \(degree)")
      }
    }
    for segment in 0..<64 {
      let expected = Newton(-0.5, 0.5, degree: 2) { secant((Double(segment) + 0.5 + $0) / 64) - 1 }.coefficients
      for (degree, unit) in [0x1p-31, 0x1p-32, 0x1p-33].enumerated() {
        let entry = Double(narrowPolarSecants[64 * (2 - degree) + segment]) * unit
        #expect(abs(entry - expected[degree]) < unit, "\(segment), \(degree)")
      }
    }
  }

  /// √(1 + q²).
  private func secant(_ q: Double) -> Double { (1 + q * q).squareRoot() }
}
