internal import FixedPoint
internal import Orientation

/// One of the diagrams; its lines have the same unit.
struct PlotPanel {
  var name: String
  var traces: [(trace: PlotTrace, name: String)]
  var height: Int
  /// The ends of its axis, as Q16.16 in its unit.
  var low: Int64
  var high: Int64
  var ticks: PlotTicks
  /// Where the pose does not change, as Q16.16 in degrees.
  var deadBands: [(low: Int64, high: Int64)] = []
  /// Its upper edge in the picture.
  var top = 0

  /// Positions of values, in tenths from its upper edge.
  var scale: PlotScale { PlotScale(low: low, high: high, start: height * 10, end: 0) }

  /// All panels for `columns`.
  static func all(_ columns: [PlotColumn]) -> [PlotPanel] {
    let limits = PoseTracker.Configuration.standard
    let leave = Int64(limits.leaveAngle.degrees.raw)
    let (enter, leaveFace) = (Int64(limits.faceEnterAngle.degrees.raw), Int64(limits.faceLeaveAngle.degrees.raw))
    let (quarter, half) = (Int64(90 << 16), Int64(180 << 16))
    // Makes a line at the end of the scale fully visible.
    let rim = Int64(8 << 16)
    let measured = [force(columns)] + (columns.contains(where: \.hasRotation) ? [rotation(columns)] : [])
    return measured + [
      PlotPanel(
        name: "Turn in the plane, °", traces: [(.device, "device angle"), (.steering, "steering")], height: 190,
        low: -half - rim, high: half + rim, ticks: .degrees([-180, -90, 0, 90, 180]),
        deadBands: [-half, -quarter, 0, quarter].map { ($0 + quarter - leave, $0 + leave) }),
      PlotPanel(
        name: "Inclination of the face from up, °", traces: [(.inclination, "inclination")], height: 130, low: -rim,
        high: half + rim,
        ticks: .degrees([0, 45, 90, 135, 180]), deadBands: [(enter, leaveFace), (half - leaveFace, half - enter)]),
      PlotPanel(
        name: "Pitch and roll, °", traces: [(.pitch, "pitch"), (.roll, "roll")], height: 150, low: -half - rim,
        high: half + rim,
        ticks: .degrees([-180, -90, 0, 90, 180])),
    ]
  }

  /// The panel of the force, with at least ±1 g.
  private static func force(_ columns: [PlotColumn]) -> PlotPanel {
    fitted(
      to: columns, reaching: 65_536 * 11 / 10, name: "Specific force, g", traces: [(.x, "x"), (.y, "y"), (.z, "z")],
      height: 210)
  }

  /// The panel of the rotation, with at least ±10 °/s.
  private static func rotation(_ columns: [PlotColumn]) -> PlotPanel {
    fitted(
      to: columns, reaching: 65_536 * 11, name: "Rotation rate, °/s",
      traces: [(.rotationX, "about x"), (.rotationY, "about y"), (.rotationZ, "about z")], height: 190)
  }

  /// A panel with room for all values of its lines, and for at least ±`least`.
  private static func fitted(
    to columns: [PlotColumn], reaching least: Int64, name: String, traces: [(trace: PlotTrace, name: String)],
    height: Int
  ) -> PlotPanel {
    var (low, high) = (-least, least)
    for column in columns {
      for (trace, _) in traces {
        low = min(low, Int64(column.low[trace.span]))
        high = max(high, Int64(column.high[trace.span]))
      }
    }
    let margin = (high - low) / 40
    (low, high) = (low - margin, high + margin)
    return PlotPanel(
      name: name, traces: traces, height: height, low: low, high: high,
      ticks: .values(from: low, to: high, count: 6))
  }
}

extension PlotDrawing {
  /// Draws a panel.
  mutating func draw(_ panel: PlotPanel) {
    let (top, scale) = (panel.top, panel.scale)
    svg.text("heading", SVG.Point(x: Self.left, y: top - 9), panel.name)
    let items = panel.traces.map { ("\($0.trace)", $0.name) } + (panel.deadBands.isEmpty ? [] : [("dead", "dead band")])
    svg.legend(items, y: top)
    var content = ""
    for band in panel.deadBands {
      let upper = scale.place(band.high)
      content += "<path class=\"dead\" d=\"M0 \(upper)h\(Self.plotWidth * 10)V\(scale.place(band.low))H0z\"/>"
    }
    for tick in panel.ticks.ticks {
      let height = scale.place(tick.value)
      content += "<path class=\"\(tick.value == 0 ? "grid zero" : "grid")\" d=\"M0 \(height)h\(Self.plotWidth * 10)\"/>"
      svg.text("tick end", SVG.Point(x: Self.left - 8, y: top + (height + 5) / 10 + 5), tick.label)
    }
    svg.raw(Self.group(top, content, clipped: false))
    svg.raw("<g class=\"upright\">\(uprights(top, panel.height))</g>")
    let lines = panel.traces.map { trace, _ in
      "<path id=\"line-\(trace)\" class=\"line \(trace)\" d=\"\(path(of: trace, scale))\"/>"
    }
    svg.raw(Self.group(top, lines.joined(separator: "\n")))
    svg.rectangle("frame", x: Self.left, y: top, width: Self.plotWidth, height: panel.height)
  }

  /// An upper estimate of the width of text in keys and labels.
  static func textWidth(_ text: String) -> Int { (text.count * 85 + 9) / 10 }

  /// The path of one line through all columns: in each, from its earliest value through its extremes to its latest.
  private func path(of trace: PlotTrace, _ scale: PlotScale) -> String {
    var path = PlotPath()
    var last: Int32?
    for (index, column) in columns.enumerated() {
      guard let begin = column.begin[trace.rawValue] ?? column.end[trace.rawValue] else {
        // Undefined at both ends: draw only the extremes.
        draw(column, trace, &path, scale)
        last = nil
        continue
      }
      let x = time.place(column.first)
      let isJoined = !isGap(before: index) && last.map { joins($0, begin, trace) } ?? false
      if isJoined { path.line(x, scale.place(Int64(begin))) } else { path.move(x, scale.place(Int64(begin))) }
      let end = column.end[trace.rawValue]
      if column.count > 2 { draw(column, trace, &path, scale) }
      if column.count > 1, let end {
        let place = (time.place(column.last), scale.place(Int64(end)))
        if column.count == 2 && joins(begin, end, trace) {
          path.line(place.0, place.1)
        } else {
          path.move(place.0, place.1)
        }
      }
      last = end
    }
    path.dot()
    return path.text
  }

  /// Draws the extremes of a column as a vertical line in its middle; as two, above and below zero, if the line wraps.
  private func draw(_ column: PlotColumn, _ trace: PlotTrace, _ path: inout PlotPath, _ scale: PlotScale) {
    let x = time.place(column.first + (column.last - column.first) / 2)
    for span in trace.spans where column.low[span] <= column.high[span] {
      path.move(x, scale.place(Int64(column.low[span])))
      path.line(x, scale.place(Int64(column.high[span])))
      path.dot()
    }
  }

  /// Whether two values are joined, which they are not where the line wraps.
  private func joins(_ a: Int32, _ b: Int32, _ trace: PlotTrace) -> Bool {
    !trace.wraps || (Int64(a) - Int64(b)).magnitude < 180 << 16
  }
}

extension SVG {
  /// Draws the names and colours of lines above the upper right corner of a panel at `y`, the last one outermost.
  mutating func legend(_ items: [(kind: String, name: String)], y: Int) {
    var x = PlotDrawing.left + PlotDrawing.plotWidth
    for (kind, name) in items.reversed() {
      x -= PlotDrawing.textWidth(name) + 4
      text("key", Point(x: x, y: y - 9), name)
      x -= 28
      if kind == "dead" {
        rectangle("dead sample", x: x, y: y - 21, width: 22, height: 13)
      } else {
        raw("<path class=\"line sample \(kind)\" d=\"M\(x) \(y - 14)h22\"/>")
      }
      x -= 14
    }
  }
}
