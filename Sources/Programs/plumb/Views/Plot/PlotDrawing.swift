internal import FixedPoint
internal import Monitor
internal import Orientation
internal import Text

/// The picture of a recording: a strip of poses, marks for events, and panels of lines over one time axis.
///
/// Coordinates of data are integers, in tenths of the picture's units, so that the same recording results in the same
/// bytes everywhere.
package struct PlotDrawing {
  /// The width of the picture: readable at half size on a phone held upright.
  static let width = 680
  /// The left edge and the width of the panels.
  static let left = 74
  static let plotWidth = 592
  /// How many columns are drawn at most: more than most screens have pixels for.
  package static let columnLimit = 2_048

  let data: PlotData
  let title: String
  let columns: [PlotColumn]
  /// The longest interval that a line may cross, in microseconds.
  private let longestInterval: Int64
  /// The width of a column, in microseconds.
  let columnWidth: Int64
  let time: PlotScale
  var svg = SVG()
  /// Where the next part starts.
  var y = 0
  private(set) var panels: [PlotPanel] = []

  init(_ data: PlotData, title: String) {
    self.data = data
    self.title = title
    longestInterval = data.times.longestInterval
    let reduced = data.columns.reduced(to: Self.columnLimit)
    columns = reduced.filled
    columnWidth = reduced.width
    time = PlotScale(low: data.earliest, high: data.latest, start: 0, end: Self.plotWidth * 10)
  }

  /// The picture as SVG.
  package static func text(_ data: PlotData, title: String) -> String { drawn(data, title: title).text }

  /// The picture and its panels; `isEmbedded` is for a page, without a title.
  static func drawn(_ data: PlotData, title: String, isEmbedded: Bool = false) -> (text: String, panels: [PlotPanel]) {
    var drawing = PlotDrawing(data, title: title)
    drawing.draw()
    let name = SVG.escaped(title)
    // In a page, the title would become a tooltip.
    let (size, caption) = isEmbedded ? ("id=\"picture\" ", "") : ("", "<title>\(name)</title>\n")
    let open = """
      <svg xmlns="http://www.w3.org/2000/svg" \(size)viewBox="0 0 \(width) \(drawing.y)" role="img" \
      aria-label="\(name)">
      \(caption)<style>
      \(PlotStyle.text(withRotation: drawing.columns.contains(where: \.hasRotation)))</style>
      <defs>
      <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
      <path class="hatch" d="M0 0v7"/></pattern>
      <pattern id="wide" width="70" height="70" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
      <path class="hatch wide" d="M0 0v70"/></pattern>
      <clipPath id="clip"><path d="M-20-20h\(plotWidth * 10 + 40)v9000H-20z"/></clipPath>
      </defs>
      <rect class="paper" width="100%" height="100%"/>

      """
    return (open + drawing.svg.body + "</svg>\n", drawing.panels)
  }

  private mutating func draw() {
    heading()
    let bands = self.bands
    strip(bands)
    markRows()
    key(of: bands)
    let tops = y
    for panel in PlotPanel.all(columns) {
      var panel = panel
      y += 34
      panel.top = y
      y += panel.height
      panels.append(panel)
    }
    tint(bands)
    for panel in panels { draw(panel) }
    if panels.isEmpty { y = tops }
    timeAxis()
    footer()
  }

  private mutating func heading() {
    svg.text("title", SVG.Point(x: 14, y: 36), Self.cut(title, to: 44))
    var facts = ["\(Self.grouped(data.samples)) \(data.samples == 1 ? "sample" : "samples")"]
    if data.span > 0 {
      facts.append("\(Microseconds(data.span).durationText)")
      if data.samples > 1, data.times.backwards == 0, let rate = rateText { facts.append("\(rate) Hz") }
    }
    svg.text("subtitle", SVG.Point(x: 14, y: 62), facts.joined(separator: " · "))
    y = 80
  }

  /// The sample rate in Hz, without the gaps.
  private var rateText: String? {
    let (gaps, total) = data.times.gaps
    let intervals = Int64(data.samples - 1) - Int64(clamping: gaps)
    guard intervals > 0, data.span > total, intervals < 1 << 40 else { return nil }
    return decimalText(intervals * 1_000_000, over: data.span - total, places: intervals > 10 ? 1 : 2)
  }

  /// Whether samples are missing before column `index`.
  func isGap(before index: Int) -> Bool {
    index > 0 && columns[index].first - columns[index - 1].last > longestInterval
  }

  /// A group at the left edge of the panels, in tenths of the picture's units.
  static func group(_ top: Int, _ content: String, clipped: Bool = true) -> String {
    "<g transform=\"translate(\(left) \(top)) scale(.1)\"\(clipped ? " clip-path=\"url(#clip)\"" : "")>\(content)</g>"
  }

  /// `text`, cut to at most `limit` characters.
  static func cut(_ text: String, to limit: Int) -> String {
    text.count > limit ? text.prefix(limit - 1) + "…" : text
  }

  /// A number with narrow spaces between groups of three digits.
  static func grouped(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text += "\u{202F}" }
      text.append(digit)
    }
    return text
  }
}

extension PlotDrawing {
  /// The times that have lines in the panels and labels below.
  private var timeTicks: PlotTicks { .time(from: data.earliest, to: data.latest, count: 7) }

  /// Draws vertical lines at round times.
  func uprights(_ top: Int, _ height: Int) -> String {
    timeTicks.ticks.map { tick in
      "<path class=\"grid\" d=\"M\(decimalText(Int64(Self.left * 10 + time.place(tick.value)), over: 10, places: 1)) \(top)v\(height)\"/>"
    }.joined()
  }

  /// Draws the labels at round times.
  mutating func timeAxis() {
    svg.raw("<g id=\"times\">")
    for tick in timeTicks.ticks {
      svg.text(
        "tick middle", SVG.Point(x: Self.left + (time.place(tick.value) + 5) / 10, y: y + 20),
        tick.label.replacing("-", with: "−"))
    }
    svg.raw("</g>")
    svg.raw(
      "<text id=\"unit\" class=\"tick middle\" x=\"\(Self.left + Self.plotWidth / 2)\" y=\"\(y + 42)\">"
        + "time since the first sample, \(timeTicks.unit)</text>")
    y += 58
  }

  /// Writes the notes below the panels.
  mutating func footer() {
    svg.raw("<path class=\"rule\" d=\"M14 \(y)H\(Self.width - 14)\"/>")
    y += 8
    for note in notes {
      for line in wrapped(note, to: 84) {
        y += 20
        svg.text("note", SVG.Point(x: 14, y: y), line)
      }
      y += 5
    }
    y += 14
  }

  /// Notes about the recording and the picture.
  var notes: [String] {
    [eventNote, drawingNote] + [gapNote, backwardsNote, repeatedNote, beyondNote].compactMap(\.self)
  }

  private var eventNote: String {
    let counters = data.counters
    var facts = [Self.count(Int(clamping: counters.poseChanges), "pose change", "pose changes")]
    if counters.shakes > 0 { facts.append(Self.count(Int(clamping: counters.shakes), "shake", "shakes")) }
    let reasons = (0..<UInt8(6)).compactMap { UnknownReason(rawValue: $0) }
    counters.unknown.forEachPositive { name, count in
      let words = reasons.first { "\($0.name)" == "\(name)" }.map { "\($0.message)" } ?? "\(name)"
      facts.append(Self.count(Int(clamping: count), "time \(words)", "times \(words)"))
    }
    return facts.joined(separator: " · ")
  }

  private var drawingNote: String {
    let angles =
      " In a dead band the pose does not change. Device angle and roll are not drawn where less than 0.1 g lies in their plane."
    guard columns.contains(where: { $0.count > 2 }) else { return "Every sample is drawn." + angles }
    return
      "The samples are drawn in \(Self.grouped(columns.count)) columns of \(Microseconds(columnWidth).durationText): "
      + "each shows the minimum and maximum of every line, and all of its poses, one above the other. "
      + "No extreme is lost." + angles
  }

  private var gapNote: String? {
    let (count, total) = data.times.gaps
    guard count > 0 else { return nil }
    let known = PlotGap.allCases.dropFirst().compactMap { kind -> String? in
      let count = columns.indices.count { columns[$0].gap == kind && isGap(before: $0) }
      return count == 0 ? nil : "\(kind.names[0]): \(count)"
    }
    let why =
      known.isEmpty ? "The recording does not say why samples are missing." : known.joined(separator: ", ") + "."
    return
      "\(Self.count(Int(clamping: count), "gap", "gaps")), \(Microseconds(total).durationText) in all: no line crosses "
      + "\(count == 1 ? "it" : "them"). \(why.capitalisedFirst) A gap is longer than two and a half times the usual \(Microseconds(data.times.usualInterval).durationText)."
  }

  private var backwardsNote: String? {
    let backwards = Int(clamping: data.times.backwards)
    guard backwards > 0 else { return nil }
    return
      "Time runs backwards \(backwards == 1 ? "once" : "\(Self.grouped(backwards)) times"): each sample "
      + "is drawn at its own time, so lines and poses overlap."
  }

  private var repeatedNote: String? {
    guard data.times.repeated > 0 else { return nil }
    let count = Self.count(Int(clamping: data.times.repeated), "sample has", "samples have")
    return "\(count) the same time as the one before, to the microsecond."
  }

  private var beyondNote: String? {
    guard data.beyond > 0 else { return nil }
    return "\(Self.count(data.beyond, "sample", "samples")) over 256 g: treated as 256 g."
  }

  private static func count(_ number: Int, _ one: String, _ more: String) -> String {
    "\(grouped(number)) \(number == 1 ? one : more)"
  }
}
