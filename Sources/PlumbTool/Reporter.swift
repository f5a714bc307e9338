import Accelerometers
import ArgumentParser
import BoardFile
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation

/// How results are written.
enum Format: String, ExpressibleByArgument, CaseIterable {
  /// For people.
  case text
  /// One object a line, for scripts.
  case json
}

/// Writes events and samples to standard output.
struct Reporter {
  var output: Output
  let format: Format
  let showsSamples: Bool
  let start: Instant
  /// Who is meant by the words of a sensor's error.
  let sensor: BoardDescription.Sensor

  /// Writes everything that one step brought.
  mutating func show(_ report: Monitor.Report, levels: Levels) throws(Failure) {
    for index in 0..<report.events.count {
      guard let (at, event) = report.events[index] else { break }
      let time = at - start
      try output.line(format == .json ? json(event, levels, time) : text(event, levels, time))
    }
    if showsSamples, let reading = report.reading {
      let time = reading.instant - start
      try output.line(format == .json ? json(reading, time) : text(reading, levels, time))
    }
  }

  /// What a reason for not knowing means, in words; the sensor's own words where it is at fault.
  private func detail(_ reason: UnknownReason, _ cause: SensorError?) -> String {
    if let cause { return cause.text(of: sensor) }
    return switch reason {
    case .notYetSampled: "no sample has come yet"
    case .ambiguous: "the board is between poses"
    case .accelerating: "more than gravity acts on the board (over 1.4 g)"
    case .freeFall: "less than gravity acts on the board (under 0.6 g)"
    case .stale: "no sample came for more than a second"
    case .fault: "the sensor is at fault"
    }
  }
}

// JSON: one object a line.
extension Reporter {
  private func json(_ event: Event, _ levels: Levels, _ time: Microseconds) -> String {
    let begin = "{\"t\":\(time.secondsText),\"event\":"
    switch event {
    case .pose(let from, let to, let force):
      return begin + "\"pose\",\"from\":\"\(from.name)\",\"to\":\"\(to.name)\","
        + "\"angle_deg\":\(force.deviceAngle.degreesText),\"pitch_deg\":\(force.pitch.degreesText),"
        + "\"roll_deg\":\(force.roll.degreesText),\"leds\":[\(ledNumbers(.oneHot(to)))]}"
    case .trouble(let reason, let cause):
      return begin + "\"trouble\",\"reason\":\"\(reason.name)\",\"detail\":\(jsonText(detail(reason, cause)))}"
    case .recovered(let cause, let outage):
      return begin + "\"recovery\",\"outage_s\":\(outage.secondsText),\"detail\":\(jsonText(cause.text(of: sensor)))}"
    case .gaveUp(let cause, let outage):
      return begin + "\"give-up\",\"outage_s\":\(outage.secondsText),\"detail\":\(jsonText(cause.text(of: sensor)))}"
    case .notice(let notice):
      return begin + "\"notice\",\"detail\":\(jsonText(notice.text(of: sensor)))}"
    }
  }

  private func json(_ reading: Reading, _ time: Microseconds) -> String {
    let force = reading.force
    return "{\"t\":\(time.secondsText),\"event\":\"sample\",\"x\":\(force.x.text(places: 6)),"
      + "\"y\":\(force.y.text(places: 6)),\"z\":\(force.z.text(places: 6)),\"pose\":\"\(reading.state.name)\","
      + "\"angle_deg\":\(force.deviceAngle.degreesText),\"pitch_deg\":\(force.pitch.degreesText),"
      + "\"roll_deg\":\(force.roll.degreesText),\"inclination_deg\":\(force.inclination.degreesText),\"steering_deg\":\(reading.angles.steering.degreesText)}"
  }

  private func ledNumbers(_ levels: Levels) -> String {
    (0..<Pose.count).map { levels.isOn($0) ? "1" : "0" }.joined(separator: ",")
  }

  /// A JSON string of printable ASCII text: nothing else comes here.
  private func jsonText(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

// Text: a table for people.
extension Reporter {
  /// The heading of the table.
  static let heading = "    time  LEDs      pose                  angle    pitch     roll"

  private func text(_ event: Event, _ levels: Levels, _ time: Microseconds) -> String {
    let words: String
    switch event {
    case .pose(_, let to, let force): return row(time, .oneHot(to), "\(to.name)", force)
    case .trouble(let reason, let cause): words = "trouble: \(reason.name): " + detail(reason, cause)
    case .recovered(let cause, let outage):
      words = "recovered after \(outage.tableText) s from: " + cause.text(of: sensor)
    case .gaveUp(let cause, let outage):
      words = "given up after \(outage.tableText) s: " + cause.text(of: sensor)
    case .notice(let notice): words = "notice: " + notice.text(of: sensor)
    }
    return padded(time.tableText, 8) + "  \(ledRow(levels))  " + words
  }

  private func text(_ reading: Reading, _ levels: Levels, _ time: Microseconds) -> String {
    row(time, levels, "  \(reading.state.name)", reading.force)
  }

  private func row(_ time: Microseconds, _ levels: Levels, _ name: String, _ force: Vector3) -> String {
    padded(time.tableText, 8) + "  \(ledRow(levels))  " + name + String(repeating: " ", count: max(1, 18 - name.count))
      + tableText(force.deviceAngle, of: force.x, force.y) + padded(force.pitch.tableText, 9)
      + tableText(force.roll, of: force.x, force.z)
  }

  /// An angle in the plane of two components: nothing but noise where both are small, and then not shown.
  private func tableText(_ angle: BinaryAngle, of a: Q16, _ b: Q16) -> String {
    padded(magnitude(a.raw, b.raw) < Q16(1, over: 10).raw ? "–" : angle.tableText, 9)
  }

  /// The row of LEDs: the letter of each that is lit, a dot for each that is dark.
  private func ledRow(_ levels: Levels) -> String {
    var row = ""
    for (index, letter) in "PULRFD".enumerated() { row.append(levels.isOn(index) ? letter : "·") }
    return "[\(row)]"
  }
}

/// `text`, right-aligned in `width` columns.
private func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

extension BinaryAngle {
  /// Degrees to a tenth, always with the tenth, for tables.
  fileprivate var tableText: String {
    let text = degrees.text(places: 1)
    return (text.contains(".") ? text : text + ".0") + "°"
  }
}
