import BoardFile
import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import PlumbViews
import Text

/// What a board shows at one moment: figures without heap, cheap to copy.
struct BoardFigures: Sendable {
  var reading: Reading?
  var pose = PoseState.unknown(.notYetSampled)
  var levels = Levels.off
  var counters = Counters()
  var transactions: UInt64 = 0
  var position = TiltScroll.Position.start
  var steering = BinaryAngle.zero
  /// When the loop was heard of last.
  var elapsed: Microseconds = .zero

  /// Takes in `seen`, of `elapsed` after the start.
  mutating func take(_ seen: Observation, elapsed: Microseconds) {
    (pose, levels, counters) = (seen.state, seen.levels, seen.counters)
    (position, steering) = (seen.position, seen.steering)
    (transactions, self.elapsed) = (seen.transactions ?? 0, elapsed)
    if let reading = seen.reading { self.reading = reading }
  }

  /// Whether the last sample is one of now.
  var isFresh: Bool {
    switch pose {
    case .unknown(.fault), .unknown(.stale), .unknown(.notYetSampled): false
    default: true
    }
  }
}

// What is seen, as a picture has it.
extension BoardFigures {
  /// The scene of these figures, without what is past.
  func scene(of board: BoardDescription, _ motion: NamedMotion, _ attitude: BoardAttitude) -> Scene {
    var scene = Scene()
    scene.title = board.title(motion)
    scene.elapsed = Double(elapsed.count) / 1e6
    scene.attitude = attitude
    scene.pose = view
    scene.lamps = board.lamps(levels)
    scene.counters = counts
    scene.steering = Double(steering.tenths) / 10
    scene.scroll = (Double(position.x.raw) / 65_536, Double(position.y.raw) / 65_536)
    scene.angles = ["angle", "pitch", "roll", "inclination"].map { ($0, nil) }
    if let reading, isFresh {
      let (force, angles) = (reading.force, reading.angles)
      scene.force = Scene.Force(force)
      scene.angles = [
        ("angle", force.isFlat ? nil : Double(angles.device.tenths) / 10),
        ("pitch", Double(angles.pitch.tenths) / 10), ("roll", force.isOnEnd ? nil : Double(angles.roll.tenths) / 10),
        ("inclination", Double(angles.inclination.tenths) / 10),
      ]
    }
    return scene
  }

  private var view: Scene.PoseView {
    switch pose {
    case .known(let pose): .known(Int(pose.rawValue), name: "\(pose.words)", meaning: "\(pose.meaning)")
    case .unknown(let reason): .unknown("\(reason.message)")
    }
  }

  private var counts: [(name: String, count: UInt64)] {
    [
      (counters.samples == 1 ? "sample" : "samples", counters.samples), ("late", counters.lateSamples),
      (counters.faults == 1 ? "fault" : "faults", counters.faults),
      (counters.recoveries == 1 ? "recovery" : "recoveries", counters.recoveries), ("transactions", transactions),
      (counters.shakes == 1 ? "shake" : "shakes", counters.shakes),
    ]
  }
}

extension BoardDescription {
  /// What is watched: sensor, bus and rate.
  func title(_ motion: NamedMotion) -> String {
    let name = "\(sensor.model.properName) at \(sensor.address.text)"
    let rate = decimalText(1_000_000, over: sensor.period.count, places: 1)
    switch bus {
    case .emulated: return "\(name), emulated, \(motion.rawValue), \(rate) Hz"
    case .linux(let path): return "\(name) on \(path.description), \(rate) Hz"
    }
  }

  fileprivate func lamps(_ levels: Levels) -> [Scene.Lamp] {
    (0..<lines.count).map { index in
      // The first coded line says whether the others are valid.
      let pose = lines.code == .leds ? index : lines.code == .oneHot && index > 0 ? index - 1 : nil
      let label =
        switch (pose, index) {
        case (let pose?, _): PoseMark.letters[pose]
        case (nil, 0): "valid"
        default: "bit \(index - 1)"
        }
      return Scene.Lamp(label, isLit: levels.isOn(index), pose: pose)
    }
  }

  /// What happened, in words; nil for what is seen anyway.
  func note(_ occurrence: Occurrence, since start: Instant) -> Scene.Note? {
    let time = Double((occurrence.at - start).count) / 1e6
    switch occurrence.event {
    case .trouble(.fault, let cause?): return Scene.Note(time, cause.text(of: sensor), .trouble)
    case .trouble(.stale, _): return Scene.Note(time, "\(UnknownReason.stale.message)", .trouble)
    case .recovered(_, let outage): return Scene.Note(time, "recovered after \(outage.tableText) s", .relief)
    case .notice(let notice): return Scene.Note(time, notice.text(of: sensor), .remark)
    case .shake: return Scene.Note(time, "shake", .remark)
    default: return nil
    }
  }
}

extension Scene.Force {
  /// A force in g.
  init(_ force: Vector3) {
    self.init(Double(force.x.raw) / 65_536, Double(force.y.raw) / 65_536, Double(force.z.raw) / 65_536)
  }
}

extension BinaryAngle {
  /// Tenths of a degree, rounded to nearest.
  fileprivate var tenths: Int64 { (Int64(raw) * 3_600 + (1 << 31)) >> 32 }
}
