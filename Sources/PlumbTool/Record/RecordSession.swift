import Accelerometers
import BoardFile
import Emulation
import FixedPoint
import HAL
import LinuxHAL
import Monitor
import Orientation

/// A recording whose options have been checked: opens file and bus, real or emulated, and records to the end.
///
/// The loop is that of `plumb run`, and so are the samples and the answers to faults; lines are left alone.
struct RecordSession {
  var board: BoardDescription
  var path: String
  /// Whether a file that is there is replaced.
  var isForced: Bool
  var isQuiet: Bool
  /// How long to record; nil for as long as the motion lasts, or on a real bus without end.
  var duration: Microseconds?
  var motion: NamedMotion
  /// The seed of the emulated sensor; nil for the board's.
  var seed: UInt64?
  var isFast: Bool

  func run() throws(Failure) {
    do { try StopSignals.install() } catch { throw Failure(.internal, error.description) }
    switch board.bus {
    case .linux(let path):
      var bus = try openBus(path.description)
      try claim(board.sensor.address, on: &bus)
      try record(on: bus, LinuxClock())
    case .emulated where isFast:
      let clock = VirtualClock()
      try record(on: emulatedBus { clock.now }, clock)
    case .emulated:
      let clock = LinuxClock()
      try record(on: emulatedBus { clock.now }, clock)
    }
  }

  private func emulatedBus(now: @escaping () -> Instant) -> EmulatedBus {
    let plan = motion == .tumble ? RunPlan.tumbleFaults : .none
    return board.emulatedBus(motion: motion.motion, seed: seed, plan: plan, now: now)
  }

  private func record<Bus: I2CBus & ~Copyable>(
    on bus: consuming Bus, _ clock: some MonotonicClock
  ) throws(Failure) {
    let address = board.sensor.address
    switch board.sensor.configuration {
    case .adxl345(let configuration):
      try record(ADXL345.Device(bus: bus, address: address, configuration: configuration), clock)
    case .mpu6050(let configuration):
      try record(MPU6050.Device(bus: bus, address: address, configuration: configuration), clock)
    }
  }

  private func record<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) {
    let file = try RecordingFile(path, isForced: isForced, flushing: isFast ? nil : .milliseconds(500))
    let configuration = Monitor.Configuration(
      period: board.sensor.period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: board.sensor.alignment))
    let start = clock.now
    let noLines = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(sensor: sensor, bank: noLines, clock: clock, configuration: configuration)
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
        if let event = report.events[index]?.event { try tell(event, &account, &progress) }
      }
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
    try finish(file, account, progress)
  }

  /// Remembers why samples are missing, and says so at once to who watches.
  private func tell(_ event: Event, _ account: inout RecordAccount, _ progress: inout RecordProgress) throws(Failure) {
    switch event {
    case .trouble(.fault, let cause?):
      let words = cause.text(of: board.sensor)
      if case .rateTooHigh = cause { throw Failure(.configuration, "\(words); nothing is recorded") }
      account.cause = words
      progress.note("\(account.elapsed.tableText) s: \(words)")
    case .recovered(_, let outage):
      progress.note("\(account.elapsed.tableText) s: recovered after \(outage.tableText) s")
    case .notice(let notice): progress.note(notice.text(of: board.sensor))
    default: break
    }
  }

  private func finish(
    _ file: RecordingFile, _ account: RecordAccount, _ progress: RecordProgress
  ) throws(Failure) {
    try file.finish()
    // Whoever has closed the pipe wants to hear no more.
    if file.isClosed { return }
    if account.samples == 0 && (account.cause != nil || StopSignals.received == nil) {
      throw Failure(.unavailable, "no sample came, and no file is made: \(account.cause ?? "the time was too short")")
    }
    progress.end(account.summary(of: file.name))
  }
}
