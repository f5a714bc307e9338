import FixedPoint
import Glibc
import Orientation
import TestSupport

/// A gain and a phase, as a complex number.
package struct Response {
  package var real = 0.0
  package var imaginary = 0.0

  package init(real: Double = 0, imaginary: Double = 0) { (self.real, self.imaginary) = (real, imaginary) }

  package var gain: Double { (real * real + imaginary * imaginary).squareRoot() }
  /// In radians; negative if the result is late.
  package var phase: Double { atan2(imaginary, real) }

  package static func * (a: Response, b: Response) -> Response {
    Response(
      real: a.real * b.real - a.imaginary * b.imaginary, imaginary: a.real * b.imaginary + a.imaginary * b.real)
  }

  package static func / (a: Response, b: Response) -> Response {
    let size = b.real * b.real + b.imaginary * b.imaginary
    return a * Response(real: b.real / size, imaginary: -b.imaginary / size)
  }

  /// 1 / (1 + jωRC), in continuous time.
  package static func lowPass(_ hertz: Double, _ timeConstant: Double) -> Response {
    Response(real: 1) / Response(real: 1, imaginary: 2 * .pi * hertz * timeConstant)
  }

  /// jωRC / (1 + jωRC), in continuous time.
  package static func highPass(_ hertz: Double, _ timeConstant: Double) -> Response {
    let turn = 2 * Double.pi * hertz * timeConstant
    return Response(imaginary: turn) / Response(real: 1, imaginary: turn)
  }

  /// k / (1 - (1 - k) / z): the recursion itself, at one rate.
  package static func lowPass(gain k: Double, _ turn: Double) -> Response {
    Response(real: k) / Response(real: 1 - (1 - k) * cos(turn), imaginary: (1 - k) * sin(turn))
  }

  /// k (1 - 1/z) / (1 - k/z).
  package static func highPass(gain k: Double, _ turn: Double) -> Response {
    Response(real: k * (1 - cos(turn)), imaginary: k * sin(turn))
      / Response(real: 1 - k * cos(turn), imaginary: k * sin(turn))
  }
}

/// Filters to test with a sine.
package enum TriedFilter: CaseIterable {
  case lowPass, highPass, adaptiveLowPass, adaptiveHighPass
}

/// The response to a sine on X beside 1 g (or nothing) on Y: the least-squares fit of a sine, a cosine and a constant
/// to the settled results.
package struct SineTrial {
  package var filter = TriedFilter.lowPass
  package var hertz = 1.0
  package var amplitude = 1.0
  package var gravity = 1.0
  /// Seconds between samples: even, or from 0.5 to 1.5 times this.
  package var period = 0.01
  package var isUneven = false
  package static let timeConstant = 0.2

  package init(
    filter: TriedFilter = .lowPass, hertz: Double = 1, amplitude: Double = 1, gravity: Double = 1,
    period: Double = 0.01, isUneven: Bool = false
  ) {
    (self.filter, self.hertz, self.amplitude) = (filter, hertz, amplitude)
    (self.gravity, self.period, self.isUneven) = (gravity, period, isUneven)
  }

  package func response() -> Response {
    let plain = LowPass.Configuration(timeConstant: Microseconds(Int64(Self.timeConstant * 1e6)))
    var (low, high) = (LowPass(), HighPass())
    let adaptive = AdaptiveFilterConfiguration(plain)
    var (adaptiveLow, adaptiveHigh) = (AdaptiveLowPass(adaptive), AdaptiveHighPass(adaptive))
    var generator = SplitMix64(seed: 41)
    var fit = LeastSquares()
    let turns = 2 * Double.pi * hertz
    let (settled, end) = (10.0, 10.0 + max(20, 20 / hertz))
    var count: Int64 = 0
    while Double(count) / 1e6 < end {
      let time = Double(count) / 1e6
      let force = Force(x: amplitude * sin(turns * time), y: gravity).vector
      let now = Instant(microseconds: count)
      let result =
        switch filter {
        case .lowPass: low.step(force, at: now, plain)
        case .highPass: high.step(force, at: now, plain)
        case .adaptiveLowPass: adaptiveLow.step(force, at: now)
        case .adaptiveHighPass: adaptiveHigh.step(force, at: now)
        }
      if time > settled { fit.add(sin(turns * time), cos(turns * time), Double(result.x.raw) / 65_536 / amplitude) }
      let step = period * (isUneven ? Double.random(in: 0.5...1.5, using: &generator) : 1)
      count += Int64((step * 1e6).rounded())
    }
    return fit.solution
  }
}

/// a · sine + b · cosine + c, fitted by the normal equations.
struct LeastSquares {
  private var matrix = [[Double]](repeating: [Double](repeating: 0, count: 4), count: 3)

  mutating func add(_ sine: Double, _ cosine: Double, _ value: Double) {
    let row = [sine, cosine, 1, value]
    for i in 0..<3 {
      for j in 0..<4 { matrix[i][j] += row[i] * row[j] }
    }
  }

  var solution: Response {
    var m = matrix
    for i in 0..<3 {
      for k in 0..<3 where k != i {
        let factor = m[k][i] / m[i][i]
        for j in 0..<4 { m[k][j] -= factor * m[i][j] }
      }
    }
    return Response(real: m[0][3] / m[0][0], imaginary: m[1][3] / m[1][1])
  }
}
