package import BoardFile
package import FixedPoint
package import Gestures
import HAL
package import Indication
import JSON
package import Monitor
package import Orientation
import PlumbViews
import SenseHAT
import Sensors
package import Stream
import Text
package import Vibration

/// Writes events and samples to standard output.
package struct Reporter {
  package var output: Output
  package let format: Format
  package let shown: Shown
  package let start: Instant
  /// The sensor, for messages about it.
  package let sensor: BoardDescription.Sensor
  /// The code of the lines.
  package let code: LineCode
  /// Writes the objects of events and samples.
  package private(set) var objects: ObjectWriter
  /// A buffer for the line of an object, with room for the longest.
  private var line = [UInt8](repeating: 0, count: 1_024)
  /// When the next sample with requested figures is due.
  private var nextRow: Instant

  /// Whether the matrix of a Sense HAT is drawn below the rows, and what it shows.
  private let matrixStyle: TextStyle?
  private var picture = MatrixPicture.dark

  /// Ten rows a second are still readable.
  private static var rowInterval: Microseconds { .milliseconds(100) }

  package init(
    output: Output, format: Format, shown: Shown = Shown(),
    sizes: (content: TiltScroll.PixelSize, viewport: TiltScroll.PixelSize)? = nil, start: Instant,
    sensor: BoardDescription.Sensor, code: LineCode = .leds, drawsMatrix: Bool = false
  ) {
    self.output = output
    self.format = format
    self.shown = shown
    self.start = start
    self.sensor = sensor
    self.code = code
    var objects = ObjectWriter(start: start, sensor: sensor.place, code: code)
    objects.relativeTo = shown.relativeTo
    if let sizes { objects.sizes = (sizes.content, sizes.viewport) }
    self.objects = objects
    nextRow = start
    let style = TextStyle.ofStandardOutput
    matrixStyle = drawsMatrix && format == .text && style.hasColour && style.hasUnicode ? style : nil
  }

  /// Writes the events of `seen`, and its sample if that is due; and the remark of the sensor's owner, if that is
  /// another process.
  package mutating func show(_ seen: Observation, _ remark: OwnerRemark? = nil) throws(ToolError) {
    objects.tare = seen.snapshot.tare
    if let remark { try show(remark) }
    for index in 0..<seen.events.count {
      guard let occurrence = seen.events[index] else { continue }
      let (event, time) = (occurrence.event, occurrence.at - start)
      switch format {
      case .text:
        if let line = text(event, seen.snapshot.levels, time, remark?.detail) { try output.line(line) }
      case .json:
        if let line = remark?.line(at: time.secondsText) { try output.line(line); continue }
        try writeLine { reporter, writer in
          reporter.objects.beginObject(of: event, at: occurrence.at, remark?.detail, to: &writer)
          writer.endObject()
        }
      }
    }
    try draw(MatrixPicture(seen.snapshot.levels))
    if let second = seen.vibration, shows(second) { try show(second, seen.snapshot.levels, remark) }
    guard let reading = seen.reading, isDue(reading.instant) else { return }
    let time = reading.instant - start
    guard format == .json else { return try output.line(text(reading, seen, time)) }
    if objects.relativeTo == nil, objects.sizes == nil, let line = remark?.line(at: time.secondsText) {
      return try output.line(line)
    }
    try writeLine { reporter, writer in reporter.objects.write(reading, of: seen, to: &writer) }
  }

  /// Draws what the matrix shows, if that has changed and is not darkness.
  private mutating func draw(_ picture: MatrixPicture) throws(ToolError) {
    guard let matrixStyle, picture != self.picture else { return }
    self.picture = picture
    guard picture != .dark else { return }
    for line in MatrixDrawing.lines(picture, matrixStyle) { try output.line("          " + line) }
  }

  /// Writes the object that `write` produces as a line.
  private mutating func writeLine(_ write: (borrowing Reporter, inout JSONWriter) -> Void) throws(ToolError) {
    var line = [UInt8]()
    swap(&line, &self.line)
    let count = unsafe line.withUnsafeMutableBufferPointer { bytes in
      var writer = unsafe JSONWriter(bytes)
      write(self, &writer)
      return writer.count
    }
    try output.line(line[..<count])
    swap(&line, &self.line)
  }

  /// Writes an owner's remark that is not an event.
  private mutating func show(_ remark: OwnerRemark) throws(ToolError) {
    if remark.missed > 0 {
      try output.line(
        format == .json
          ? JSONText.line { ObjectWriter.write(missed: remark.missed, to: &$0) } : remark.missedText)
    }
    switch format {
    case .json: if let object = remark.object { try output.line(object) }
    case .text: if let note = remark.note { try output.line(wrapped(note, behind: "")) }
    }
  }

  /// Whether a step has anything to show.
  package func shows(_ seen: Observation) -> Bool {
    seen.events.count > 0 || shown.samples || shown.hasFigures || shows(seen.vibration)
  }

  /// Whether the vibration of a second is shown; false for nil.
  private func shows(_ second: VibrationSecond?) -> Bool { second != nil && shown.contains(.vibration) }

  private mutating func show(
    _ second: VibrationSecond, _ levels: Levels, _ remark: OwnerRemark?
  ) throws(ToolError) {
    let time = second.instant - start
    switch format {
    case .text: try output.line(wrapped(second.words, behind: beginning(time, levels)))
    case .json:
      if let line = remark?.line(at: time.secondsText) { return try output.line(line) }
      try writeLine { reporter, writer in reporter.objects.write(second, to: &writer) }
    }
  }

  /// Writes the summary, after the end.
  package mutating func conclude(_ summary: Summary) throws(ToolError) {
    var summary = summary
    summary.droppedLines = output.droppedLines > 0 ? output.droppedLines : nil
    try output.line(summary.line(format), always: true)
    try output.flush()
  }

  /// Whether the sample at `instant` is to be written.
  private mutating func isDue(_ instant: Instant) -> Bool {
    if shown.samples { return true }
    guard shown.hasFigures && instant >= nextRow else { return false }
    nextRow = max(nextRow + Self.rowInterval, instant - Self.rowInterval)
    return true
  }
}

extension ObjectWriter {
  /// Writes the object of `event` without its end, with the owner's `words` if there are any.
  fileprivate func beginObject(of event: Event, at instant: Instant, _ words: String?, to writer: inout JSONWriter) {
    beginObject(of: event, at: instant, detail: words.map { Message(cutting: $0) }, to: &writer)
  }

  /// The object of `event` as text, with angles relative to `tare`.
  package func text(_ event: Event, at instant: Instant, _ words: String?, _ tare: Tare) -> String {
    var objects = self
    objects.tare = tare
    return JSONText.line { [objects] writer in
      objects.beginObject(of: event, at: instant, words, to: &writer)
      writer.endObject()
    }
  }
}

// The lines as displayed, in either format.
extension Reporter {
  /// The heading above `linesRow`, with the two spaces that follow it.
  var linesHeading: String { (code == .leds ? "LEDs" : "lines").padded(to: linesRow(.off).count + 2) }

  /// The lines in a row: a letter for each one that is on, a dot for each one that is off. A valid line comes first;
  /// the bits of a number are 0 and 1, the highest first.
  func linesRow(_ levels: Levels) -> String {
    let valid = levels.isOn(0) ? "V" : "·"
    switch code {
    case .leds: return "[\(poses(levels, from: 0))]"
    case .oneHot: return "[\(valid) \(poses(levels, from: 1))]"
    case .binary: return "[\(valid) " + [3, 2, 1].map { levels.isOn($0) ? "1" : "0" }.joined() + "]"
    }
  }

  private func poses(_ levels: Levels, from first: Int) -> String {
    String("PULRFD".enumerated().map { levels.isOn(first + $0.offset) ? $0.element : "·" })
  }
}

// Text: a table for people.
extension Reporter {
  /// The measured quantities to show; the angles if none was requested.
  private var columns: [Shown.Quantity] {
    let asked = Shown.Quantity.allCases.filter { $0.isMeasured && shown.contains($0) }
    return asked.isEmpty ? [.angles] : asked
  }

  /// Whether all angles were requested, rather than three of them shown by default.
  private var showsAllAngles: Bool { shown.contains(.angles) }

  /// The headings of the columns of figures, each as wide as its column.
  private var figureHeadings: [String] {
    var headings: [String] = []
    if columns.contains(.angles) {
      headings += ["   angle", "   pitch", "    roll"]
      if showsAllAngles { headings.append(" inclin.") }
      if shown.relativeTo != nil { headings.append("  relat.") }
    }
    if columns.contains(.steering) { headings.append("  steer.") }
    if columns.contains(.scroll) { headings.append(objects.sizes == nil ? "    scroll" : "    pixels") }
    return headings
  }

  /// The column of poses, in lines of 80 characters: their words, or their short words, or none, in which case the
  /// lines and the last change show a sample's pose.
  private enum PoseColumn: Int {
    // The width of each: the longest words, indented by two.
    case words = 28, shortWords = 14, none = 0
  }

  private var poseColumn: PoseColumn {
    let width = "    time  \(linesHeading)\(figureHeadings.joined())".count
    return [.words, .shortWords].first { width + $0.rawValue <= 80 } ?? .none
  }

  /// The content of the column of poses for `state`, indented by `indent`.
  private func cell(_ state: PoseState, indent: String = "") -> String {
    let column = poseColumn
    guard column != .none else { return "" }
    return (indent + "\(column == .words ? state.words : state.shortWords)").padded(to: column.rawValue)
  }

  /// The heading of the table.
  package var heading: String {
    let column = poseColumn
    return "    time  " + linesHeading + (column == .none ? "" : "pose".padded(to: column.rawValue))
      + figureHeadings.joined()
  }

  func text(_ event: Event, _ levels: Levels, _ time: Microseconds, _ detail: String? = nil) -> String? {
    // Some are always detected, but shown only on request.
    if let quantity = Shown.Quantity(event.kind.group), !shown.contains(quantity) { return nil }
    let words: String
    switch event {
    case .pose(_, let to, let force):
      // With columns of filtered quantities, the row of the sample itself follows.
      let showsAngles = columns == [.angles] && poseColumn != .none
      let figures = showsAngles ? force.map { angles(objects.tare.applied(to: $0)) } ?? "" : ""
      let name = figures.isEmpty ? "\(to.words)" : cell(.known(to))
      return row(time, code.levels(of: to), name, figures)
    case .busy(let since), .quiet(let since): words = "\(event.kind.name) since \((since - start).tableText) s"
    default: words = event.line(of: sensor, detail)
    }
    return wrapped(words, behind: beginning(time, levels))
  }

  /// The beginning of a row of words.
  private func beginning(_ time: Microseconds, _ levels: Levels) -> String {
    time.tableText.rightAligned(to: 8) + "  \(linesRow(levels))  "
  }

  func text(_ reading: Reading, _ seen: Observation, _ time: Microseconds) -> String {
    var cells = columns.contains(.angles) ? angles(seen.snapshot.held(reading)) : ""
    if columns.contains(.steering) { cells += seen.snapshot.steering.tableText.rightAligned(to: 8) }
    if columns.contains(.scroll) { cells += scroll(seen.snapshot.position) }
    return row(time, seen.snapshot.levels, cell(reading.state, indent: "  "), cells)
  }

  private func row(_ time: Microseconds, _ levels: Levels, _ name: String, _ figures: String) -> String {
    time.tableText.rightAligned(to: 8) + "  \(linesRow(levels))  " + name + figures
  }

  private func angles(_ force: TaredForce) -> String {
    var text =
      tableText(force.isFlat ? nil : force.deviceAngle) + force.pitch.tableText.rightAligned(to: 8)
      + tableText(force.isOnEnd ? nil : force.roll)
    if showsAllAngles { text += force.inclination.tableText.rightAligned(to: 8) }
    if let pose = shown.relativeTo { text += tableText(force.isFlat ? nil : force.relativeAngle(to: pose)) }
    return text
  }

  private func scroll(_ position: TiltScroll.Position) -> String {
    guard let pixels = objects.pixels(position) else {
      return "\(fixed(position.x)),\(fixed(position.y))".rightAligned(to: 10)
    }
    // However long, a blank precedes it.
    return " " + "\(pixels.x),\(pixels.y)".rightAligned(to: 9)
  }

  private func fixed(_ value: Q16) -> String { figure(value.double, places: 2, width: 0, sign: false) }

  private func tableText(_ angle: BinaryAngle?) -> String { (angle?.tableText ?? "–").rightAligned(to: 8) }
}

extension VibrationSecond {
  /// The strength of the vibration, for people.
  package var words: String {
    func grams(_ value: Q16) -> String { figure(value.double, places: 4, width: 0, sign: false) }
    let bands = hasBands ? (0..<edges.count).map { "\(edges.name(ofBand: $0)) \(grams(rms(inBand: $0)))" } : []
    return "vibration \(grams(total)) g" + (bands.isEmpty ? "" : "; ") + bands.joined(separator: ", ")
  }
}

extension BandEdges {
  /// The name of band `index`, made of its edges.
  package func name(ofBand index: Int) -> String {
    "\(self[index].text(places: 2)) to \(self[index + 1].text(places: 2)) Hz"
  }
}
