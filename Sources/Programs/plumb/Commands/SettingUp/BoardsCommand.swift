import ArgumentParser
import BoardFile
import JSON
import PlumbViews
import Recordings
import ToolInputs
import ToolOutput

/// `plumb boards`: lists the board files, or explains one.
struct BoardsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "boards",
    abstract: "Lists the board files that come with plumb, or explains one.",
    discussion: """
      A board file describes the sensor, its bus and the pins of the LEDs. --board takes its path, or its name in this \
      list. To make your own, copy the most similar one and edit it; its comments explain every key.

      The folders searched are share/plumb/boards where plumb is installed, boards beside the program and beside its \
      folder, boards in the current folder, and /usr/share/plumb/boards. If PLUMB_BOARDS is set, only that folder is \
      searched.

      EXAMPLES:
        plumb boards
        plumb boards raspberry-pi-adxl345

      EXIT CODES: 0 success; 64 wrong usage; 66 no board files found; 77 no permission; 78 bad board file
      """)

  @Argument(
    help: ArgumentHelp("A board file, or the name of one in the list (default: all).", valueName: "file"),
    completion: .boards)
  var file: String?

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  func run() throws { try reportingError { () throws(ToolError) in try show() } }

  private func show() throws(ToolError) {
    let catalogue = BoardCatalogue()
    var output = Output(isLive: false)
    if let file {
      let path = boardPath(file, in: catalogue)
      let summary = BoardSummary(name: file, path: path, board: try readBoard(path), about: try about(path))
      for line in format == .json ? [summary.json] : summary.explanation(.ofStandardOutput) { try output.line(line) }
      return try output.flush()
    }
    guard !catalogue.files.isEmpty else {
      let folders = catalogue.places.map { printable($0.folder) }.joined(separator: ", ")
      throw ToolError(.noInput, "no board files found in \(folders)")
    }
    let lines = format == .json ? try json(catalogue) : try text(catalogue, .ofStandardOutput)
    for line in lines { try output.line(line) }
    try output.flush()
  }

  private func text(_ catalogue: BoardCatalogue, _ style: TextStyle) throws(ToolError) -> [String] {
    var lines: [String] = []
    for entry in catalogue.files {
      lines.append(style.coloured(entry.name, 1))
      do throws(ToolError) {
        lines += try summary(entry).brief.map { "    " + $0 }
      } catch {
        lines += ["    " + style.coloured("cannot be used: ", 31) + error.message]
      }
    }
    lines += ["", "Folders searched:"]
    for place in catalogue.places {
      let found = place.count.map { counted($0, "board file", "board files") } ?? "no such folder"
      lines.append("    \(printable(place.folder)): \(found)")
    }
    let name = catalogue["raspberry-pi-adxl345"]?.name ?? catalogue.files[0].name
    return lines + [
      "", "Explain one: plumb boards \(name)", "Wire it:     plumb wiring --board \(name)",
      "Check it:    plumb doctor --board \(name)", "Run it:      plumb run --board \(name)",
    ]
  }

  private func json(_ catalogue: BoardCatalogue) throws(ToolError) -> [String] {
    var lines: [String] = []
    for entry in catalogue.files {
      do throws(ToolError) {
        lines.append(try summary(entry).json)
      } catch {
        let object = JSONText.object("board") { writer in
          writer.field("name", entry.name)
          writer.field("path", entry.path)
          writer.field("usable", false)
          writer.field("detail", error.message)
        }
        lines.append(object)
      }
    }
    let summary = JSONText.object("summary") { writer in
      writer.field("boards", catalogue.files.count)
      writer.beginArray("places")
      for place in catalogue.places {
        writer.beginObject()
        writer.field("folder", place.folder)
        writer.field("found", place.count)
        writer.endObject()
      }
      writer.endArray()
    }
    return lines + [summary]
  }

  private func summary(_ entry: BoardCatalogue.Listing) throws(ToolError) -> BoardSummary {
    BoardSummary(name: entry.name, path: entry.path, board: try readBoard(entry.path), about: try about(entry.path))
  }

  /// The first sentence of the file's first comment.
  private func about(_ path: String) throws(ToolError) -> String {
    var words: [Substring] = []
    do {
      // The reader of board files accepts comments of any length.
      var file = try InputFile(path, longestLine: .max)
      while let line = try file.line() {
        // A byte order mark may precede the first.
        let text = String(decoding: line, as: UTF8.self).drop { $0 == "\u{FEFF}" }
        let comment = text.drop { $0 == "#" || $0 == ";" || $0 == " " }
        guard text.first == "#" || text.first == ";", !comment.isEmpty else { break }
        words.append(comment)
      }
    } catch {
      throw ToolError(error)
    }
    let text = words.joined(separator: " ")
    return text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
  }
}
