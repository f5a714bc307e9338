import ArgumentParser
import FixedPoint
import Glibc
import JSON
import LinuxHAL
import PlumbStream
import PlumbViews
import Synchronization
import ToolInputs
import ToolOutput

/// Runs a command again and again, one run at a time, in its own thread: the loop that watches for events never waits
/// for it.
final class CommandRunner: Sendable {
  /// What to do with an event that comes while the command runs.
  enum Policy: String, ExpressibleByArgument, CaseIterable {
    case latest, queue, ignore
  }

  /// The events that wait, and the result of the last run.
  private struct State {
    var waiting: [OnEvent] = []
    var isRunning = false
    /// Whether no more events will be offered.
    var isOver = false
    /// How many events have been passed over since the last report.
    var passedOver = 0
    /// The exit code of the last command, or 128 plus the number of the signal that ended it.
    var outcome: Int32?
    var error: ToolError?
  }

  private let program: String
  private let arguments: [String]
  private let policy: Policy
  private let timeout: Microseconds?
  private let format: Format
  private let state = Mutex(State())
  private let output = Mutex(Output(isLive: true))
  /// A pipe that wakes the thread.
  private let bell: (ear: Int32, hand: Int32)
  private let worker = Mutex<WorkerThread?>(nil)

  /// The most events that wait in a queue.
  private static let longestQueue = 64
  /// How long a command may take to end after it is asked to.
  private static let grace = Microseconds.seconds(2)
  /// How often a running command is checked, in ms.
  private static let interval: Int32 = 20

  /// Creates a runner of `command`, and does not run it yet. Throws an error if there is no such command.
  init(
    _ command: [String], _ policy: Policy, timeout: Microseconds?, _ format: Format, greeting: String
  ) throws(ToolError) {
    let name = command.first ?? ""
    program = try Self.path(of: name)
    arguments = command
    (self.policy, self.timeout, self.format) = (policy, timeout, format)
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw ToolError(.internal, "no pipe can be made: \(systemText(errno))") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    bell = (ends[0], ends[1])
    if format == .text { say(greeting) }
    let worker = try WorkerThread.begin("the thread of the command") { [self] _ in work() }
    self.worker.withLock { $0 = worker }
  }

  deinit {
    close(bell.ear)
    close(bell.hand)
  }

  /// Whether the output is closed.
  var isUnheard: Bool { output.withLock { $0.isClosed } }

  /// Runs the command for `event`, or treats the event as the policy says.
  func offer(_ event: OnEvent) {
    state.withLock { state in
      let isBusy = state.isRunning || !state.waiting.isEmpty
      switch policy {
      case .ignore where isBusy, .queue where state.waiting.count >= Self.longestQueue: state.passedOver += 1
      case .latest where isBusy:
        state.passedOver += state.waiting.count
        state.waiting = [event]
      default: state.waiting.append(event)
      }
    }
    ring()
  }

  /// Writes what the owner of the sensor says besides its events.
  func report(_ remark: OwnerRemark) {
    if remark.missed > 0 {
      say(format == .json ? "{\"event\":\"missed\",\"count\":\(remark.missed)}" : remark.missedText)
    }
    if let line = format == .json ? remark.object : remark.note { say(line) }
  }

  /// Waits until the remaining events are handled; after a stop signal, ends the running command instead. Returns the
  /// exit code of the last command, or nil if none was run.
  func finish() throws(ToolError) -> Int32? {
    state.withLock { $0.isOver = true }
    ring()
    worker.withLock { $0.take() }?.join()
    let (outcome, error) = state.withLock { ($0.outcome, $0.error) }
    if let error { throw error }
    return outcome
  }

  private func ring() { _ = unsafe write(bell.hand, "!", 1) }

  private func say(_ line: String) {
    output.withLock { output in
      do throws(ToolError) { try output.line(line) } catch {
        state.withLock { $0.error = $0.error ?? error }
      }
    }
  }
}

// The thread.
extension CommandRunner {
  private func work() {
    while true {
      let (event, isOver) = state.withLock { state in
        let event = StopSignals.received == nil && !state.waiting.isEmpty ? state.waiting.removeFirst() : nil
        state.isRunning = event != nil
        return (event, state.isOver)
      }
      if let event {
        run(event)
      } else if isOver || StopSignals.received != nil {
        return
      } else {
        wait(milliseconds: -1)
      }
    }
  }

  /// Waits for the bell, for a stop signal or until the time is up.
  private func wait(milliseconds: Int32) {
    var waits = [
      pollfd(fd: bell.ear, events: Int16(POLLIN), revents: 0),
      // A signal that has arrived stays readable.
      pollfd(fd: StopSignals.received == nil ? StopSignals.descriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    unsafe poll(&waits, nfds_t(waits.count), milliseconds)
    var bytes: (UInt64, UInt64) = (0, 0)
    while unsafe read(bell.ear, &bytes, 16) > 0 {}
  }

  private func run(_ event: OnEvent) {
    let start = LinuxClock().now
    // In its own process group, so that Ctrl-C reaches it only through this runner.
    let (process, code) = ChildProcess.start(
      program, arguments, environment: Self.environment(with: event.variables), input: .null,
      output: format == .json ? .descriptor(STDERR_FILENO) : .inherited, errors: .inherited, inOwnGroup: true)
    guard code == 0 else {
      let words = "\(printable(arguments.first ?? "")) cannot be started: \(systemText(code))"
      state.withLock { $0.error = ToolError(code == EACCES ? .noPermission : .unavailable, words) }
      // Ends the wait of the main thread, which then finds the error.
      kill(getpid(), SIGINT)
      return
    }
    let (status, isLate) = end(of: process, since: start)
    let signal = status & 0x7F
    let exitCode = status >> 8 & 0xFF
    let passedOver = state.withLock { state in
      state.outcome = signal == 0 ? exitCode : 128 + signal
      defer { state.passedOver = 0 }
      return state.passedOver
    }
    let duration = LinuxClock().now - start
    switch format {
    case .json:
      let object = JSONText.object { writer in
        writer.field("t", seconds: event.time)
        writer.field("event", "ran")
        writer.field("cause", json: event.json)
        writer.field("exit_code", signal == 0 ? Int(exitCode) : nil)
        writer.field("signal", signal == 0 ? nil : Int(signal))
        writer.field("timed_out", isLate)
        writer.field("duration_s", seconds: duration)
        writer.field("passed_over", passedOver)
      }
      say(object)
    case .text:
      var end = signal == 0 ? "exit code \(exitCode)" : "ended by signal \(signal)"
      if isLate { end += ", after the time-out" }
      if passedOver > 0 { end += "; passed over \(counted(passedOver, "event", "events")) meanwhile" }
      say(wrapped("\(event.words): \(end)", behind: event.time.tableText.rightAligned(to: 8) + "  "))
    }
  }

  /// Waits for `process` to end. At the time-out or after a stop signal it is asked to end, and killed two seconds
  /// later. Returns its status, and whether it took too long.
  private func end(of process: pid_t, since start: Instant) -> (status: Int32, isLate: Bool) {
    var status: Int32 = 0
    var isLate = false
    var asked: Instant?
    while unsafe waitpid(process, &status, WNOHANG) == 0 {
      let now = LinuxClock().now
      if let asked {
        if now - asked > Self.grace { kill(-process, SIGKILL) }
      } else if let timeout, now - start > timeout {
        (isLate, asked) = (true, now)
        kill(-process, SIGTERM)
      } else if StopSignals.received != nil {
        asked = now
        kill(-process, SIGTERM)
      }
      wait(milliseconds: Self.interval)
    }
    return (status, isLate)
  }

  /// The environment of this program, without the variables meant for the command, followed by `variables`.
  private static func environment(with variables: [(name: String, value: String)]) -> [String] {
    var all: [String] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let text = unsafe String(cString: entry)
      if !OnEvent.names.contains(String(text.prefix { $0 != "=" })) { all.append(text) }
      unsafe next += 1
    }
    return all + variables.map { "\($0.name)=\($0.value)" }
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return unsafe access(path, X_OK) == 0
  }

  /// The file of the command `name`, found as a shell finds it.
  private static func path(of name: String) throws(ToolError) -> String {
    let folders = TextStyle.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    let places =
      name.contains("/")
      ? [name]
      : folders.split(separator: ":", omittingEmptySubsequences: false).map { ($0.isEmpty ? "." : $0) + "/" + name }
    if let found = places.first(where: isProgram) { return found }
    if let locked = places.first(where: isFile) {
      throw ToolError(.noPermission, "\(printable(locked)) is not executable (chmod +x)")
    }
    let place = name.contains("/") ? "" : " in the folders of PATH"
    throw ToolError(.noInput, "there is no command \(printable(name))\(place)")
  }
}
