import BoardFile
import FixedPoint
import HAL
import JSON
import Monitor
import Orientation
import PlumbViews
import Sensors
import Stream
import Text
import ToolInputs
import ToolOutput

/// What `plumb read` prints.
struct ReadAnswer {
  var fresh: FreshReading
  /// The attitude in which angles are zero.
  var tare: Tare
  /// Whether the sensor was already running.
  var isAdopted: Bool
  var notice: SensorNotice?
  var board: BoardDescription
  /// Where the reading comes from, as a sentence.
  var source: String

  /// The lines to write, with the angle relative to `pose`, too, if one is given.
  func lines(_ format: Format, relativeTo pose: Pose?) -> [String] {
    format == .json ? [json(relativeTo: pose)] : text(relativeTo: pose)
  }

  /// The force from which the angles are computed.
  private var seen: TaredForce { tare.applied(to: fresh.force) }

  /// The reason if the pose is unknown.
  private var reason: UnknownReason? {
    if case .unknown(let reason) = fresh.state { return reason }
    return nil
  }
}

// JSON: one object, described in docs/output.md.
extension ReadAnswer {
  private func json(relativeTo pose: Pose?) -> String {
    JSONText.object("read") { writer in
      ObjectWriter.write(fieldsOf: fresh, tare, to: &writer)
      writer.field("relative_to", pose?.name)
      let relative = seen.isFlat ? nil : pose.map { seen.relativeAngle(to: $0) }
      writer.field("relative_deg", degrees: relative)
      writer.field("adopted", isAdopted)
      writer.field("notice", notice.map { $0.text(of: board.sensor) })
    }
  }
}

// Text: a small table for people.
extension ReadAnswer {
  private func text(relativeTo pose: Pose?) -> [String] {
    let force = fresh.force
    let (isFlat, isOnEnd) = (seen.isFlat, seen.isOnEnd)
    let noAngle = "undefined while the board lies flat"
    var lines = [source]
    if let notice { lines.append("notice: " + notice.text(of: board.sensor)) }
    lines.append(row("pose", "\(fresh.state.words)", state))
    lines.append(row("force", "\(grams(force.x)) \(grams(force.y)) \(grams(force.z)) g", "right, up, out of the face"))
    lines.append(
      row("angle", isFlat ? nil : seen.deviceAngle, isFlat ? noAngle : "turned clockwise from upright"))
    lines.append(
      row("level", isFlat ? nil : seen.levelAngle, isFlat ? noAngle : "turns a label to be level"))
    if let pose {
      // A face has no angle of its own, and counts as upright.
      let meaning = "from \(pose.isFace ? "upright" : "\(pose.words)")"
      lines.append(row("relative", isFlat ? nil : seen.relativeAngle(to: pose), isFlat ? noAngle : meaning))
    }
    lines.append(row("pitch", seen.pitch, "how far the top edge points up"))
    lines.append(
      row(
        "roll", isOnEnd ? nil : seen.roll,
        isOnEnd ? "undefined while the board stands on end" : "about its long axis, right edge down"))
    lines.append(row("inclination", seen.inclination, "from vertical to the face's normal"))
    lines.append(row("steering", seen.steeringAngle, "as a steering wheel, in landscape"))
    if tare != .none { lines.append("Angles count from the tare: they are 0 in the attitude of plumb tare.") }
    return lines
  }

  private var state: String {
    "\(fresh.state.pose?.meaning ?? reason?.message ?? "")"
  }

  private func row(_ name: String, _ value: String, _ meaning: String) -> String {
    name.padded(to: 12) + value.padded(to: 28) + meaning
  }

  private func row(_ name: String, _ angle: BinaryAngle?, _ meaning: String) -> String {
    row(name, (angle?.tableText ?? "–").rightAligned(to: 7), meaning)
  }

  /// Formats with exactly three decimal places, for a column.
  private func grams(_ value: Q16) -> String {
    figure(value.double, places: 3, width: 6, sign: value < .zero)
  }
}
