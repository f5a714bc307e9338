internal import Orientation
internal import Text

/// A period with the same knowledge of the pose.
struct PlotBand {
  /// Its ends, in tenths from the left edge.
  var from: Int
  var to: Int
  /// The states that occurred, one bit each.
  var states: UInt16

  /// The drawn width, never too narrow to be visible.
  var width: Int { max(to - from, 12) }

  /// The kinds that occurred: the six poses, and all reasons for an unknown pose as the seventh.
  var kinds: [Int] { (0...Pose.count).filter { $0 < Pose.count ? states >> $0 & 1 == 1 : states >> Pose.count != 0 } }

  /// The letter of each kind, as beside the LEDs.
  static let letters = PoseMark.letters + ["?"]
  static let names = PoseMark.poses.map { "\($0.words)" } + ["unknown"]
  static let shortNames = PoseMark.names + ["unknown"]
}

extension PlotDrawing {
  static let stripHeight = 30

  /// Poses over time. A band ends where the next begins, or with the last sample before a gap.
  var bands: [PlotBand] {
    var bands: [PlotBand] = []
    for (index, column) in columns.enumerated() {
      let isLast = index + 1 == columns.count || isGap(before: index + 1)
      let from = time.place(column.first)
      let to = time.place(isLast ? column.last : columns[index + 1].first)
      if let last = bands.last, last.to == from, last.states == column.states, !isGap(before: index) {
        bands[bands.count - 1].to = to
      } else {
        bands.append(PlotBand(from: from, to: to, states: column.states))
      }
    }
    return bands
  }

  /// Draws the strip of poses. Several poses in one column are stacked.
  mutating func strip(_ bands: [PlotBand]) {
    var paths = [PlotPath](repeating: PlotPath(), count: Pose.count + 1)
    for band in bands {
      let kinds = band.kinds
      let height = Self.stripHeight * 10 / max(1, kinds.count)
      for (row, kind) in kinds.enumerated() { paths[kind].box(band.from, row * height, band.width, height) }
    }
    svg.text("tick end", SVG.Point(x: Self.left - 8, y: y + 20), "pose")
    let boxes = paths.enumerated().filter { !$1.text.isEmpty }.map { kind, path in
      "<path class=\"pose p\(kind)\" d=\"\(path.text)\"/>"
    }
    svg.raw("<g id=\"strip\">" + Self.group(y, boxes.joined()) + "</g>")
    svg.raw("<g id=\"names\">")
    for band in bands where band.kinds.count == 1 { name(band, band.kinds[0]) }
    for index in columns.indices where isGap(before: index) {
      let (from, to) = (time.place(columns[index - 1].last), time.place(columns[index].first))
      guard let name = columns[index].gap.names.first(where: { Self.textWidth($0) * 10 <= to - from }) else { continue }
      svg.text("tick middle", SVG.Point(x: Self.left + (from + to) / 20, y: y + 20), name)
    }
    svg.raw("</g>")
    svg.rectangle("frame", x: Self.left, y: y, width: Self.plotWidth, height: Self.stripHeight)
    y += Self.stripHeight
  }

  /// Writes the name of a pose in its band, if it fits.
  private mutating func name(_ band: PlotBand, _ kind: Int) {
    let room = band.width / 10 - 3
    let names = [PlotBand.shortNames[kind], PlotBand.letters[kind]]
    guard let name = names.first(where: { Self.textWidth($0) <= room }) else { return }
    svg.text("label middle", SVG.Point(x: Self.left + (band.from + band.width / 2 + 5) / 10, y: y + 20), name)
  }

  /// Tints the background of all panels with the colours of the poses.
  mutating func tint(_ bands: [PlotBand]) {
    var paths = [PlotPath](repeating: PlotPath(), count: Pose.count + 1)
    for band in bands where band.kinds.count == 1 { paths[band.kinds[0]].box(band.from, 0, band.width, 100) }
    let boxes = paths.enumerated().filter { !$1.text.isEmpty }.map { kind, path in
      "<path class=\"pose p\(kind)\" d=\"\(path.text)\"/>"
    }
    svg.raw("<defs><g id=\"tint\">\(boxes.joined())</g></defs>")
    for panel in panels {
      svg.raw(
        "<use class=\"tint\" href=\"#tint\" transform=\"translate(\(Self.left) \(panel.top)) scale(.1 \(decimalText(Int64(panel.height), over: 100, places: 2)))\"/>"
      )
    }
  }

  /// Draws the key to the colours of the poses that occurred.
  mutating func key(of bands: [PlotBand]) {
    let states = bands.reduce(0) { $0 | $1.states }
    var x = Self.left
    y += 10
    for kind in PlotBand(from: 0, to: 0, states: states).kinds {
      let name = "\(PlotBand.letters[kind])  \(PlotBand.names[kind])"
      let width = Self.textWidth(name) + 38
      if x + width > Self.left + Self.plotWidth + 20 {
        x = Self.left
        y += 22
      }
      svg.rectangle("pose p\(kind)", x: x, y: y, width: 20, height: 14, round: 2)
      svg.text("key", SVG.Point(x: x + 26, y: y + 12), name)
      x += width
    }
    y += 18
  }

  /// Draws a row of marks for each kind of event that occurred.
  mutating func markRows() {
    y += 5
    let names = [(PlotMark.pose, "change"), (.shake, "shake"), (.trouble, "trouble"), (.backwards, "time ←")]
    for (mark, name) in names {
      let places = columns.filter { $0.marks & mark.bit != 0 }.map { time.place($0.first) }
      guard !places.isEmpty else { continue }
      var path = PlotPath()
      for place in places {
        path.move(place, 25)
        path.line(place, 135)
      }
      svg.text("tick end", SVG.Point(x: Self.left - 8, y: y + 13), name)
      svg.raw("<path class=\"rule\" d=\"M\(Self.left) \(y + 17)h\(Self.plotWidth)\"/>")
      svg.raw(Self.group(y, "<path id=\"mark-\(mark)\" class=\"mark \(mark)\" d=\"\(path.text)\"/>"))
      y += 18
    }
  }
}
