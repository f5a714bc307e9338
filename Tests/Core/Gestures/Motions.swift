import FixedPoint
import Glibc
import TestSupport

/// Vectors and motions in Double, for the tests alone.
struct ForceInG: Equatable {
  var x = 0.0
  var y = 0.0
  var z = 0.0

  static func + (a: ForceInG, b: ForceInG) -> ForceInG { ForceInG(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }
  static func * (a: ForceInG, factor: Double) -> ForceInG {
    ForceInG(x: a.x * factor, y: a.y * factor, z: a.z * factor)
  }

  var length: Double { (x * x + y * y + z * z).squareRoot() }
  var unit: ForceInG { self * (1 / length) }

  /// Clipped to ±`limit` on each axis, as by a sensor of that range.
  func clipped(_ limit: Double) -> ForceInG {
    func clip(_ value: Double) -> Double { min(max(value, -limit), limit) }
    return ForceInG(x: clip(x), y: clip(y), z: clip(z))
  }

  func noisy(_ deviation: Double, _ generator: inout SplitMix64) -> ForceInG {
    self + ForceInG(x: generator.normal(), y: generator.normal(), z: generator.normal()) * deviation
  }

  /// The six poses at rest.
  static let poses = [
    ForceInG(y: 1), ForceInG(y: -1), ForceInG(x: 1), ForceInG(x: -1), ForceInG(z: 1), ForceInG(z: -1),
  ]

  /// The axes and the diagonals of two and of three axes, each direction once.
  static let directions: [ForceInG] = {
    var all: [ForceInG] = []
    for x in -1...1 {
      for y in -1...1 {
        for z in -1...1 where (x, y, z) > (0, 0, 0) {
          all.append(ForceInG(x: Double(x), y: Double(y), z: Double(z)).unit)
        }
      }
    }
    return all
  }()

  static func random(_ generator: inout SplitMix64) -> ForceInG {
    ForceInG(x: generator.normal(), y: generator.normal(), z: generator.normal()).unit
  }
}

/// Specific force over time: 1 s at rest, then from t = 0 on what the name says.
enum Motions {
  /// An even shake along `direction` with `peak` g, starting at `phase` of a turn.
  static func shake(
    _ rest: ForceInG, _ direction: ForceInG, hertz: Double, peak: Double, phase: Double = 0, for duration: Double
  ) -> (Double) -> ForceInG {
    { time in
      guard time >= 0 && time < duration else { return rest }
      return rest + direction * (peak * sin(2 * .pi * (hertz * time + phase)))
    }
  }

  /// A knock: half a sine of `peak` g along `direction`, then ringing that decays within 100 ms.
  static func knock(_ rest: ForceInG, _ direction: ForceInG, peak: Double, width: Double, ringing: Double)
    -> (Double) -> ForceInG
  {
    { time in
      if time >= 0 && time < width { return rest + direction * (peak * sin(.pi * time / width)) }
      let after = time - width
      guard after >= 0 && after < 0.1 else { return rest }
      return rest + direction * (-peak * exp(-after / 0.025) * sin(2 * .pi * ringing * after))
    }
  }

  /// A fall of `falling` s, a landing of `peak` g for 40 ms, and bounces, each half as long and half as hard as the
  /// last.
  static func fall(_ rest: ForceInG, falling: Double, peak: Double, bounces: Int) -> (Double) -> ForceInG {
    { time in
      guard time >= 0 else { return rest }
      var (start, flight, knock) = (0.0, falling, peak)
      for _ in 0...bounces {
        if time < start + flight { return rest * 0.03 }
        start += flight
        if time < start + 0.04 { return rest * (1 + (knock - 1) * sin(.pi * (time - start) / 0.04)) }
        start += 0.04
        flight = flight == falling ? min(0.25, falling / 2) : flight / 2
        knock = max(knock / 2, 1)
      }
      return rest
    }
  }

  /// Gravity turns from `rest` by `angle` about a perpendicular axis, towards `side`, in `duration` s: at a constant
  /// rate, or with a smooth start and stop. The sensor is `arm` m from the axis, which adds centripetal and
  /// tangential force.
  static func turn(_ rest: ForceInG, _ side: ForceInG, by angle: Double, in duration: Double, smooth: Bool, arm: Double)
    -> (Double) -> ForceInG
  {
    { time in
      let part = min(max(time / duration, 0), 1)
      let turned = angle * (smooth ? (1 - cos(.pi * part)) / 2 : part)
      let gravity = rest * cos(turned) + side * sin(turned)
      guard part > 0 && part < 1 else { return gravity }
      let rate = smooth ? angle * .pi / 2 / duration * sin(.pi * part) : angle / duration
      let change = smooth ? angle * .pi * .pi / 2 / (duration * duration) * cos(.pi * part) : 0
      // The arm is fixed along the board's rest direction and does not turn with gravity.
      return gravity + rest * (-rate * rate * arm / 9.81) + side * (change * arm / 9.81)
    }
  }
}
