internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import HAL
internal import Indication
internal import Text
internal import Monitor
internal import Sensors

/// The program at work: one board at a time, until it is asked to stop.
struct Daemon {
  /// The board file.
  let path: Command.Path

  /// How the work on one board ended.
  private enum Ending {
    /// Somebody asked the program to stop.
    case stopped
    /// The board file describes another board now.
    case replaced(BoardDescription)
  }

  /// The real-time priority that is asked for: above all that is not real-time, below the kernel's own threads (50).
  private static let priority: Int32 = 20

  /// Works until it is asked to stop.
  func run() throws(Trouble) {
    var board = try read()
    var former: BoardDescription?
    let code = csupport_daemon_begin()
    guard code == 0 else { throw Trouble(.internal, "signals cannot be caught") }
    _ = csupport_notify_open()
    while true {
      do throws(Trouble) {
        switch try serve(board) {
        case .stopped: return Line("STOPPING=1").notify()
        case .replaced(let next): (former, board) = (board, next)
        }
      } catch {
        guard let known = former else { throw error }
        error.complain()
        Line("going on with the board file as it was").say(CSUPPORT_WARNING)
        (former, board) = (nil, known)
      }
    }
  }

  /// Reads the board file.
  func read() throws(Trouble) -> BoardDescription {
    let outcome: Result<BoardDescription, BoardFileError> = unsafe path.withCString { name in
      do throws(BoardFileError) {
        return .success(try unsafe BoardDescription.read(path: name))
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let board): return board
    case .failure(let error): throw Trouble(error, in: path)
    }
  }

  /// Opens bus and lines, and works on them. Lines are dark before anything else happens.
  private func serve(_ board: BoardDescription) throws(Trouble) -> Ending {
    let bank = try LineBank(board.lines)
    let line = try ReadyLine(of: board)
    let bus = try open(board)
    let address = board.sensor.address
    switch board.sensor.configuration {
    case .adxl345(let configuration):
      return try watch(board, ADXL345.Device(bus: bus, address: address, configuration: configuration), bank, line)
    case .mpu6050(let configuration):
      return try watch(board, MPU6050.Device(bus: bus, address: address, configuration: configuration), bank, line)
    }
  }

  /// Opens the bus of `board`, and makes sure that no driver of the kernel's has the sensor.
  func open(_ board: BoardDescription) throws(Trouble) -> KernelBus {
    guard case .linux(let device) = board.bus else { throw .emulatedBus }
    var bus = try KernelBus(path: device)
    try bus.claim(board.sensor.address)
    return bus
  }

  /// Turns the loop until a request ends it.
  private func watch<Sensor: Accelerometer & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ bank: consuming LineBank, _ line: consuming ReadyLine
  ) throws(Trouble) -> Ending {
    let period = board.sensor.pace
    let configuration = Monitor.Configuration(
      period: period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: board.sensor.alignment, gravity: board.gravity),
      indicator: Indicator.Configuration(code: board.lines.code))
    let clock = DaemonClock(line: line, period: period)
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    var hearing = Hearing()
    _ = csupport_daemon_realtime(Self.priority)
    board.greet()
    while true {
      if let report = try turn(&loop, board) {
        if let incurable = report.incurable {
          throw Trouble(.configuration, incurable.message(of: board.sensor.place))
        }
        report.tell(of: board.sensor)
        if report.reading != nil { hearing.note(silence: loop.clock.silence, of: board) }
        continue
      }
      let requests = csupport_daemon_requests()
      if requests & CSUPPORT_COUNTERS.rawValue != 0 || requests & CSUPPORT_STOP.rawValue != 0 {
        let counters = loop.monitor.counters
        var line = counters.line(transactions: loop.sensor.transactions, outputWrites: loop.outputWrites)
        if board.sensor.dataReady != nil { line.append(missedEdges: loop.clock.missedEdges) }
        line.say()
      }
      if requests & CSUPPORT_STOP.rawValue != 0 { return .stopped }
      if requests & CSUPPORT_RELOAD.rawValue != 0, let next = reread(board) { return .replaced(next) }
    }
  }

  private func turn<Sensor: Accelerometer & ~Copyable>(
    _ loop: inout Loop<Sensor, LineBank, DaemonClock>, _ board: BoardDescription
  ) throws(Trouble) -> Monitor.Report? {
    do throws(OutputFault) {
      return try loop.turn()
    } catch {
      var text = Message("the lines of ")
      text.append(board.lines.chip)
      text.append(" cannot be set: ")
      text.append(system: error.code)
      throw Trouble(.unavailable, text)
    }
  }

  /// The board as its file says now; nil where that is no other, or no board.
  private func reread(_ board: BoardDescription) -> BoardDescription? {
    do throws(Trouble) {
      let next = try read()
      Line(next == board ? "the board file says what it said" : "the board file has changed").say(CSUPPORT_NOTICE)
      return next == board ? nil : next
    } catch {
      error.complain()
      Line("going on with the board file as it was").say(CSUPPORT_WARNING)
      return nil
    }
  }
}

extension BoardDescription {
  /// Tells which board it is, and the service manager that the program is at work.
  fileprivate func greet() {
    var line = Line(sensor.model.properName)
    line.append(" at ")
    line.append(hex: sensor.address.rawValue)
    if case .linux(let device) = bus {
      line.append(" on ")
      line.append(device)
    }
    line.append(", ")
    line.append(1_000_000, over: sensor.pace.count.magnitude, places: 3)
    line.append(" Hz; lines of ")
    line.append(lines.chip)
    if let offset = sensor.dataReady {
      line.append("; data-ready on GPIO")
      line.append(decimal: Int32(truncatingIfNeeded: offset))
    }
    line.say()
    Line("READY=1\nSTATUS=no pose: no sample has come yet").notify()
  }
}
