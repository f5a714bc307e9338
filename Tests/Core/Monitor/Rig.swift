import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors

/// An emulated board in virtual time, and the outcome of a run.
struct Rig {
  var motion: any Motion = AttitudePath.hold(.portrait, for: .seconds(10))
  var plan: FaultPlan = .none
  var seed: UInt64 = 1
  var rate = ADXL345.OutputDataRate.hz100
  var mounting = Mounting.aligned
  var failingWrites = 0..<0
  var policy = FaultPolicy()
  var part = Part.adxl345
  var movement: Movement.Configuration?
  var indicator = Indicator.Configuration()
  /// The samples per batch.
  var batch = 1
  /// The number of reads that the bus joins in one transaction.
  var readsPerTransaction = 1
  /// The configuration of an MPU-6050's driver.
  var mpu6050 = MPU6050.Configuration()
  /// The specimen of an ADXL345.
  var adxl345 = EmulatedADXL345.Configuration()
  /// The taps and falls that are reported.
  var knocks: Knocks.Configuration?
  /// What an ADXL345 detects itself, on its second pin, away from data-ready.
  var detection = ADXL345.Detection()

  /// The emulated part, and so the driver.
  enum Part {
    /// At the rig's rate.
    case adxl345
    /// At the rate of `mpu6050`, by default 100 Hz.
    case mpu6050(EmulatedMPU6050.Configuration)
  }

  /// The results of a run.
  struct Outcome {
    var events: [Occurrence] = []
    var states: [(at: Instant, state: PoseState)] = []
    var counters = Counters()
    var outputWrites: UInt64 = 0
    var transactions: UInt64 = 0
    var finalState = PoseState.unknown(.notYetSampled)
    var hasGivenUp = false
    var bus = BusLog()
    var outputs = OutputLog()
    var fault: OutputFault?
    var wasStopped = false
  }

  private func monitorConfiguration(fullScale: Q16) -> Monitor.Configuration {
    Monitor.Configuration(
      period: period * Int64(batch), fullScale: fullScale,
      pipeline: Pipeline.Configuration(alignment: Alignment(.none, mounting)), indicator: indicator, faults: policy,
      movement: movement, knocks: knocks)
  }

  private var period: Microseconds {
    if case .mpu6050 = part { return mpu6050.period }
    return rate.period
  }

  /// Runs for `duration` of virtual time.
  func run(for duration: Microseconds) -> Outcome {
    let clock = VirtualClock()
    return run(for: duration, on: clock, pass: { clock.advance(by: $0) }) { clock.now }
  }

  /// Runs with the test's own clock.
  func run(
    for duration: Microseconds, on clock: some MonotonicClock, pass: @escaping (Microseconds) -> Void = { _ in },
    now: @escaping () -> Instant
  ) -> Outcome {
    let log = BusLog()
    switch part {
    case .adxl345:
      let sensor = EmulatedADXL345(motion: motion, configuration: adxl345, seed: seed, now: now)
      var bus = EmulatedBus(sensor, at: EmulatedADXL345.address, plan: plan, log: log, pass: pass, now: now)
      bus.readsPerTransaction = readsPerTransaction
      let configuration = monitorConfiguration(fullScale: Q16(raw: 4_095 * 256))
      let fifo = batch > 1 ? ADXL345.FIFO.stream(watermark: .init(nearest: Int32(batch))) : .bypass
      let device = ADXL345.Device(
        bus: bus,
        configuration: ADXL345.Configuration(
          rate: rate, fifo: fifo, detection: detection, interrupts: .init(onInterrupt2: detection.events)))
      guard batch > 1 else { return drive(device, configuration, for: duration, on: clock, log, now: now) }
      return drive(Batched(device, size: batch), configuration, for: duration, on: clock, log, now: now)
    case .mpu6050(let specimen):
      let sensor = EmulatedMPU6050(motion: motion, configuration: specimen, seed: seed, now: now)
      let bus = EmulatedBus(sensor, at: EmulatedMPU6050.address, plan: plan, log: log, pass: pass, now: now)
      let configuration = monitorConfiguration(fullScale: Q16(raw: 32_767 * 8))
      var setup = mpu6050
      guard batch > 1 else {
        return drive(
          MPU6050.Device(bus: bus, configuration: setup), configuration, for: duration, on: clock, log, now: now)
      }
      let hasGyroscope = setup.gyroscope != nil
      setup.fifo = MPU6050.FIFO(
        includesTemperature: hasGyroscope, includesRotation: hasGyroscope, longestBurst: 240)
      let device = MPU6050.Device(bus: bus, configuration: setup)
      return drive(Batched(device, size: batch), configuration, for: duration, on: clock, log, now: now)
    }
  }

  /// Runs the loop over any driver.
  func drive<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, _ configuration: Monitor.Configuration, for duration: Microseconds,
    on clock: some MonotonicClock, _ log: BusLog = BusLog(), now: @escaping () -> Instant
  ) -> Outcome {
    var outcome = Outcome(bus: log)
    let bank = RecordingOutputBank(failingAt: failingWrites, log: outcome.outputs, now: now)
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    let end = now() + duration
    do throws(OutputFault) {
      while loop.hasSamples || loop.monitor.next.at <= end {
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
    outcome.hasGivenUp = loop.monitor.hasGivenUp
    return outcome
  }
}

extension Rig.Outcome {
  /// The instants at which the bus was used, without repeats: samples, and the check once a second that joins one.
  var busInstants: [Int64] {
    bus.transactions.reduce(into: []) { instants, transaction in
      if instants.last != transaction.instant.microseconds { instants.append(transaction.instant.microseconds) }
    }
  }

  /// In a run without faults: how many transactions started the sensor. Each later one is a sample.
  var startCount: Int { bus.transactionCount - Int(counters.samples) }

  /// In a run without faults: the index of the first transaction after the first pose.
  var firstSettled: Int {
    guard let found = events.first?.at else { return bus.transactionCount }
    return bus.transactions.firstIndex { $0.instant > found } ?? bus.transactionCount
  }

  /// The poses entered, in order.
  var poses: [Pose] {
    events.compactMap { if case .pose(_, let pose, _) = $0.event { pose } else { nil } }
  }

  /// The reported reasons, with the sensor's error if it was a fault.
  var troubles: [(at: Instant, reason: UnknownReason, cause: SensorError?)] {
    events.compactMap {
      if case .trouble(let reason, let cause) = $0.event { ($0.at, reason, cause) } else { nil }
    }
  }

  /// The errors recovered from.
  var recoveries: [(at: Instant, from: SensorError, outage: Microseconds)] {
    events.compactMap {
      if case .recovered(let error?, let outage) = $0.event { ($0.at, error, outage) } else { nil }
    }
  }
}

extension Rig.Outcome {
  /// The notices of a sensor that works.
  var notices: [(at: Instant, notice: SensorNotice)] {
    events.compactMap { if case .notice(let notice?) = $0.event { ($0.at, notice) } else { nil } }
  }

  /// When the sensor was given up, and why.
  var giveUps: [(at: Instant, cause: SensorError, outage: Microseconds)] {
    events.compactMap {
      if case .gaveUp(let cause?, let outage) = $0.event { ($0.at, cause, outage) } else { nil }
    }
  }
}

extension Microseconds {
  /// For tables: seconds as a Double.
  var seconds: Double { Double(count) / 1e6 }
}
