import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// A second driver that finds the part as another has left it. Registers are written out here from the data sheet, Rev. E.
@Suite struct AdoptionTests {
  /// A driver on a bus of its own, with the part of somebody else's.
  private func guest(
    of rig: Rig, _ configuration: ADXL345.Configuration, plan: FaultPlan = .none, log: BusLog = BusLog()
  ) -> ADXL345.Device<EmulatedBus> {
    let clock = rig.clock
    let bus = EmulatedBus(
      rig.part, at: ADXL345.address, plan: plan, log: log, pass: { clock.advance(by: $0) }
    ) { clock.now }
    return ADXL345.Device(bus: bus, configuration: configuration)
  }

  private static let detection = ADXL345.Detection(
    tap: ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10)),
    activity: ADXL345.Activity(threshold: Q16(whole: 1)),
    freeFall: ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))

  /// Configurations, and which registers a start writes besides 0x1E to 0x20, 0x2C to 0x2E, 0x31 and 0x38.
  static let table: [(configuration: ADXL345.Configuration, more: [UInt8])] = [
    (ADXL345.Configuration(), []),
    (ADXL345.Configuration(rate: .hz25, range: .g2), []), (ADXL345.Configuration(rate: .hz400, range: .g4), []),
    (ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 16))), []),
    (ADXL345.Configuration(interrupts: ADXL345.Interrupts(conditions: .dataReady, isActiveLow: true)), [0x2F]),
    (
      ADXL345.Configuration(detection: detection, interrupts: ADXL345.Interrupts(onInterrupt2: .activity)),
      [0x1D, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2F]
    ),
  ]

  private func started(_ configuration: ADXL345.Configuration) throws(SensorError) -> Rig {
    let rig = Rig(Rig.force, configuration)
    rig.clock.advance(by: try rig.driver.start())
    rig.clock.advance(by: .milliseconds(200))
    return rig
  }

  @Test func `a part that runs as configured is adopted by four reads, and gives samples at once`() throws {
    for (configuration, _) in Self.table {
      let (rig, log) = (try started(configuration), BusLog())
      var driver = guest(of: rig, configuration, log: log)
      #expect(try driver.adopt())
      #expect(log.transactions.map(\.written) == [[0x00], [0x1D], [0x31], [0x38]])
      #expect(log.transactions.map(\.read.count) == [1, 19, 1, 1])
      #expect(driver.transactions == 4)
      let expected = try rig.driver.sample()
      rig.clock.advance(by: configuration.rate.period)
      #expect(try driver.sample() == expected)
      #expect(driver.transactions == 5)
      // Only the register that a read begins with was ever written.
      #expect(log.transactions.allSatisfy { $0.written.count == 1 })
    }
  }

  @Test func `an adopted part is set to watch when it is first asked to, and has begun when it is asked again`() throws
  {
    let (rig, log) = (try started(ADXL345.Configuration()), BusLog())
    var driver = guest(of: rig, ADXL345.Configuration(), log: log)
    #expect(try driver.adopt())
    #expect(try driver.watchForMovement() == .milliseconds(150))
    // THRESH_ACT to ACT_INACT_CTL are written, and the part sleeps between looks.
    #expect(log.transactions.contains { $0.written.first == 0x24 && $0.written.count == 5 })
    #expect(
      log.transactions.contains { $0.written.count == 2 && $0.written[0] == 0x2D && $0.written[1] & 0x0C == 0x0C })
    #expect(try driver.watchForMovement() == nil)
  }

  @Test func `a part with any bit of a register that a start writes turned over is not adopted`() throws {
    var (refused, adopted) = (0, 0)
    for (configuration, more) in Self.table {
      let written: [UInt8] = [0x1E, 0x1F, 0x20, 0x2C, 0x2D, 0x2E, 0x31, 0x38] + more
      for register in (0x1D...0x38 as ClosedRange<UInt8>) where !(0x30...0x37).contains(register) || register == 0x31 {
        for bit in 0..<8 {
          let (rig, log) = (try started(configuration), BusLog())
          let before = try rig.registers(register)[0]
          try rig.write([register, before ^ (1 << bit)])
          let isChanged = try rig.registers(register)[0] != before
          var driver = guest(of: rig, configuration, log: log)
          let isAdopted = try driver.adopt()
          #expect(isAdopted == !(isChanged && written.contains(register)), "\(register), bit \(bit)")
          #expect(log.transactions.allSatisfy { $0.written.count == 1 })
          if isAdopted { adopted += 1 } else { refused += 1 }
          guard !isAdopted else { continue }
          let count = log.transactionCount
          #expect(sensorError { () throws(SensorError) in _ = try driver.sample() } == .configurationLost)
          #expect(log.transactionCount == count)
        }
      }
    }
    #expect(refused > 400 && adopted > 300, "\(refused), \(adopted)")
  }

  @Test func `a part fresh from power-on or after a brown-out is not adopted, and can be started`() throws {
    let fresh = Rig()
    #expect(try !fresh.driver.adopt())
    #expect(try fresh.startAndSample() == Rig.force.vector)
    #expect(try fresh.driver.adopt())
    fresh.part.powerCycle()
    #expect(try !fresh.driver.adopt())
    #expect(try fresh.startAndSample() == Rig.force.vector)
  }

  @Test func `the first batch of an adopted FIFO is said to lack samples, the next is not`() throws {
    let configuration = ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 16)))
    let rig = try started(configuration)
    var driver = guest(of: rig, configuration)
    #expect(try driver.adopt())
    var batch = ADXL345.Batch()
    try driver.drain(into: &batch)
    #expect(batch.mayLackSamples && batch.count > 0)
    rig.clock.advance(by: .milliseconds(50))
    try driver.drain(into: &batch)
    #expect(!batch.mayLackSamples && batch.count > 0)
  }

  @Test func `a part whose self-test was broken off is not adopted while its force settles`() throws {
    let whole = Rig()
    whole.clock.advance(by: try whole.driver.start())
    let startCount = whole.log.transactionCount
    // Set up, 16 samples, force on, 16 samples, a look, force off: then the start that follows fails at once.
    let failing = 2 * startCount + 35
    let rig = Rig(Rig.force, plan: [.init(.noAcknowledge, .transaction(failing))])
    rig.clock.advance(by: try rig.driver.start())
    var clock = Impatient(clock: rig.clock, sleeps: 34)
    #expect(
      sensorError { () throws(SensorError) in _ = try rig.driver.selfTest(clock: &clock) } == .bus(.noAcknowledge))
    // It is as configured, to the last register.
    #expect(try rig.registers(0x31) == [0x0B] && rig.registers(0x2C, 2) == [0x0A, 0x08])
    #expect(try !rig.driver.adopt())
    #expect(try rig.startAndSample() == Rig.force.vector)
    #expect(try rig.driver.adopt())
  }

  /// A clock that says after some sleeps that the user has had enough.
  private struct Impatient: MonotonicClock {
    let clock: VirtualClock
    var sleeps: Int
    var now: Instant { clock.now }

    mutating func sleep(until deadline: Instant) -> Bool {
      sleeps -= 1
      return sleeps >= 0 && clock.sleep(until: deadline)
    }
  }

  @Test func `another identity is not adopted, in one read`() throws {
    for identity in [0x00, 0xFF, 0xE6, 0x68, 0xE4] as [UInt8] {
      let log = BusLog()
      let plan: FaultPlan = [.init(.identity(identity), .always)]
      var driver = guest(of: try started(ADXL345.Configuration()), ADXL345.Configuration(), plan: plan, log: log)
      #expect(try !driver.adopt())
      #expect(log.transactions.map(\.written) == [[0x00]])
    }
  }

  @Test func `a rate that the bus cannot follow is told before any transaction`() {
    let log = BusLog()
    let part = EmulatedADXL345(motion: Rig.force) { Instant(microseconds: 0) }
    let bus = EmulatedBus(part, at: ADXL345.address, frequency: 100_000, log: log) { Instant(microseconds: 0) }
    var driver = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: .hz400))
    let thrown = sensorError { () throws(SensorError) in _ = try driver.adopt() }
    #expect(thrown == .rateTooHigh(busHertz: 100_000, highestHertz: 200))
    #expect(log.transactionCount == 0)
  }

  @Test func `every fault at every transaction is thrown, and harms nobody`() throws {
    let faults: [I2CFault] = [
      .noAcknowledge, .arbitrationLost, .timedOut, .shortRead(expected: 7, received: 3), .unsupported, .notPermitted,
      .busy, .unavailable, .other(code: 121),
    ]
    let effects = faults.map { FaultPlan.Effect.fault($0) } + [.hang(.milliseconds(20)), .shortRead(received: 0)]
    for (configuration, _) in Self.table {
      for number in 0..<4 {
        for effect in effects {
          let (rig, log) = (try started(configuration), BusLog())
          var driver = guest(of: rig, configuration, plan: [.init(effect, .transaction(number))], log: log)
          let thrown = sensorError { () throws(SensorError) in _ = try driver.adopt() }
          #expect(thrown == log.transactions.last?.fault.map { .bus($0) } && thrown != nil, "\(effect) at \(number)")
          #expect(log.transactionCount == number + 1)
          #expect(sensorError { () throws(SensorError) in _ = try driver.sample() } == .configurationLost)
          #expect(try driver.adopt())
          #expect(try driver.sample() == (try rig.driver.sample()))
        }
      }
    }
  }

  @Test func `a byte that comes wrong, or a brown-out, ends in no or is noticed by the first sample`() throws {
    var generator = SplitMix64(seed: 5)
    var (refused, adopted) = (0, 0)
    for (configuration, more) in Self.table {
      let written: [UInt8] = [0x00, 0x1E, 0x1F, 0x20, 0x2C, 0x2D, 0x2E, 0x31, 0x38] + more
      for (number, (first, count)) in ([(0x00, 1), (0x1D, 19), (0x31, 1), (0x38, 1)] as [(UInt8, Int)]).enumerated() {
        for index in 0..<count {
          let rig = try started(configuration)
          let effect = FaultPlan.Effect.corruptByte(index: index, mask: .random(in: 1...255, using: &generator))
          var driver = guest(of: rig, configuration, plan: [.init(effect, .transaction(number))])
          let isAdopted = try driver.adopt()
          #expect(isAdopted == !written.contains(first + UInt8(index)), "\(first) + \(index)")
          if isAdopted { adopted += 1 } else { refused += 1 }
          #expect(try driver.adopt())
        }
        let rig = try started(configuration)
        var driver = guest(of: rig, configuration, plan: [.init(.brownOut, .transaction(number))])
        let thrown = sensorError { () throws(SensorError) in if try driver.adopt() { _ = try driver.sample() } }
        #expect(thrown == nil || thrown == .configurationLost)
        #expect(sensorError { () throws(SensorError) in _ = try driver.sample() } == .configurationLost)
      }
    }
    #expect(refused > 50 && adopted > 50, "\(refused), \(adopted)")
  }

  @Test func `a driver of no part says no`() throws {
    struct Recorded: Accelerometer {
      var fullScale: Q16 { .one }
      var transactions: UInt64 { 0 }
      mutating func start() throws(SensorError) -> Microseconds { .zero }
      mutating func sample() throws(SensorError) -> Vector3 { .zero }
      mutating func reopen() throws(SensorError) {}
    }
    var recorded = Recorded()
    #expect(try !recorded.adopt())
  }
}
