import Glibc
import LinuxHAL
import PlumbStream
import PlumbViews

/// Runs scripts of `sh` on another machine, by `ssh DESTINATION sh`. `PLUMB_SSH` names another program in place of `ssh`.
struct RemoteShell {
  /// As ssh takes it.
  let destination: String

  /// What came of a script.
  struct Outcome {
    /// The exit code: the script's own, or 255 where ssh failed.
    var code: Int32
    var output: [UInt8]
    /// What was written to standard error, in one line.
    var words: String
  }

  /// The most bytes of output, and of words, that are taken.
  private static let longestOutput = 1 << 18
  /// How long a script may take, with a password that a user types; ms.
  private static let patience: Int32 = 120_000

  /// Runs `script`. Throws where ssh cannot be started.
  ///
  /// The whole script goes to standard input. One that is cut in the middle must do nothing: put it into a function that is
  /// called last.
  func run(_ script: [UInt8]) throws(ToolError) -> Outcome {
    let program = TextStyle.variable("PLUMB_SSH") ?? "ssh"
    var ends: [[Int32]] = []
    for _ in 0..<3 {
      var pair: [Int32] = [-1, -1]
      // Sockets, because a pipe to an ssh that has ended would send this program a signal.
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else {
        let code = errno
        for end in ends.joined() { close(end) }
        throw ToolError(.internal, "no socket can be made: \(systemText(code))")
      }
      ends.append(pair)
    }
    let options = ["ServerAliveInterval=5", "ServerAliveCountMax=3"].flatMap { ["-o", $0] }
    let (process, code) = ChildProcess.start(
      program, [program, "-T"] + options + [destination, "sh"], input: .descriptor(ends[0][0]),
      output: .descriptor(ends[1][1]), errors: .descriptor(ends[2][1]))
    for end in [ends[0][0], ends[1][1], ends[2][1]] { close(end) }
    var pipes = Pipes(input: ends[0][1], output: ends[1][0], errors: ends[2][0], script: script[...])
    guard code == 0 else {
      pipes.close()
      throw ToolError(.unavailable, "\(printable(program)) cannot be started: \(systemText(code))")
    }
    if !pipes.carry(for: Self.patience, atMost: Self.longestOutput) { kill(process, SIGTERM) }
    pipes.close()
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let isExit = status & 0x7F == 0
    let lines = pipes.words.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
      .map { String(decoding: $0, as: UTF8.self) }
    return Outcome(
      code: isExit ? (status >> 8) & 0xFF : 255, output: pipes.text,
      words: printable(lines.suffix(3).joined(separator: "; ")))
  }

  /// The ends of three pairs of sockets, and what goes through them.
  private struct Pipes {
    var input: Int32
    var output: Int32
    var errors: Int32
    var script: ArraySlice<UInt8>
    var text: [UInt8] = []
    var words: [UInt8] = []

    /// Writes the script and reads what comes, until both outputs end. False where that takes too long, or is too much.
    mutating func carry(for milliseconds: Int32, atMost limit: Int) -> Bool {
      _ = fcntl(input, F_SETFL, O_NONBLOCK)
      while output >= 0 || errors >= 0 {
        if script.isEmpty && input >= 0 {
          Glibc.close(input)
          input = -1
        }
        var waits = [
          pollfd(fd: input, events: Int16(POLLOUT), revents: 0), pollfd(fd: output, events: Int16(POLLIN), revents: 0),
          pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe poll(&waits, 3, milliseconds)
        if count < 0 && errno == EINTR { continue }
        guard count > 0, text.count < limit, words.count < limit else { return false }
        if waits[0].revents != 0 { feed() }
        if waits[1].revents != 0 { Self.take(&output, &text) }
        if waits[2].revents != 0 { Self.take(&errors, &words) }
      }
      return true
    }

    private mutating func feed() {
      let descriptor = input
      let count = unsafe script.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        script = script.dropFirst(count)
      } else if errno != EAGAIN && errno != EINTR {
        script = []
      }
    }

    private static func take(_ descriptor: inout Int32, _ bytes: inout [UInt8]) {
      var piece = [UInt8](repeating: 0, count: 1 << 14)
      let source = descriptor
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(source, $0.baseAddress, $0.count) }
      if count > 0 { return bytes += piece[..<count] }
      if count < 0 && errno == EINTR { return }
      Glibc.close(descriptor)
      descriptor = -1
    }

    mutating func close() {
      for end in [input, output, errors] where end >= 0 { Glibc.close(end) }
      (input, output, errors) = (-1, -1, -1)
    }
  }
}
