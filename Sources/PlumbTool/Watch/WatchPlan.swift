import Accelerometers
import BoardFile
import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import LinuxHAL
import Monitor
import Orientation
import TerminalView

/// Drives a board's loop for somebody who watches.
struct WatchPlan: BoardLoop {
  var motion: NamedMotion
  var seed: UInt64?

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
    let room = WatchRoom(board, motion, start: start)
    let audience = try WatchAudience.invite(to: room)
    let failure = turn(&loop, board, room)
    let words = audience.dismiss()
    do throws(Failure) {
      try Self.finish(&loop, board)
    } catch {
      throw failure ?? error
    }
    if let failure { throw failure }
    let summary = Summary(
      duration: loop.clock.now - start, counters: loop.monitor.counters, transactions: loop.sensor.transactions,
      outputWrites: loop.outputWrites)
    var output = Output(isLive: true)
    for line in words + [summary.line(.text)] { try output.line(line, always: true) }
    try output.flush()
  }

  /// Turns the loop until somebody asks for its end; returns what has ended it before.
  private func turn<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock>(
    _ loop: inout Loop<Sensor, Bank, Clock>, _ board: BoardDescription, _ room: WatchRoom
  ) -> Failure? {
    do throws(OutputFault) {
      while StopSignals.received == nil, let report = try loop.turn() {
        room.take(report, loop.monitor, transactions: loop.sensor.transactions, at: loop.clock.now)
        if let failure = room.verdict(report) { return failure }
        guard room.wantsRest() else { continue }
        room.note(Self.captureRest(&loop.monitor), .remark)
      }
      return nil
    } catch {
      let chip = board.lines.chip.description
      return Failure(.unavailable, "the lines of \(chip) cannot be set: \(systemText(error.code))")
    }
  }

  private static func captureRest(_ monitor: inout Monitor) -> String {
    do {
      try monitor.captureScrollRest()
      return "nothing scrolls as the board is held now"
    } catch .restOpposite {
      return "the board cannot rest like this for scrolling: turn it face up a little, then press c again"
    } catch {
      return "the rest for scrolling is as it was: hold the board still, then press c again"
    }
  }

  private static func finish<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock>(
    _ loop: inout Loop<Sensor, Bank, Clock>, _ board: BoardDescription
  ) throws(Failure) {
    do throws(OutputFault) {
      if let first = board.lines.withdrawn(loop.monitor.levels) { try loop.bank.write(first) }
      try loop.bank.write(board.lines.idle)
    } catch {
      let chip = board.lines.chip.description
      throw Failure(.unavailable, "the lines of \(chip) cannot be set: \(systemText(error.code))")
    }
  }
}
