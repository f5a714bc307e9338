import FixedPoint
import Foundation
import Testing

/// That the tables of `sinCos` hold what their documentation says.
@Suite struct SinCosTableTests {
  @Test func `the sines are those of the middles of 64 segments of the quarter turn, rounded`() {
    for segment in 0..<64 {
      let exact = sin(.pi / 2 * (Double(segment) + 0.5) / 64) * 0x1p32
      #expect(abs(Double(middleSines[segment]) - exact) < 0.500_01, "\(segment)")
    }
  }
}
