import FixedPoint
import Foundation
import Testing

/// That the tables of `sinCos` hold what their documentation says.
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
}
