import BoardFile
import JSON
import PlumbStream
import PlumbViews
import Sensors

/// Where the result of holding a board goes.
enum HandsOnTarget {
  /// Into a board file of this machine.
  case file(BoardEditor)
  /// Into a board file of another machine.
  case remote(RemoteBoardFile)
  /// Nowhere: a user puts it into the owner's board file, whose name this is.
  case user(String)

  /// What messages call the board file.
  var name: String {
    switch self {
    case .file(let editor): editor.name
    case .remote(let file): file.name
    case .user(let name): name
    }
  }

  /// Finds out whether `change` could be written.
  func rehearse(_ change: BoardEditor.Change) throws(ToolError) {
    switch self {
    case .file(let editor): try editor.rehearse(change)
    case .remote(let file): try file.rehearse(change)
    case .user: break
    }
  }
}

/// What became of a result.
struct HandsOnOutcome {
  /// What messages call the board file.
  let file: String
  /// What the board file is to say.
  let change: BoardEditor.Change
  let state: State

  enum State {
    case written
    case dryRun
    /// A user is to write it.
    case shown
  }

  /// Whether the board file was written.
  var isWritten: Bool { if case .written = state { true } else { false } }

  /// The lines of the board file.
  private var lines: [String] { change.entries.map { "\($0.key) = \($0.value)" } }

  /// What is said at the end.
  var words: [String] {
    switch state {
    case .written: ["Written to \(file)."]
    case .dryRun: ["Not written to \(file): --dry-run."]
    case .shown:
      wrapped(
        "Not written. Put this into the owner's board file, \(file), and have it read again (sudo systemctl reload plumbd):"
      )
        + ["[\(change.section.name)]"] + lines
    }
  }

  /// Writes the same.
  func write(to writer: inout JSONWriter) {
    writer.field("board", file)
    writer.field("written", isWritten)
    guard case .shown = state else { return }
    writer.field("section", change.section.name)
    writer.field("lines", lines)
  }
}

extension HandsOnOptions {
  /// Where the result goes of what the owner of `stream` has held.
  func target(of stream: borrowing RawStream) throws(ToolError) -> HandsOnTarget {
    guard write else { return .user(printable(stream.board.name)) }
    let (target, board): (HandsOnTarget, BoardDescription)
    if case .ssh(let destination, _) = stream.address {
      let file = try RemoteBoardFile(destination, try remotePath(of: stream), isWritten: !dryRun)
      (target, board) = (.remote(file), file.board)
    } else {
      let editor = try BoardEditor(self.board ?? "", isWritten: !dryRun)
      (target, board) = (.file(editor), editor.board)
    }
    let (described, owned) = (board.sensor.model, stream.description.sensor.model)
    guard described == owned else {
      throw ToolError(
        .configuration,
        "\(target.name) describes an \(described.properName), and the owner at \(printable("\(stream.address)")) has an "
          + "\(owned.properName): is it the file of another board?")
    }
    return target
  }

  /// The path of the board file on the owner's machine.
  private func remotePath(of stream: borrowing RawStream) throws(ToolError) -> String {
    if let remoteBoard { return remoteBoard }
    let name = stream.board.name
    guard name.hasPrefix("/"), name != Self.usualRemoteBoard else { return Self.usualRemoteBoard }
    throw ToolError(
      .usage,
      "the owner at \(printable("\(stream.address)")) reads \(printable(name)), not \(Self.usualRemoteBoard): give "
        + "--remote-board \(shellWord(name))")
  }

  /// Writes `change` to `target`, unless that is not wanted, and has what became of it said by `say`; then has the owner of
  /// `stream` read its board file again. Returns whether it did; nil where there is nothing to read.
  func conclude(
    _ change: BoardEditor.Change, _ target: HandsOnTarget, _ stream: inout RawStream,
    _ say: (HandsOnOutcome) throws(ToolError) -> Void
  ) throws(ToolError) -> Bool? {
    func tell(_ state: HandsOnOutcome.State) throws(ToolError) {
      try say(HandsOnOutcome(file: target.name, change: change, state: state))
    }
    switch target {
    case .user: try tell(.shown)
    case _ where dryRun: try tell(.dryRun)
    case .remote(let file):
      let board = try file.write(change)
      try tell(.written)
      try file.reload(&stream, board)
      return true
    case .file(let editor):
      try editor.write(change)
      try tell(.written)
      guard stream.hello.allowsCommands else { return false }
      var why = try stream.reload()
      if why == nil, !(try stream.awaitBoard(try readBoard(self.board ?? "").sensor)) {
        why = "10 s later it has not the new values; does it read another board file?"
      }
      if let why {
        throw ToolError(.unavailable, "\(target.name) was written, but the owner has not read it again: \(why)")
      }
      return true
    }
    return nil
  }
}

extension Narrator {
  /// Says whether the owner has read its board file again, where there was something to read.
  mutating func say(isReloaded: Bool?) throws(ToolError) {
    switch (format, isReloaded) {
    case (_, nil), (.json, false): break
    case (.text, true): try line("The owner has read it again.")
    case (.text, false): try line("To have the owner read it again: sudo systemctl reload plumbd")
    case (.json, true):
      try line(
        JSONText.object("done") { writer in
          writer.field("command", "reload")
        })
    }
    try flush()
  }
}
