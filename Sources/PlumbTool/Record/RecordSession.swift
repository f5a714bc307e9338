import BoardFile
import Emulation
import FixedPoint
import Glibc
import HAL
import LinuxHAL
import Monitor
import Orientation
import Sensors

/// A recording whose options have been checked: opens file and bus, real or emulated, and records to the end.
///
/// The loop is that of `plumb run`, and so are the samples and the answers to faults; lines are left alone.
struct RecordSession: BoardLoop {
  var path: String
  /// Whether a file that is there is replaced.
  var isForced: Bool
  var isQuiet: Bool
  var format: Format
  /// How long to record; nil for as long as the motion lasts, or on a real bus without end.
  var duration: Microseconds?
  var motion: NamedMotion
  /// The seed of the emulated sensor; nil for the board's.
  var seed: UInt64?
  var isFast: Bool
  /// After how long an outage the sensor is given up; nil for never.
  var patience: Microseconds?

  var usesLines: Bool { false }

  func drive<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ bank: consuming Bank, _ clock: some MonotonicClock
  ) throws(Failure) {
    let file = try RecordingFile(path, isForced: isForced, flushing: isFast ? nil : .milliseconds(500))
    let configuration = Monitor.Configuration(
      period: board.sensor.period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: board.sensor.alignment),
      faults: FaultPolicy(outageLimit: patience ?? .zero))
    let start = clock.now
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    var account = RecordAccount(period: board.sensor.period)
    var progress = RecordProgress(isQuiet: isQuiet)
    let end = (duration ?? (board.bus == .emulated ? motion.motion.duration : nil)).map { start + $0 }
    while loop.monitor.next.at <= end ?? loop.monitor.next.at {
      // Virtual time does not wait, and so does not hear of a signal by itself.
      if file.isClosed || StopSignals.received != nil { break }
      let report: Monitor.Report?
      do { report = try loop.turn() } catch { throw Failure(.internal, "lines that are not there were set") }
      guard let report else { break }
      for index in 0..<report.events.count {
        if let event = report.events[index]?.event { try tell(event, of: board.sensor, &account, &progress) }
      }
      if account.givenUpAfter != nil { break }
      guard let reading = report.reading else { continue }
      account.take(reading.instant, loop.monitor.counters)
      do throws(Failure) {
        try file.append(reading.force, at: account.elapsed)
      } catch {
        progress.clear()
        throw error
      }
      progress.show(account, reading.state)
    }
    progress.clear()
    try finish(file, account)
  }

  /// Remembers why samples are missing, and says so at once to who watches.
  private func tell(
    _ event: Event, of sensor: BoardDescription.Sensor, _ account: inout RecordAccount, _ progress: inout RecordProgress
  ) throws(Failure) {
    switch event {
    case .trouble(.fault, let cause?):
      let words = cause.text(of: sensor)
      if case .rateTooHigh = cause { throw Failure(.configuration, "\(words); nothing is recorded") }
      account.cause = words
      progress.note("\(account.elapsed.tableText) s: \(words)")
    case .recovered(_, let outage):
      progress.note("\(account.elapsed.tableText) s: recovered after \(outage.tableText) s")
    case .gaveUp(let cause, let outage):
      account.cause = cause.text(of: sensor)
      account.givenUpAfter = outage
    case .notice(let notice): progress.note(notice.text(of: sensor))
    default: break
    }
  }

  private func finish(_ file: RecordingFile, _ account: RecordAccount) throws(Failure) {
    try file.finish()
    // Whoever has closed the pipe wants to hear no more.
    if file.isClosed { return }
    let givenUp = account.givenUpAfter.map { "given up after \($0.tableText) s: " }
    if account.samples == 0 && (account.cause != nil || StopSignals.received == nil) {
      let cause = account.cause ?? "the time was too short"
      throw Failure(.unavailable, "no sample came, and no file is made: \(givenUp ?? "")\(cause)")
    }
    try tell(account, in: file)
    if let givenUp { throw Failure(.unavailable, givenUp + (account.cause ?? "no sample came")) }
  }

  /// Says what it came to: people on standard error; scripts on standard output, unless that has the samples.
  private func tell(_ account: RecordAccount, in file: RecordingFile) throws(Failure) {
    guard format == .json else {
      let lines = account.summary(of: file.name)
      if !isQuiet { writeToStandardError(overInterrupt(STDERR_FILENO) + lines.joined(separator: "\n") + "\n") }
      return
    }
    let lines = account.json(path)
    if path == "-" { return writeToStandardError(lines.joined(separator: "\n") + "\n") }
    var output = Output(isLive: false)
    for (index, line) in lines.enumerated() {
      try output.line((index == 0 ? overInterrupt(STDOUT_FILENO) : "") + line)
    }
    try output.flush()
  }
}
