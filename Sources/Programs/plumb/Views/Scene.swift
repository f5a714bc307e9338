package import Orientation
internal import Text

/// What the terminal and the page show, as figures and words. Drawing it is a pure function.
package struct Scene: Sendable {
  /// The sensor, its bus and its rate.
  package var title = ""
  /// Time since the start, in s.
  package var elapsed = 0.0
  /// The last specific force in the board frame, in g; nil before the first sample and during an outage.
  package var force: Force?
  /// How the board is held.
  package var attitude = BoardAttitude.upright
  /// The result of the fusion with a gyroscope; nil without one.
  package var fusion: Fusion?
  /// Whether the board is still; nil while unknown.
  package var isStill: Bool?
  /// The strength of vibration in the last second; nil if it is not watched.
  package var vibration: Vibration?
  /// The pose, or why it is unknown.
  package var pose = PoseView.unknown("no sample yet")
  /// The lines and their levels.
  package var lamps: [Lamp] = []
  /// Angles in degrees, in order; nil for one that is undefined in the present attitude.
  package var angles: [(name: String, degrees: Double?)] = []
  /// In degrees, -90…+90.
  package var steering = 0.0
  /// 0…1 each.
  package var scroll = (x: 0.0, y: 0.0)
  package var history = History()
  /// The counters, in order.
  package var counters: [(name: String, count: UInt64)] = []
  /// Events and remarks, the latest last.
  package var notes: [Note] = []
  /// How many of the latest notes are below the ones shown.
  package var newerNotes = 0
  /// How many of the latest slices of the history are to the right of the ones shown.
  package var newerSlices = 0
  /// The file of the recording in progress; nil if there is none.
  package var recording: String?
  package var isPaused = false
  /// Whether angles count from an attitude that was set as zero, instead of the board file's, if that is known.
  package var isZeroed = false
  /// Whether zero can be set: an owner must allow it.
  package var canZero = true
  /// Whether another process owns the board, so that no lines are set here.
  package var hasOwner = false
  package var showsHelp = false

  package init() {}

  package struct Force: Equatable, Sendable {
    package var x: Double
    package var y: Double
    package var z: Double

    package init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    package var magnitude: Double { (x * x + y * y + z * z).squareRoot() }
  }

  /// The strength of vibration in a second: root mean squares, in g.
  package struct Vibration: Equatable, Sendable {
    /// For all axes together.
    package var total: Double
    /// The same for bands, each named by its two frequencies; empty while unknown.
    package var bands: [Band]

    package init(total: Double, bands: [Band]) { (self.total, self.bands) = (total, bands) }

    package struct Band: Equatable, Sendable {
      package var name: String
      package var rms: Double

      package init(_ name: String, _ rms: Double) { (self.name, self.rms) = (name, rms) }
    }
  }

  /// The result of the fusion with a gyroscope.
  package struct Fusion: Equatable, Sendable {
    /// Whether the properties from here to the certainty are current.
    package var isFresh = true
    /// The direction of up in the board frame, of length 1.
    package var up = Force(0, 0, 1)
    /// The rotation about the vertical since the start, in degrees; nil if undefined.
    package var heading: Double?
    /// The rate of rotation without bias, in °/s.
    package var rate = Force(0, 0, 0)
    package var isStill = false
    /// How reliable it is.
    package var certainty = Orientation.Fusion.Certainty.starting
    /// The gyroscope's bias, in °/s.
    package var bias = Force(0, 0, 0)
    /// The temperature of the sensor's die, in °C; nil if it is not measured.
    package var temperature: Double?
    /// How many samples so far had an axis at the end of its range.
    package var clippedSamples: UInt64 = 0

    package init() {}

    /// Whether the bias is known.
    package var isBiasKnown: Bool { certainty != .starting }
  }

  package enum PoseView: Equatable, Sendable {
    /// The number of the pose, 0…5 from portrait to face down, its name and its meaning.
    case known(Int, name: String, meaning: String)
    /// The reason in words.
    case unknown(String)
  }

  package struct Lamp: Equatable, Sendable {
    package var label: String
    package var isLit: Bool
    /// The pose that it indicates; nil for none.
    package var pose: Int?

    package init(_ label: String, isLit: Bool, pose: Int?) {
      (self.label, self.isLit, self.pose) = (label, isLit, pose)
    }
  }

  package struct Note: Equatable, Sendable {
    package enum Weight: Sendable {
      case trouble, relief, remark
    }

    /// Time since the start, in s.
    package var time: Double
    package var text: String
    package var weight: Weight

    package init(_ time: Double, _ text: String, _ weight: Weight) {
      (self.time, self.text, self.weight) = (time, text, weight)
    }
  }
}

/// How the poses are shown in little space, by number. In a strip each band has the letter, followed by the name if it
/// fits; the page of `serve` does the same.
package enum PoseMark {
  package static let letters = ["P", "U", "L", "R", "F", "D"]
  static let names = poses.map { "\($0.shortWords)" }
  package static let poses = (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) }
  static let colours: [Colour] = [.green, .red, .cyan, .blue, .yellow, .magenta]
}

/// The past of the three components, in slices of equal duration, so that the picture does not depend on the sample
/// rate.
package struct History: Sendable {
  /// The samples of one slice.
  package struct Slice: Equatable, Sendable {
    /// The minimum and maximum of x, y and z, in g; nil without a sample.
    package var ranges: [ClosedRange<Double>]?
    /// The number of the pose at its end; nil if unknown.
    package var pose: Int?
  }

  /// How many slices are kept: enough for the widest terminals.
  private static let capacity = 1_200

  /// The duration of a slice, in s.
  package let interval: Double
  /// The slices, the present one last.
  package private(set) var slices: [Slice] = []
  /// The number of the present slice.
  package private(set) var number = 0

  /// An empty history; `interval` should not be shorter than the time between samples.
  package init(interval: Double = 0.1) { self.interval = max(0.01, interval) }

  /// Adds the `force` measured at `time` (in s, from 0 up) and the pose after it; nil for none.
  package mutating func take(_ force: Scene.Force?, _ pose: Int?, at time: Double) {
    let current = Int(min(1e12, max(0, time / interval)))
    if slices.isEmpty { number = current }
    let missed = min(current - number, Self.capacity)
    if slices.isEmpty || missed > 0 {
      let last = slices.last?.pose
      for _ in 1..<max(1, missed) { slices.append(Slice(ranges: nil, pose: last)) }
      slices.append(Slice(ranges: nil, pose: pose))
      // Not for each slice, because removing one moves all others.
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
