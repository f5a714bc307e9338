import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// What a probe finds.
@Suite struct ProbeTests {
  /// Both families at both addresses: the emulated sensors, which know their identities by themselves.
  private func crowd(_ clock: VirtualClock) -> [(address: UInt8, target: any EmulatedTarget)] {
    [
      (0x1D, EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }),
      (0x53, EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }),
      (0x68, EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }),
      (0x69, EmulatedMPU6050(motion: AttitudePath.tumble, configuration: .init(.mpu9250)) { clock.now }),
    ]
  }

  @Test func `both families are found at both of their addresses at once`() throws {
    let clock = VirtualClock()
    var bus = try busWith(crowd(clock), clock)
    let report = bus.probe()
    #expect(report.count == 4)
    #expect(report[.adxl345Alternate] == .usable(.adxl345, .accepted))
    #expect(report[.adxl345] == .usable(.adxl345, .accepted))
    #expect(report[.mpu6050] == .usable(.mpu6050(.mpu6050), .accepted))
    #expect(report[.mpu6050Alternate] == .usable(.mpu6050(.mpu9250), .accepted))
    #expect(findings(of: report).map(\.place.rawValue) == [0x1D, 0x53, 0x68, 0x69])
    #expect(report[-1] == nil)
    #expect(report[4] == nil)
  }

  @Test(arguments: 0..<16)
  func `each selection of the four places is found and nothing else`(_ selection: Int) throws {
    let clock = VirtualClock()
    let present = crowd(clock).enumerated().filter { selection >> $0.offset & 1 == 1 }.map(\.element)
    var bus = try busWith(present, clock)
    #expect(findings(of: bus.probe()).map(\.place.rawValue) == present.map(\.address))
  }

  @Test func `an empty bus yields no finding and is no error`() throws {
    var bus = try busWith([])
    let report = bus.probe()
    #expect(report.count == 0)
    #expect(report[0] == nil)
    for (place, _, _) in probedPlaces { #expect(report[place] == nil) }
  }

  @Test func `the wire shows four reads of one byte and no more`() throws {
    let log = BusLog()
    let parts = (0x08...0x77).map { number in (address: UInt8(number), target: impostor(0x42)) }
    var bus = try busWith(parts.map { ($0.address, $0.target) }, log: log)
    _ = bus.probe()
    #expect(log.transactions.map(\.address.rawValue) == [0x1D, 0x53, 0x68, 0x69])
    #expect(log.transactions.map(\.written) == [[0x00], [0x00], [0x75], [0x75]])
    #expect(log.transactions.allSatisfy { $0.read == [0x42] })
    #expect(parts.allSatisfy { $0.target.writes == 0 })
  }

  @Test func `one place alone is asked in one transaction`() throws {
    for (place, number, register) in probedPlaces {
      let log = BusLog()
      var bus = try busWith(probedPlaces.map { ($0.address, impostor(0x42)) }, log: log)
      let finding = bus.probe(place)
      #expect(finding?.place == place)
      #expect(finding?.answer == .unknown(identity: 0x42))
      #expect(log.transactions.map(\.address.rawValue) == [number])
      #expect(log.transactions.map(\.written) == [[register]])
      #expect(place.address.rawValue == number)
    }
  }

  @Test(
    arguments: [
      .fault(.arbitrationLost), .fault(.timedOut), .fault(.unsupported), .fault(.notPermitted), .fault(.busy),
      .fault(.unavailable), .fault(.other(code: 71)), .shortRead(received: 0), .noAcknowledge,
    ] as [FaultPlan.Effect], 0..<4)
  func `a fault at any transaction costs that place and no other`(_ effect: FaultPlan.Effect, _ number: Int) throws {
    let clock = VirtualClock()
    let log = BusLog()
    var healthy = try busWith(crowd(clock), clock)
    var bus = try busWith(crowd(clock), plan: [.init(effect, .transaction(number))], log: log, clock)
    let report = bus.probe()
    let expected: I2CFault =
      switch effect {
      case .fault(let fault): fault
      default: .shortRead(expected: 1, received: 0)
      }
    for (index, (place, _, _)) in probedPlaces.enumerated() {
      let answer = index == number ? (effect == .noAcknowledge ? nil : .fault(expected)) : healthy.probe(place)?.answer
      #expect(report[place] == answer)
    }
    #expect(log.transactionCount == 4)
    #expect(log.faultCount == 1)
  }

  @Test func `a bus that is stuck costs four time-outs and is told four times`() throws {
    let clock = VirtualClock()
    var bus = try busWith(
      crowd(clock), plan: [.init(.stuckBus(each: .milliseconds(35)), .always)], clock)
    let report = bus.probe()
    #expect(findings(of: report).map(\.answer) == Array(repeating: .fault(.timedOut), count: 4))
    #expect(clock.now.microseconds == 140_000)
  }
}
