/// All that the view shows, as figures and words: drawing it is a pure function.
package struct Scene: Sendable {
  /// What is watched: sensor, bus, rate.
  package var title = ""
  /// How long it has been watched, s.
  package var elapsed = 0.0
  /// The last specific force in the board's frame, g; nil before any, and while none comes.
  package var force: Force?
  /// How the board is held.
  package var attitude = BoardAttitude.upright
  /// The pose, or why it is not known.
  package var pose = PoseView.unknown("no sample has come yet")
  /// The lines as they are set.
  package var lamps: [Lamp] = []
  /// Angles in degrees, in order; nil for one that means nothing as the board is held.
  package var angles: [(name: String, degrees: Double?)] = []
  /// Degrees, -90…+90.
  package var steering = 0.0
  /// 0…1 each.
  package var scroll = (x: 0.0, y: 0.0)
  package var history = History()
  /// What has been counted, in order.
  package var counters: [(name: String, count: UInt64)] = []
  /// What happened, the latest last.
  package var notes: [Note] = []
  /// What is recorded, and since when; nil while nothing is.
  package var recording: String?
  package var isPaused = false
  package var showsHelp = false

  package init() {}

  package struct Force: Equatable, Sendable {
    package var x: Double
    package var y: Double
    package var z: Double

    package init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    package var magnitude: Double { (x * x + y * y + z * z).squareRoot() }
  }

  package enum PoseView: Equatable, Sendable {
    /// The number of the pose, 0…5 from portrait to face-down, its name and what it means.
    case known(Int, name: String, meaning: String)
    /// The reason, in words.
    case unknown(String)
  }

  package struct Lamp: Equatable, Sendable {
    package var label: String
    package var isLit: Bool
    /// The pose that it stands for; nil for a line that stands for none.
    package var pose: Int?

    package init(_ label: String, isLit: Bool, pose: Int?) {
      (self.label, self.isLit, self.pose) = (label, isLit, pose)
    }
  }

  package struct Note: Equatable, Sendable {
    package enum Weight: Sendable {
      case trouble, relief, remark
    }

    /// s since the start.
    package var time: Double
    package var text: String
    package var weight: Weight

    package init(_ time: Double, _ text: String, _ weight: Weight) {
      (self.time, self.text, self.weight) = (time, text, weight)
    }
  }
}

/// What the poses look like in few places, by number.
enum PoseMark {
  static let letters = ["P", "U", "L", "R", "F", "D"]
  static let names = ["portrait", "upside down", "left", "right", "face up", "face down"]
  static let colours: [Colour] = [.green, .red, .cyan, .blue, .yellow, .magenta]
}

/// A figure with a sign and exactly so many places, as wide whatever its sign.
package func figure(_ value: Double, places: Int, width: Int, sign: Bool = true) -> String {
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  let units = min(1e15, (value.magnitude * scale).rounded())
  let whole = Int64(units / scale)
  let rest = String(Int64(units) - whole * Int64(scale))
  var text = String(whole)
  if places > 0 { text += "." + String(repeating: "0", count: places - rest.count) + rest }
  if sign { text = (value < 0 && units > 0 ? "-" : units > 0 ? "+" : " ") + text }
  return String(repeating: " ", count: max(0, width - text.count)) + text
}
