import FixedPoint
import Gestures

/// The rules of the shake detector in Double, keeping a list of all reversals; times in µs.
struct ShakeModel {
  var threshold: Double
  var needed: Int
  var window: Double
  var shortest: Double
  var refractory: Double

  private var swing: (direction: ForceInG, start: Double, along: Double)?
  private var reversals: [Double] = []
  private var told = false
  private var strong = -Double.infinity
  private var last: Double?
  private var falling: Double?

  init(_ configuration: ShakeDetector.Configuration) {
    threshold = Double(configuration.threshold.raw) / 65_536
    needed = Int(configuration.reversals)
    window = Double(configuration.window.count)
    shortest = Double(configuration.shortestSwing.count)
    refractory = Double(configuration.refractory.count)
  }

  /// The last instants at which something that has begun still counts, or counts at once.
  var edges: [Double] {
    [
      swing.map { $0.along + (window / Double(needed)).rounded(.down) }, swing.map { $0.start + shortest },
      reversals.dropLast(needed - 2).last.map { $0 + window }, told ? strong + refractory : nil,
      falling.map { $0 + 50_000 }, last.map { $0 + 1e6 },
    ].compactMap { $0 }
  }

  mutating func step(_ force: ForceInG, _ motion: ForceInG, _ now: Double) -> Bool {
    if let last, now < last || now - last > 1e6 { (swing, reversals, told, falling) = (nil, [], false, nil) }
    last = now
    falling = force.length < 0.25 ? falling ?? now : nil
    if let falling, now - falling >= 50_000 {
      (swing, reversals) = (nil, [])
      return false
    }
    guard motion.length >= threshold else { return false }
    if told && now - strong > refractory { (swing, reversals, told) = (nil, [], false) }
    strong = now
    guard let old = swing, now - old.along <= (window / Double(needed)).rounded(.down) else {
      swing = (motion, now, now)
      return false
    }
    let line = old.direction
    // Exact along an axis.
    let part = (motion.x * line.x + motion.y * line.y + motion.z * line.z) / line.length
    if part >= threshold {
      swing = (motion.length > old.direction.length ? motion : old.direction, old.start, now)
    } else if part <= -threshold && now - old.start >= shortest {
      swing = (motion, now, now)
      reversals.append(now)
      let inside = reversals.filter { now - $0 <= window }.count
      if !told && inside >= needed {
        told = true
        return true
      }
    }
    return false
  }
}

extension ForceInG {
  /// Rounded to 2^-9 g, a step that the detector's directions hold exactly.
  var coarse: ForceInG {
    func round(_ value: Double) -> Double { (value * 512).rounded() / 512 }
    return ForceInG(x: round(x), y: round(y), z: round(z))
  }
}
