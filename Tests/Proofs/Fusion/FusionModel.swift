import Foundation

/// The fusion as described in docs/fusion.md, in Double and with a quaternion: the force rotated into the frame of
/// the start, smoothed there by a second-order filter with a damping of one half, and rotated back.
///
/// The rotation is exact, by sine and cosine, where the core approximates. The gyroscope's bias is a parameter.
struct FusionModel {
  /// From the board's frame to that of the start; its real part is last.
  private var attitude = SIMD4<Double>(0, 0, 0, 1)
  private var smoothed: SIMD3<Double>?
  private var trend = SIMD3<Double>.zero
  private var lastInverse = SIMD4<Double>(0, 0, 0, 1)
  private var lastRate = SIMD3<Double>.zero
  private let timeConstant: Double

  init(timeConstant: Double) { self.timeConstant = timeConstant }

  /// Takes a sample, `elapsed` seconds after the one before; returns up in the board's frame, half a sample later.
  mutating func step(_ force: SIMD3<Double>, rate: SIMD3<Double>, elapsed: Double) -> SIMD3<Double> {
    let turn = (rate + lastRate) / 2 * (.pi / 180) * elapsed
    lastRate = rate
    attitude = product(attitude, rotation(turn))
    attitude /= (attitude * attitude).sum().squareRoot()
    let goal = turned(force, by: attitude)
    guard let before = smoothed else {
      smoothed = goal
      return force / force.length
    }
    // T s' = trend, T trend' = goal - s - trend, in steps.
    let gain = 1 - exp(-elapsed / timeConstant)
    trend += (goal - before - trend) * gain
    let after = before + trend * gain
    smoothed = after
    // A sample is the mean of the period that ends with it, so gravity is extrapolated by half of its last change.
    let inverse = attitude * SIMD4(-1, -1, -1, 1)
    let now = turned(after, by: inverse)
    let last = turned(before, by: lastInverse)
    lastInverse = inverse
    let led = now + (now - last) / 2
    return led / led.length
  }

  private func rotation(_ vector: SIMD3<Double>) -> SIMD4<Double> {
    let angle = vector.length
    let share = angle > 1e-12 ? sin(angle / 2) / angle : 0.5
    return SIMD4(vector * share, cos(angle / 2))
  }

  private func product(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> {
    let (u, v) = (SIMD3(a.x, a.y, a.z), SIMD3(b.x, b.y, b.z))
    return SIMD4(v * a.w + u * b.w + u.cross(v), a.w * b.w - u.dot(v))
  }

  private func turned(_ vector: SIMD3<Double>, by q: SIMD4<Double>) -> SIMD3<Double> {
    let result = product(product(q, SIMD4(vector, 0)), q * SIMD4(-1, -1, -1, 1))
    return SIMD3(result.x, result.y, result.z)
  }
}
