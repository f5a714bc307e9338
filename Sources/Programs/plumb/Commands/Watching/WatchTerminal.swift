import CSupport
import Glibc
import LinuxHAL
import PlumbViews
import ToolInputs
import ToolOutput

/// The terminal on standard output, taken over for drawing. No operation on it waits, except `wait`.
struct WatchTerminal {
  /// The descriptor that keys come from; -1 for none.
  let input: Int32
  let output: Int32

  /// Takes over the terminal; however the program ends, the terminal is given back.
  init() throws(ToolError) {
    // Reopened, it can be written to without waiting, and the shell's own descriptor stays as it is.
    let reopened = unsafe open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    output = reopened >= 0 ? reopened : STDOUT_FILENO
    input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    csupport_terminal_guard_thread()
    let code = unsafe csupport_terminal_begin(
      input, output, Escape.enter, Escape.enter.utf8.count, Escape.leave, Escape.leave.utf8.count)
    guard code == 0 else {
      throw ToolError(.unavailable, "the terminal cannot be set up for drawing: \(systemText(-code))")
    }
  }

  /// Gives the terminal back.
  func end() { csupport_terminal_end() }

  /// The columns and rows; the smallest drawable size if the terminal does not report them.
  var size: (width: Int, height: Int) {
    var (columns, rows): (UInt32, UInt32) = (0, 0)
    let code = unsafe csupport_terminal_size(output, &columns, &rows)
    guard code == 0 && columns > 0 && rows > 0 else { return Screen.least }
    // Nothing larger is a real terminal, and memory is not wasted on it.
    return (min(1_000, Int(columns)), min(500, Int(rows)))
  }

  /// Whether the shell had the terminal since the last call, so that everything must be drawn again.
  var wasResumed: Bool { csupport_terminal_was_resumed() }

  /// Waits for a key or, with `isFull`, for room for more output, for at most `milliseconds`.
  func wait(milliseconds: Int32, isFull: Bool, hearsKeys: Bool) {
    var waits = [
      pollfd(fd: hearsKeys ? input : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isFull ? output : -1, events: Int16(POLLOUT), revents: 0),
    ]
    // A signal ends the wait, too, which does no harm.
    unsafe poll(&waits, nfds_t(waits.count), milliseconds)
  }

  /// The keys pressed since the last call; nil if no more can come.
  func keys(_ reader: inout KeyReader) -> [Key]? {
    var state = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&state, 1, 0) == 1 else {
      // Nothing has followed since the last call.
      reader.pause()
      return []
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(input, &bytes, bytes.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
    guard count > 0 else { return nil }
    return bytes.prefix(count).compactMap { reader.key($0) }
  }

  /// Writes as much of `bytes` as the terminal takes; returns the rest, or nil if the terminal is gone.
  func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    // While the program is being stopped or ended, the screen belongs to someone else.
    while !rest.isEmpty && csupport_terminal_is_held() {
      guard StopSignals.canWrite(to: output, waiting: false) else { break }
      let count = unsafe rest.prefix(4_096).withUnsafeBytes { unsafe Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0 && errno != EINTR {
        return errno == EAGAIN ? rest : nil
      }
    }
    return rest
  }
}
