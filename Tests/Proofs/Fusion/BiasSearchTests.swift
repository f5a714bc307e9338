import FixedPoint
import Foundation
import Orientation
import Testing

/// The search for the gyroscope's bias before the first rest, with its own filter, in Double and with exact
/// rotations.
private struct BiasSearchModel {
  /// The unit in which the knowledge of an axis is counted: 2^40 µs², in s².
  private static let unit = 0x1p40 / 1e12

  private(set) var bias: SIMD3<Double>
  private var known: SIMD3<Double>
  private var speed = 0.0
  private var smoothed: SIMD3<Double>
  private var trend = SIMD3<Double>.zero
  private var led: SIMD3<Double>
  private var rate: SIMD3<Double>
  private var age = 0.0

  /// Begins with a sample that showed `rate`; a nil `bias` is unknown.
  init(_ force: SIMD3<Double>, _ rate: SIMD3<Double>, bias: SIMD3<Double>?) {
    (smoothed, led) = (force, force)
    // Until the board moves, the rate of the first sample counts as the bias, within its limits.
    self.rate = rate - (bias ?? Self.limited(rate))
    self.bias = bias ?? .zero
    known = SIMD3(repeating: Self.unit * (bias == nil ? 1 : 15))
  }

  /// Takes a sample of a moving board, `elapsed` seconds after the one before.
  mutating func step(_ force: SIMD3<Double>, _ rotation: SIMD3<Double>, _ elapsed: Double) {
    let before = smoothed
    let turn = (rotation - bias + rate) / 2 * elapsed
    rate = rotation - bias
    let stage = min(0.02 + min(age, 0.85) + max(0, age - 0.85) / 16, 2.2)
    age += elapsed
    // A long step rotates before it searches.
    let isLong = elapsed > 0.016_384
    if isLong { self.turn(by: turn) }
    search(stage, elapsed)
    if !isLong { self.turn(by: turn) }
    // 1 - exp(-share) by three terms.
    let share = min(1, elapsed / stage)
    let gain = share - share * share / 2 + share * share * share / 6
    trend += (force - smoothed - trend) * gain
    smoothed += trend * gain
    led = smoothed + (smoothed - before) * min(0.5, 0.01 / elapsed)
  }

  private mutating func turn(by turn: SIMD3<Double>) {
    guard turn.length > 0 else { return }
    let axis = turn / turn.length
    smoothed = smoothed.turned(about: axis, by: -turn.length)
    trend = trend.turned(about: axis, by: -turn.length)
  }

  private mutating func search(_ stage: Double, _ elapsed: Double) {
    // Over half a second; a rate of 300 °/s halves a sample's weight.
    speed += ((rate * rate).sum() - speed) * elapsed / 0.5
    let fast = speed / (300 * 300)
    let weight = elapsed / (1 + fast * fast)
    let up = led / led.length
    known = pointwiseMin(known, SIMD3(repeating: 15 * Self.unit)) + (1 - up * up) * (weight * stage)
    let wanted = -weight * trend.cross(smoothed) / known * (180 / .pi)
    let most = SIMD3(repeating: 1.25e6 / 65_536 * elapsed)
    bias = Self.limited(bias + wanted.clamped(lowerBound: -most, upperBound: most))
  }

  private static func limited(_ bias: SIMD3<Double>) -> SIMD3<Double> {
    bias.clamped(lowerBound: SIMD3(repeating: -40), upperBound: SIMD3(repeating: 40))
  }
}

struct BiasSearchTests {
  struct Row: Sendable {
    /// Seconds from sample to sample, and the allowed error of the bias, °/s: truncated last bits add up over many
    /// samples, and the core's rotation is inexact for large ones.
    var period: Double
    var limit: Double
    /// How fast the board turns back and forth, °/s, and the pushes on it, g.
    var speed: Double
    var push: Double
    /// The true bias, and its known value before; °/s.
    var bias: SIMD3<Double>
    var known: SIMD3<Double>?
  }

  static let table: [Row] = {
    var rows: [Row] = []
    for (period, limit) in [(0.002, 0.15), (0.01, 0.03), (0.016, 0.03), (0.04, 0.2)] {
      for (speed, push) in [(40.0, 0.0), (40, 1), (250, 0), (250, 1), (700, 0), (700, 1)] {
        for bias in [SIMD3(12.0, -17, 4), SIMD3(60.0, -55, 70)] {
          rows.append(Row(period: period, limit: limit, speed: speed, push: push, bias: bias, known: nil))
          rows.append(Row(period: period, limit: limit, speed: speed, push: push, bias: bias, known: SIMD3(3, -9, 6)))
        }
      }
    }
    return rows
  }()

  @Test static func `without any rest the bias matches a model in Double and changes by at most 19 °/s per second`() {
    for row in Self.table {
      // 1.25 units of the last bit per microsecond.
      let most = Int32((1.25e6 * row.period).rounded())
      var (fall, rise): (Int32, Int32) = (0, 0)
      var up = SIMD3(0.6, 0.0, 0.8)
      var fusion = Fusion(Fusion.Configuration(bias: q16(row.known ?? .zero)))
      var model: BiasSearchModel?
      var worst = 0.0
      for index in 0..<Int(30 / row.period) {
        let time = Double(index) * row.period
        let rate = SIMD3(sin(2.3 * time + 1), sin(3.1 * time + 2), sin(1.7 * time + 0.5)) * row.speed
        let force = up + SIMD3(sin(5 * time), cos(4 * time), sin(3 * time)) * row.push
        // The first sample differs, so that the second one is movement.
        let measured = (force: q16(force), rate: q16(rate + row.bias + (index == 0 ? 60 : 0)))
        let before = fusion.bias
        _ = fusion.step(
          measured.force, rotation: measured.rate, at: Instant(microseconds: Int64((time * 1e6).rounded())))
        if index == 0 {
          model = BiasSearchModel(measured.force.double, measured.rate.double, bias: row.known)
        } else {
          model?.step(measured.force.double, measured.rate.double, row.period)
          let off = fusion.bias.double - (model?.bias ?? .zero)
          worst = max(worst, off.length)
          // The second sample discards the guess made from the first one.
          for (now, before) in [(fusion.bias.x, before.x), (fusion.bias.y, before.y), (fusion.bias.z, before.z)]
          where index > 1 {
            (fall, rise) = (min(fall, now.raw - before.raw), max(rise, now.raw - before.raw))
          }
        }
        let turn = rate * row.period
        up = up.turned(about: turn / turn.length, by: -turn.length)
      }
      // Pushes would change it by more than that while nothing is known yet.
      let isPushed = row.push > 0 && row.known == nil && row.speed < 700
      let isLimited = isPushed ? (fall, rise) == (-most, most) : fall >= -most && rise <= most
      if worst > row.limit || !isLimited { Issue.record("\(row): \(worst) °/s; \(fall), \(rise) of \(most)") }
    }
  }
}
