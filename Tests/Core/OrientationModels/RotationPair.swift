import FixedPoint
package import Orientation

/// The interface and its model, which must never differ.
package struct RotationPair {
  package var interface: RotatingInterface
  package var model: RotationModel
  package var time: Int64 = 0
  package var agrees = true

  package init(mask: UInt8, start: UInt8, duration: Int64) throws {
    interface = try RotatingInterface(mask: mask, start: InterfaceOrientation(rawValue: start), duration: duration)
    let letters = RotatingInterface.letters
    model = RotationModel(
      duration: duration, supported: Set(letters.indices.filter { mask >> $0 & 1 == 1 }.map { letters[$0] }),
      start: letters[Int(start)])
  }

  package mutating func step(_ pose: Pose?, after gap: Int64) {
    time += gap
    agrees =
      agrees && interface.step(pose, at: time) == model.step(pose, at: time) && interface.shown == model.shown
      && interface.rotation.nextChange?.microseconds == model.nextTime
  }

  /// Lets every rotation end.
  package mutating func finish() {
    for _ in 0..<3 { step(nil, after: interface.rotation.configuration.duration.count) }
  }

  /// The number of continuations that differ: each pose (or none), from 1 µs earlier to 1 µs more than a rotation
  /// later.
  package func explore(depth: Int, duration: Int64, _ sequences: inout Int) -> Int {
    guard depth > 0 else {
      sequences += 1
      var last = self
      last.finish()
      return last.agrees && last.interface.rotation.turn == nil ? 0 : 1
    }
    var disagreements = 0
    for pose in posesAndNone {
      for gap in -1...duration + 1 {
        var next = self
        next.step(pose, after: gap)
        disagreements += next.explore(depth: depth - 1, duration: duration, &sequences)
      }
    }
    return disagreements
  }
}
