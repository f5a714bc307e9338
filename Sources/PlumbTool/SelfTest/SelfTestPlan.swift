import BoardFile
import Emulation
import FixedPoint
import HAL
import LinuxHAL
import Sensors

/// How a sensor is tested: opens its bus, real or emulated, and has it test itself.
struct SelfTestPlan {
  var board: BoardDescription
  /// What an emulated board does.
  var motion: NamedMotion
  /// The seed of an emulated sensor; nil for the board's.
  var seed: UInt64?
  var defect: SensorDefect?
  var faults: FaultPlan
  /// On what an ADXL345's limits depend.
  var supply: ADXL345.SupplyVoltage

  func answer() throws(Failure) -> SelfTestAnswer {
    do { try StopSignals.install() } catch { throw Failure(.internal, error.description) }
    var use = Use(plan: self)
    return try use.run(on: board, isFast: true) { now in
      board.emulatedBus(motion: motion.motion, seed: seed, plan: faults, defect: defect, now: now)
    }
  }

  private struct Use: SensorUse {
    let plan: SelfTestPlan

    func use<Sensor: SelfTesting & ~Copyable>(
      _ sensor: consuming Sensor, _ clock: some MonotonicClock
    ) throws(Failure) -> SelfTestAnswer {
      try plan.answer(sensor, clock)
    }
  }

  private func answer<Sensor: SelfTesting & ~Copyable>(
    _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) -> SelfTestAnswer {
    var progress = Progress()
    if board.bus != .emulated { progress.show("Testing; leave the board alone for two seconds …") }
    var session = SelfTestSession(sensor: sensor, clock: clock, period: board.sensor.period, supply: supply)
    let ending = session.run()
    progress.clear()
    switch ending {
    case .findings(let findings, let isMoved):
      return SelfTestAnswer(
        board: board, supply: supply, findings: findings, isMoved: isMoved, notice: session.sensor.notice)
    case .stopped(let isRestored):
      throw Failure(.unavailable, Self.told("stopped before the self-test was over", isRestored))
    case .failed(let error, let isRestored):
      let code: Failure.Code =
        switch error {
        case .rateTooHigh: .configuration
        case .bus(.notPermitted): .noPermission
        default: .unavailable
        }
      throw Failure(code, Self.told(error.text(of: board.sensor), isRestored))
    }
  }

  /// What happened, and how the sensor was left; nil where it was not touched.
  private static func told(_ words: String, _ isRestored: Bool?) -> String {
    guard let isRestored else { return words }
    return following(
      words,
      isRestored
        ? "the sensor measures as before"
        : "the sensor may still be under test: switch it off and on, or let plumb run start it anew")
  }
}
