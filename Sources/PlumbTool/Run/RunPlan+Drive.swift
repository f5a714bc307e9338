import BoardFile
import Emulation
import FixedPoint
import HAL
import Indication
import LinuxHAL
import Monitor
import Orientation
import Sensors

extension RunPlan {
  /// Turns the loop until the end, a stop signal or a closed output; then leaves the lines with their idle levels.
  func drive<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ bank: consuming Bank, _ clock: some MonotonicClock
  ) throws(Failure) {
    let start = clock.now
    let configuration = Monitor.Configuration(
      period: board.sensor.period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: board.sensor.alignment),
      indicator: Indicator.Configuration(code: board.lines.code),
      faults: FaultPolicy(outageLimit: patience ?? .zero),
      movement: try showing.movement(crossFades: crossFades))
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    var reporter = Reporter(
      output: Output(isLive: !isFast), format: format, showing: showing, start: start, sensor: board.sensor,
      code: board.lines.code)
    if format == .text { try greet(board, &reporter) }
    let end = end(board).map { start + $0 }
    var failure: Failure?
    while loop.monitor.next.at <= end ?? loop.monitor.next.at {
      // Virtual time does not wait, and so does not hear of a signal by itself.
      if reporter.output.isClosed || StopSignals.received != nil { break }
      guard let report = try checked(board, { () throws(OutputFault) in try loop.turn() }) else { break }
      failure = verdict(report, of: board.sensor)
      if failure?.code == .configuration { break }
      try reporter.show(report, of: loop.monitor)
      if failure != nil { break }
    }
    try checked(board) { () throws(OutputFault) in
      if let first = board.lines.withdrawn(loop.monitor.levels) { try loop.bank.write(first) }
      try loop.bank.write(board.lines.idle)
    }
    if let failure, failure.code == .configuration { throw failure }
    let summary = Summary(
      duration: loop.clock.now - start, counters: loop.monitor.counters, transactions: loop.sensor.transactions,
      outputWrites: loop.outputWrites,
      droppedLines: reporter.output.droppedLines > 0 ? reporter.output.droppedLines : nil)
    try reporter.output.line(summary.line(format), always: true)
    try reporter.output.flush()
    if let failure { throw failure }
  }

  /// What ends the run: a rate in the board file that the bus cannot follow, which no patience cures; or the end of
  /// patience.
  private func verdict(_ report: Monitor.Report, of sensor: BoardDescription.Sensor) -> Failure? {
    for index in 0..<report.events.count {
      switch report.events[index]?.event {
      case .trouble(_, let cause?):
        if case .rateTooHigh = cause { return Failure(.configuration, cause.text(of: sensor)) }
      case .gaveUp(let cause, let outage):
        return Failure(.unavailable, "given up after \(outage.tableText) s: \(cause.text(of: sensor))")
      default: break
      }
    }
    return nil
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

  private func greet(_ board: BoardDescription, _ reporter: inout Reporter) throws(Failure) {
    let sensor = board.sensor
    let name = "\(sensor.model.properName) at \(sensor.address.text)"
    let figures = "\(sensor.rate.text) Hz, ±\(sensor.rangeInG) g"
    switch board.bus {
    case .emulated: try reporter.output.line("Emulated \(name), \(figures); motion \(motion.rawValue).")
    case .linux(let path): try reporter.output.line("\(name) on \(path.description), \(figures); stop with Ctrl-C.")
    }
    try reporter.output.line(reporter.heading)
  }
}

extension BoardDescription.Sensor {
  /// The largest force measured, in g.
  var rangeInG: Int {
    switch configuration {
    case .adxl345(let configuration): 2 << Int(configuration.range.rawValue)
    case .mpu6050(let configuration): 2 << Int(configuration.range.rawValue)
    }
  }
}
