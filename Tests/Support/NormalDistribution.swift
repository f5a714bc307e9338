package import FixedPoint
import Glibc

extension SplitMix64 {
  /// A number from the normal distribution (Box and Muller).
  package mutating func normal() -> Double {
    let radius = (-2 * log(Double.random(in: Double.leastNormalMagnitude..<1, using: &self))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }
}
