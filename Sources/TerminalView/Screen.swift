/// Draws a scene: a pure function from what is known to what the terminal shows.
package struct Screen {
  let scene: Scene
  let look: Look

  /// The least size on which everything has its place.
  package static let least = (width: 80, height: 24)

  package init(_ scene: Scene, _ look: Look) {
    self.scene = scene
    self.look = look
  }

  /// The cells of a terminal of that size.
  package func drawn(width: Int, height: Int) -> Grid {
    var grid = Grid(width: width, height: height)
    guard width >= Self.least.width && height >= Self.least.height else {
      drawRefusal(&grid)
      return grid
    }
    // What there is more of than is needed goes to the board and the chart in equal parts, and a little to what happened.
    let spare = height - Self.least.height
    let noteRows = 2 + min(4, spare / 5)
    let upper = 11 + (spare - (noteRows - 2)) / 2
    let left = min(width * 2 / 5, max(32, 2 * upper + 8))
    drawTitle(&grid)
    drawBoard(Frame(column: 0, row: 1, width: left, height: upper), &grid)
    drawFigures(Frame(column: left, row: 1, width: width - left, height: upper), &grid)
    let chart = Frame(column: 0, row: 1 + upper, width: width, height: height - 3 - noteRows - upper)
    drawChart(chart, &grid)
    drawCounters(height - 2 - noteRows, &grid)
    drawNotes(height - 1 - noteRows, noteRows, &grid)
    drawKeys(height - 1, &grid)
    if scene.showsHelp { drawHelp(&grid) }
    return grid
  }

  private func drawTitle(_ grid: inout Grid) {
    let bar = Style.plain.inverse
    grid.fill(0..<grid.width, 0, Cell(" ", bar))
    let clock = figure(scene.elapsed, places: 1, width: 0, sign: false) + " s"
    var end = grid.width - 1 - clock.count
    grid.put(clock, end, 0, bar)
    if let name = scene.recording {
      let text = " \(look.mark("●", "*")) recording \(name) "
      end -= text.count + 2
      grid.put(text, end, 0, Style(.red, bold: true).inverse)
    }
    if scene.isPaused {
      let text = " \(look.mark("‖", "|")) view paused "
      end -= text.count + 2
      grid.put(text, end, 0, Style(.yellow, bold: true).inverse)
    }
    grid.put(" plumb watch", 0, 0, Style(bold: true, inverse: true))
    grid.put(scene.title, 14, 0, bar, room: end - 16, cut: ellipsis)
  }

  private func drawBoard(_ frame: Frame, _ grid: inout Grid) {
    grid.box(frame, "board", look)
    let inside = Frame(column: frame.column + 1, row: frame.row + 1, width: frame.width - 2, height: frame.height - 2)
    BoardDrawing(scene.attitude, pose: knownPose).draw(on: &grid, inside, look)
  }

  private func drawChart(_ frame: Frame, _ grid: inout Grid) {
    let chart = StripChart(scene.history, look)
    let span = chart.span(frame.inside.width)
    grid.box(frame, "x y z in g, the last \(figure(span, places: span < 100 ? 1 : 0, width: 0, sign: false)) s", look)
    chart.draw(on: &grid, frame.inside)
  }

  private func drawCounters(_ row: Int, _ grid: inout Grid) {
    var column = 1
    for (name, count) in scene.counters {
      let text = String(count)
      guard column + text.count + name.count + 1 < grid.width else { break }
      grid.put(text, column, row, .bold)
      grid.put(name, column + text.count + 1, row, .dim)
      column += text.count + name.count + 3
    }
  }

  /// As many of the latest notes as there is room for, wrapped; the latest is whole before an older one gets a row.
  private func drawNotes(_ first: Int, _ rows: Int, _ grid: inout Grid) {
    var lines: [(text: String, style: Style)] = []
    for note in scene.notes.reversed() where lines.count < rows {
      lines = wrapped(note, to: grid.width, atMost: rows - lines.count) + lines
    }
    if lines.isEmpty { lines = [("  nothing has happened yet", .dim)] }
    for (index, line) in lines.enumerated() { grid.put(line.text, 0, first + index, line.style) }
  }

  private func wrapped(
    _ note: Scene.Note, to width: Int, atMost count: Int
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
    let keys = [
      ("q", "quit"), ("space", scene.isPaused ? "go on" : "pause"), ("c", "scroll from here"),
      ("s", scene.recording == nil ? "record" : "stop recording"), ("?", scene.showsHelp ? "close help" : "help"),
    ]
    var column = 1
    for (key, word) in keys {
      grid.put(" \(key) ", column, row, Style.bold.inverse)
      grid.put(word, column + key.count + 3, row)
      column += key.count + word.count + 6
    }
  }

  private func drawRefusal(_ grid: inout Grid) {
    let least = Self.least
    let lines = [
      "This window has \(grid.width) columns and \(grid.height) rows;",
      "the view needs \(least.width) and \(least.height). Make it larger,", "or press q.",
    ]
    let top = max(0, (grid.height - lines.count - 2) / 2)
    for (index, line) in lines.enumerated() {
      grid.put(line, max(0, (grid.width - line.count) / 2), top + index)
    }
    // What matters most is shown however small it is.
    let (name, style) = poseTitle
    grid.put(name, max(0, (grid.width - name.count) / 2), top + lines.count + 1, style, cut: ellipsis)
  }

  var knownPose: Int? {
    if case .known(let pose, _, _) = scene.pose { return pose }
    return nil
  }

  var poseTitle: (text: String, style: Style) {
    switch scene.pose {
    case .known(let pose, let name, _): (name, Style(PoseMark.colours[pose], bold: true))
    case .unknown: ("pose not known", Style(.red, bold: true))
    }
  }

  var ellipsis: Unicode.Scalar { look.hasUnicode ? "…" : "~" }

  private func wrapped(_ text: String, to width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + word.count < width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
