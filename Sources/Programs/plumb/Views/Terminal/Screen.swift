internal import Orientation

/// Draws a scene: a pure function from figures to the cells of a terminal.
package struct Screen {
  private let scene: Scene
  private let look: TextStyle

  /// The smallest size on which everything fits.
  package static let full = (width: 80, height: 24)
  /// The smallest size of the compact view: without the board and, with few rows, without scrolling.
  package static let least = (width: 60, height: 15)

  package init(_ scene: Scene, _ look: TextStyle) {
    self.scene = scene
    self.look = look
  }

  /// The cells for a terminal of this size.
  package func drawn(width: Int, height: Int) -> Grid {
    var grid = Grid(width: width, height: height)
    guard width >= Self.least.width && height >= Self.least.height else {
      drawRefusal(&grid)
      return grid
    }
    drawTitle(&grid)
    if Self.isFull(width, height) { drawAll(&grid) } else { drawCompact(&grid) }
    drawKeys(height - 1, &grid)
    if scene.showsHelp { drawHelp(&grid) }
    return grid
  }

  private static func isFull(_ width: Int, _ height: Int) -> Bool { width >= full.width && height >= full.height }

  /// How the full view divides a terminal: the board beside the pose and the figures, and the chart below. If there is
  /// room, the notes have a box below the figures.
  private struct Division {
    /// The rows of the upper part, and the columns of the board.
    let upper, left: Int
    /// The rows of the notes' box; 0 for none.
    let noteBox: Int
    /// The rows of notes without a box.
    let noteRows: Int

    /// Spare rows go to the board and the chart in equal parts, with a few for the notes.
    init(_ width: Int, _ height: Int) {
      let spare = height - Screen.full.height
      let hasNoteBox = spare >= 10 && width >= 110
      noteRows = hasNoteBox ? 0 : 2 + min(4, spare / 5)
      upper = 11 + (hasNoteBox ? spare + 2 : spare - (noteRows - 2)) / 2
      left = min(width * 2 / 5, max(32, 2 * upper + 8))
      noteBox = hasNoteBox ? max(5, min(upper - 11, 14)) : 0
    }
  }

  private func drawAll(_ grid: inout Grid) {
    let (width, height) = (grid.width, grid.height)
    let parts = Division(width, height)
    let (upper, left, noteBox) = (parts.upper, parts.left, parts.noteBox)
    drawBoard(Frame(column: 0, row: 1, width: left, height: upper), &grid)
    drawFigures(Frame(column: left, row: 1, width: width - left, height: upper - noteBox), &grid)
    if noteBox > 0 {
      grid.box(
        Frame(column: left, row: 1 + upper - noteBox, width: width - left, height: noteBox), "events", look)
    }
    let (counters, below) = (scene.fusion == nil ? 1 : 2, parts.noteRows)
    drawChart(Frame(column: 0, row: 1 + upper, width: width, height: height - 2 - counters - below - upper), &grid)
    drawCounters(height - 1 - counters - below, &grid)
    drawGyroscope(height - 2 - below, &grid)
    drawNotes(Self.noteFrame(width, height), &grid)
  }

  /// The frame of the notes.
  private static func noteFrame(_ width: Int, _ height: Int) -> Frame {
    guard isFull(width, height) else {
      let rows = 1 + min(3, max(0, height - least.height - 2) / 3)
      return Frame(column: 0, row: height - 1 - rows, width: width, height: rows)
    }
    let parts = Division(width, height)
    return parts.noteBox == 0
      ? Frame(column: 0, row: height - 1 - parts.noteRows, width: width, height: parts.noteRows)
      : Frame(
        column: parts.left + 1, row: 2 + parts.upper - parts.noteBox, width: width - parts.left - 2,
        height: parts.noteBox - 2)
  }

  /// How many rows the notes have on a terminal of this size.
  package static func noteRows(width: Int, height: Int) -> Int { noteFrame(width, height).height }

  /// How far back the notes and the history can be scrolled: how many of the latest are then below, or to the right of,
  /// a full view.
  package func furthest(width: Int, height: Int) -> (notes: Int, slices: Int) {
    let frame = Self.noteFrame(width, height)
    var (rows, shown) = (0, 0)
    for note in scene.notes {
      rows += lines(of: note, width: frame.width, atMost: frame.height).count
      if rows > frame.height { break }
      shown += 1
    }
    let chart = StripChart(scene.history, look).room(Self.isFull(width, height) ? width - 4 : width)
    return (max(0, scene.notes.count - max(1, shown)), max(0, scene.history.slices.count - chart))
  }

  /// Draws everything except the board, without boxes.
  private func drawCompact(_ grid: inout Grid) {
    let spare = grid.height - Self.least.height
    let place = Frame(column: 1, row: 1, width: grid.width - 2, height: grid.height - 2)
    drawPose(place, 1, &grid)
    drawLamps(place, 2, &grid)
    drawAngles(place, 3, &grid)
    var row = 3 + angleRows(place)
    if scene.fusion != nil {
      drawMotion(place, row, &grid)
      row += 1
    }
    drawForce(place, row, &grid)
    let gauges = spare >= 2 ? 3 : 1
    drawGauges(place, row + 1, &grid, count: gauges)
    let notes = Self.noteFrame(grid.width, grid.height)
    let top = row + 1 + gauges
    let chart = Frame(column: 0, row: top, width: grid.width, height: notes.row - 1 - top)
    StripChart(scene.history, look, newer: scene.newerSlices).draw(on: &grid, chart)
    if let until = scrolledBack { drawMark(until, chart.row, end: chart.column + chart.width, &grid) }
    drawCounters(notes.row - 1, &grid)
    drawNotes(notes, &grid)
  }

  /// How long ago the shown history ends, in words; nil if it ends now.
  private var scrolledBack: String? {
    guard scene.newerSlices > 0 else { return nil }
    return "until \(figure(Double(scene.newerSlices) * scene.history.interval, places: 1, width: 0, sign: false)) s ago"
  }

  /// Marks at the end of a row that newer entries are hidden.
  private func drawMark(_ words: String, _ row: Int, end: Int, _ grid: inout Grid) {
    grid.put(" \(words) ", end - words.count - 2, row, Style(.yellow, bold: true).inverse)
  }

  private func drawTitle(_ grid: inout Grid) {
    let bar = Style.plain.inverse
    grid.fill(0..<grid.width, 0, Cell(" ", bar))
    let clock = figure(scene.elapsed, places: 1, width: 0, sign: false) + " s"
    var end = grid.width - 1 - clock.count
    grid.put(clock, end, 0, bar)
    let marks: [(text: String?, colour: Colour)] = [
      (scene.recording.map { " \(look.mark("●", "*")) recording \($0) " }, .red),
      (scene.isZeroed ? " zeroed " : nil, .cyan),
      (scene.isPaused ? " \(look.mark("‖", "|")) view paused " : nil, .yellow),
    ]
    for (text, colour) in marks {
      guard let text else { continue }
      end -= text.count + 2
      grid.put(text, end, 0, Style(colour, bold: true).inverse)
    }
    grid.put(" plumb watch", 0, 0, Style(bold: true, inverse: true))
    grid.put(fitting(scene.title, end - 16), 14, 0, bar, room: end - 16, cut: ellipsis)
  }

  /// As many whole entries of `title` as fit, but at least the first.
  private func fitting(_ title: String, _ room: Int) -> String {
    let title = look.hasUnicode ? title : title.replacing("±", with: "+-")
    var entries = title.split(separator: ", ", omittingEmptySubsequences: false)
    while entries.count > 1 && entries.joined(separator: ", ").count > room { entries.removeLast() }
    return entries.joined(separator: ", ")
  }

  private func drawBoard(_ frame: Frame, _ grid: inout Grid) {
    grid.box(frame, "board", look)
    let inside = Frame(column: frame.column + 1, row: frame.row + 1, width: frame.width - 2, height: frame.height - 2)
    BoardDrawing(scene.attitude, pose: knownPose).draw(on: &grid, inside, look)
  }

  private func drawChart(_ frame: Frame, _ grid: inout Grid) {
    let chart = StripChart(scene.history, look, newer: scene.newerSlices)
    let span = chart.span(frame.inside.width)
    let time = figure(span, places: span < 100 ? 1 : 0, width: 0, sign: false) + " s"
    grid.box(frame, "x y z in g, " + (scrolledBack == nil ? "the last \(time)" : time), look)
    if let until = scrolledBack { drawMark(until, frame.row, end: frame.column + frame.width - 2, &grid) }
    chart.draw(on: &grid, frame.inside)
  }

  private func drawCounters(_ row: Int, _ grid: inout Grid) {
    draw(scene.counters.map { (String($0.count), $0.name) }, row, &grid)
  }

  /// Draws as many figures as fit into a row.
  private func draw(_ figures: [(text: String, name: String)], _ row: Int, _ grid: inout Grid) {
    var column = 1
    for (text, name) in figures {
      guard column + text.count + name.count + 1 < grid.width else { break }
      grid.put(text, column, row, .bold)
      grid.put(name, column + text.count + 1, row, .dim)
      column += text.count + name.count + 3
    }
  }

  /// Draws the gyroscope's figures, below the counters.
  private func drawGyroscope(_ row: Int, _ grid: inout Grid) {
    guard let fusion = scene.fusion else { return }
    var figures: [(text: String, name: String)] = []
    if fusion.isBiasKnown {
      let values = [fusion.bias.x, fusion.bias.y, fusion.bias.z]
      let text = values.map { figure($0, places: 2, width: 0) }.joined(separator: " ")
      figures.append((text + look.mark(" °/s", " deg/s"), "bias"))
    } else {
      figures.append(("unknown", "bias"))
    }
    if let temperature = fusion.temperature {
      figures.append((figure(temperature, places: 1, width: 0, sign: temperature < 0) + look.mark(" °C", " C"), "die"))
    }
    figures.append((String(fusion.clippedSamples), "clipped"))
    draw(figures, row, &grid)
  }

  /// Draws as many of the latest notes as fit, wrapped; the latest is complete before an older one gets a row. When
  /// scrolled, the latest is the one before `newerNotes`.
  private func drawNotes(_ frame: Frame, _ grid: inout Grid) {
    guard frame.height > 0 else { return }
    let rows = frame.height
    var lines: [(text: String, style: Style)] = []
    for note in scene.notes.dropLast(scene.newerNotes).reversed() where lines.count < rows {
      lines = self.lines(of: note, width: frame.width, atMost: rows - lines.count) + lines
    }
    if lines.isEmpty { lines = [("  no events yet", .dim)] }
    for (index, line) in lines.enumerated() { grid.put(line.text, frame.column, frame.row + index, line.style) }
    guard scene.newerNotes > 0 else { return }
    drawMark(
      "\(look.mark("↓", "v")) \(scene.newerNotes) newer", frame.row + rows - 1, end: frame.column + frame.width, &grid)
  }

  private func lines(
    of note: Scene.Note, width: Int, atMost count: Int
  ) -> [(text: String, style: Style)] {
    let style: Style =
      switch note.weight {
      case .trouble: Style(.red, bold: true)
      case .relief: Style(.green)
      case .remark: .plain
      }
    let time = figure(note.time, places: 1, width: 7, sign: false) + " s  "
    var parts = wrapped(note.text, to: width - 2 - time.count)
    if parts.count > count {
      parts = Array(parts.prefix(count))
      parts[count - 1].unicodeScalars.append(ellipsis)
    }
    return parts.enumerated().map { index, part in
      ((index == 0 ? time : String(repeating: " ", count: time.count)) + part, style)
    }
  }

  private func drawKeys(_ row: Int, _ grid: inout Grid) {
    let isWide = grid.width >= Self.full.width
    // With one more entry, the words are short.
    let isLong = isWide && !scene.isZeroed
    var keys = [("q", "quit"), ("space", scene.isPaused ? "resume" : "pause")]
    if scene.canZero {
      if isWide || !scene.isZeroed { keys.append(("c", isLong ? "zero here" : "zero")) }
      if scene.isZeroed { keys.append(("u", isWide ? "undo zero" : "undo")) }
    }
    keys.append(("s", scene.recording == nil ? "record" : isLong ? "stop recording" : "stop"))
    keys.append(("?", scene.showsHelp ? isLong ? "close help" : "close" : "help"))
    var column = isWide ? 1 : 0
    for (key, word) in keys where column + key.count + 3 + word.count <= grid.width {
      grid.put(" \(key) ", column, row, Style.bold.inverse)
      grid.put(word, column + key.count + 3, row)
      column += key.count + word.count + (isWide ? 6 : 5)
    }
  }

  private func drawRefusal(_ grid: inout Grid) {
    let least = Self.least
    let lines = [
      "This window has \(grid.width) columns and \(grid.height) rows;",
      "the view needs \(least.width) and \(least.height). Enlarge it,", "or press q to quit.",
    ]
    let top = max(0, (grid.height - lines.count - 2) / 2)
    for (index, line) in lines.enumerated() {
      grid.put(line, max(0, (grid.width - line.count) / 2), top + index)
    }
    // The pose matters most, so it is shown at any size.
    let (words, style) = poseTitle
    let name = words.count > grid.width ? knownPose.map { PoseMark.names[$0] } ?? words : words
    grid.put(name, max(0, (grid.width - name.count) / 2), top + lines.count + 1, style, cut: ellipsis)
  }

  private var knownPose: Int? {
    if case .known(let pose, _, _) = scene.pose { return pose }
    return nil
  }

  private var poseTitle: (text: String, style: Style) {
    switch scene.pose {
    case .known(let pose, let name, _): (name, Style(PoseMark.colours[pose], bold: true))
    case .unknown: ("pose unknown", Style(.red, bold: true))
    }
  }

  private var ellipsis: Unicode.Scalar { look.hasUnicode ? "…" : "~" }
}

// The upper right part: pose, lines, angles and gauges.
extension Screen {
  fileprivate func drawFigures(_ frame: Frame, _ grid: inout Grid) {
    grid.box(frame, "pose", look)
    let place = frame.inside
    drawPose(place, place.row, &grid)
    // In a tall window there are gaps between the groups.
    let gap = min(3, max(0, (place.height - 9) / 4))
    drawLamps(place, place.row + 1 + gap, &grid)
    drawMotion(place, place.row + 2 + 2 * gap, &grid)
    drawAngles(place, place.row + 3 + 2 * gap, &grid)
    drawForce(place, place.row + 5 + 2 * gap, &grid)
    drawGauges(place, place.row + 6 + 3 * gap, &grid)
  }

  private func drawPose(_ place: Frame, _ row: Int, _ grid: inout Grid) {
    let (name, style) = poseTitle
    grid.put(name, place.column, row, style)
    let meaning: String =
      switch scene.pose {
      case .known(_, _, let meaning): meaning
      case .unknown(let reason): reason
      }
    grid.put(meaning, place.column + name.count + 2, row, room: place.width - name.count - 2, cut: ellipsis)
  }

  private func drawLamps(_ place: Frame, _ row: Int, _ grid: inout Grid) {
    var column = place.column
    for lamp in scene.lamps {
      let colour = lamp.pose.map { PoseMark.colours[$0] } ?? .white
      let style = lamp.isLit ? Style(colour, bold: true) : .dim
      grid.put(look.mark(lamp.isLit ? "●" : "○", lamp.isLit ? "@" : "."), column, row, style)
      grid.put(lamp.label, column + 2, row, lamp.isLit ? Style.bold : .dim)
      column += lamp.label.count + 5
    }
  }

  private static let angleWidth = 22

  /// Two angles per row, or all if there is room.
  private func anglesPerRow(_ place: Frame) -> Int {
    place.width >= Self.angleWidth * scene.angles.count ? max(1, scene.angles.count) : 2
  }

  /// How many rows the angles take, whether or not there are any yet.
  private func angleRows(_ place: Frame) -> Int { place.width >= Self.angleWidth * 4 ? 1 : 2 }

  private func drawAngles(_ place: Frame, _ row: Int, _ grid: inout Grid) {
    let (wide, perRow) = (Self.angleWidth, anglesPerRow(place))
    for (index, angle) in scene.angles.enumerated() {
      let column = place.column + index % perRow * wide
      grid.put(angle.name, column, row + index / perRow, .dim)
      let known = scene.force == nil ? nil : angle.degrees
      grid.put(degrees(known), column + 12, row + index / perRow)
    }
  }

  /// Draws whether the board is still, and its heading from a fusion with a gyroscope.
  private func drawMotion(_ place: Frame, _ row: Int, _ grid: inout Grid) {
    guard let fusion = scene.fusion else {
      guard let isStill = scene.isStill else { return }
      grid.put("motion", place.column, row, .dim)
      return grid.put(
        isStill ? "still" : "moving", place.column + 10, row, isStill ? Style(.green, bold: true) : .bold)
    }
    let style: Style =
      switch fusion.certainty {
      case .starting: Style(.yellow, bold: true)
      case .still: Style(.green, bold: true)
      case .moving: .bold
      case .clipped: Style(.red, bold: true)
      }
    grid.put("motion", place.column, row, .dim)
    let word = fusion.isFresh ? "\(fusion.certainty.name)" : look.mark("–", "-")
    grid.put(word, place.column + 10, row, fusion.isFresh ? style : .plain)
    // Chosen so that it ends within the box on 80 columns.
    let column = place.column + 20
    grid.put("relative heading", column, row, .dim)
    let heading = fusion.isFresh ? fusion.heading : nil
    grid.put(degrees(heading), column + 17, row)
  }

  private func degrees(_ angle: Double?) -> String {
    angle.map { figure($0, places: 1, width: 6) + look.mark("°", "") } ?? look.mark("     –", "     -")
  }

  private func drawForce(_ place: Frame, _ row: Int, _ grid: inout Grid) {
    grid.put("force", place.column, row, .dim)
    guard let force = scene.force else { return grid.put("no sample", place.column + 8, row, Style(.red)) }
    let values = [("x", force.x, Colour.red), ("y", force.y, .green), ("z", force.z, .cyan)]
    var column = place.column + 7
    for (name, value, colour) in values {
      grid.put(name, column, row, Style(colour, bold: true))
      grid.put(figure(value, places: 2, width: 6), column + 1, row)
      column += 8
    }
    grid.put("= " + figure(force.magnitude, places: 2, width: 4, sign: false) + " g", column + 1, row)
  }

  private func drawGauges(_ place: Frame, _ row: Int, _ grid: inout Grid, count: Int = 3) {
    let gauge = Gauge(look: look)
    let label = 10
    let width = place.width - label - 8 - (place.width - label - 8 + 1) % 2
    let none = look.mark("     –", "     -")
    // Values from before a fault are not current.
    let isFresh = scene.force != nil
    let rows: [(name: String, text: String)] = [
      ("steering", degrees(isFresh ? scene.steering : nil)),
      ("scroll x", isFresh ? figure(scene.scroll.x, places: 3, width: 6, sign: false) : none),
      ("scroll y", isFresh ? figure(scene.scroll.y, places: 3, width: 6, sign: false) : none),
    ]
    for (index, line) in rows.prefix(count).enumerated() {
      grid.put(line.name, place.column, row + index, .dim)
      grid.put(line.text, place.column + label + width + 1, row + index)
      gauge.track(on: &grid, place.column + label, row + index, width)
    }
    guard isFresh else { return }
    let column = place.column + label
    gauge.centred(scene.steering / 90, on: &grid, column, row, width: width, Style(.yellow, bold: true))
    guard count == rows.count else { return }
    gauge.marked(scene.scroll.x, on: &grid, column, row + 1, width: width, Style(.cyan, bold: true))
    gauge.marked(scene.scroll.y, on: &grid, column, row + 2, width: width, Style(.cyan, bold: true))
  }
}

// The meaning of keys and signs.
extension Screen {
  fileprivate func drawHelp(_ grid: inout Grid) {
    let zero =
      scene.canZero
      ? [
        "c, u       zero here: angles, steering, scrolling; undo"
      ] : ["c, u       not here: the owner takes no commands from you"]
    let lamps = "lit \(look.mark("●", "@")), dark \(look.mark("○", "."))"
    let (arrows, sides) = (look.mark("↑ ↓, k j", "up, down"), look.mark("← →", "left right"))
    var lines =
      [
        scene.hasOwner
          ? "q, Ctrl-C  quit; the owner goes on" : "q, Ctrl-C  quit, and set the lines to their idle levels",
        scene.hasOwner ? "space      pause the view" : "space      pause the view; lines and counters go on",
      ] + zero + [
        "s          start or stop recording to a file here",
        arrows.padded(to: 11) + "older and newer events; PgUp, PgDn: a page",
        sides.padded(to: 11) + "the history; Home: the oldest, End: now",
        "wheel      as \(look.mark("↑ ↓", "up, down")); with Shift the mouse selects text", "",
        scene.fusion == nil
          ? "board      drawn from gravity; its heading is unknown"
          : "heading    since the start, not from north; it drifts",
        "lines      as \(scene.hasOwner ? "the owner sets them" : "they are set"): \(lamps)",
        "steering   as a wheel; 0 in landscape",
        "late       samples read at least one period late",
        "faults     failed attempts; a recovery ends an outage",
      ]
    // On the smallest screen, leaves the keys below visible.
    if lines.count + 2 >= grid.height { lines.removeAll { $0.isEmpty } }
    let size = (width: 60, height: lines.count + 2)
    let frame = Frame(
      column: (grid.width - size.width) / 2, row: (grid.height - size.height) / 2, width: size.width,
      height: size.height)
    for row in frame.row..<frame.row + frame.height {
      grid.fill(frame.column..<frame.column + frame.width, row, .blank)
    }
    grid.box(frame, "help", look)
    for (index, line) in lines.enumerated() { grid.put(line, frame.inside.column, frame.inside.row + index) }
  }
}

/// Shows a value as a position on a horizontal track.
struct Gauge {
  var look: TextStyle

  /// Draws a bar on the track from the middle to `value`, -1…+1.
  func centred(_ value: Double, on grid: inout Grid, _ column: Int, _ row: Int, width: Int, _ style: Style) {
    let middle = width / 2
    let reach = Int((min(1, max(-1, value)) * Double(middle)).rounded())
    for offset in min(0, reach)...max(0, reach) {
      grid[column + middle + offset, row] = Cell(bar, style)
    }
    grid[column + middle, row] = Cell(look.hasUnicode ? "┃" : "|", reach == 0 ? style : .bold)
  }

  /// Draws a mark on the track at `value`, 0…1.
  func marked(_ value: Double, on grid: inout Grid, _ column: Int, _ row: Int, width: Int, _ style: Style) {
    let place = Int((min(1, max(0, value)) * Double(width - 3)).rounded())
    for offset in 0..<3 { grid[column + place + offset, row] = Cell(bar, style) }
  }

  private var bar: Unicode.Scalar { look.hasUnicode ? "━" : "=" }

  /// Draws an empty track.
  func track(on grid: inout Grid, _ column: Int, _ row: Int, _ width: Int) {
    grid.fill(column..<column + width, row, Cell(look.hasUnicode ? "─" : "-", .dim))
  }
}
