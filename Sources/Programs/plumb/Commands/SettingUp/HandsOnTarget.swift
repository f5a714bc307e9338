import ArgumentParser
import BoardFile
import Emulation
import JSON
import LinuxHAL
import PlumbStream
import PlumbViews
import Sensors
import ToolInputs
import ToolOutput

/// What happens to the result of a walk.
enum HandsOnTarget {
  /// It is written to a board file on this machine.
  case file(BoardEditor)
  /// It is shown: a user puts it into the owner's board file.
  case user(OwnerBoardFile)

  /// What messages call the board file.
  var name: String {
    switch self {
    case .file(let editor): editor.name
    case .user(let file): file.name
    }
  }

  /// Checks whether `change` could be written.
  func rehearse(_ change: BoardEditor.Change) throws(ToolError) {
    switch self {
    case .file(let editor): try editor.rehearse(change)
    case .user: break
    }
  }
}

/// The board file of an owner, for messages: no program writes a file on another computer.
struct OwnerBoardFile {
  /// Its path according to the owner, or the name of a board that comes with plumb.
  let name: String
  /// The other computer, as ssh names it; nil for this one, or if unknown.
  let host: String?
  /// Whether the board has its file in its firmware.
  let isFirmware: Bool

  init(_ name: String, of address: StreamAddress) {
    self.name = printable(name)
    isFirmware = address.isSerial
    host = if case .ssh(let destination, _) = address { printable(destination) } else { nil }
  }

  /// What to do with the lines that follow, and how to check it.
  var instruction: String {
    let place = host.map { "On \($0), put" } ?? "Put"
    let path = shellWord(name)
    if isFirmware {
      return
        "Put these lines into the board file of which its firmware was made, \(name), in place of those with the same keys. "
        + Self.flashing(path)
    }
    return
      "\(place) these lines into \(name), in place of those with the same keys. Then check the file, and have it read again: "
      + "sudo plumbd --check --board \(path) && sudo systemctl reload plumbd"
  }
}

extension OwnerBoardFile {
  /// How the board file `path` gets into the board, for the end of a message.
  static func flashing(_ path: String) -> String {
    "Then build the firmware with them, in the source folder of plumb; it says which file to put on the board: "
      + "`make pico BOARD=\(path)`"
  }
}

extension StreamAddress {
  /// Whether it is a board on a serial line.
  var isSerial: Bool { if case .serial = self { true } else { false } }
}

/// What happened to a result.
struct HandsOnOutcome {
  /// What messages call the board file.
  let file: String
  /// The change to the board file.
  let change: BoardEditor.Change
  let state: State

  enum State {
    case written
    case dryRun
    /// A user has to write it, as the instruction says.
    case shown(instruction: String)
  }

  /// Whether the board file was written.
  var isWritten: Bool { if case .written = state { true } else { false } }

  /// The message at the end.
  var words: [String] {
    switch state {
    case .written: ["Written to \(file)."]
    case .dryRun: ["Not written to \(file): --dry-run."]
    case .shown(let instruction): wrapped("Not written. \(instruction)") + change.lines
    }
  }

  /// Writes the same as fields.
  func write(to writer: inout JSONWriter) {
    writer.field("board", file)
    writer.field("written", isWritten)
    guard case .shown = state else { return }
    change.write(to: &writer)
  }
}

extension BoardEditor.Change {
  /// The section's header, and the lines of the keys.
  var lines: [String] { ["[\(section.name)]"] + keys }

  fileprivate var keys: [String] { entries.map { "\($0.key) = \($0.value)" } }

  /// Writes what a user has to put where.
  func write(to writer: inout JSONWriter) {
    writer.field("section", section.name)
    writer.field("lines", keys)
  }
}

extension HandsOnOptions {
  /// What a command needs for writing its `result` if it has neither a board file nor an owner.
  static func needsBoard(for result: String) -> String {
    "Give --board FILE, the board file to write the \(result) to, or --from ADDRESS, the owner of a sensor; plumb boards "
      + "lists board files to copy."
  }

  /// Throws unless there is a board file or an owner for `result`.
  func requireBoard(for result: String) throws {
    guard board == nil && owner.from == nil else { return }
    throw ValidationError(Self.needsBoard(for: result))
  }

  /// The board file to write to. Ends `command` with what is wrong with the options for its board.
  func editor(for command: any ParsableCommand.Type) throws -> BoardEditor {
    let editor = try reportingError { () throws(ToolError) in try BoardEditor(board ?? "", isWritten: !dryRun) }
    if let misuse = misuse(of: editor.board) { UsageError.end(misuse, in: command) }
    return editor
  }

  /// Runs the walk that `make` begins with the board of a board file, writes the result there, and reports it. A change
  /// like `trial` must be possible.
  func run<Walk: HandsOnWalk>(
    _ editor: BoardEditor, motion: NamedMotion, trial: BoardEditor.Change, _ make: (Narrator) -> Walk
  ) throws(ToolError) {
    if !dryRun { try editor.rehearse(trial) }
    let session = HandsOnSession(self, with: editor.board, motion: motion)
    var walk = make(Narrator(format, isLive: session.isLive))
    guard try session.run(&walk) == .complete, let change = walk.change else { return try walk.narrator.stop() }
    // Nothing is written unless the result could be shown.
    try walk.narrator.flush()
    if !dryRun { try editor.write(change) }
    try walk.report(HandsOnOutcome(file: editor.name, change: change, state: dryRun ? .dryRun : .written))
    try walk.narrator.flush()
  }

  /// The same with an owner's samples.
  func run<Walk: HandsOnWalk>(
    _ session: inout HandsOnStream, trial: BoardEditor.Change, _ make: (Narrator) -> Walk
  ) throws(ToolError) {
    let target = try target(of: session.stream)
    if !dryRun { try target.rehearse(trial) }
    var walk = make(Narrator(format, isLive: true))
    guard try session.run(&walk) == .complete, let change = walk.change else { return try walk.narrator.stop() }
    try walk.narrator.flush()
    let isReloaded = try conclude(change, target, &session.stream) { outcome throws(ToolError) in
      try walk.report(outcome)
      try walk.narrator.flush()
    }
    try walk.narrator.say(isReloaded: isReloaded, self)
  }

  /// What happens to the result of a walk with the owner of `stream`.
  func target(of stream: borrowing RawStream) throws(ToolError) -> HandsOnTarget {
    // Read once: a value of so many fields that is borrowed in several branches takes seconds to compile.
    let (name, address, owned) = (stream.board.name, stream.address, stream.description.sensor.model)
    guard writesOwn else { return .user(OwnerBoardFile(name.description, of: address)) }
    let editor = try BoardEditor(self.board ?? "", isWritten: !dryRun)
    let target = HandsOnTarget.file(editor)
    let described = editor.board.sensor.model
    guard described == owned else {
      throw ToolError(
        .configuration,
        "\(target.name) describes \(described.article) \(described.properName), and the owner at "
          + "\(printable("\(address)")) has \(owned.article) \(owned.properName): is it the file of another board?")
    }
    return target
  }

  /// Writes `change` to `target` unless it must not be written, and calls `say` with the outcome; then asks the owner
  /// of `stream` to reread its board file. Returns whether it did; nil if there is nothing to reread.
  func conclude(
    _ change: BoardEditor.Change, _ target: HandsOnTarget, _ stream: inout RawStream,
    _ say: (HandsOnOutcome) throws(ToolError) -> Void
  ) throws(ToolError) -> Bool? {
    func report(_ state: HandsOnOutcome.State) throws(ToolError) {
      try say(HandsOnOutcome(file: target.name, change: change, state: state))
    }
    switch target {
    case .user(let file): try report(.shown(instruction: file.instruction))
    case _ where dryRun: try report(.dryRun)
    case .file(let editor):
      try editor.write(change)
      try report(.written)
      if stream.address.isSerial { return false }
      guard stream.hello.allowsCommands else { return false }
      var why = try stream.reload()
      if why == nil, !(try stream.awaitBoard(try readBoard(self.board ?? "").sensor)) {
        why =
          StopSignals.received == nil
          ? "after 10 s it does not have the new values; does it read another board file?"
          : "stopped before it responded"
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
  /// Says what was found, in the words of the board file, then `note`, and what happened to it.
  mutating func say(_ outcome: HandsOnOutcome, _ note: String? = nil) throws(ToolError) {
    for words in outcome.change.keys + [note].compactMap(\.self) { try line("  " + words) }
    for words in outcome.words { try line(words) }
  }

  /// Says whether the owner has reread its board file, if there was something to reread.
  mutating func say(isReloaded: Bool?, _ options: HandsOnOptions) throws(ToolError) {
    switch (format, isReloaded) {
    case (_, nil), (.json, false): break
    case (.text, true): try line("The owner has read it again.")
    case (.text, false) where options.owner.from?.isSerial == true:
      for part in wrapped(OwnerBoardFile.flashing(shellWord(options.board ?? ""))) { try line(part) }
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
