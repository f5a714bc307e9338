/// The past of the three components, in slices of time of one length: the picture does not depend on how often samples come.
package struct History: Sendable {
  /// What one slice of time brought.
  package struct Slice: Equatable, Sendable {
    /// The least and the greatest of x, y and z, g; nil where no sample came.
    package var ranges: [ClosedRange<Double>]?
    /// The number of the pose at its end; nil where it was not known.
    package var pose: Int?
  }

  /// So many are kept: enough for the widest terminals.
  private static let capacity = 1_200

  /// The length of a slice, s.
  package let interval: Double
  /// The slices, the present one last.
  package private(set) var slices: [Slice] = []
  /// The number of the present slice.
  package private(set) var number = 0

  /// `interval` should be no shorter than the time between samples.
  package init(interval: Double = 0.1) { self.interval = max(0.01, interval) }

  /// Takes in that `force` was measured at `time` (s, from 0 up), and the pose after it; nil each for none.
  package mutating func take(_ force: Scene.Force?, _ pose: Int?, at time: Double) {
    let current = Int(min(1e12, max(0, time / interval)))
    if slices.isEmpty { number = current }
    let missed = min(current - number, Self.capacity)
    if slices.isEmpty || missed > 0 {
      let last = slices.last?.pose
      for _ in 1..<max(1, missed) { slices.append(Slice(ranges: nil, pose: last)) }
      slices.append(Slice(ranges: nil, pose: pose))
      // Not with each slice, which would move all others.
      if slices.count > Self.capacity * 2 { slices.removeFirst(slices.count - Self.capacity) }
      number = current
    }
    let end = slices.count - 1
    slices[end].pose = pose
    guard let force else { return }
    let values = [force.x, force.y, force.z]
    slices[end].ranges =
      slices[end].ranges.map { old in
        zip(old, values).map { min($0.lowerBound, $1)...max($0.upperBound, $1) }
      } ?? values.map { $0...$0 }
  }
}
