import Accelerometers
import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation

/// An emulated board in virtual time, and what came of a run.
struct Rig {
  var motion: any Motion = AttitudePath.hold(.portrait, for: .seconds(10))
  var plan: FaultPlan = .none
  var seed: UInt64 = 1
  var rate = ADXL345.OutputDataRate.hz100
  var mounting = Mounting.aligned
  var failingWrites = 0..<0

  /// How often the monitor begins anew is no figure of interest: these are.
  struct Outcome {
    var events: [(at: Instant, event: Event)] = []
    var states: [(at: Instant, state: PoseState)] = []
    var counters = Counters()
    var outputWrites: UInt64 = 0
    var transactions: UInt64 = 0
    var finalState = PoseState.unknown(.notYetSampled)
    var bus = BusLog()
    var outputs = OutputLog()
    var fault: OutputFault?
    var wasStopped = false
  }

  static func monitorConfiguration(_ rate: ADXL345.OutputDataRate, _ mounting: Mounting = .aligned)
    -> Monitor.Configuration
  {
    Monitor.Configuration(
      period: rate.period, fullScale: Q16(raw: 4_095 * 256),
      pipeline: Pipeline.Configuration(alignment: Alignment(.none, mounting)))
  }

  /// Runs for `duration` of virtual time.
  func run(for duration: Microseconds) -> Outcome {
    let clock = VirtualClock()
    return run(for: duration, on: clock, pass: { clock.advance(by: $0) }) { clock.now }
  }

  /// Runs with a clock of the test's own.
  func run(
    for duration: Microseconds, on clock: some MonotonicClock, pass: @escaping (Microseconds) -> Void = { _ in },
    now: @escaping () -> Instant
  ) -> Outcome {
    var outcome = Outcome()
    let sensor = EmulatedADXL345(motion: motion, seed: seed, now: now)
    let bus = EmulatedBus(sensor, at: EmulatedADXL345.address, plan: plan, log: outcome.bus, pass: pass, now: now)
    let bank = RecordingOutputBank(failingAt: failingWrites, log: outcome.outputs, now: now)
    var loop = Loop(
      sensor: ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: rate)), bank: bank, clock: clock,
      configuration: Self.monitorConfiguration(rate, mounting))
    let end = now() + duration
    do throws(OutputFault) {
      while loop.monitor.next.at <= end {
        guard let report = try loop.turn() else {
          outcome.wasStopped = true
          break
        }
        for index in 0..<report.events.count {
          if let event = report.events[index] { outcome.events.append(event) }
        }
        outcome.states.append((now(), loop.monitor.state))
      }
    } catch {
      outcome.fault = error
    }
    outcome.counters = loop.monitor.counters
    outcome.outputWrites = loop.outputWrites
    outcome.transactions = loop.sensor.transactions
    outcome.finalState = loop.monitor.state
    return outcome
  }
}

extension Rig.Outcome {
  /// The poses entered, in order.
  var poses: [Pose] {
    events.compactMap { if case .pose(_, let pose, _) = $0.event { pose } else { nil } }
  }

  /// The reasons told, with the sensor's error where it was at fault.
  var troubles: [(at: Instant, reason: UnknownReason, cause: SensorError?)] {
    events.compactMap {
      if case .trouble(let reason, let cause) = $0.event { ($0.at, reason, cause) } else { nil }
    }
  }

  /// The errors recovered from.
  var recoveries: [(at: Instant, from: SensorError, outage: Microseconds)] {
    events.compactMap {
      if case .recovered(let error, let outage) = $0.event { ($0.at, error, outage) } else { nil }
    }
  }
}

extension Microseconds {
  /// For tables: seconds as a Double.
  var seconds: Double { Double(count) / 1e6 }
}
