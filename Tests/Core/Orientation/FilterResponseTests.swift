import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// A gain and a phase, as a complex number.
struct Response {
  var real = 0.0
  var imaginary = 0.0

  var gain: Double { (real * real + imaginary * imaginary).squareRoot() }
  /// In radians; negative if the result is late.
  var phase: Double { atan2(imaginary, real) }

  static func * (a: Response, b: Response) -> Response {
    Response(
      real: a.real * b.real - a.imaginary * b.imaginary, imaginary: a.real * b.imaginary + a.imaginary * b.real)
  }

  static func / (a: Response, b: Response) -> Response {
    let size = b.real * b.real + b.imaginary * b.imaginary
    return a * Response(real: b.real / size, imaginary: -b.imaginary / size)
  }

  /// 1 / (1 + jωRC), in continuous time.
  static func lowPass(_ hertz: Double, _ timeConstant: Double) -> Response {
    Response(real: 1) / Response(real: 1, imaginary: 2 * .pi * hertz * timeConstant)
  }

  /// jωRC / (1 + jωRC), in continuous time.
  static func highPass(_ hertz: Double, _ timeConstant: Double) -> Response {
    let turn = 2 * Double.pi * hertz * timeConstant
    return Response(imaginary: turn) / Response(real: 1, imaginary: turn)
  }

  /// k / (1 - (1 - k) / z): the recursion itself, at one rate.
  static func lowPass(gain k: Double, _ turn: Double) -> Response {
    Response(real: k) / Response(real: 1 - (1 - k) * cos(turn), imaginary: (1 - k) * sin(turn))
  }

  /// k (1 - 1/z) / (1 - k/z).
  static func highPass(gain k: Double, _ turn: Double) -> Response {
    Response(real: k * (1 - cos(turn)), imaginary: k * sin(turn))
      / Response(real: 1 - k * cos(turn), imaginary: k * sin(turn))
  }
}

/// Filters to test with a sine.
enum TriedFilter: CaseIterable {
  case lowPass, highPass, adaptiveLowPass, adaptiveHighPass
}

/// The response to a sine on X beside 1 g (or nothing) on Y: the least-squares fit of a sine, a cosine and a constant
/// to the settled results.
struct SineTrial {
  var filter = TriedFilter.lowPass
  var hertz = 1.0
  var amplitude = 1.0
  var gravity = 1.0
  /// Seconds between samples: even, or from 0.5 to 1.5 times this.
  var period = 0.01
  var isUneven = false
  static let timeConstant = 0.2

  func response() -> Response {
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

struct FilterResponseTests {
  static let frequencies = [0.1, 0.3, 0.8, 2, 5, 12]

  private func check(
    _ measured: Response, _ expected: Response, gain: Double, phase: Double, _ comment: Comment
  ) {
    let ratio = 20 * log10(measured.gain / expected.gain)
    var turn = measured.phase - expected.phase
    if turn > .pi { turn -= 2 * .pi }
    if turn < -.pi { turn += 2 * .pi }
    expect(abs(ratio), isBelow: gain, "\(comment): \(ratio) dB")
    expect(abs(turn * 180 / .pi), isBelow: phase, "\(comment): \(turn * 180 / .pi)°")
  }

  @Test(arguments: frequencies)
  func `at even 100 Hz gain and phase match the recursion within 0.01 dB and 0.05°`(hertz: Double) {
    let turn = 2 * Double.pi * hertz * 0.01
    let k = 0.01 / 0.21
    let low = SineTrial(filter: .lowPass, hertz: hertz).response()
    check(low, .lowPass(gain: k, turn), gain: 0.01, phase: 0.05, "low-pass")
    let high = SineTrial(filter: .highPass, hertz: hertz).response()
    check(high, .highPass(gain: 1 - k, turn), gain: 0.01, phase: 0.05, "high-pass")
  }

  // The recursion is the backward difference of the continuous-time filter, which is off by about half a sample: ω dt
  // / 2 in phase (2.2° at 12 Hz and 1 kHz), and at most as much in gain.
  @Test(arguments: frequencies, [false, true])
  func `at 1 kHz, even or not, gain and phase match a first-order filter in continuous time`(
    hertz: Double, isUneven: Bool
  ) {
    let halfSample = 2 * Double.pi * hertz * 0.001 / 2
    let (gain, phase) = (0.03 + 20 * log10(1 + halfSample), 0.15 + 1.3 * halfSample * 180 / .pi)
    let low = SineTrial(filter: .lowPass, hertz: hertz, period: 0.001, isUneven: isUneven).response()
    check(low, .lowPass(hertz, SineTrial.timeConstant), gain: gain, phase: phase, "low-pass")
    let high = SineTrial(filter: .highPass, hertz: hertz, period: 0.001, isUneven: isUneven).response()
    check(high, .highPass(hertz, SineTrial.timeConstant), gain: gain, phase: phase, "high-pass")
  }

  @Test(arguments: frequencies)
  func `uneven samples of 5 to 15 ms respond like even ones of 10 ms within 0.5 dB and 3°`(hertz: Double) {
    for filter in [TriedFilter.lowPass, .highPass] {
      let even = SineTrial(filter: filter, hertz: hertz).response()
      let uneven = SineTrial(filter: filter, hertz: hertz, isUneven: true).response()
      check(uneven, even, gain: 0.5, phase: 3, "\(filter)")
    }
  }

  @Test(arguments: frequencies)
  func `a very small movement passes the adaptive low-pass with a third of the gain`(hertz: Double) {
    // 0.03 g across 1 g lengthen it by 0.00045 g: d is 0.
    let low = SineTrial(filter: .adaptiveLowPass, hertz: hertz, amplitude: 0.03).response()
    check(low, .lowPass(gain: 0.01 / 0.21 / 3, 2 * .pi * hertz * 0.01), gain: 0.03, phase: 0.2, "low-pass")
  }

  @Test(arguments: frequencies)
  func `the adaptive high-pass has full gain for small motion alone, and a third of it with gravity`(
    hertz: Double
  ) {
    let turn = 2 * Double.pi * hertz * 0.01
    // Not quite alone, because a force of exactly 0 would restart the filter.
    let alone = SineTrial(filter: .adaptiveHighPass, hertz: hertz, amplitude: 0.015, gravity: 0.001).response()
    check(alone, .highPass(gain: 0.2 / 0.21, turn), gain: 0.05, phase: 0.3, "alone")
    let beside = SineTrial(filter: .adaptiveHighPass, hertz: hertz, amplitude: 0.5).response()
    check(beside, .highPass(gain: 0.2 / 0.21 / 3, turn), gain: 0.05, phase: 0.3, "beside gravity")
  }

  @Test func `after a large step the adaptive low-pass is as fast as the plain one, after a small one slower`() {
    func rest(after jump: Double) -> (adaptive: Double, plain: Double) {
      var (adaptive, plain) = (AdaptiveLowPass(), LowPass())
      var results = (Vector3.zero, Vector3.zero)
      for step in 0...20 {
        let force = Force(y: step == 0 ? 1 : 1 + jump).vector
        let now = Instant(microseconds: Int64(step) * 10_000)
        results = (adaptive.step(force, at: now), plain.step(force, at: now, LowPass.Configuration()))
      }
      func rest(_ vector: Vector3) -> Double { 1 - (vector.doubles[1] - 1) / jump }
      return (rest(results.0), rest(results.1))
    }
    let (large, small) = (rest(after: 1), rest(after: 0.015))
    expect(abs(large.adaptive - large.plain), isBelow: 0.001)
    // After 20 samples: (1 - k)^20 and (1 - k/3)^20, with k = 1/21.
    expect(abs(small.plain - 0.3769), isBelow: 0.002)
    expect(abs(small.adaptive - 0.7259), isBelow: 0.002)
  }
}
