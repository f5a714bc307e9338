import BoardFile
import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import LinuxHAL
import Monitor
import Orientation
import Sensors

/// Whoever looks at a board. The loop tells it what each turn brought, and never waits for it.
protocol BoardAudience {
  /// Whether nobody is left to show the board to, which ends the loop.
  var isGone: Bool { get }

  /// Hears what one turn brought.
  mutating func take(
    _ report: Monitor.Report, _ monitor: borrowing Monitor, transactions: UInt64, at now: Instant
  ) throws(Failure)

  /// Whether the rest for scrolling is to be captured, asked since the last call.
  func wantsRest() -> Bool
  /// Hears what came of that.
  func tell(_ words: String)

  /// Ends showing.
  func dismiss()
  /// Says what it came to, after the end.
  mutating func conclude(_ summary: Summary) throws(Failure)
}

/// Drives a board's loop until a stop signal, for an audience.
protocol ShownBoard: BoardLoop {
  associatedtype Audience: BoardAudience
  func invite(to board: BoardDescription, start: Instant) throws(Failure) -> Audience
}

extension ShownBoard {
  var isFast: Bool { false }
  var played: any Motion { RepeatedMotion(motion.motion) }

  func drive<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ bank: consuming Bank, _ clock: some MonotonicClock
  ) throws(Failure) {
    let start = clock.now
    let configuration = Monitor.Configuration(
      period: board.sensor.period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: board.sensor.alignment),
      indicator: Indicator.Configuration(code: board.lines.code), movement: Movement.Configuration())
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    var audience = try invite(to: board, start: start)
    var failure = turn(&loop, board, &audience)
    do throws(Failure) {
      try finish(&loop, board)
    } catch {
      failure = failure ?? error
    }
    audience.dismiss()
    if let failure { throw failure }
    try audience.conclude(
      Summary(
        duration: loop.clock.now - start, counters: loop.monitor.counters, transactions: loop.sensor.transactions,
        outputWrites: loop.outputWrites))
  }

  /// Turns the loop until somebody asks for its end; returns what has ended it before.
  private func turn<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock>(
    _ loop: inout Loop<Sensor, Bank, Clock>, _ board: BoardDescription, _ audience: inout Audience
  ) -> Failure? {
    do throws(Failure) {
      while StopSignals.received == nil && !audience.isGone, let report = try turned(&loop, board) {
        try audience.take(report, loop.monitor, transactions: loop.sensor.transactions, at: loop.clock.now)
        if let failure = verdict(report, board) { return failure }
        if audience.wantsRest() { audience.tell(captureRest(&loop.monitor)) }
      }
      return nil
    } catch {
      return error
    }
  }

  private func turned<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock>(
    _ loop: inout Loop<Sensor, Bank, Clock>, _ board: BoardDescription
  ) throws(Failure) -> Monitor.Report? {
    do throws(OutputFault) { return try loop.turn() } catch { throw failure(of: board, error) }
  }

  private func finish<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock>(
    _ loop: inout Loop<Sensor, Bank, Clock>, _ board: BoardDescription
  ) throws(Failure) {
    do throws(OutputFault) {
      if let first = board.lines.withdrawn(loop.monitor.levels) { try loop.bank.write(first) }
      try loop.bank.write(board.lines.idle)
    } catch {
      throw failure(of: board, error)
    }
  }

  private func failure(of board: BoardDescription, _ fault: OutputFault) -> Failure {
    Failure(.unavailable, "the lines of \(board.lines.chip.description) cannot be set: \(systemText(fault.code))")
  }

  /// What ends the showing: a rate that the bus cannot follow, which no patience cures.
  private func verdict(_ report: Monitor.Report, _ board: BoardDescription) -> Failure? {
    for index in 0..<report.events.count {
      guard case .trouble(_, let cause?) = report.events[index]?.event, case .rateTooHigh = cause else { continue }
      return Failure(.configuration, cause.text(of: board.sensor))
    }
    return nil
  }

  private func captureRest(_ monitor: inout Monitor) -> String {
    do {
      try monitor.captureScrollRest()
      return "nothing scrolls as the board is held now"
    } catch .restOpposite {
      return "the board cannot rest like this for scrolling: turn it face up a little, then press c again"
    } catch {
      return "the rest for scrolling is as it was: hold the board still, then press c again"
    }
  }
}
