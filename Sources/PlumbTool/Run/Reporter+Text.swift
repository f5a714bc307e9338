import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import Sensors

// Text: a table for people.
extension Reporter {
  /// What is measured and shown; the three angles where nothing was asked for.
  private var columns: [Showing.Quantity] {
    let asked = Showing.Quantity.allCases.filter { $0.isMeasured && showing.show.contains($0) }
    return asked.isEmpty ? [.angles] : asked
  }

  /// Whether all angles were asked for, and not three of them shown for want of anything else.
  private var showsAllAngles: Bool { showing.show.contains(.angles) }

  /// The names of the columns of figures, each in the width of its column.
  private var figureHeadings: [String] {
    var headings: [String] = []
    if columns.contains(.angles) {
      headings += ["   angle", "   pitch", "    roll"]
      if showsAllAngles { headings.append(" inclin.") }
      if showing.relativeTo != nil { headings.append("  relat.") }
    }
    if columns.contains(.steering) { headings.append("  steer.") }
    if columns.contains(.scroll) { headings.append(showing.content == nil ? "    scroll" : "    pixels") }
    return headings
  }

  /// The longest name of a pose, moved in by two.
  private static var nameWidth: Int { 20 }

  /// Whether the pose's name fits before the figures, in lines of 80 characters. Where not, what a sample's pose is tell its
  /// lines and the last change.
  private var namesPoses: Bool {
    "    time  \(linesHeading)\(figureHeadings.joined())".count + Self.nameWidth <= 80
  }

  /// The heading of the table.
  var heading: String {
    "    time  " + linesHeading + (namesPoses ? "pose".padded(to: Self.nameWidth) : "") + figureHeadings.joined()
  }

  func text(_ event: Event, _ levels: Levels, _ time: Microseconds) -> String? {
    let words: String
    switch event {
    case .pose(_, let to, let force):
      // With columns of what is filtered, the row of the sample itself follows.
      let figures = columns == [.angles] && namesPoses ? angles(force) : ""
      let name = figures.isEmpty ? "\(to.name)" : "\(to.name)".padded(to: Self.nameWidth)
      return row(time, code.levels(of: to), name, figures)
    case .trouble(let reason, let cause): words = "trouble: \(reason.name): " + detail(reason, cause)
    case .recovered(let cause, let outage):
      words = "recovered after \(outage.tableText) s from: " + cause.text(of: sensor)
    case .gaveUp(let cause, let outage):
      words = "given up after \(outage.tableText) s: " + cause.text(of: sensor)
    case .notice(let notice): words = "notice: " + notice.text(of: sensor)
    case .shake:
      guard showing.show.contains(.shake) else { return nil }
      words = "shake"
    case .rotation(let phase):
      guard showing.show.contains(.rotation) else { return nil }
      words = phase.words
    }
    return wrapped(words, behind: padded(time.tableText, 8) + "  \(linesRow(levels))  ")
  }

  func text(_ reading: Reading, _ figures: Figures, _ levels: Levels, _ time: Microseconds) -> String {
    var cells = columns.contains(.angles) ? angles(reading.force) : ""
    if columns.contains(.steering) { cells += padded(figures.steering.tableText, 8) }
    if columns.contains(.scroll) { cells += scroll(figures.position) }
    return row(time, levels, namesPoses ? "  \(reading.state.name)".padded(to: Self.nameWidth) : "", cells)
  }

  private func row(_ time: Microseconds, _ levels: Levels, _ name: String, _ figures: String) -> String {
    padded(time.tableText, 8) + "  \(linesRow(levels))  " + name + figures
  }

  private func angles(_ force: Vector3) -> String {
    var text =
      tableText(force.deviceAngle, of: force.x, force.y) + padded(force.pitch.tableText, 8)
      + tableText(force.roll, of: force.x, force.z)
    if showsAllAngles { text += padded(force.inclination.tableText, 8) }
    if let pose = showing.relativeTo { text += tableText(force.relativeAngle(to: pose), of: force.x, force.y) }
    return text
  }

  private func scroll(_ position: TiltScroll.Position) -> String {
    guard let pixels = pixels(position) else {
      return padded("\(fixed(position.x)),\(fixed(position.y))", 10)
    }
    // However large: there is a blank before it.
    return " " + padded("\(pixels.x),\(pixels.y)", 9)
  }

  /// With exactly two places.
  private func fixed(_ value: Q16) -> String {
    let hundredths = (Int64(value.raw) * 100 + 0x8000) >> 16
    return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
  }

  /// An angle in the plane of two components: nothing but noise where both are small, and then not shown.
  private func tableText(_ angle: BinaryAngle, of a: Q16, _ b: Q16) -> String {
    padded(magnitude(a.raw, b.raw) < Q16(1, over: 10).raw ? "–" : angle.tableText, 8)
  }
}

extension RotationEvent {
  /// The phase, for people.
  fileprivate var words: String {
    switch self {
    case .willRotate(let from, let to, let duration):
      "\(name): \(from.name) to \(to.name), \(duration.tableText) s"
    case .firstHalf, .secondHalf: "\(name)"
    case .didRotate(let from): "\(name): from \(from.name)"
    case .redirected(let to, let remaining): "\(name): to \(to.name), \(remaining.tableText) s left"
    }
  }
}

/// `text`, right-aligned in `width` columns.
func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

extension BinaryAngle {
  /// Degrees to a tenth, always with the tenth, for tables.
  var tableText: String {
    let text = degrees.text(places: 1)
    return (text.contains(".") ? text : text + ".0") + "°"
  }
}
