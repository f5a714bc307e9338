import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Samples that wait in an emulated part and are taken in batches.
struct BatchedTests {
  /// A force that gives the time at which it is measured: X, Y and Z are digits of microseconds, in full-resolution
  /// counts.
  private struct Stamp: Motion {
    var duration: Microseconds { .zero }

    func specificForce(at time: Microseconds) -> Vector3 {
      func digit(_ number: Int64) -> Q16 { Q16(raw: Int32((time.count >> (12 * number)) & 0xFFF) * 256) }
      return Vector3(x: digit(0), y: digit(1), z: digit(2))
    }

    static func time(of force: Vector3) -> Int64 {
      func digit(_ value: Q16) -> Int64 { Int64(value.raw / 256) }
      return digit(force.x) | digit(force.y) << 12 | digit(force.z) << 24
    }
  }

  /// The results of a run.
  private struct Outcome {
    var samples = 0
    /// Whether each sample was reported to be later than the one before.
    var isAscending = true
    /// How many samples are missing by their true times, and the number of the sample after them.
    var gaps: [(before: Int, count: Int)] = []
    /// How many samples were lost, and the number of the sample after them.
    var losses: [(before: Int, count: Int)] = []
    var errors = 0
    var wrong: [String] = []
    /// The largest bound after ten seconds.
    var bound: Int64 = 0
    var batches = 0
    var transactions: UInt64 = 0
  }

  /// How an ADXL345 is read.
  private struct Setup {
    var rate = ADXL345.OutputDataRate.hz800
    var size = 25
    var partsPerMillion = 0.0
    var drift = 0.0
    var latency: ClosedRange<Int64> = 0...0
    var plan = FaultPlan.none
    var readsPerTransaction = 1
    var refuses = false
    var seconds = 20.0
    /// Checks that come late, and by how much.
    var held: [Int: Int64] = [:]
  }

  private static func run(_ setup: Setup) throws -> Outcome {
    let clock = VirtualClock()
    let oscillator = Oscillator(
      period: Double(setup.rate.period.count), partsPerMillion: setup.partsPerMillion, drift: setup.drift)
    var specimen = EmulatedADXL345.Configuration()
    specimen.noise = .zero
    // The part runs on its own clock.
    let part = EmulatedADXL345(motion: Stamp(), configuration: specimen) {
      Instant(microseconds: Int64(oscillator.own(Double(clock.now.microseconds))))
    }
    var bus = EmulatedBus(
      part, at: EmulatedADXL345.address, plan: setup.plan, frequency: 400_000, log: BusLog(capacity: 0),
      pass: { clock.advance(by: $0) }, now: { clock.now })
    bus.readsPerTransaction = setup.readsPerTransaction
    bus.refusesJoinedReads = setup.refuses
    let configuration = ADXL345.Configuration(rate: setup.rate, fifo: .stream(watermark: .init(nearest: 25)))
    var sensor = Batched(ADXL345.Device(bus: bus, configuration: configuration), size: setup.size)
    var generator = SplitMix64(seed: 7)
    var outcome = Outcome()
    var last: (told: Int64, made: Double)?
    clock.advance(by: try sensor.start())
    while Double(clock.now.microseconds) < setup.seconds * 1e6 {
      var due = clock.now + .milliseconds(1)
      do throws(SensorError) { due = try sensor.collect(by: clock) } catch { outcome.errors += 1 }
      let found = clock.now
      if sensor.hasNext { outcome.batches += 1 }
      // The same for all samples of a batch, and known from the first on.
      var known: Int64?
      while let element = sensor.next() {
        switch element {
        case .lost(let count, _): outcome.losses.append((outcome.samples, Int(count)))
        case .sample(let measurement, let instant):
          let made = oscillator.time(Double(Stamp.time(of: measurement.force)))
          if let last {
            if instant.microseconds <= last.told { outcome.isAscending = false }
            let rate = 1 + (setup.partsPerMillion + setup.drift * made / 1e6) / 1e6
            let missing = Int(((made - last.made) * rate / oscillator.period).rounded()) - 1
            if missing != 0 { outcome.gaps.append((outcome.samples, missing)) }
          }
          last = (instant.microseconds, made)
          outcome.samples += 1
          // The part's clock is rounded down to microseconds, and the reported time to the nearest.
          let bound = known ?? sensor.timing?.uncertainty.count ?? 0
          known = bound
          if (Double(instant.microseconds) - made).magnitude > Double(bound) + 2.5 || instant > found {
            outcome.wrong.append("\(instant.microseconds) for \(made) ± \(bound), found at \(found.microseconds)")
          }
          if clock.now.microseconds > 10_000_000 { outcome.bound = max(outcome.bound, bound) }
        }
      }
      let late = Int64.random(in: setup.latency, using: &generator) + (setup.held[outcome.batches] ?? 0)
      clock.advance(to: max(due, clock.now) + Microseconds(late))
    }
    outcome.transactions = sensor.transactions
    expect(sensor.lostSamples, equals: UInt64(outcome.losses.reduce(0) { $0 + $1.count }))
    return outcome
  }

  private static let setups: [Setup] = [-20_000.0, -3_000, 0, 20_000].flatMap { partsPerMillion in
    [0.0, 40, -40].map { Setup(partsPerMillion: partsPerMillion, drift: $0) }
  }

  @Test(arguments: [ADXL345.OutputDataRate.hz100, .hz800], [1, 21])
  static func `every sample comes once, with its time within the bound, for any error of the part's clock`(
    _ rate: ADXL345.OutputDataRate, _ joined: Int
  ) throws {
    for var setup in Self.setups {
      (setup.rate, setup.readsPerTransaction) = (rate, joined)
      for (latency, length): (ClosedRange<Int64>, Int64) in [(0...0, 0), (50...400, 50), (0...2_000, 150)] {
        setup.latency = latency
        // Each transaction takes its time.
        setup.plan = length == 0 ? .none : [.init(.slow(Microseconds(length)), .transactions(0..<Int.max))]
        let outcome = try run(setup)
        let text = "\(setup.partsPerMillion), \(setup.drift), \(latency), \(length)"
        expect(empty: outcome.wrong, "\(text): \(outcome.wrong.prefix(3)) of \(outcome.wrong.count)")
        expect(that: outcome.gaps.isEmpty, "\(text)")
        expect(that: outcome.losses.isEmpty, "\(text)")
        expect(that: outcome.isAscending, "\(text)")
        expect(
          outcome.bound, isAtMost: rate.period.count / 50 + 2 * (latency.upperBound + length) + 10,
          "\(text): \(outcome.bound)")
      }
    }
  }

  @Test static func `a batch takes one transaction for the count, and as few for its samples as the bus allows`() throws
  {
    for (joined, most) in [(1, 1.06), (2, 0.58), (21, 0.14)] {
      var setup = Setup(rate: .hz100)
      setup.readsPerTransaction = joined
      let outcome = try run(setup)
      let share = Double(outcome.transactions) / Double(outcome.samples)
      expect(share, isAtMost: most, "\(joined): \(share)")
      expect(Double(outcome.batches), isAtMost: 20 * 4.3, "\(outcome.batches)")
    }
  }

  @Test static func `an adapter that rejects joined reads gets single ones, and no sample is lost`() throws {
    var setup = Setup()
    (setup.readsPerTransaction, setup.refuses) = (21, true)
    let outcome = try run(setup)
    expect(outcome.errors, equals: 0)
    expect(that: outcome.losses.isEmpty)
    expect(that: outcome.gaps.isEmpty)
    expect(Double(outcome.transactions) / Double(outcome.samples), isAbove: 1)
  }

  /// 33 samples wait in the part. One more is a loss, and the samples discarded with the full FIFO go with it.
  @Test(arguments: [0.0, 20_000, -20_000])
  static func `a reader that is too late gets the number of lost samples, and their place`(_ partsPerMillion: Double)
    throws
  {
    for late: Int64 in [2_000, 12_000, 30_000, 333_000, 2_000_000] {
      var setup = Setup(partsPerMillion: partsPerMillion)
      setup.held = [400: late, 500: late]
      let outcome = try run(setup)
      expect(empty: outcome.wrong, "\(late): \(outcome.wrong.prefix(3))")
      expect(outcome.gaps.map(\.before), equals: outcome.losses.map(\.before), "\(late)")
      // Off by one if the check that finds the loss coincides with a sample.
      let differences = zip(outcome.gaps, outcome.losses).map { abs($0.count - $1.count) }
      expect(all: differences, "\(late): \(differences)") { $0 <= 1 }
      expect(outcome.losses.count, equals: late > 10_000 ? 2 : 0, "\(late)")
    }
  }

  @Test(arguments: [1, 21])
  static func `after a bus fault its cost is counted, and the times are right again`(_ joined: Int) throws {
    let effects: [FaultPlan.Effect] = [
      .noAcknowledge, .timedOut, .arbitrationLost, .shortRead(received: 3), .fault(.other(code: 5)),
    ]
    for effect in effects {
      for number in 3_000..<3_030 {
        var setup = Setup(partsPerMillion: 7_000)
        setup.readsPerTransaction = joined
        (setup.seconds, setup.plan) = (joined == 1 ? 5 : 40, [.init(effect, .transaction(number))])
        let outcome = try run(setup)
        expect(outcome.errors, equals: 1, "\(effect), \(number): \(outcome.wrong.prefix(2))")
        expect(that: outcome.wrong.isEmpty, "\(effect), \(number): \(outcome.wrong.prefix(2))")
        let gaps = outcome.gaps.map(\.count)
        let differences = zip(gaps, outcome.losses).map { abs($0 - $1.count) }
        expect(gaps.count, equals: outcome.losses.count, "\(effect), \(number): \(gaps), \(outcome.losses)")
        expect(all: differences, "\(effect), \(number): \(gaps), \(outcome.losses)") { $0 <= 1 }
      }
      if joined == 21 { break }
    }
  }

  @Test static func `a batch of one, or a sensor that keeps no samples, behaves as the sensor itself`() throws {
    for (fifo, size) in [(ADXL345.FIFO.bypass, 25), (.bypass, 1)] {
      let clock = VirtualClock()
      let part = EmulatedADXL345(motion: Stamp()) { clock.now }
      let bus = EmulatedBus(part, at: EmulatedADXL345.address) { clock.now }
      var sensor = Batched(
        ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(fifo: fifo)), size: size)
      clock.advance(by: try sensor.start())
      expect(that: !sensor.isBatching)
      expect(that: !sensor.hasNext)
      expect(sensor.next(), equals: nil)
      expect(sensor.timing, equals: nil)
      try expect(sensor.measure(), isNot: Measurement(force: .zero))
    }
  }

  @Test static func `the newest sample at hand is returned though a fault ended the batch; the fault comes after it`()
    throws
  {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: Stamp()) { clock.now }
    // The start, two checks, ten samples of the batch; then a fault.
    let start = try {
      var device = ADXL345.Device(
        bus: EmulatedBus(EmulatedADXL345(motion: Stamp()) { clock.now }, at: EmulatedADXL345.address) { clock.now },
        configuration: ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 25))))
      _ = try device.start()
      return Int(device.transactions)
    }()
    let bus = EmulatedBus(
      part, at: EmulatedADXL345.address, plan: [.init(.noAcknowledge, .transaction(start + 12))]
    ) { clock.now }
    var sensor = Batched(
      ADXL345.Device(
        bus: bus, configuration: ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 25)))), size: 25)
    clock.advance(by: try sensor.start())
    clock.advance(by: .milliseconds(200))
    _ = try sensor.collect(by: clock)
    let isSomeAtHand = sensor.hasNext
    expect(that: isSomeAtHand)
    let newest = try require(sensor.newest(by: clock))
    var last: BatchElement?
    while let element = sensor.next() { last = element }
    expect(last, equals: .sample(newest.measurement, at: newest.at))
    expect(throws: SensorError.bus(.noAcknowledge)) { try sensor.collect(by: clock) }
  }

  @Test static func `nothing is read past the driver from a part in which samples wait`() throws {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: Stamp()) { clock.now }
    let bus = EmulatedBus(part, at: EmulatedADXL345.address) { clock.now }
    let configuration = ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 25)))
    var sensor = Batched(ADXL345.Device(bus: bus, configuration: configuration), size: 25)
    clock.advance(by: try sensor.start())
    expect(throws: SensorError.configurationLost) { try sensor.measure() }
    clock.advance(by: .milliseconds(200))
    let newest = try require(sensor.newest(by: clock))
    expect(clock.now - newest.at, isAtMost: .milliseconds(20))
    // A sample at hand costs no transaction.
    let transactions = sensor.transactions
    let again = try require(sensor.newest(by: clock))
    expect(again.measurement, equals: newest.measurement)
    expect(again.at, equals: newest.at)
    expect(sensor.transactions, equals: transactions)
    // It is not consumed: it comes last.
    var last: BatchElement?
    while let element = sensor.next() { last = element }
    expect(last, equals: .sample(newest.measurement, at: newest.at))
  }
}
