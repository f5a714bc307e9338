// Pose, lines, angles and bars: the upper right part.
extension Screen {
  func drawFigures(_ frame: Frame, _ grid: inout Grid) {
    grid.box(frame, "pose", look)
    let place = frame.inside
    let (name, style) = poseTitle
    grid.put(name, place.column, place.row, style)
    let meaning: String =
      switch scene.pose {
      case .known(_, _, let meaning): meaning
      case .unknown(let reason): reason
      }
    grid.put(meaning, place.column + name.count + 2, place.row, room: place.width - name.count - 2, cut: ellipsis)
    // On a tall window the groups stand apart.
    let gap = min(3, max(0, (place.height - 9) / 4))
    drawLamps(place, place.row + 1 + gap, &grid)
    drawAngles(place, place.row + 3 + 2 * gap, &grid)
    drawForce(place, place.row + 5 + 2 * gap, &grid)
    drawGauges(place, place.row + 6 + 3 * gap, &grid)
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

  /// Two to a row, or four where there is room.
  private func drawAngles(_ place: Frame, _ row: Int, _ grid: inout Grid) {
    let wide = 22
    let perRow = place.width >= wide * scene.angles.count ? max(1, scene.angles.count) : 2
    for (index, angle) in scene.angles.enumerated() {
      let column = place.column + index % perRow * wide
      grid.put(angle.name, column, row + index / perRow, .dim)
      let known = scene.force == nil ? nil : angle.degrees
      let text = known.map { figure($0, places: 1, width: 6) + look.mark("°", "") } ?? look.mark("     –", "     -")
      grid.put(text, column + 12, row + index / perRow)
    }
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

  private func drawGauges(_ place: Frame, _ row: Int, _ grid: inout Grid) {
    let gauge = Gauge(look: look)
    let label = 10
    let width = place.width - label - 8 - (place.width - label - 8 + 1) % 2
    let rows: [(name: String, text: String)] = [
      ("steering", figure(scene.steering, places: 1, width: 6) + look.mark("°", "")),
      ("scroll x", figure(scene.scroll.x, places: 3, width: 6, sign: false)),
      ("scroll y", figure(scene.scroll.y, places: 3, width: 6, sign: false)),
    ]
    for (index, line) in rows.enumerated() {
      grid.put(line.name, place.column, row + index, .dim)
      grid.put(line.text, place.column + label + width + 1, row + index)
    }
    let column = place.column + label
    gauge.centred(scene.steering / 90, on: &grid, column, row, width: width, Style(.yellow, bold: true))
    gauge.marked(scene.scroll.x, on: &grid, column, row + 1, width: width, Style(.cyan, bold: true))
    gauge.marked(scene.scroll.y, on: &grid, column, row + 2, width: width, Style(.cyan, bold: true))
  }
}

// What the keys and signs mean.
extension Screen {
  func drawHelp(_ grid: inout Grid) {
    let lines = [
      "q, Ctrl-C  end: the lines get their idle levels",
      "space      hold the picture still; the board is watched on",
      "c          nothing scrolls as the board is held now",
      "s          record samples to a file here, and stop",
      "?          this help", "",
      "board      as gravity shows it; which way it faces is not known",
      "lines      as they are set: lit \(look.mark("●", "@")), dark \(look.mark("○", "."))",
      "steering   as a wheel, 0 held in landscape",
      "late       samples that were asked for a period late or more",
      "faults     attempts that failed; a recovery ends an outage",
    ]
    let size = (width: 66, height: lines.count + 2)
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
