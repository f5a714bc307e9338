import CSupport
import Glibc
import LinuxHAL
import PlumbViews
import ToolInputs
import ToolOutput

/// The terminal of standard output, taken over for drawing. Nothing that is done with it waits.
struct WatchTerminal {
  /// Where keys come from; -1 for nowhere.
  let input: Int32
  let output: Int32

  /// Takes the terminal over; whatever ends the program gives it back.
  init() throws(ToolError) {
    // Opened anew it can be written to without waiting, and the shell's own descriptor stays as it is.
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

  /// Columns and rows; the least that can be drawn on where the terminal does not report them.
  var size: (width: Int, height: Int) {
    var (columns, rows): (UInt32, UInt32) = (0, 0)
    let code = unsafe csupport_terminal_size(output, &columns, &rows)
    guard code == 0 && columns > 0 && rows > 0 else { return Screen.least }
    // More than that is no terminal, and memory is not given to it.
    return (min(1_000, Int(columns)), min(500, Int(rows)))
  }

  /// Whether it was lent to the shell since the last call, so that it has to be drawn afresh.
  var wasResumed: Bool { csupport_terminal_was_resumed() }

  /// Waits for a key, or with `isFull` for room for more output, `milliseconds` at most.
  func wait(milliseconds: Int32, isFull: Bool, hearsKeys: Bool) {
    var waits = [
      pollfd(fd: hearsKeys ? input : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isFull ? output : -1, events: Int16(POLLOUT), revents: 0),
    ]
    // A signal ends the wait, too, and does no harm.
    unsafe poll(&waits, nfds_t(waits.count), milliseconds)
  }

  /// The keys that were pressed; nil when none can come any more.
  func keys(_ reader: inout KeyReader) -> [Key]? {
    var state = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&state, 1, 0) == 1 else {
      // Since the last time nothing has followed.
      reader.pause()
      return []
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(input, &bytes, bytes.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
    guard count > 0 else { return nil }
    return bytes.prefix(count).compactMap { reader.key($0) }
  }

  /// Writes as much of `bytes` as the terminal takes; returns the rest, or nil when it is gone.
  func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    // While the program is being stopped, or dies, the screen is another's.
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
