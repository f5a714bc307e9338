internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import HAL
internal import IIO
internal import LinuxHAL
internal import Monitor
internal import OpenBoard
internal import Sensors
internal import Service
internal import Stream
internal import Text

/// The running daemon: handles one board at a time, until asked to stop.
struct Daemon {
  /// The board file.
  let path: ServiceCommand.Path

  /// How the work on a board ended.
  private enum Ending {
    /// By a signal.
    case stopped
    /// The board file now describes another board.
    case replaced(BoardDescription)
  }

  /// The requested real-time priority: above everything that is not real-time, below the kernel's own threads (50).
  private static let priority: Int32 = 20

  /// Runs until asked to stop.
  func run() throws(ProgramError) {
    var board = try read()
    var former: BoardDescription?
    try ServiceProcess.begin()
    var sharing = Sharing()
    while true {
      do throws(ProgramError) {
        try sharing.begin(board, path)
        switch try serve(board, &sharing.owner) {
        case .stopped:
          LogLine("STOPPING=1").notify()
          return sharing.end()
        case .replaced(let next): (former, board) = (board, next)
        }
      } catch {
        guard let known = former else { throw error }
        error.print()
        LogLine("continuing with the previous board file").print(.warning)
        (former, board) = (nil, known)
      }
    }
  }

  /// Reads the board file.
  func read() throws(ProgramError) -> BoardDescription {
    let outcome: Result<BoardDescription, BoardFileError> = unsafe path.withCString { name in
      do throws(BoardFileError) {
        return .success(try unsafe BoardDescription.read(path: name))
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let board): return board
    case .failure(let error): throw ProgramError(error, in: path)
    }
  }

  /// Opens `board` and runs it until a request ends that.
  private func serve(_ board: BoardDescription, _ owner: inout StreamOwner?) throws(ProgramError) -> Ending {
    var loop = try open(board, isShared: owner != nil)
    var journal = Journal(at: loop.clock.now)
    _ = csupport_daemon_realtime(Self.priority, owner != nil, board.sensor.driverNumber)
    board.announce()
    while true {
      if let seen = try turn(&loop, board) {
        if let lasting = seen.lastingError {
          throw ProgramError(.configuration, lasting.message(of: board.sensor.place))
        }
        journal.take(seen, of: board, by: loop.clock)
        owner?.observe(seen, of: &loop)
        continue
      }
      owner?.serve(&loop)
      let requests = ServiceSignals.take()
      if requests.stop { journal.finish(of: board, by: loop.clock) }
      if requests.counters || requests.stop {
        let counters = loop.monitor.counters
        var line = counters.line(transactions: loop.sensor.transactions, outputWrites: loop.outputWrites)
        if let timing = loop.sensor.timing { line.append(timing) }
        if board.sensor.dataReady != nil { line.append(missedEdges: loop.clock.missedEdges) }
        line.print()
      }
      if requests.stop { return .stopped }
      let isAsked = owner?.wantsReload ?? false
      if requests.reload || isAsked, let next = reread(board, for: &owner, &journal, at: loop.clock.now) {
        journal.finish(of: board, by: loop.clock)
        LogLine("the board file has changed").print(.notice)
        return .replaced(next)
      }
    }
  }

  private func open(_ board: BoardDescription, isShared: Bool) throws(ProgramError) -> BoardLoop<Watchdog> {
    do throws(BoardError) {
      return try board.openLoop(
        doing: Watchdog(at: LinuxClock().now), movement: isShared ? Movement.Configuration() : nil)
    } catch {
      throw ProgramError(error, in: path)
    }
  }

  private func turn(
    _ loop: inout BoardLoop<Watchdog>, _ board: BoardDescription
  ) throws(ProgramError) -> Observation? {
    do throws(OutputFault) {
      return try loop.turn()
    } catch {
      throw ProgramError(.unavailable, error.message(ofChip: board.lines.chip))
    }
  }

  /// The board that its file describes now; nil if it is unchanged or invalid. Answers the clients that asked for it.
  private func reread(
    _ board: BoardDescription, for owner: inout StreamOwner?, _ journal: inout Journal, at now: Instant
  ) -> BoardDescription? {
    do throws(ProgramError) {
      let next = try read()
      owner?.answerReload(error: nil)
      guard next == board else { return next }
      journal.noteBoardFile(nil, at: now)
      return nil
    } catch {
      journal.noteBoardFile(error, at: now)
      owner?.answerReload(error: error.message)
      return nil
    }
  }
}

extension BoardDescription.Sensor {
  /// The driver of the sensor, as scripts/program.sh numbers them: that of its model, or the one for all devices of the
  /// kernel behind them.
  fileprivate var driverNumber: UInt8 { device == nil ? model.rawValue : UInt8(truncatingIfNeeded: SensorModel.count) }
}

extension BoardDescription {
  /// Prints which board it is, and notifies the service manager that the program is ready.
  fileprivate func announce() {
    var line = LogLine()
    line.append(sensor.place.words)
    if case .linux(let device) = bus {
      line.append(" on ")
      line.append(device)
    }
    line.append(", ")
    line.append(1_000_000, over: sensor.pace.count.magnitude, places: 3)
    line.append(" Hz; lines of ")
    line.append(lines.chip)
    if sensor.batch > 1 {
      line.append("; batches of ")
      line.append(decimal: sensor.batch)
    } else if let offset = sensor.dataReady {
      line.append("; data-ready on GPIO")
      line.append(decimal: Int32(truncatingIfNeeded: offset))
    }
    line.print()
    LogLine("READY=1\nSTATUS=pose unknown: no sample yet").notify()
  }
}
