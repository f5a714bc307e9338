import Accelerometers
import BoardFile
import Emulation
import FixedPoint
import HAL
import Indication
import LinuxHAL

/// Something that drives a board's loop, once its bus and lines, real or emulated, are open.
protocol BoardLoop {
  var motion: NamedMotion { get }
  /// What the emulated board does.
  var played: any Motion { get }
  /// The seed of the emulated sensor; nil for the board's.
  var seed: UInt64? { get }
  /// Whether emulated time passes as fast as it can.
  var isFast: Bool { get }

  func drive<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable>(
    _ board: BoardDescription, _ sensor: consuming Sensor, _ bank: consuming Bank, _ clock: some MonotonicClock
  ) throws(Failure)
}

extension BoardLoop {
  var played: any Motion { motion.motion }

  /// Opens everything that `board` names, and drives the loop.
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
        chipLabel: lines.chip.description, offsets: (0..<lines.count).map { lines.offsets[$0] },
        activeLow: lines.isActiveLow, idle: lines.idle, offFirst: lines.code.valid)
    } catch .notPermitted(let label) {
      throw Failure(.noPermission, GPIOError.notPermitted(label: label).description)
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }

  private func emulatedBus(_ board: BoardDescription, now: @escaping () -> Instant) -> EmulatedBus {
    board.emulatedBus(
      motion: played, seed: seed, plan: motion == .tumble ? RunPlan.tumbleFaults : .none, now: now)
  }
}
