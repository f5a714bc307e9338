package import FixedPoint
import Glibc
import Orientation
import TestSupport

/// Both adaptive filters in Double, written from the published recipe.
package struct AdaptiveModel {
  package var timeConstant = 0.2
  package var smallestStep = 0.02
  package var attenuation = 3.0
  package var isHighPass = false
  package private(set) var y = [0.0, 0.0, 0.0]
  private var previous = [0.0, 0.0, 0.0]
  package private(set) var movement = 0.0

  package init(timeConstant: Double = 0.2, isHighPass: Bool = false) {
    self.timeConstant = timeConstant
    self.isHighPass = isHighPass
  }

  package mutating func start(_ x: [Double]) {
    y = isHighPass ? [0, 0, 0] : x
    previous = x
  }

  package mutating func step(_ x: [Double], after elapsed: Double) {
    func length(_ v: [Double]) -> Double { (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).squareRoot() }
    let d = min(1, max(0, abs(length(y) - length(x)) / smallestStep - 1))
    movement = d
    if isHighPass {
      let k = timeConstant / (elapsed + timeConstant)
      let gain = d * k / attenuation + (1 - d) * k
      for axis in 0..<3 { y[axis] = gain * (y[axis] + x[axis] - previous[axis]) }
    } else {
      let k = elapsed / (elapsed + timeConstant)
      let gain = (1 - d) * k / attenuation + d * k
      for axis in 0..<3 { y[axis] = gain * x[axis] + (1 - gain) * y[axis] }
    }
    previous = x
  }
}

extension Vector3 {
  /// The components as Double, in g.
  package var doubles: [Double] { [x, y, z].map { Double($0.raw) / 65_536 } }
}

/// The largest difference of a component, in LSB of Q16.16.
package func worstDifference(_ vector: Vector3, _ model: [Double]) -> Double {
  zip(vector.doubles, model).map { abs($0 - $1) * 65_536 }.max() ?? 0
}

extension Force {
  /// Rest, slow and fast turns, shaking and knocks, in sequence.
  package static func varied(_ step: Int, _ time: Double, _ generator: inout SplitMix64) -> Vector3 {
    let angle = time * [0, 10, 90, 0, 400][step / 400 % 5]
    var force = Force.held(at: angle, tilt: 20).noisy(0.004, &generator)
    if step / 400 % 5 == 3 { force.x += 1.5 * sin(2 * .pi * 5 * time) }
    if step % 997 == 0 { force.z += 4 }
    return force.vector
  }
}
