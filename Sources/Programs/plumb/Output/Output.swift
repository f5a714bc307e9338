import Glibc
import LinuxHAL

/// Standard output, written in whole lines.
///
/// A reader that is gone (a closed pipe) or a stop signal ends writing quietly and sets `isClosed`. A live output never
/// waits for a slow reader, because the LEDs must not: lines that no longer fit are dropped and counted.
package struct Output {
  package private(set) var isClosed = false
  /// How many lines a live output has dropped.
  private(set) var droppedLines: UInt64 = 0
  private var buffer: [UInt8] = []
  private let isLive: Bool
  private let descriptor: Int32

  /// How many bytes are written at once: what a pipe takes if it takes anything, or everything to a file, which always
  /// takes it.
  private let chunk: Int
  /// How many bytes may wait for a slow reader of a live output.
  private static let backlog = 1 << 20
  /// How many bytes an output that is not live gathers.
  private static let gathered = 1 << 16

  /// `isLive` shows each line at once and never waits; otherwise lines are gathered for fewer, larger writes.
  package init(isLive: Bool) {
    self.isLive = isLive
    // A terminal reports that it takes bytes as soon as it takes one, then blocks the writer for the rest. Reopened, it
    // can be written without blocking, and the shell's own descriptor is unchanged.
    let reopened =
      isLive && isatty(STDOUT_FILENO) == 1
      ? unsafe open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = reopened >= 0 ? reopened : STDOUT_FILENO
    var status = stat()
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    chunk = isFile ? .max : 4_096
  }

  /// Writes `text` and a line feed; `always` writes them however many lines are waiting.
  package mutating func line(_ text: String, always: Bool = false) throws(ToolError) {
    try line(text.utf8, always: always)
  }

  /// The same with the bytes of a text.
  package mutating func line(_ text: some Collection<UInt8>, always: Bool = false) throws(ToolError) {
    guard !isClosed else { return }
    guard always || !isLive || buffer.count + text.count < Self.backlog else {
      droppedLines += 1
      return try write(waiting: false)
    }
    buffer.append(contentsOf: text)
    buffer.append(0x0A)
    if isLive {
      try write(waiting: false)
    } else if buffer.count > Self.gathered {
      try write(waiting: true)
    }
  }

  /// Writes out everything, however long it takes.
  package mutating func flush() throws(ToolError) { try write(waiting: true) }

  private mutating func write(waiting: Bool) throws(ToolError) {
    var rest = buffer[...]
    while !rest.isEmpty && !isClosed {
      guard StopSignals.canWrite(to: descriptor, waiting: waiting) else {
        // Only a stop signal ends the wait.
        isClosed = waiting
        break
      }
      let count = unsafe rest.prefix(chunk).withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        isClosed = true
      } else if errno == EAGAIN {
        guard waiting else { break }
        // Ready and yet full: a terminal. Its reader does not notice five milliseconds.
        usleep(5_000)
        isClosed = StopSignals.received != nil
      } else if errno != EINTR {
        throw ToolError(.cannotCreate, "standard output cannot be written: \(systemText(errno))")
      }
    }
    buffer.removeFirst(buffer.count - rest.count)
  }
}

/// Output that was printed but never arrived, such as help, which ArgumentParser prints without checking.
package enum LostOutput {
  /// Reports it at the end of the program, with the exit code for output that cannot be written; `Output` checks its
  /// own.
  package static func reportAtExit() {
    atexit {
      guard fflush(nil) != 0 else { return }
      let code = errno
      // A reader that is gone wants no more.
      guard code != EPIPE else { return }
      writeToStandardError("plumb: standard output cannot be written: \(systemText(code))\n")
      _exit(ToolError.Code.cannotCreate.rawValue)
    }
  }
}
