import Accelerometers
import BoardFile
import Emulation
import FixedPoint
import HAL
import LinuxHAL
import Monitor
import Orientation

/// A run whose options have been checked: opens bus and lines, real or emulated, and drives the loop to its end.
struct RunPlan {
  /// How long to run; nil for as long as the motion lasts, or on a real bus without end.
  var duration: Microseconds?
  var format: Format
  var showsSamples: Bool
  var motion: NamedMotion
  var seed: UInt64
  var isFast: Bool

  /// While the board tumbles its sensor does not answer for this span, in the middle of a pose.
  private static let tumbleFaults: FaultPlan = [
    FaultPlan.Rule(.noAcknowledge, .during(.milliseconds(5_500)..<Microseconds.milliseconds(5_900)))
  ]

  func run(_ board: BoardDescription) throws(Failure) {
    do { try StopSignals.install() } catch { throw Failure(.internal, error.description) }
    switch board.bus {
    case .linux(let path): try run(board, on: try openBus(path.description, board), LinuxClock())
    case .emulated:
      if isFast {
        let clock = VirtualClock()
        try run(board, on: emulatedBus(board) { clock.now }, clock)
      } else {
        let clock = LinuxClock()
        try run(board, on: emulatedBus(board) { clock.now }, clock)
      }
    }
  }

  private func run<Bus: I2CBus & ~Copyable>(
    _ board: BoardDescription, on bus: consuming Bus, _ clock: some MonotonicClock
  ) throws(Failure) {
    let device = ADXL345.Device(bus: bus, address: board.sensor.address, configuration: board.sensor.configuration)
    if board.lines.isEmulated {
      try drive(board, device, RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }, clock)
    } else {
      try drive(board, device, try openLines(board.lines), clock)
    }
  }

  private func openBus(_ path: String, _ board: BoardDescription) throws(Failure) -> LinuxI2CBus {
    do {
      var bus = try LinuxI2CBus(path: path)
      try bus.claim(board.sensor.address)
      return bus
    } catch {
      throw Failure(error.fault == .notPermitted ? .noPermission : .unavailable, error.description)
    }
  }

  private func openLines(_ lines: BoardDescription.Lines) throws(Failure) -> GPIOBank {
    do throws(GPIOError) {
      return try GPIOBank(
        chipLabel: lines.chip.description, offsets: lines.offsets.indices.map { lines.offsets[$0] },
        activeLow: lines.isActiveLow, idle: lines.idle)
    } catch .notPermitted(let label) {
      throw Failure(.noPermission, GPIOError.notPermitted(label: label).description)
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }

  private func emulatedBus(_ board: BoardDescription, now: @escaping () -> Instant) -> EmulatedBus {
    let sensor = EmulatedADXL345(
      motion: MountedMotion(motion.motion, on: board.sensor.mounting), seed: seed, now: now)
    // Logs that count but keep nothing, here and of the lines: a long run must not grow.
    return EmulatedBus(
      sensor, at: board.sensor.address, plan: motion == .tumble ? Self.tumbleFaults : .none, log: BusLog(capacity: 0),
      now: now)
  }
}

extension RunPlan {
  /// Turns the loop until the end, a stop signal or a closed output; then leaves the lines with their idle levels.
  private func drive<Bus: I2CBus & ~Copyable, Bank: OutputBank & ~Copyable>(
    _ board: BoardDescription, _ device: consuming ADXL345.Device<Bus>, _ bank: consuming Bank,
    _ clock: some MonotonicClock
  ) throws(Failure) {
    let start = clock.now
    let configuration = Monitor.Configuration(
      period: board.sensor.configuration.rate.period, fullScale: device.fullScale,
      pipeline: Pipeline.Configuration(alignment: Alignment(.none, board.sensor.mounting)))
    var loop = Loop(sensor: device, bank: bank, clock: clock, configuration: configuration)
    var reporter = Reporter(
      output: Output(isLive: !isFast), format: format, showsSamples: showsSamples, start: start,
      address: board.sensor.address)
    if format == .text { try greet(board, &reporter.output) }
    let end = end(board).map { start + $0 }
    while loop.monitor.next.at <= end ?? loop.monitor.next.at {
      // Virtual time does not wait, and so does not hear of a signal by itself.
      if reporter.output.isClosed || StopSignals.received != nil { break }
      guard let report = try checked(board, { () throws(OutputFault) in try loop.turn() }) else { break }
      try reporter.show(report, levels: loop.monitor.levels)
    }
    try checked(board) { () throws(OutputFault) in try loop.bank.write(board.lines.idle) }
    let summary = Summary(
      duration: loop.clock.now - start, counters: loop.monitor.counters, transactions: loop.sensor.transactions,
      outputWrites: loop.outputWrites,
      droppedLines: reporter.output.droppedLines > 0 ? reporter.output.droppedLines : nil)
    try reporter.output.line(summary.line(format), always: true)
    try reporter.output.flush()
  }

  private func checked<Result>(_ board: BoardDescription, _ body: () throws(OutputFault) -> Result) throws(Failure)
    -> Result
  {
    do {
      return try body()
    } catch {
      let chip = board.lines.chip.description
      throw Failure(.unavailable, "the lines of \(chip) cannot be set: \(systemText(error.code))")
    }
  }

  private func end(_ board: BoardDescription) -> Microseconds? {
    duration ?? (board.bus == .emulated ? motion.motion.duration : nil)
  }

  private func greet(_ board: BoardDescription, _ output: inout Output) throws(Failure) {
    let sensor = board.sensor
    let rate = decimalText(1_000_000, over: sensor.configuration.rate.period.count, places: 1)
    let range = 2 << Int(sensor.configuration.range.rawValue)
    switch board.bus {
    case .emulated:
      try output.line("Emulated ADXL345 at \(sensor.address.text), \(rate) Hz, ±\(range) g; motion \(motion.rawValue).")
    case .linux(let path):
      try output.line(
        "ADXL345 at \(sensor.address.text) on \(path.description), \(rate) Hz, ±\(range) g; stop with Ctrl-C.")
    }
    try output.line(Reporter.heading)
  }
}
