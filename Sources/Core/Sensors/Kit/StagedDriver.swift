internal import FixedPoint

/// How far a driver has got with a part that is set up in several steps.
enum SetUpPhase: Equatable {
  /// The state of the part is unknown.
  case idle
  /// Resetting; this many further polls are allowed.
  case resetting(questionsLeft: UInt8)
  /// Reset and awake.
  case waking
  /// Configured; its first samples have not settled.
  case settling
  /// Ready.
  case measuring
  /// Configured to watch for movement, except for the reference.
  case holding
  /// Watching for movement, but has not measured yet.
  case fallingAsleep
  /// Watching for movement.
  case watching
}

/// A driver of a part that is reset, then configured, and then needs time to settle.
protocol StagedDriver: Accelerometer, ~Copyable {
  /// The progress of the set-up.
  var phase: SetUpPhase { get set }
  /// Whether the part's reset goes on: one read.
  mutating func isResetting() throws(SensorError) -> Bool
  /// Continues when the reset has ended, and sets the next phase; returns how long to wait. By default ``settle()``.
  mutating func leaveReset() throws(SensorError) -> Microseconds
  /// Configures the part as usual, for the phase of settling; returns the time until its samples have settled.
  mutating func settle() throws(SensorError) -> Microseconds
  /// Does what remains when the samples have settled.
  mutating func beginMeasuring() throws(SensorError)
}

extension StagedDriver where Self: ~Copyable {
  mutating func leaveReset() throws(SensorError) -> Microseconds { try settle() }

  /// Whether the part watches for movement, or is set up for it.
  var isWatching: Bool { phase == .holding || phase == .fallingAsleep || phase == .watching }

  /// Runs `body`, which configures the part. After an error other than a bus fault the part is idle: its state is
  /// unknown.
  mutating func configuring(_ body: (inout Self) throws(SensorError) -> Void) throws(SensorError) {
    do throws(SensorError) {
      try body(&self)
    } catch {
      if case .configurationRejected = error { phase = .idle }
      throw error
    }
  }

  /// Makes a running part watch for movement, what `watchForMovement()` does: after `setUp` it needs `span` to measure
  /// its position; then it watches.
  ///
  /// - Throws: `configurationLost` if the part does not run, or an error of `setUp`.
  mutating func fallAsleep(
    for span: Microseconds, _ setUp: (inout Self) throws(SensorError) -> Void
  ) throws(SensorError) -> Microseconds? {
    switch phase {
    case .fallingAsleep:
      phase = .watching
      return nil
    case .measuring, .watching:
      phase = .watching
      try setUp(&self)
      phase = .fallingAsleep
      return span
    default: throw .configurationLost
    }
  }

  /// Continues the set-up: what `proceed()` does. The end of a reset is polled every 10 ms, at most 11 times.
  mutating func advance() throws(SensorError) -> Microseconds? {
    switch phase {
    case .idle: return try start()
    case .resetting(let questionsLeft):
      guard try isResetting() else { return try leaveReset() }
      guard questionsLeft > 0 else {
        phase = .idle
        throw .resetTimedOut
      }
      phase = .resetting(questionsLeft: questionsLeft &- 1)
      return .milliseconds(10)
    case .waking: return try settle()
    case .holding, .fallingAsleep, .watching: return try wake()
    case .settling:
      try beginMeasuring()
      phase = .measuring
      return nil
    case .measuring: return nil
    }
  }
}
