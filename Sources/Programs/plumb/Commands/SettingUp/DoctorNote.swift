import JSON
import PlumbStream
import PlumbViews
import ToolOutput

/// What `plumb doctor` found beside the board: a sensor that a command can listen to.
struct DoctorNote {
  /// The name of the check in JSON.
  let check: StaticString
  /// What was found, for people.
  let title: String
  /// The name of the finding in JSON.
  let problem: StaticString
  /// A sentence without its full stop.
  let detail: String
  /// Where a command can listen.
  let listening: StreamAddress

  /// The boards with Plumb's firmware on USB ports. They are not opened, because a program may be using them.
  static var serialBoards: [DoctorNote] {
    StreamAddress.serialBoards.map { address in
      DoctorNote(
        check: "serial", title: "a board with Plumb's firmware", problem: "serial.board",
        detail: "it reads a sensor of its own, and sends what it observes over USB", listening: address)
    }
  }

  private var command: String { "plumb watch --from \(shellWord("\(listening)"))  # listens to it" }

  /// The rows for people.
  func text(_ style: TextStyle) -> [String] {
    let mark = style.coloured(style.mark("i", "note"), 96)
    let arrow = style.coloured("      " + style.mark("→ ", "-> ") + command, 96)
    return ["  \(mark) \(title)"] + wrapped(detail.capitalisedFirst + ".", to: 74).map { "      " + $0 } + [arrow]
  }

  /// The object for scripts.
  var json: String {
    JSONText.object("check") { writer in
      writer.field("check", check)
      writer.field("title", title)
      writer.field("outcome", "note")
      writer.field("problem", problem)
      writer.field("detail", detail)
      writer.field("fix", command)
    }
  }
}
