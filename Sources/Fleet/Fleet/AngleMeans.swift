internal import FixedPoint
internal import JSON
internal import Orientation
internal import StreamCodec

/// A board's angles; nil for those that are undefined or unknown.
struct BoardAngles: Equatable {
  private var values = [BinaryAngle?](repeating: nil, count: Angle.allCases.count)

  /// Unknown angles.
  init() {}

  /// The angles of the force `held`, and `heading`.
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

  /// Whether one of `choice` differs by more than `step`, or is nil in only one of the two.
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

/// The means of an owner's samples, over one window after another.
struct AngleMeans {
  /// The angles of the last complete window; those of the first sample until there is one.
  private(set) var latest = BoardAngles()
  /// When the last sample arrived; nil before the first.
  private(set) var lastSample: Instant?
  private let window: Microseconds
  /// The attitude in which angles are zero.
  private var tare = Tare.none

  /// The angles of the last sample.
  private var last = BoardAngles()
  private var begin = Instant(microseconds: 0)
  private var count: Int64 = 0
  private var (sumX, sumY, sumZ): (Int64, Int64, Int64) = (0, 0, 0)
  private var firstHeading: BinaryAngle?
  private var headingTurns: Int64 = 0
  private var headings: Int64 = 0

  /// Means over the interval at which angles are published, but at most over a second, so that they are current.
  init(interval: Microseconds) { window = min(interval, .seconds(1)) }

  /// Forgets everything.
  mutating func reset() {
    (latest, last) = (BoardAngles(), BoardAngles())
    lastSample = nil
    clear()
  }

  /// Counts angles from `tare`; if it has changed, from the next sample on.
  mutating func count(from tare: Tare) {
    guard tare != self.tare else { return }
    self.tare = tare
    lastSample = nil
    clear()
  }

  /// Starts a new window with the last sample, because earlier ones were of another pose.
  mutating func restart() {
    latest = last
    clear()
  }

  private mutating func clear() {
    (count, sumX, sumY, sumZ) = (0, 0, 0, 0)
    (firstHeading, headingTurns, headings) = (nil, 0, 0)
  }

  /// Takes a sample that arrived at `now`; returns false if it has no force.
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
      // It is undefined near face down, and the mean would mix in the heading from before.
      (firstHeading, headingTurns, headings) = (nil, 0, 0)
    }
    last = BoardAngles(tare.applied(to: held), heading: heading)
    let isFirst = lastSample == nil
    lastSample = now
    // Samples arrive every 0.1 s, slightly early as often as late: a second is ten of them.
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
