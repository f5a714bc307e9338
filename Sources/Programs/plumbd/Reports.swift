internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import LinuxHAL
internal import Monitor
internal import Orientation
internal import Stream
internal import Sensors
internal import Service
internal import Text

extension Observation {
  /// The error that the bus is too slow for the rate in the board file: the only one that does not pass by itself.
  var lastingError: SensorError? {
    for index in 0..<events.count {
      if case .trouble(_, let cause?) = events[index]?.event, case .rateTooHigh = cause { return cause }
    }
    return nil
  }

  /// When it was made, as far as known without reading the clock.
  fileprivate var instant: Instant? { reading?.instant ?? events[0]?.at }
}

/// Writes to the journal, one line per event, and to the service manager, both within limits.
struct Journal {
  /// What is known about the pose, or why it is unknown.
  private enum State: Equatable {
    case pose(Pose)
    case unknown(UnknownReason, SensorError?)
    case asleep
  }

  private var limit = LineLimit()
  /// The last omitted line of each kind.
  private var omitted = LineLimit.Table<Omission?>(repeating: nil)
  private var state: StateLimit<State>
  /// The state before sleep.
  private var before = State.unknown(.notYetSampled, nil)
  private var dataReady = ReadySilence()

  /// A journal before its first line, when the service manager knows that there is no sample yet.
  init(at now: Instant) { state = StateLimit(sent: .unknown(.notYetSampled, nil), at: now) }

  /// Takes the result of a step: writes it, or counts it until it may be reported.
  mutating func take(_ seen: borrowing Observation, of board: BoardDescription, by clock: borrowing DaemonClock) {
    let isWaiting = limit.isHolding || state.isHolding
    guard let now = seen.instant ?? (isWaiting ? clock.now : nil) else { return }
    writeOmissions(of: board, at: now)
    for index in 0..<seen.events.count {
      guard let event = seen.events[index]?.event else { break }
      write(.event(event), of: board, at: now)
      switch event {
      case .pose(_, let pose, _): take(.pose(pose))
      case .trouble(let reason, let cause): take(.unknown(reason, cause))
      case .asleep: state.take(.asleep)
      case .awake: state.take(before)
      default: break
      }
    }
    if seen.reading != nil, let isSilent = dataReady.note(silence: clock.silence) {
      write(.dataReady(isSilent: isSilent), of: board, at: now)
    }
    if let state = state.due(at: now) { send(state, of: board) }
  }

  /// Reports that the board file was reread without a change to the board, because of `error` or because the file has
  /// not changed.
  mutating func noteBoardFile(_ error: ProgramError?, at now: Instant) {
    let entry = Omission.boardFile(isRead: error == nil)
    guard limit.admit(.boardFile, at: now) else { return omitted[.boardFile] = entry }
    error?.print()
    entry.fileLine.print(entry.importance)
  }

  private mutating func take(_ state: State) {
    before = state
    self.state.take(state)
  }

  /// Writes everything omitted, whether or not it is due.
  mutating func finish(of board: BoardDescription, by clock: borrowing DaemonClock) {
    guard limit.isHolding else { return }
    writeOmissions(of: board, at: clock.now, isLast: true)
  }

  private mutating func write(_ entry: Omission, of board: BoardDescription, at now: Instant) {
    guard let kind = entry.kind else { return }
    guard limit.admit(kind, at: now) else { return omitted[kind] = entry }
    entry.line(of: board).print(entry.importance)
  }

  private mutating func writeOmissions(of board: BoardDescription, at now: Instant, isLast: Bool = false) {
    while let omission = limit.takeOmission(at: now, isLast: isLast) {
      guard let last = omitted[omission.kind] else { continue }
      var line = LogLine()
      line.append(decimal: omission.count)
      line.append(" more in ")
      line.append(omission.span.count.magnitude, over: 1_000_000, places: 1)
      line.append(" s, the last: ")
      line.append(last.line(of: board))
      line.print(last.importance)
    }
  }

  /// Sends the state to the service manager.
  private func send(_ state: State, of board: BoardDescription) {
    var line = LogLine("STATUS=")
    switch state {
    case .pose(let pose): line.append(pose.sentence)
    case .unknown(let reason, let cause): line.append(reason.sentence(cause, of: board.sensor.place))
    case .asleep: line.append(Event.asleep.words(of: board.sensor.place))
    }
    line.notify()
  }
}

/// Something that yields a line of the journal.
private enum Omission {
  case event(Event)
  /// The data-ready line shows no edges, or shows them again.
  case dataReady(isSilent: Bool)
  /// The board file was reread, or could not be, and the board stays.
  case boardFile(isRead: Bool)

  /// The kind as which it is counted; nil if it yields no line.
  var kind: LineLimit.Kind? {
    switch self {
    case .dataReady: .dataReady
    case .boardFile: .boardFile
    case .event(.trouble(let reason, _)) where reason.isOfSensor: .fault
    case .event(let event): event.kind.isLogged ? LineLimit.Kind(event.kind) : nil
    }
  }

  var importance: Importance {
    switch self {
    case .event(.trouble(let reason, _)): reason.isOfSensor ? .warning : .information
    case .event(.recovered), .event(.notice), .dataReady(isSilent: false), .boardFile(isRead: true): .notice
    case .event(.gaveUp): .error
    case .dataReady(isSilent: true), .boardFile(isRead: false): .warning
    case .event: .information
    }
  }

  func line(of board: BoardDescription) -> LogLine {
    var line = LogLine()
    switch self {
    case .dataReady(let isSilent):
      line.append(board.sensor.model.message(isSilent: isSilent, dataReady: board.sensor.dataReady ?? 0))
    case .boardFile: return fileLine
    case .event(let event): line.append(event.sentence(of: board.sensor.place))
    }
    return line
  }

  /// The line about the board file.
  var fileLine: LogLine {
    if case .boardFile(isRead: true) = self { return LogLine("the board file has not changed") }
    return LogLine("continuing with the previous board file")
  }
}

extension UnknownReason {
  /// Whether it concerns the sensor, and not how the board is held.
  fileprivate var isOfSensor: Bool { self == .fault || self == .stale }
}

extension Counters {
  /// The counters in one line, with faults by kind if there were any.
  func line(transactions: UInt64, outputWrites: UInt64) -> LogLine {
    var line = LogLine("counters:")
    line.append(" ")
    line.append(samples, "sample", "samples")
    line.append(", ")
    line.append(transactions, "transaction", "transactions")
    line.append(", ")
    line.append(poseChanges, "pose change", "pose changes")
    line.append(", ")
    line.append(faults, "fault", "faults")
    line.append(", ")
    line.append(restarts, "restart", "restarts")
    line.append(", ")
    line.append(recoveries, "recovery", "recoveries")
    line.append(", ")
    line.append(lateSamples, "late sample", "late samples")
    line.append(", ")
    line.append(outputWrites, "output write", "output writes")
    if lostSamples > 0 {
      line.append(", ")
      line.append(lostSamples, "lost sample", "lost samples")
    }
    guard faults > 0 else { return line }
    line.append("; faults:")
    faultKinds.forEachPositive { kind, count in
      line.append(" ")
      line.append(count, kind, kind)
    }
    return line
  }
}

extension ShortText where capacity == 1000 {
  /// Appends how many samples were read by timer because the data-ready line showed no edge.
  mutating func append(missedEdges count: UInt64) {
    append("; ")
    append(count, "wait without data-ready", "waits without data-ready")
  }

  /// Appends how accurate the times of batched samples are.
  mutating func append(_ timing: SampleTiming) {
    append("; the sensor's clock runs ")
    append(widened(timing.partsPerMillion.magnitude), over: 10_000, places: 2)
    append(" % ")
    append(timing.partsPerMillion < 0 ? "slow" : "fast")
    append(", the times of samples are right to ")
    append(timing.uncertainty.count.magnitude, over: 1_000, places: 3)
    append(" ms")
  }
}
