import FixedPoint
import Monitor

extension PlotDrawing {
  /// The times at which there are lines in the panels, and numbers below.
  private var timeTicks: PlotTicks { .time(from: data.earliest, to: data.latest, count: 7) }

  /// Lines upright at round times.
  func uprights(_ top: Int, _ height: Int) -> String {
    timeTicks.ticks.map { tick in
      "<path class=\"grid\" d=\"M\(decimalText(Int64(Self.left * 10 + time.place(tick.value)), over: 10, places: 1)) \(top)v\(height)\"/>"
    }.joined()
  }

  /// Numbers at round times.
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

  /// What happened in numbers, and how the picture was made.
  mutating func footer() {
    svg.raw("<path class=\"rule\" d=\"M14 \(y)H\(Self.width - 14)\"/>")
    y += 8
    for note in notes {
      for line in Self.wrapped(note, to: 84) {
        y += 20
        svg.text("note", SVG.Point(x: 14, y: y), line)
      }
      y += 5
    }
    y += 14
  }

  /// What is to be said of the recording and of the picture.
  var notes: [String] { [eventNote, drawingNote] + [gapNote, backwardsNote, beyondNote].compactMap(\.self) }

  private var eventNote: String {
    let counters = data.counters
    var facts = [Self.count(Int(clamping: counters.poseChanges), "pose change", "pose changes")]
    if counters.shakes > 0 { facts.append(Self.count(Int(clamping: counters.shakes), "shake", "shakes")) }
    facts += counters.unknown.named.map { Self.count(Int(clamping: $0.count), "time \($0.name)", "times \($0.name)") }
    return facts.joined(separator: " · ")
  }

  private var drawingNote: String {
    let angles =
      " In a dead band a pose stays as it was. Device angle and roll are left out where less than 0.1 g lies in their plane."
    guard columns.contains(where: { $0.count > 2 }) else { return "Every sample is drawn." + angles }
    return
      "The samples are drawn in \(Self.grouped(columns.count)) columns of \(Microseconds(columnWidth).durationText): "
      + "each shows the least and the greatest value of every line in it, and all of its poses, one above the other. "
      + "No extreme is lost." + angles
  }

  private var gapNote: String? {
    let (count, total) = data.gaps
    guard count > 0 else { return nil }
    let limit = Microseconds(data.gapLimit).durationText
    return "\(Self.count(count, "gap", "gaps")) of \(limit) or more, \(Microseconds(total).durationText) in all: "
      + "no line leads across."
  }

  private var backwardsNote: String? {
    guard data.backwards > 0 else { return nil }
    return
      "The time runs backwards \(data.backwards == 1 ? "once" : "\(Self.grouped(data.backwards)) times"): each sample "
      + "is drawn where its own time says, so that lines and poses of different passes lie on each other."
  }

  private var beyondNote: String? {
    guard data.beyond > 0 else { return nil }
    return "\(Self.count(data.beyond, "sample", "samples")) with more than 256 g: drawn, and reckoned with, as 256 g."
  }

  private static func count(_ number: Int, _ one: String, _ more: String) -> String {
    "\(grouped(number)) \(number == 1 ? one : more)"
  }

  /// `text` in lines of at most `limit` characters.
  static func wrapped(_ text: String, to limit: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + word.count < limit {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
