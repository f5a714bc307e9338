internal import FixedPoint
internal import JSON
internal import Orientation
internal import StreamCodec

/// The angles of a board; nil for those that are undefined or unknown.
struct BoardAngles: Equatable {
  private var values = [BinaryAngle?](repeating: nil, count: Angle.allCases.count)

  /// None is known.
  init() {}

  /// Those of the force `held`, and `heading`.
  init(_ held: TaredForce, heading: BinaryAngle?) {
    self[.pitch] = held.pitch
    self[.roll] = held.isOnEnd ? nil : held.roll
    self[.inclination] = held.inclination
    self[.angle] = held.isFlat ? nil : held.deviceAngle
    self[.heading] = heading
  }

  subscript(angle: Angle) -> BinaryAngle? {
    get { values[angle.rawValue] }
    set { values[angle.rawValue] = newValue }
  }

  /// Whether one of `choice` is another by more than `step`, or is known here and not there.
  func differ(from other: BoardAngles, by step: BinaryAngle, of choice: Choice<Angle>) -> Bool {
    for angle in Angle.allCases where choice.contains(angle) {
      switch (self[angle], other[angle]) {
      case (nil, nil): break
      case (let a?, let b?): if (a - b).magnitude > step.magnitude { return true }
      default: return true
      }
    }
    return false
  }
}

/// The means of what an owner's samples say, over one window after another.
struct AngleMeans {
  /// The angles of the last whole window; of the first sample as long as there is none.
  private(set) var latest = BoardAngles()
  /// When the last sample came; nil before the first.
  private(set) var lastSample: Instant?
  private let window: Microseconds
  /// The attitude in which angles are zero.
  private var tare = Tare.none

  /// What the last sample said.
  private var last = BoardAngles()
  private var begin = Instant(microseconds: 0)
  private var count: Int64 = 0
  private var (sumX, sumY, sumZ): (Int64, Int64, Int64) = (0, 0, 0)
  private var firstHeading: BinaryAngle?
  private var headingTurns: Int64 = 0
  private var headings: Int64 = 0

  /// Means over the interval at which angles are published, but at most over a second, so that they are of now.
  init(interval: Microseconds) { window = min(interval, .seconds(1)) }

  /// Forgets all.
  mutating func reset() {
    (latest, last) = (BoardAngles(), BoardAngles())
    lastSample = nil
    clear()
  }

  /// Counts angles from `tare`; where that is another one, from the next sample on.
  mutating func count(from tare: Tare) {
    guard tare != self.tare else { return }
    self.tare = tare
    lastSample = nil
    clear()
  }

  /// Begins a new window with what the last sample said: the samples before were of another pose.
  mutating func restart() {
    latest = last
    clear()
  }

  private mutating func clear() {
    (count, sumX, sumY, sumZ) = (0, 0, 0, 0)
    (firstHeading, headingTurns, headings) = (nil, 0, 0)
  }

  /// Takes in a sample that came at `now`; false where it has no force.
  mutating func take(_ sample: JSONObject, at now: Instant) -> Bool {
    guard let force = sample.force else { return false }
    let held = sample["up"]?.vector ?? force
    let heading = sample["heading_deg"]?.angle
    if count == 0 { begin = now }
    count &+= 1
    sumX &+= widened(held.x.raw)
    sumY &+= widened(held.y.raw)
    sumZ &+= widened(held.z.raw)
    if let heading {
      let first = firstHeading ?? heading
      firstHeading = first
      headingTurns &+= widened((heading - first).raw)
      headings &+= 1
    } else {
      // It cannot be known near face down, and a mean of before would be of before.
      (firstHeading, headingTurns, headings) = (nil, 0, 0)
    }
    last = BoardAngles(tare.applied(to: held), heading: heading)
    let isFirst = lastSample == nil
    lastSample = now
    // One sample comes every 0.1 s, a little early as often as late: a second is ten of them.
    if isFirst || now - begin + .milliseconds(150) >= window { close() }
    return true
  }

  private mutating func close() {
    let mean = Vector3(x: mean(sumX), y: mean(sumY), z: mean(sumZ))
    let heading = firstHeading.map {
      BinaryAngle(raw: $0.raw &+ Int32(truncatingIfNeeded: headingTurns / max(1, headings)))
    }
    latest = BoardAngles(tare.applied(to: mean), heading: heading)
    clear()
  }

  private func mean(_ sum: Int64) -> Q16 { Q16(raw: saturated(sum / max(1, count))) }
}
