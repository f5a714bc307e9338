import FixedPoint
import HAL
import ToolInputs
import ToolOutput

/// What a gyroscope reads on a board held still, face by face, and of full turns: its bias and its scale.
///
/// All in the sensor's own frame, °/s.
struct GyroscopeTurns {
  /// What came of a turn.
  enum Outcome: Equatable {
    /// This axis is done.
    case accepted(axis: Int)
    /// The greatest angle, degrees, is no number of full turns about one axis.
    case noFullTurn(degrees: Int)
    /// The gyroscope was at the end of its range.
    case tooFast
  }

  /// The end of the gyroscope's range, °/s.
  let range: Double
  /// What it read on each face so far, and of the present one.
  private var faces: [Rate] = []
  private var face = Span()
  // The turn: the angles so far in degrees, what came last, and since when the board rests.
  private var angles = Rate()
  /// The part of the angles since the rest began, or since they were judged last: a turn begins slowly, so this part is
  /// kept.
  private var recent = Rate()
  private var last: (rate: Rate, at: Instant)?
  private var restSince: Instant?
  private var isClipped = false
  /// The factor of each axis; nil until it was turned.
  private(set) var scales: [Double?] = [nil, nil, nil]

  typealias Rate = SIMD3<Double>

  /// A gyroscope whose range ends at `range` °/s.
  init(range: Double) { self.range = range }

  /// The bias: the mean of all faces; nil where they differ by more than 2 °/s, because the board was turning.
  var bias: Rate? {
    guard let first = faces.first else { return nil }
    let (least, greatest) = faces.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
    guard (greatest - least).max() <= 2, first.min() >= -40, first.max() <= 40 else { return nil }
    return faces.reduce(Rate(), +) / Double(faces.count)
  }

  /// The axes, 0 to 2, that have not been turned yet.
  var left: [Int] { scales.indices.filter { scales[$0] == nil } }

  // What was read at rest.

  /// Takes in a sample of the face that is being held.
  mutating func hold(_ rotation: Vector3) { face.take(Self.rate(rotation)) }

  /// The face that was held is to be held again from the start, or is one that does not count.
  mutating func drop() { face = Span() }

  /// The face that was held is done.
  mutating func accept() {
    if let mean = face.mean { faces.append(mean) }
    drop()
  }

  // What was read in a turn.

  /// Samples are missing: the turn under way does not count.
  mutating func interrupt() {
    (angles, recent, last) = (Rate(), Rate(), nil)
    (restSince, isClipped) = (nil, false)
  }

  /// Whether the board rests and a turn can begin.
  var isReady: Bool { restSince != nil && Self.greatest(angles) < 10 }

  /// Takes in a sample while the board is to be turned; the outcome once it is at rest again behind a turn.
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

  /// What the turn that is over was; nil for one that only brought the board into another position.
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

    /// Nil without samples, and where they differ by more than 10 °/s: the board was turned.
    var mean: Rate? { count > 0 && (greatest - least).max() <= 10 ? sum / count : nil }
  }
}
