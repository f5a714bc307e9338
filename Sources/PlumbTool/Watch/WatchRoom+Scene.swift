import BoardFile
import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import TerminalView

// What is seen, as a picture has it.
extension WatchRoom {
  /// The scene of `state`.
  func scene(_ state: State, _ attitude: BoardAttitude, recording: String?) -> Scene {
    var scene = Scene()
    scene.title = title
    scene.elapsed = Double(state.elapsed.count) / 1e6
    scene.attitude = attitude
    scene.pose = Self.view(of: state.pose)
    scene.lamps = lamps(state)
    scene.history = state.history
    scene.notes = state.notes
    scene.recording = recording
    scene.counters = Self.counters(state)
    scene.steering = Double(state.steering.tenths) / 10
    scene.scroll = (Double(state.position.x.raw) / 65_536, Double(state.position.y.raw) / 65_536)
    scene.angles = ["device", "pitch", "roll", "inclination"].map { ($0, nil) }
    if let reading = state.reading, isFresh(state) {
      let (force, angles) = (reading.force, reading.angles)
      scene.force = Scene.Force(force)
      scene.angles = [
        ("device", Self.degrees(angles.device, of: force.x, force.y)),
        ("pitch", Double(angles.pitch.tenths) / 10), ("roll", Self.degrees(angles.roll, of: force.x, force.z)),
        ("inclination", Double(angles.inclination.tenths) / 10),
      ]
    }
    return scene
  }

  /// Whether the last sample is one of now.
  func isFresh(_ state: State) -> Bool {
    switch state.pose {
    case .unknown(.fault), .unknown(.stale), .unknown(.notYetSampled): false
    default: true
    }
  }

  private var title: String {
    let sensor = board.sensor
    let name = "\(sensor.model.properName) at \(sensor.address.text)"
    let rate = decimalText(1_000_000, over: sensor.period.count, places: 1)
    switch board.bus {
    case .emulated: return "\(name), emulated, \(motion.rawValue), \(rate) Hz"
    case .linux(let path): return "\(name) on \(path.description), \(rate) Hz"
    }
  }

  private static func view(of state: PoseState) -> Scene.PoseView {
    switch state {
    case .known(let pose): .known(Int(pose.rawValue), name: "\(pose.name)", meaning: pose.edge)
    case .unknown(.notYetSampled): .unknown("no sample has come yet")
    case .unknown(.ambiguous): .unknown("between two poses")
    case .unknown(.accelerating): .unknown("shaken: more than 1.4 g")
    case .unknown(.freeFall): .unknown("falling: less than 0.6 g")
    case .unknown(.stale): .unknown("no sample for a second")
    case .unknown(.fault): .unknown("the sensor is at fault")
    }
  }

  private func lamps(_ state: State) -> [Scene.Lamp] {
    (0..<board.lines.count).map { index in
      // A coded line's first is the one that tells whether the others are to be believed.
      let pose = board.lines.code == .leds ? index : board.lines.code == .oneHot && index > 0 ? index - 1 : nil
      let label =
        switch (pose, index) {
        case (let pose?, _): ["P", "U", "L", "R", "F", "D"][pose]
        case (nil, 0): "valid"
        default: "bit \(index - 1)"
        }
      return Scene.Lamp(label, isLit: state.levels.isOn(index), pose: pose)
    }
  }

  private static func counters(_ state: State) -> [(name: String, count: UInt64)] {
    let counters = state.counters
    return [
      (counters.samples == 1 ? "sample" : "samples", counters.samples), ("late", counters.lateSamples),
      (counters.faults == 1 ? "fault" : "faults", counters.faults),
      (counters.recoveries == 1 ? "recovery" : "recoveries", counters.recoveries),
      ("transactions", state.transactions), (counters.shakes == 1 ? "shake" : "shakes", counters.shakes),
    ]
  }

  /// An angle in the plane of two components: nothing but noise where both are small.
  private static func degrees(_ angle: BinaryAngle, of a: Q16, _ b: Q16) -> Double? {
    magnitude(a.raw, b.raw) < Q16(1, over: 10).raw ? nil : Double(angle.tenths) / 10
  }
}

extension BinaryAngle {
  /// Tenths of a degree, rounded to nearest.
  fileprivate var tenths: Int64 { (Int64(raw) * 3_600 + (1 << 31)) >> 32 }
}

extension Pose {
  /// What points up.
  fileprivate var edge: String {
    switch self {
    case .portrait: "the top edge is up"
    case .portraitUpsideDown: "the bottom edge is up"
    case .landscapeLeft: "the right edge is up"
    case .landscapeRight: "the left edge is up"
    case .faceUp: "flat, the face is up"
    case .faceDown: "flat, the back is up"
    }
  }
}
