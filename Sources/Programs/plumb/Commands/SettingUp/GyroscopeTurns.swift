import FixedPoint
import HAL
import ToolInputs
import ToolOutput

/// What a gyroscope reads face by face on a board held still, and over full turns: its bias and its scale.
///
/// Everything is in the sensor frame, in °/s.
struct GyroscopeTurns {
  /// The result of a turn.
  enum Outcome: Equatable {
    /// This axis is done.
    case accepted(axis: Int)
    /// The largest angle, in degrees, is not a number of full turns about one axis.
    case noFullTurn(degrees: Int)
    /// The gyroscope reached the end of its range.
    case tooFast
  }

  /// The end of the gyroscope's range, in °/s.
  let range: Double
  /// The readings on each face so far, and on the present one.
  private var faces: [Rate] = []
  private var face = Span()
  // The turn: the angles so far in degrees, the last sample, and since when the board has been at rest.
  private var angles = Rate()
  /// The part of the angles since the rest began, or since they were last judged. It is kept, because a turn begins
  /// slowly.
  private var recent = Rate()
  private var last: (rate: Rate, at: Instant)?
  private var restSince: Instant?
  private var isClipped = false
  /// The factor of each axis; nil until it has been turned.
  private(set) var scales: [Double?] = [nil, nil, nil]

  typealias Rate = SIMD3<Double>

  /// A gyroscope whose range ends at `range` °/s.
  init(range: Double) { self.range = range }

  /// The bias: the mean of all faces; nil if they differ by more than 2 °/s, because the board was turning.
  var bias: Rate? {
    guard let first = faces.first else { return nil }
    let (least, greatest) = faces.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
    guard (greatest - least).max() <= 2, first.min() >= -40, first.max() <= 40 else { return nil }
    return faces.reduce(Rate(), +) / Double(faces.count)
  }

  /// The axes, 0 to 2, that have not been turned yet.
  var left: [Int] { scales.indices.filter { scales[$0] == nil } }

  // Readings at rest.

  /// Takes a sample of the face being held.
  mutating func hold(_ rotation: Vector3) { face.take(Self.rate(rotation)) }

  /// Discards the face being held: it starts again, or does not count.
  mutating func drop() { face = Span() }

  /// Accepts the face that was held.
  mutating func accept() {
    if let mean = face.mean { faces.append(mean) }
    drop()
  }

  // Readings during a turn.

  /// Discards the turn in progress, because samples are missing.
  mutating func interrupt() {
    (angles, recent, last) = (Rate(), Rate(), nil)
    (restSince, isClipped) = (nil, false)
  }

  /// Whether the board is at rest and a turn can begin.
  var isReady: Bool { restSince != nil && Self.greatest(angles) < 10 }

  /// Takes a sample of a turn; returns its outcome once the board is at rest after it.
  mutating func turn(_ rotation: Vector3, at instant: Instant) -> Outcome? {
    let raw = Self.rate(rotation)
    let rate = raw - (bias ?? Rate())
    if Self.greatest(raw) >= range * 0.995 { isClipped = true }
    if let last {
      let elapsed = Double((instant - last.at).count) / 1e6
      guard elapsed > 0, elapsed < 0.1 else {
        interrupt()
        return nil
      }
      let change = (rate + last.rate) * (elapsed / 2)
      (angles, recent) = (angles + change, recent + change)
    }
    last = (rate, instant)
    guard Self.greatest(rate) < 5 else {
      restSince = nil
      return nil
    }
    guard let since = restSince else {
      (restSince, recent) = (instant, Rate())
      return nil
    }
    guard instant - since >= .milliseconds(500) else { return nil }
    let outcome = judge()
    (angles, recent, restSince, isClipped) = (recent, Rate(), instant, false)
    return outcome
  }

  /// Judges the turn that has ended; nil if it only moved the board to another position.
  private mutating func judge() -> Outcome? {
    let sizes = (0..<3).map { abs(angles[$0]) }
    guard let axis = sizes.indices.max(by: { sizes[$0] < sizes[$1] }), sizes[axis] >= 270 else { return nil }
    guard !isClipped else { return .tooFast }
    let turns = (sizes[axis] / 360).rounded()
    let scale = 360 * turns / sizes[axis]
    let isAlone = sizes.indices.allSatisfy { $0 == axis || sizes[$0] < sizes[axis] / 4 }
    guard turns > 0, (0.9...1.1).contains(scale), isAlone else { return .noFullTurn(degrees: Int(sizes[axis])) }
    scales[axis] = scale
    return .accepted(axis: axis)
  }

  private static func rate(_ rotation: Vector3) -> Rate {
    Rate(Double(rotation.x.raw), Double(rotation.y.raw), Double(rotation.z.raw)) / 65_536
  }

  private static func greatest(_ rate: Rate) -> Double { max(abs(rate.x), abs(rate.y), abs(rate.z)) }

  /// The samples of a face.
  private struct Span {
    var sum = Rate()
    var count = 0.0
    var least = Rate(repeating: .infinity)
    var greatest = Rate(repeating: -.infinity)

    mutating func take(_ rate: Rate) {
      sum += rate
      count += 1
      (least, greatest) = (pointwiseMin(least, rate), pointwiseMax(greatest, rate))
    }

    /// Nil without samples, or if they differ by more than 10 °/s because the board was turned.
    var mean: Rate? { count > 0 && (greatest - least).max() <= 10 ? sum / count : nil }
  }
}
