import Accelerometers
import BoardFile
import Emulation
import FixedPoint
import HAL
import LinuxHAL

/// A run whose options have been checked: opens bus and lines, real or emulated, and drives the loop to its end.
struct RunPlan {
  /// How long to run; nil for as long as the motion lasts, or on a real bus without end.
  var duration: Microseconds?
  var format: Format
  var showing: Showing
  /// Whether the LEDs of the old and the new pose alternate during a turn.
  var crossFades: Bool
  var motion: NamedMotion
  /// The seed of the emulated sensor; nil for the board's.
  var seed: UInt64?
  var isFast: Bool
  /// After how long an outage the sensor is given up; nil for never.
  var patience: Microseconds?

  /// While the board tumbles its sensor does not answer for this span, in the middle of a pose.
  private static let tumbleFaults: FaultPlan = [
    FaultPlan.Rule(.noAcknowledge, .during(.milliseconds(5_500)..<Microseconds.milliseconds(5_900)))
  ]

  func run(_ board: BoardDescription) throws(Failure) {
    do { try StopSignals.install() } catch { throw Failure(.internal, error.description) }
    switch board.bus {
    case .linux(let path):
      var bus = try openBus(path.description)
      try claim(board.sensor.address, on: &bus)
      try run(board, on: bus, LinuxClock())
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
    let address = board.sensor.address
    switch board.sensor.configuration {
    case .adxl345(let configuration):
      try run(board, ADXL345.Device(bus: bus, address: address, configuration: configuration), clock)
    case .mpu6050(let configuration):
      try run(board, MPU6050.Device(bus: bus, address: address, configuration: configuration), clock)
    }
  }

  private func run<Sensor: Accelerometer & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) {
    if board.lines.isEmulated {
      try drive(board, sensor, RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }, clock)
    } else {
      try drive(board, sensor, try openLines(board.lines), clock)
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
    board.emulatedBus(
      motion: motion.motion, seed: seed, plan: motion == .tumble ? Self.tumbleFaults : .none, now: now)
  }
}
