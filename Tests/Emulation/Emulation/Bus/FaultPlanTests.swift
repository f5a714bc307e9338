import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct FaultPlanTests {
  static let faults: [I2CFault] = [
    .noAcknowledge, .arbitrationLost, .timedOut, .unsupported, .notPermitted, .busy, .unavailable, .other(code: 110),
    .shortRead(expected: 6, received: 2),
  ]

  @Test(arguments: faults)
  static func `a fault affects its transaction and no other`(_ expected: I2CFault) throws {
    for number in 0..<4 {
      let bench = ADXL345Bench(plan: [.init(.fault(expected), .transaction(number))])
      let found = (0..<4).map { _ in fault { () throws(I2CFault) in _ = try bench.read(0x00) } }
      expect(found, equals: (0..<4).map { $0 == number ? expected : nil })
      expect(bench.log.faultCount, equals: 1)
    }
  }

  @Test static func `faults can hold for a range of transactions, for a span of time, or always`() throws {
    let plans: [(FaultPlan, [Bool])] = [
      ([.init(.noAcknowledge, .transactions(1..<4))], [false, true, true, true, false, false]),
      ([.init(.timedOut, .during(.milliseconds(2) ..< .milliseconds(4)))], [false, false, true, true, false, false]),
      ([.init(.arbitrationLost, .always)], [true, true, true, true, true, true]),
      ([], [false, false, false, false, false, false]),
    ]
    for (plan, expected) in plans {
      let bench = ADXL345Bench(plan: plan)
      let found = (0..<6).map { _ in
        defer { bench.clock.advance(by: .milliseconds(1)) }
        return fault { () throws(I2CFault) in _ = try bench.read(0x00) } != nil
      }
      expect(found, equals: expected)
    }
  }

  @Test static func `spans of time count from the creation of the bus`() throws {
    let clock = VirtualClock(startingAt: Instant(microseconds: 987_654_321))
    let device = EmulatedADXL345(motion: Constant()) { clock.now }
    let plan: FaultPlan = [.init(.timedOut, .during(.zero ..< .milliseconds(1)))]
    var bus = EmulatedBus(device, at: EmulatedADXL345.address, plan: plan) { clock.now }
    expect(throws: I2CFault.timedOut) { try bus.write([0].span, to: EmulatedADXL345.address) }
    clock.advance(by: .milliseconds(1))
    try bus.write([0].span, to: EmulatedADXL345.address)
  }

  @Test static func `the first of two faults counts`() {
    let bench = ADXL345Bench(plan: [.init(.timedOut, .transaction(0)), .init(.noAcknowledge, .always)])
    expect(fault { () throws(I2CFault) in _ = try bench.read(0x00) }, equals: .timedOut)
    expect(fault { () throws(I2CFault) in _ = try bench.read(0x00) }, equals: .noAcknowledge)
  }

  @Test static func `a faulted transaction changes nothing in the device`() throws {
    let plan: FaultPlan = [
      .init(.noAcknowledge, .transaction(2)), .init(.shortRead(received: 3), .transaction(3)),
      .init(.timedOut, .transaction(4)),
    ]
    let bench = ADXL345Bench(plan: plan)
    try bench.start()
    expect(fault { () throws(I2CFault) in try bench.write(0x2D, 0x00) }, equals: .noAcknowledge)
    expect(fault { () throws(I2CFault) in _ = try bench.read(0x32, 6) }, equals: .shortRead(expected: 6, received: 3))
    expect(fault { () throws(I2CFault) in _ = try bench.read(0x30) }, equals: .timedOut)
    try expect(bench.read(0x2D, 4), equals: [0x08, 0x00, 0x00, 0x82])
  }

  @Test static func `a short read reports how many bytes came and leaves writes alone`() throws {
    for (received, reported) in [(0, 0), (2, 2), (6, 5), (-1, 0)] {
      let bench = ADXL345Bench(plan: [.init(.shortRead(received: received), .always)])
      try bench.write(0x1D, 0x12)
      let found = fault { () throws(I2CFault) in _ = try bench.read(0x32, 6) }
      expect(found, equals: .shortRead(expected: 6, received: reported))
    }
  }

  @Test static func `another identity shows for as long as the plan says`() throws {
    let bench = ADXL345Bench(plan: [.init(.identity(0x68), .during(.milliseconds(1) ..< .milliseconds(2)))])
    try expect(bench.read(0x00), equals: [0xE5])
    bench.clock.advance(by: .milliseconds(1))
    try expect(bench.read(0x3F, 3), equals: [0x00, 0x68, 0x00])
    bench.clock.advance(by: .milliseconds(1))
    try expect(bench.read(0x00), equals: [0xE5])
    try expect(ADXL345Bench(plan: [.init(.identity(0x00), .always)]).read(0x00), equals: [0x00])
  }

  @Test(arguments: [
    FaultPlan.When.transaction(2), .during(.milliseconds(15) ..< .milliseconds(15)),
    .during(.milliseconds(15) ..< .milliseconds(16)), .during(.milliseconds(20) ..< .milliseconds(21)),
  ])
  static func `after a brown-out the part responds with its reset values`(_ when: FaultPlan.When) throws {
    let bench = ADXL345Bench(plan: [.init(.brownOut, when)])
    try bench.start()
    bench.clock.advance(to: Instant(microseconds: 20_000))
    try expect(bench.read(0x2C, 12), equals: [0x0A, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0])
    bench.clock.advance(by: .seconds(1))
    try expect(bench.read(0x00), equals: [0xE5])
    try expect(bench.counts(), equals: [0, 0, 0])
    // Configured again it works: the brown-out does not repeat.
    try bench.start()
    try expect(bench.counts(), equals: [0, 0, 256])
    expect(bench.log.faultCount, equals: 0)
  }

  @Test static func `a brown-out happens even if its transaction fails`() throws {
    let bench = ADXL345Bench(plan: [.init(.brownOut, .transaction(2)), .init(.timedOut, .transaction(2))])
    try bench.start()
    expect(fault { () throws(I2CFault) in _ = try bench.counts() }, equals: .timedOut)
    try expect(bench.read(0x2D), equals: [0x00])
  }

  @Test static func `frozen data repeat while the status changes`() throws {
    let span = Microseconds.milliseconds(30) ..< .milliseconds(60)
    let bench = ADXL345Bench(Ramp(microsecondsPerCount: 100), plan: [.init(.frozenData, .during(span))])
    try bench.start()
    var found: [Int] = []
    for _ in 0..<8 {
      try expect(bench.read(0x30), equals: [0x82])
      found.append(try bench.counts()[0])
      bench.clock.advance(by: .milliseconds(10))
    }
    // Ticks at 11.1, 21.1, 31.1 … ms.
    expect(found, equals: [111, 211, 211, 211, 211, 611, 711, 811])
  }

  @Test(arguments: [(0x0B, 4_095), (0x00, 511), (0x03, 511), (0x08, 511)] as [(UInt8, Int)])
  static func `data can be stuck at full scale`(_ format: UInt8, _ greatest: Int) throws {
    let bench = ADXL345Bench(plan: [.init(.fullScaleData, .transactions(2..<3))])
    try bench.start(format: format)
    try expect(bench.counts(), equals: [greatest, greatest, greatest])
    bench.clock.advance(by: .milliseconds(10))
    try expect(bench.counts()[0], equals: 0)
  }

  @Test static func `a rule can apply to one target only`() throws {
    let clock = VirtualClock()
    let plan: FaultPlan = [
      .init(.noAcknowledge, .always, at: EmulatedADXL345.alternateAddress),
      .init(.brownOut, .transaction(3), at: EmulatedADXL345.alternateAddress),
    ]
    let device = EmulatedADXL345(motion: Constant()) { clock.now }
    let other = EmulatedADXL345(motion: Constant()) { clock.now }
    other.receive(([0x1D, 0x55] as [UInt8]).span)
    var bus = EmulatedBus(device, at: EmulatedADXL345.address, plan: plan) { clock.now }
    bus.attach(other, at: EmulatedADXL345.alternateAddress)
    try bus.write([0x1D, 0x44].span, to: EmulatedADXL345.address)
    expect(throws: I2CFault.noAcknowledge) { try bus.write([0x1D].span, to: EmulatedADXL345.alternateAddress) }
    for _ in 0..<2 { try bus.write([0x1D].span, to: EmulatedADXL345.address) }
    expect(throws: I2CFault.noAcknowledge) { try bus.write([0x1D].span, to: EmulatedADXL345.alternateAddress) }
    func thresholdOfTap(_ device: EmulatedADXL345) -> UInt8 {
      var buffer: [UInt8] = [0]
      var span = buffer.mutableSpan
      device.receive(([0x1D] as [UInt8]).span)
      device.transmit(into: &span)
      return buffer[0]
    }
    expect(thresholdOfTap(device), equals: 0x44)
    expect(thresholdOfTap(other), equals: 0x00)
  }

  @Test static func `reopening can fail too and takes no transaction number`() throws {
    let plan: FaultPlan = [.init(.reopenFault(.unavailable), .during(.zero ..< .milliseconds(1)))]
    let bench = ADXL345Bench(plan: plan)
    expect(fault { () throws(I2CFault) in try bench.bus.reopen() }, equals: .unavailable)
    _ = try bench.read(0x00)
    bench.clock.advance(by: .milliseconds(1))
    try bench.bus.reopen()
    expect(bench.log.reopenCount, equals: 2)
    expect(bench.log.transactionCount, equals: 1)
  }
}
