import FixedPoint
import Foundation
import Testing

@Suite struct ArcTangentPolarTests {
  static let pairs = cornerPairs + randomPairs(500_000, seed: 51)

  @Test func `the angle is that of the arc tangent, exactly`() {
    let wrong = ArcTangentPolarTests.pairs.first { pair in
      let (y, x) = (pair.a, pair.b)
      return widePolar(y: y, x: x).angle != wideArcTangent(y: y, x: x)
        || narrowPolar(y: y, x: x).angle != narrowArcTangent(y: y, x: x)
    }
    #expect(wrong == nil)
  }

  @Test(arguments: [true, false])
  func `the length is within half an LSB and its share of the length`(_ isWide: Bool) {
    let share = isWide ? 4e-9 : 2.1e-8
    let wrong = ArcTangentPolarTests.pairs.first { pair in
      let polar = isWide ? widePolar(y: pair.a, x: pair.b) : narrowPolar(y: pair.a, x: pair.b)
      let exact = (Double(pair.a) * Double(pair.a) + Double(pair.b) * Double(pair.b)).squareRoot()
      return !(abs(Double(polar.length) - exact) <= 0.5 + share * exact)
    }
    #expect(wrong == nil, "\(String(describing: wrong))")
  }

  @Test func `on the axes the length is exact up to 24 bits`() {
    let wrong = values(50_000, seed: 52).first { value in
      value.magnitude < 1 << 24
        && [widePolar, narrowPolar].contains { polar in
          polar(value, 0).length != value.magnitude || polar(0, value).length != value.magnitude
        }
    }
    #expect(wrong == nil)
  }

  @Test func `the origin has no length, and the far corners have the greatest`() {
    for polar in [widePolar, narrowPolar] {
      #expect(polar(0, 0).length == 0)
      #expect(abs(Int64(polar(Int32.min, Int32.min).length) - 3_037_000_500) < 64)
    }
  }
}
