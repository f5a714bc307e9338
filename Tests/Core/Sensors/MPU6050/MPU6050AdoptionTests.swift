import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// A second driver that finds the part as another has left it. Registers are written out here from the register maps.
@Suite struct MPU6050AdoptionTests {
  /// A driver on a bus of its own, with the part of somebody else's.
  private func guest(
    of rig: MPU6050Rig, plan: FaultPlan = .none, log: BusLog = BusLog()
  ) -> MPU6050.Device<EmulatedBus> {
    let clock = rig.clock
    let bus = EmulatedBus(
      rig.part, at: EmulatedMPU6050.address, plan: plan, log: log, pass: { clock.advance(by: $0) }
    ) { clock.now }
    return MPU6050.Device(bus: bus, configuration: rig.driver.configuration)
  }

  static let configurations: [MPU6050.Configuration] = [
    MPU6050.Configuration(), MPU6050.Configuration(rate: .hz50, range: .g16, filter: .hz5),
    MPU6050.Configuration(gyroscope: .dps500),
    MPU6050.Configuration(rate: .hz200, fifo: MPU6050.FIFO()),
    MPU6050.Configuration(interrupts: MPU6050.Interrupts(signalsDataReady: true, isActiveLow: true)),
  ]

  static let parts: [EmulatedMPU6050.Part] = [.mpu6050, .mpu6500]

  private func started(
    _ part: EmulatedMPU6050.Part, _ configuration: MPU6050.Configuration
  ) throws(SensorError) -> MPU6050Rig {
    let rig = MPU6050Rig(part, configuration)
    try rig.start()
    rig.clock.advance(by: .milliseconds(60))
    return rig
  }

  /// The reads of an adoption: first register and how many.
  private func reads(_ part: EmulatedMPU6050.Part, _ configuration: MPU6050.Configuration) -> [(UInt8, Int)] {
    let rates = part == .mpu6050 ? 4 : 5
    return [(0x75, 1), (0x6A, 3), (0x19, rates), (0x37, 2), (0x23, 1)]
  }

  @Test func `a part that runs as configured is adopted by five reads, and gives samples at once`() throws {
    for part in Self.parts {
      for configuration in Self.configurations {
        let (rig, log) = (try started(part, configuration), BusLog())
        var driver = guest(of: rig, log: log)
        #expect(try driver.adopt())
        let wanted = reads(part, configuration)
        #expect(log.transactions.map(\.written) == wanted.map { [$0.0] })
        #expect(log.transactions.map(\.read.count) == wanted.map(\.1))
        #expect(driver.transactions == 5)
        #expect(driver.part?.rawValue == part.identity)
        #expect(try driver.sample() == (try rig.driver.sample()))
        // The first sample leaves INT_STATUS alone.
        #expect(log.transactions.last?.written == [0x3B] && log.transactions.last?.read.count == 6)
        #expect(log.transactions.allSatisfy { $0.written.count == 1 })
      }
    }
  }

  @Test func `all parts of the family are adopted as they are started, with the same notice`() throws {
    for part in emulatedParts {
      let configuration = MPU6050.Configuration(acceptsUnverifiedParts: true)
      let rig = try started(part, configuration)
      var driver = guest(of: rig)
      #expect(try driver.adopt())
      #expect(driver.notice == rig.driver.notice)
      #expect(driver.part == rig.driver.part)
      #expect(try driver.sample() == (try rig.driver.sample()))
    }
    // Hearsay only: not unless asked.
    let rig = try started(.clone72, MPU6050.Configuration(acceptsUnverifiedParts: true))
    let log = BusLog()
    let bus = EmulatedBus(rig.part, at: EmulatedMPU6050.address, log: log) { [clock = rig.clock] in clock.now }
    var driver = MPU6050.Device(bus: bus)
    #expect(try !driver.adopt())
    #expect(log.transactionCount == 1)
  }

  @Test func `a part with any bit of a register that a start writes turned over is not adopted`() throws {
    var (refused, adopted) = (0, 0)
    for part in Self.parts {
      for configuration in Self.configurations {
        var written: [UInt8] = [0x19, 0x1A, 0x1B, 0x1C, 0x23, 0x37, 0x38, 0x6A, 0x6B, 0x6C]
        if part != .mpu6050 { written.append(0x1D) }
        for register in written + [0x1F] {
          for bit in 0..<8 {
            let (rig, log) = (try started(part, configuration), BusLog())
            let before = try rig.registers(register)[0]
            try rig.write([register, before ^ (1 << bit)])
            let isChanged = try rig.registers(register)[0] != before
            var driver = guest(of: rig, log: log)
            let isAdopted = try driver.adopt()
            #expect(isAdopted == !(isChanged && written.contains(register)), "\(part) \(register), bit \(bit)")
            #expect(log.transactions.allSatisfy { $0.written.count == 1 })
            if isAdopted { adopted += 1 } else { refused += 1 }
            guard !isAdopted else { continue }
            let count = log.transactionCount
            #expect(sensorError { () throws(SensorError) in _ = try driver.sample() } == .configurationLost)
            #expect(log.transactionCount == count)
          }
        }
      }
    }
    #expect(refused > 600 && adopted > 20, "\(refused), \(adopted)")
  }

  @Test func `a part asleep or after a brown-out is not adopted, and can be started`() throws {
    for part in Self.parts {
      let rig = MPU6050Rig(part)
      #expect(try !rig.driver.adopt())
      try rig.start()
      #expect(try rig.nextSample() == MPU6050Rig.force.vector)
      #expect(try rig.driver.adopt())
      rig.part.powerCycle()
      #expect(try !rig.driver.adopt())
      let count = rig.log.transactionCount
      #expect(sensorError { () throws(SensorError) in _ = try rig.driver.sample() } == .configurationLost)
      #expect(rig.log.transactionCount == count)
      try rig.start()
      #expect(try rig.nextSample() == MPU6050Rig.force.vector)
    }
  }

  @Test func `what the part or the bus cannot do is not looked for`() throws {
    // The FIFO of this part puts the temperature in unasked.
    let rig = MPU6050Rig(.icm20602, MPU6050.Configuration(fifo: MPU6050.FIFO()))
    #expect(try !rig.driver.adopt())
    #expect(rig.log.transactionCount == 1)
    var slow = MPU6050Memory().driver(MPU6050.Configuration(rate: .hz1000), frequency: 100_000)
    let thrown = sensorError { () throws(SensorError) in _ = try slow.adopt() }
    guard case .rateTooHigh(busHertz: 100_000, _) = thrown else {
      Issue.record("\(String(describing: thrown))")
      return
    }
    #expect(slow.transactions == 0)
  }

  @Test func `a FIFO that somebody else may have read is begun anew`() throws {
    let rig = try started(.mpu6050, MPU6050.Configuration(rate: .hz200, fifo: MPU6050.FIFO()))
    var driver = guest(of: rig)
    #expect(try driver.adopt())
    var batch = MPU6050.Batch<20>()
    try driver.drain(into: &batch)
    #expect(batch.followsGap && batch.count == 0)
    rig.clock.advance(by: .milliseconds(22))
    try driver.drain(into: &batch)
    #expect(!batch.followsGap && batch.count >= 3)
  }

  @Test func `every fault at every transaction is thrown, and harms nobody`() throws {
    let faults: [I2CFault] = [
      .noAcknowledge, .arbitrationLost, .timedOut, .shortRead(expected: 7, received: 3), .unsupported, .notPermitted,
      .busy, .unavailable, .other(code: 121),
    ]
    let effects = faults.map { FaultPlan.Effect.fault($0) } + [.hang(.milliseconds(20)), .shortRead(received: 0)]
    for configuration in Self.configurations {
      for number in 0..<5 {
        for effect in effects {
          let (rig, log) = (try started(.mpu6050, configuration), BusLog())
          var driver = guest(of: rig, plan: [.init(effect, .transaction(number))], log: log)
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

  @Test func `a byte that comes wrong, or a brown-out, ends in no or is noticed by the second sample`() throws {
    var generator = SplitMix64(seed: 5)
    var tried = 0
    for part in Self.parts {
      for configuration in Self.configurations {
        for (number, (register, count)) in reads(part, configuration).enumerated() {
          for index in 0..<count where register != 0x75 {
            let mask = UInt8.random(in: 1...255, using: &generator)
            let plan: FaultPlan = [.init(.corruptByte(index: index, mask: mask), .transaction(number))]
            var driver = guest(of: try started(part, configuration), plan: plan)
            #expect(try !driver.adopt(), "\(register) + \(index)")
            #expect(try driver.adopt())
            tried += 1
          }
          let rig = try started(part, configuration)
          var driver = guest(of: rig, plan: [.init(.brownOut, .transaction(number))])
          let thrown = sensorError { () throws(SensorError) in
            guard try driver.adopt() else { return }
            // What it gives meanwhile is nothing that could be taken for a force.
            #expect(try driver.sample() == .zero)
            _ = try driver.sample()
          }
          #expect(thrown == nil || thrown == .configurationLost)
          #expect(sensorError { () throws(SensorError) in _ = try driver.sample() } == .configurationLost)
        }
        for identity in [0x00, 0xFF, 0xE5, 0x69] as [UInt8] {
          let log = BusLog()
          let plan: FaultPlan = [.init(.identity(identity), .always)]
          var driver = guest(of: try started(part, configuration), plan: plan, log: log)
          #expect(try !driver.adopt())
          #expect(log.transactionCount == 1)
        }
      }
    }
    #expect(tried > 100, "\(tried)")
  }
}
