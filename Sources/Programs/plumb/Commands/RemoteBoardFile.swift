import BoardFile
import PlumbStream
import PlumbViews

/// A board file of another machine, which is changed there by ssh: whole, or not at all.
///
/// The new text goes to a file beside the old one, is checked there by its sum and brought to the disk, gets the rights and
/// the owner of the old one, and then takes its name. Where the user may not write the file, `sudo -n` does it. A symbolic
/// link is followed and stays one.
struct RemoteBoardFile {
  /// What messages call the file: host and path.
  let name: String
  /// The board as it was when the file was read.
  let board: BoardDescription
  private let path: String
  private let shell: RemoteShell
  private let bytes: [UInt8]

  /// Reads the file at `path` of `destination`, and finds out whether it can be written, if it `isWritten`: a user is not to
  /// turn a board round and round for nothing.
  init(_ destination: String, _ path: String, isWritten: Bool) throws(ToolError) {
    (self.path, shell) = (path, RemoteShell(destination: destination))
    name = "\(printable(destination)):\(printable(path))"
    let outcome = try shell.run(Self.script(path, (isWritten ? "check_write\n" : "") + "$as cat \"$real\""))
    guard outcome.code == 0 else {
      throw Self.error(outcome, name, "the board file cannot be read", "nothing was written")
    }
    bytes = outcome.output
    board = try BoardEditor.parsed(bytes, name)
  }

  /// Finds out whether a change like `change` could be made.
  func rehearse(_ change: BoardEditor.Change) throws(ToolError) {
    _ = try BoardEditor.changed(bytes, by: change, name)
  }

  /// Writes `change` into the file, if that is still what was read, and reads it back. Returns the board that it describes now.
  func write(_ change: BoardEditor.Change) throws(ToolError) -> BoardDescription {
    let text = try BoardEditor.changed(bytes, by: change, name)
    let outcome = try shell.run(writing(text))
    switch outcome.code {
    case 0:
      guard outcome.output == text else {
        throw ToolError(
          .cannotCreate,
          "\(name): was written, but reads back as something else: look at it, `\(shellWords("cat \(shellWord(path))"))`"
        )
      }
    case 66, 73, 75, 77:
      throw Self.error(outcome, name, "the board file cannot be written", "nothing was written; the file is as it was")
    default: try settle(text, after: outcome)
    }
    return try BoardEditor.parsed(text, name)
  }

  /// Finds out what the file is after the connection was lost in the middle.
  private func settle(_ text: [UInt8], after lost: RemoteShell.Outcome) throws(ToolError) {
    let cause = lost.words.isEmpty ? "the connection was lost" : lost.words
    let outcome = try shell.run(Self.script(path, "$as cat \"$real\""))
    guard outcome.code != 0 || outcome.output != text else { return }
    let state =
      outcome.code == 0 && outcome.output == bytes
      ? "nothing was written; the file is as it was"
      : "whether the file was written is not known; it is whole: look at it, `\(shellWords("cat \(shellWord(path))"))`"
    throw ToolError(.cannotCreate, "\(name): \(cause); \(state)")
  }

  private func shellWords(_ command: String) -> String { "ssh \(shellWord(shell.destination)) \(command)" }

  private static func error(
    _ outcome: RemoteShell.Outcome, _ name: String, _ what: String, _ state: String
  ) -> ToolError {
    let code: ToolError.Code =
      switch outcome.code {
      case 77: .noPermission
      case 66, 73, 75: .cannotCreate
      default: .unavailable
      }
    let words = outcome.words.isEmpty ? what : outcome.words
    return ToolError(code, "\(name): \(words); \(state)")
  }
}

// Scripts of sh. They end with 66 where there is no file, 73 where it cannot be written, 75 where it is not the one that was
// read, and 77 without permission.
extension RemoteBoardFile {
  /// A script that does `steps` with the file, of which `$real` is the path behind links and `$as` what gives the right to
  /// read it; after `check_write`, to write it.
  private static func script(_ path: String, _ steps: String) -> [UInt8] { script(path, Array(steps.utf8)) }

  private static func script(_ path: String, _ steps: [UInt8]) -> [UInt8] {
    let begin = """
      plumb_work() {
      f=\(quoted(path))
      as=
      fail() { code=$1; shift; echo "$*" >&2; exit "$code"; }
      check_write() {
        if [ ! -w "$real" ] || [ ! -w "${real%/*}/" ] || [ "$($as stat -c %u "$real")" != "$(id -u)" ]; then
          if sudo -n true 2>/dev/null; then as='sudo -n'
          elif [ ! -w "$real" ] || [ ! -w "${real%/*}/" ]; then
            fail 77 'no permission to write the file and its folder, and sudo is missing or asks for a password'
          fi
        fi
      }
      if [ ! -r "$f" ] && sudo -n true 2>/dev/null; then as='sudo -n'; fi
      $as test -f "$f" || fail 66 'there is no such file'
      $as test -r "$f" || fail 77 'no permission to read the file'
      real=$($as readlink -f "$f") || fail 66 'there is no such file'

      """
    return Array(begin.utf8) + steps + Array("\n}\nplumb_work\n".utf8)
  }

  /// The script that puts `text` in the place of what was read.
  private func writing(_ text: [UInt8]) -> [UInt8] {
    var mark = "PLUMB_END"
    while String(decoding: text, as: UTF8.self).contains(mark) { mark += "_X" }
    let before = """
      check_write
      [ "$($as cat "$real" | cksum)" = '\(Self.sum(of: bytes))' ] || fail 75 'the file was changed meanwhile'
      owner=$($as stat -c %u:%g "$real") && mode=$($as stat -c %a "$real") || fail 73 'its rights cannot be read'
      trap '' HUP INT TERM
      new=$($as mktemp "${real%/*}/.plumb-board-XXXXXX") || fail 73 'no file can be made in its folder'
      trap '$as rm -f "$new"' EXIT
      head -c \(text.count) <<'\(mark)' | $as tee "$new" >/dev/null || fail 73 'the new file cannot be written: is the disk full?'

      """
    // Before the mark there is a line feed that is not in the text: `head` leaves it out.
    let after = """

      \(mark)
      [ "$($as cat "$new" | cksum)" = '\(Self.sum(of: text))' ] || fail 73 'the new file is not whole: is the disk full?'
      $as chown "$owner" "$new" || fail 73 'the new file cannot be given to the owner of the old one'
      $as chmod "$mode" "$new" || fail 73 'the new file cannot get the rights of the old one'
      $as sync "$new" 2>/dev/null || sync || fail 73 'the new file cannot be brought to the disk'
      $as mv -f "$new" "$real" || fail 73 'the new file cannot take the place of the old one'
      $as sync "${real%/*}" 2>/dev/null || :
      $as cat "$real"
      """
    return Self.script(path, Array(before.utf8) + text + Array(after.utf8))
  }

  /// A word of sh.
  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  /// What `cksum` prints for `bytes` on its standard input: the sum of POSIX, and their number.
  private static func sum(of bytes: [UInt8]) -> String {
    var sum: UInt32 = 0
    func add(_ byte: UInt8) {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum >> 31 == 1 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
    bytes.forEach(add)
    var count = bytes.count
    while count > 0 {
      add(UInt8(truncatingIfNeeded: count))
      count >>= 8
    }
    return "\(~sum) \(bytes.count)"
  }
}

// The owner.
extension RemoteBoardFile {
  /// Has the owner of `stream`, a plumbd, read its board file again, and checks that it has `board` now. Throws where it did
  /// not: the file is written all the same.
  func reload(_ stream: inout RawStream, _ board: BoardDescription) throws(ToolError) {
    var why = stream.hello.allowsCommands ? try stream.reload() : try hangUp(stream.owner)
    if why == nil, !(try stream.awaitBoard(board.sensor)) {
      why = "10 s later it has not the new values; does it read another board file?"
    }
    guard let why else { return }
    throw ToolError(
      .unavailable,
      "\(name) was written, but the owner has not read it again: \(why). Do it by hand: "
        + "`\(shellWords("sudo systemctl reload plumbd"))`")
  }

  /// Sends the owner SIGHUP. Returns why that was not possible, in words.
  private func hangUp(_ owner: String) throws(ToolError) -> String? {
    guard let pid = Int32(owner.prefix { $0 != "-" }), pid > 1 else { return "it does not give its process number" }
    let script = """
      plumb_work() {
      [ "$(cat /proc/\(pid)/comm 2>/dev/null)" = plumbd ] || { echo 'it is not plumbd' >&2; exit 66; }
      kill -HUP \(pid) 2>/dev/null || sudo -n sh -c 'kill -HUP \(pid)' 2>/dev/null ||
        sudo -n systemctl reload plumbd 2>/dev/null ||
        { echo 'no permission, and sudo is missing or asks for a password' >&2; exit 77; }
      }
      plumb_work

      """
    let outcome = try shell.run(Array(script.utf8))
    guard outcome.code != 0 else { return nil }
    return outcome.words.isEmpty ? "ssh failed" : outcome.words
  }
}
