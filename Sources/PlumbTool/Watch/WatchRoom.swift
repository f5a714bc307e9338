import Accelerometers
import BoardFile
import Emulation
import FixedPoint
import Gestures
import HAL
import Monitor
import Orientation
import Synchronization
import TerminalView

/// Where the loop leaves what it sees, and the view finds it. Neither is kept waiting: what is done with the lock held is
/// to copy, never to draw or to write.
final class WatchRoom: Sendable {
  let board: BoardDescription
  let motion: NamedMotion
  let start: Instant
  private let state: Mutex<State>

  /// What is seen.
  struct State: Sendable {
    var reading: Reading?
    var pose = PoseState.unknown(.notYetSampled)
    var levels = Levels.off
    var counters = Counters()
    var transactions: UInt64 = 0
    var position = TiltScroll.Position.start
    var steering = BinaryAngle.zero
    var history: History
    var notes: [Scene.Note] = []
    /// What is told again at the end.
    var lasting: [String] = []
    /// When the loop was heard of last.
    var elapsed: Microseconds = .zero
    /// Samples that are to be recorded; nil while nothing is.
    var samples: [Sample]?
    /// Whether the rest for scrolling is to be captured.
    var wantsRest = false
  }

  struct Sample: Sendable {
    var force: Vector3
    var instant: Instant
  }

  /// So many notes are kept.
  private static let notes = 12
  /// So many samples wait for a slow disk: a minute at the highest rate.
  private static let backlog = 60_000

  init(_ board: BoardDescription, _ motion: NamedMotion, start: Instant) {
    self.board = board
    self.motion = motion
    self.start = start
    let interval = max(0.1, Double(board.sensor.period.count) / 1e6)
    state = Mutex(State(history: History(interval: interval)))
  }

  /// Takes in what one turn of the loop brought.
  func take(_ report: Monitor.Report, _ monitor: borrowing Monitor, transactions: UInt64, at now: Instant) {
    var notes: [Scene.Note] = []
    for index in 0..<report.events.count {
      guard let occurrence = report.events[index], let note = note(occurrence) else { continue }
      notes.append(note)
    }
    let elapsed = now - start
    let (pose, levels, counters) = (monitor.state, monitor.levels, monitor.counters)
    let position = monitor.movement?.position ?? .start
    let steering = monitor.steeringAngle
    state.withLock { state in
      (state.pose, state.levels, state.counters) = (pose, levels, counters)
      (state.position, state.steering) = (position, steering)
      (state.transactions, state.elapsed) = (transactions, elapsed)
      let time = Double(elapsed.count) / 1e6
      state.history.take(report.reading.map { Scene.Force($0.force) }, pose.pose.map { Int($0.rawValue) }, at: time)
      if let reading = report.reading {
        state.reading = reading
        if let count = state.samples?.count, count < Self.backlog {
          state.samples?.append(Sample(force: reading.force, instant: reading.instant))
        }
      }
      Self.add(notes, to: &state)
    }
  }

  /// What there is to be seen.
  var seen: State { state.withLock { $0 } }

  /// Adds a note of what somebody did; one that `lasts` is told again at the end.
  func note(_ text: String, _ weight: Scene.Note.Weight, lasts: Bool = false) {
    state.withLock { state in
      if lasts { state.lasting.append(text) }
      Self.add([Scene.Note(Double(state.elapsed.count) / 1e6, text, weight)], to: &state)
    }
  }

  /// Asks the loop to capture the rest for scrolling.
  func askForRest() { state.withLock { $0.wantsRest = true } }

  /// Whether that was asked for since the last call.
  func wantsRest() -> Bool {
    state.withLock { state in
      defer { state.wantsRest = false }
      return state.wantsRest
    }
  }

  /// Has samples gathered from now on, or no more.
  func gather(_ isWanted: Bool) { state.withLock { $0.samples = isWanted ? [] : nil } }

  /// The samples that were gathered since the last call.
  func gathered() -> [Sample] {
    state.withLock { state in
      guard let samples = state.samples else { return [] }
      state.samples = []
      return samples
    }
  }

  /// What ends the watching: a rate that the bus cannot follow, which no patience cures.
  func verdict(_ report: Monitor.Report) -> Failure? {
    for index in 0..<report.events.count {
      guard case .trouble(_, let cause?) = report.events[index]?.event, case .rateTooHigh = cause else { continue }
      return Failure(.configuration, cause.text(of: board.sensor))
    }
    return nil
  }

  private static func add(_ notes: [Scene.Note], to state: inout State) {
    guard !notes.isEmpty else { return }
    state.notes = (state.notes + notes).suffix(Self.notes)
  }

  /// What happened, in words; nil for what is seen anyway.
  private func note(_ occurrence: Occurrence) -> Scene.Note? {
    let time = Double((occurrence.at - start).count) / 1e6
    switch occurrence.event {
    case .trouble(.fault, let cause?): return Scene.Note(time, cause.text(of: board.sensor), .trouble)
    case .trouble(.stale, _): return Scene.Note(time, UnknownReason.stale.words, .trouble)
    case .recovered(_, let outage): return Scene.Note(time, "recovered after \(outage.tableText) s", .relief)
    case .notice(let notice): return Scene.Note(time, notice.text(of: board.sensor), .remark)
    case .shake: return Scene.Note(time, "shaken", .remark)
    default: return nil
    }
  }
}

extension Scene.Force {
  /// A force in g.
  init(_ force: Vector3) {
    self.init(Double(force.x.raw) / 65_536, Double(force.y.raw) / 65_536, Double(force.z.raw) / 65_536)
  }
}
