import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import Sensors

// JSON: one object a line. docs/output.md describes each.
extension Reporter {
  func json(_ event: Event, _ levels: Levels, _ time: Microseconds) -> String? {
    let begin = "{\"t\":\(time.secondsText),\"event\":"
    switch event {
    case .pose(let from, let to, let force):
      return begin + "\"pose\",\"from\":\"\(from.name)\",\"to\":\"\(to.name)\","
        + "\"angle_deg\":\(force.deviceAngle.degreesText),\"pitch_deg\":\(force.pitch.degreesText),"
        + "\"roll_deg\":\(force.roll.degreesText),\(linesFields(code.levels(of: to)))}"
    case .trouble(let reason, let cause):
      return begin + "\"trouble\",\"reason\":\"\(reason.name)\",\"detail\":\(detail(reason, cause).json)}"
    case .recovered(let cause, let outage):
      return begin + "\"recovery\",\"outage_s\":\(outage.secondsText),\"detail\":\(cause.text(of: sensor).json)}"
    case .gaveUp(let cause, let outage):
      return begin + "\"give-up\",\"outage_s\":\(outage.secondsText),\"detail\":\(cause.text(of: sensor).json)}"
    case .notice(let notice):
      return begin + "\"notice\",\"detail\":\(notice.text(of: sensor).json)}"
    case .shake: return begin + "\"shake\"}"
    case .rotation(let phase): return begin + "\"rotation\",\"phase\":\"\(phase.name)\"" + json(phase) + "}"
    }
  }

  /// The rest of the fields of a phase.
  private func json(_ phase: RotationEvent) -> String {
    switch phase {
    case .willRotate(let from, let to, let duration):
      ",\"from\":\"\(from.name)\",\"to\":\"\(to.name)\",\"duration_s\":\(duration.secondsText)"
    case .firstHalf, .secondHalf: ""
    case .didRotate(let from): ",\"from\":\"\(from.name)\""
    case .redirected(let to, let remaining): ",\"to\":\"\(to.name)\",\"remaining_s\":\(remaining.secondsText)"
    }
  }

  func json(_ reading: Reading, _ figures: Figures, _ time: Microseconds) -> String {
    let (force, position) = (reading.force, figures.position)
    let angles: [(String, BinaryAngle?)] = [
      ("angle", force.deviceAngle), ("level", force.levelAngle),
      ("relative", showing.relativeTo.map { force.relativeAngle(to: $0) }), ("pitch", force.pitch),
      ("roll", force.roll), ("inclination", force.inclination), ("steering", figures.steering),
    ]
    var fields = ["\"t\":\(time.secondsText)", "\"event\":\"sample\""]
    fields += [("x", force.x), ("y", force.y), ("z", force.z)].map { "\"\($0.0)\":\($0.1.text(places: 6))" }
    fields.append("\"pose\":\"\(reading.state.name)\"")
    fields += angles.compactMap { name, angle in angle.map { "\"\(name)_deg\":\($0.degreesText)" } }
    fields.append("\"scroll\":[\(position.x.text(places: 5)),\(position.y.text(places: 5))]")
    if let pixels = pixels(position) { fields.append("\"scroll_px\":[\(pixels.x),\(pixels.y)]") }
    return "{" + fields.joined(separator: ",") + "}"
  }
}
