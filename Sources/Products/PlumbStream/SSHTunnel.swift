internal import CConnect
internal import Glibc

/// A Unix socket on this machine that OpenSSH forwards to one on another: `ssh -N -L`, in a private folder, until the
/// tunnel is dropped. `PLUMB_SSH` names a program to use instead of `ssh`.
final class SSHTunnel {
  private let folder: SocketFolder
  private let process: pid_t
  /// What ssh writes to its standard error.
  private let errors: Int32
  private var text: [UInt8] = []
  /// Whether ssh has ended and was waited for.
  private var isOver = false

  /// How many bytes of ssh's output are kept: the last ones.
  private static var longestText: Int { 4_096 }

  /// Starts ssh. It may ask for a password on the terminal if it `asks`; otherwise it fails where it would need one.
  init(to destination: String, path remote: String, asks: Bool) throws(StreamError) {
    let folder = try SocketFolder()
    let program = environmentVariable("PLUMB_SSH") ?? "ssh"
    let options =
      [
        "ExitOnForwardFailure=yes", "ControlMaster=no", "ControlPath=none", "ServerAliveInterval=5",
        "ServerAliveCountMax=3",
      ]
      + (asks ? [] : ["BatchMode=yes"])
    let arguments =
      [program, "-N", "-T"] + options.flatMap { ["-o", $0] } + ["-L", "\(folder.socket):\(remote)", destination]
    var pipes: [Int32] = [-1, -1]
    var (process, code) = unsafe (pid_t(0), pipe(&pipes) == 0 ? 0 : errno)
    if code == 0 {
      for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(pipes[0], F_SETFL, O_NONBLOCK)
      // Standard output belongs to the program; ssh itself asks on the terminal.
      (process, code) = ChildProcess.start(
        program, arguments, input: .null, output: .null, errors: .descriptor(pipes[1]))
      close(pipes[1])
      if code != 0 { close(pipes[0]) }
    }
    guard code == 0 else {
      throw StreamError(.unreachable, "\(printable(program)) cannot be started: \(systemText(code))")
    }
    (self.process, errors) = (process, pipes[0])
    self.folder = folder
  }

  deinit {
    if !isOver { end() }
    close(errors)
  }

  /// The socket on this machine.
  var path: String { folder.socket }

  /// Why the tunnel has ended, in ssh's words; nil while ssh runs.
  func ending() -> String? {
    hear()
    guard !isOver else { return words }
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, WNOHANG) != 0 else { return nil }
    isOver = true
    hear()
    return words
  }

  /// What ssh has written last, in one line; empty for nothing.
  func heard() -> String {
    hear()
    let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { String(decoding: $0, as: UTF8.self) }
    return printable(lines.suffix(3).joined(separator: "; "))
  }

  private var words: String {
    let heard = heard()
    return heard.isEmpty ? "ssh has ended without a word" : heard
  }

  private func hear() {
    var piece = [UInt8](repeating: 0, count: 512)
    while true {
      let errors = errors
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(errors, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      text = (text + piece[..<count]).suffix(Self.longestText)
    }
  }

  /// Ends ssh, usually at once; kills it after two seconds.
  private func end() {
    kill(process, SIGTERM)
    _ = csupport_spawn_wait(process, 2_000)
  }
}
