import Glibc
import LinuxHAL

/// Standard output, written in whole lines.
///
/// A reader that has gone away (a closed pipe) or a stop signal ends writing quietly and sets `isClosed`. A live output
/// never waits for a slow reader, because the LEDs must not: lines that no longer fit are dropped and counted.
package struct Output {
  package private(set) var isClosed = false
  /// How many lines a live output has dropped.
  private(set) var droppedLines: UInt64 = 0
  private var buffer: [UInt8] = []
  private let isLive: Bool
  private let descriptor: Int32

  /// How many bytes are written at once: what a pipe takes, if it takes anything; to a file, which always does, all.
  private let chunk: Int
  /// The most bytes that wait for a slow reader of a live output.
  private static let backlog = 1 << 20
  /// The number of bytes that are gathered for an output that is not live.
  private static let gathered = 1 << 16

  /// `isLive`: each line is shown at once, and nothing waits; otherwise lines are gathered for fewer, larger writes.
  package init(isLive: Bool) {
    self.isLive = isLive
    // A terminal says that it takes bytes as soon as it takes one, and then keeps a writer waiting for the rest. Opened
    // anew it can be written to without waiting, and the shell's own descriptor stays as it is.
    let reopened =
      isLive && isatty(STDOUT_FILENO) == 1
      ? unsafe open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = reopened >= 0 ? reopened : STDOUT_FILENO
    var status = stat()
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    chunk = isFile ? .max : 4_096
  }

  /// Writes `text` and a line feed; `always`, however many lines already wait.
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

  /// Hands everything to the system, however long that takes.
  package mutating func flush() throws(ToolError) { try write(waiting: true) }

  private mutating func write(waiting: Bool) throws(ToolError) {
    var rest = buffer[...]
    while !rest.isEmpty && !isClosed {
      guard StopSignals.canWrite(to: descriptor, waiting: waiting) else {
        // Only a stop signal ends the waiting.
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
        // Ready and yet full: a terminal. Five milliseconds are nothing to its reader.
        usleep(5_000)
        isClosed = StopSignals.received != nil
      } else if errno != EINTR {
        throw ToolError(.cannotCreate, "standard output cannot be written: \(systemText(errno))")
      }
    }
    buffer.removeFirst(buffer.count - rest.count)
  }
}

/// What was printed and never arrived: help and the like, which ArgumentParser prints without looking.
package enum LostOutput {
  /// Reports it at the end of the program, with the code of an output that cannot be written; `Output` checks by
  /// itself.
  package static func reportAtExit() {
    atexit {
      guard fflush(nil) != 0 else { return }
      let code = errno
      // A reader that has gone away has had enough.
      guard code != EPIPE else { return }
      writeToStandardError("plumb: standard output cannot be written: \(systemText(code))\n")
      _exit(ToolError.Code.cannotCreate.rawValue)
    }
  }
}
