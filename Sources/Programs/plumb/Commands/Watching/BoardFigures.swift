import BoardFile
import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import PlumbViews
import Sensors
import Stream
import Text
import ToolInputs
import ToolOutput
import Vibration

/// What a board shows at one moment: plain values, free of heap allocations and cheap to copy.
struct BoardFigures: Sendable {
  /// Everything known about the board.
  private(set) var snapshot = Snapshot.unknown
  /// The last sample; nil before the first.
  private(set) var reading: Reading?
  /// The vibration of the last second; nil if vibration is not watched.
  private(set) var vibration: VibrationSecond?
  /// When the loop last reported, since the start.
  private(set) var elapsed: Microseconds = .zero
  /// When the last sample came, since the start; nil before the first.
  private(set) var sampled: Microseconds?

  /// Takes in `seen`, observed `elapsed` after the start.
  mutating func take(_ seen: Observation, elapsed: Microseconds) {
    (snapshot, self.elapsed) = (seen.snapshot, elapsed)
    vibration = seen.vibration ?? vibration
    if let reading = seen.reading { (self.reading, sampled) = (reading, elapsed) }
  }

  /// Moves `attitude` to that of the board, `seconds` after the previous call: at once if the fusion knows the heading
  /// too, otherwise gradually, by gravity. Does nothing without a fresh sample.
  func move(_ attitude: inout BoardAttitude, after seconds: Double) {
    guard let reading, isFresh else { return }
    guard let held = snapshot.attitude else { return attitude.follow(Scene.Force(reading.gravity), after: seconds) }
    let up = Scene.Force(held.up)
    guard let heading = held.heading else { return attitude.follow(up, after: seconds) }
    attitude.show(up: up, heading: Double(heading.raw) * .pi / Double(1 << 31))
  }

  /// A note that the gyroscope reached the end of its range; nil unless this is new since `before`.
  func clippingNote(after before: Fusion.Certainty?) -> Scene.Note? {
    guard snapshot.attitude?.certainty == .clipped, before != .clipped else { return nil }
    let text = "rotation beyond the gyroscope's range: attitude and heading may be wrong for a moment"
    return Scene.Note(Double(elapsed.count) / 1e6, text, .trouble)
  }

  /// Whether the last sample is current.
  var isFresh: Bool {
    switch snapshot.state {
    case .unknown(.fault), .unknown(.stale), .unknown(.notYetSampled): false
    default: true
    }
  }
}

// The figures as a picture shows them.
extension BoardFigures {
  /// The scene of these figures, without the history.
  func scene(of board: BoardDescription, _ title: String, _ attitude: BoardAttitude) -> Scene {
    var scene = Scene()
    scene.title = title
    scene.elapsed = Double(elapsed.count) / 1e6
    scene.attitude = attitude
    scene.pose = view
    scene.lamps = board.lamps(snapshot.levels)
    scene.counters = counts
    scene.isZeroed = snapshot.tare != board.tare
    scene.steering = Double(snapshot.steering.tenths) / 10
    scene.scroll = (snapshot.position.x.double, snapshot.position.y.double)
    scene.angles = ["angle", "pitch", "roll", "inclination"].map { ($0, nil) }
    if let reading, isFresh {
      // Acceleration tilts the force, but not the fusion's estimate of gravity.
      let held = snapshot.held(reading)
      scene.force = Scene.Force(reading.force)
      scene.angles = [
        ("angle", held.isFlat ? nil : Double(held.deviceAngle.tenths) / 10),
        ("pitch", Double(held.pitch.tenths) / 10), ("roll", held.isOnEnd ? nil : Double(held.roll.tenths) / 10),
        ("inclination", Double(held.inclination.tenths) / 10),
      ]
    }
    scene.isStill = snapshot.isStill
    if isFresh { scene.vibration = vibration?.view }
    scene.fusion = snapshot.attitude.map {
      Scene.Fusion($0, isFresh: isFresh, snapshot.temperature, clippedSamples: snapshot.clippedSamples)
    }
    return scene
  }

  private var view: Scene.PoseView {
    switch snapshot.state {
    case .known(let pose): .known(Int(pose.rawValue), name: "\(pose.words)", meaning: "\(pose.meaning)")
    case .unknown(let reason): .unknown("\(reason.message)")
    }
  }

  private var counts: [(name: String, count: UInt64)] {
    let counters = snapshot.counters
    return [
      (counters.samples == 1 ? "sample" : "samples", counters.samples), ("late", counters.lateSamples),
      (counters.faults == 1 ? "fault" : "faults", counters.faults),
      (counters.recoveries == 1 ? "recovery" : "recoveries", counters.recoveries),
      (snapshot.transactions == 1 ? "transaction" : "transactions", snapshot.transactions ?? 0),
      (counters.shakes == 1 ? "shake" : "shakes", counters.shakes),
    ]
  }
}

extension VibrationSecond {
  /// The same, as a picture shows it.
  fileprivate var view: Scene.Vibration {
    let bands = (0..<(hasBands ? edges.count : 0)).map { index in
      Scene.Vibration.Band(edges.name(ofBand: index), rms(inBand: index).double)
    }
    return Scene.Vibration(total: total.double, bands: bands)
  }
}

extension BoardDescription {
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

  /// A note about an event, in the owner's words if there are any; nil if the view shows the event anyway.
  func note(_ occurrence: Occurrence, since start: Instant, _ words: String? = nil) -> Scene.Note? {
    let (time, event) = (Double((occurrence.at - start).count) / 1e6, occurrence.event)
    switch event {
    case .trouble(.fault, let cause?): return Scene.Note(time, words ?? cause.text(of: sensor), .trouble)
    case .trouble(.stale, _): return Scene.Note(time, words ?? "\(UnknownReason.stale.message)", .trouble)
    case .trouble: return nil
    case .recovered(_, let outage): return Scene.Note(time, "recovered after \(outage.tableText) s", .relief)
    default: return event.kind.isNoted ? Scene.Note(time, event.text(of: sensor, words), .remark) : nil
    }
  }
}

extension OwnerRemark {
  /// What the owner says besides its events, as notes at `elapsed` after the start.
  func notes(at elapsed: Microseconds) -> [Scene.Note] {
    let time = Double(elapsed.count) / 1e6
    return (missed > 0 ? [Scene.Note(time, missedText, .trouble)] : [])
      + (note.map { [Scene.Note(time, $0, .remark)] } ?? [])
  }
}

extension Scene.Force {
  /// Converts a force to g.
  init(_ force: Vector3) {
    self.init(force.x.double, force.y.double, force.z.double)
  }
}

extension Scene.Force {
  /// Converts a direction to a vector of length 1.
  fileprivate init(_ direction: UnitVector) {
    let one = Double(1 << 30)
    self.init(Double(direction.x) / one, Double(direction.y) / one, Double(direction.z) / one)
  }
}

extension Scene.Fusion {
  /// Converts the fusion's estimate to what a picture shows.
  fileprivate init(_ attitude: Fusion.Attitude, isFresh: Bool, _ temperature: Q16?, clippedSamples: UInt32) {
    self.init()
    (up, rate, bias) = (Scene.Force(attitude.up), Scene.Force(attitude.rate), Scene.Force(attitude.bias))
    heading = attitude.heading.map { Double($0.tenths) / 10 }
    isStill = attitude.isStill
    certainty = attitude.certainty
    (self.isFresh, self.clippedSamples) = (isFresh, UInt64(clippedSamples))
    self.temperature = temperature.map(\.double)
  }
}
