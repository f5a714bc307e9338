import FixedPoint
import Foundation
import Testing

/// That the tables hold what their documentation says, worked out here by another way than the generator's.
@Suite struct ArcTangentTableTests {
  @Test func `the cubics meet the arc tangent less whole steps at the Chebyshev nodes`() {
    for segment in 0..<64 {
      let steps = Double(segment) * 0x1p23
      let cubic = Newton(-0.5, 0.5) { arcTangent((Double(segment) + 0.5 + $0) / 64) - steps }.coefficients
      let expected = [cubic[3] * 0x1p8, cubic[2] * 0x1p7 + 0.5, cubic[1] * 0x1p6 + 0.5, cubic[0] * 0x1p5 + 16.5]
      for (column, value) in expected.enumerated() {
        let entry = Double(arcTangents[4 * segment + column])
        #expect(abs(entry - value) < 0.51, "\(segment), \(column)")
      }
    }
  }

  @Test func `the lines for the reciprocal err as much at both ends as in the middle`() {
    for segment in 0..<128 {
      let ends = (1 + Double(segment) / 128, 1 + Double(segment + 1) / 128)
      let errors = [ends.0, (ends.0 + ends.1) / 2, ends.1].map { place in
        (Double(reciprocals[2 * segment]) * 0x1p-29 - Double(reciprocals[2 * segment + 1]) * 0x1p-30 * place) * place
          - 1
      }
      #expect(abs(errors[0] - errors[2]) < 1e-8 && abs(errors[0] + errors[1]) < 1e-8, "\(segment)")
      #expect(errors.allSatisfy { abs($0) < 7.6e-6 }, "\(segment)")
    }
  }

  /// The arc tangent in 2^-32 turn.
  private func arcTangent(_ ratio: Double) -> Double { atan(ratio) / (2 * .pi) * 0x1p32 }
}

/// The polynomial that meets a function at the Chebyshev nodes of an interval, by Newton's divided differences.
/// See `coefficients`.
struct Newton {
  /// The coefficients, lowest degree first.
  let coefficients: [Double]

  init(_ start: Double, _ end: Double, degree: Int = 3, of function: (Double) -> Double) {
    let count = degree + 1
    let nodes = (0..<count).map { node in
      (start + end - (end - start) * cos(.pi * Double(2 * node + 1) / Double(2 * count))) / 2
    }
    var differences = nodes.map(function)
    for order in 1..<count {
      for index in stride(from: count - 1, through: order, by: -1) {
        differences[index] = (differences[index] - differences[index - 1]) / (nodes[index] - nodes[index - order])
      }
    }
    // Horner's scheme on polynomials: times (t - node), plus the difference before.
    var result = [0.0]
    for index in stride(from: count - 1, through: 0, by: -1) {
      var next = [differences[index]] + result
      for power in result.indices { next[power] -= nodes[index] * result[power] }
      result = next
    }
    coefficients = Array(result.prefix(count))
  }
}
