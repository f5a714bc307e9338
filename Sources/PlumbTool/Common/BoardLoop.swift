import BoardFile
import Emulation
import FixedPoint
import HAL
import Indication
import LinuxHAL
import Sensors

/// Something that drives a board's loop, once its bus and lines, real or emulated, are open.
protocol BoardLoop {
  var motion: NamedMotion { get }
  /// What the emulated board does.
  var played: any Motion { get }
  /// The seed of the emulated sensor; nil for the board's.
  var seed: UInt64? { get }
  /// Whether emulated time passes as fast as it can.
  var isFast: Bool { get }
  /// Whether the board's lines are opened; where not, the loop gets lines that are none.
  var usesLines: Bool { get }

  func drive<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ bank: consuming Bank, _ clock: some MonotonicClock
  ) throws(Failure)
}

extension BoardLoop {
  var played: any Motion { motion.motion }
  var usesLines: Bool { true }

  /// Opens everything that `board` names, and drives the loop.
  func run(_ board: BoardDescription) throws(Failure) {
    do { try StopSignals.install() } catch { throw Failure(.internal, error.description) }
    var use = LoopUse(loop: self, board: board)
    try use.run(on: board, isFast: isFast) { now in emulatedBus(board, now: now) }
  }

  fileprivate func run<Sensor: Accelerometer & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) {
    if board.lines.isEmulated || !usesLines {
      try drive(board, sensor, RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }, clock)
    } else {
      try drive(board, sensor, try openLines(board.lines), clock)
    }
  }

  private func openLines(_ lines: BoardDescription.Lines) throws(Failure) -> GPIOBank {
    do throws(GPIOError) {
      return try GPIOBank(
        chipLabel: lines.chip.description, offsets: (0..<lines.count).map { lines.offsets[$0] },
        activeLow: lines.isActiveLow, idle: lines.idle, offFirst: lines.code.valid)
    } catch {
      if case .notPermitted = error { throw Failure(.noPermission, error.description) }
      throw Failure(.unavailable, error.description)
    }
  }

  private func emulatedBus(_ board: BoardDescription, now: @escaping () -> Instant) -> EmulatedBus {
    board.emulatedBus(
      motion: played, seed: seed, plan: motion == .tumble ? RunPlan.tumbleFaults : .none, now: now)
  }
}

/// A loop as what is done with a sensor.
private struct LoopUse<Loop: BoardLoop>: SensorUse {
  let loop: Loop
  let board: BoardDescription

  func use<Sensor: SelfTesting & ~Copyable>(
    _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) {
    try loop.run(board, sensor, clock)
  }
}
