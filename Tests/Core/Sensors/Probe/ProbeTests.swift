import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The findings of a probe.
struct ProbeTests {
  /// Both families at both addresses: the emulated sensors, with their own identities.
  private static func crowd(_ clock: VirtualClock) -> [(address: UInt8, target: any EmulatedTarget)] {
    [
      (0x1D, EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }),
      (0x53, EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }),
      (0x68, EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }),
      (0x69, EmulatedMPU6050(motion: AttitudePath.tumble, configuration: .init(.mpu9250)) { clock.now }),
    ]
  }

  @Test static func `both families are found at both of their addresses at once`() throws {
    let clock = VirtualClock()
    var bus = try busWith(crowd(clock), clock)
    let report = bus.probe()
    expect(report.count, equals: 4)
    expect(report[0x1D as UInt8], equals: .usable(.adxl345, 0xE5))
    expect(report[0x53 as UInt8], equals: .usable(.adxl345, 0xE5))
    expect(report[0x68 as UInt8], equals: .usable(.mpu6050, 0x68))
    expect(report[0x69 as UInt8], equals: .usable(.mpu6050, 0x71))
    expect(findings(of: report).map(\.address.rawValue), equals: [0x1D, 0x53, 0x68, 0x69])
    expect(report[-1], equals: nil)
    expect(report[4], equals: nil)
  }

  @Test(arguments: 0..<16)
  static func `each selection of the four addresses is found, and nothing else`(_ selection: Int) throws {
    let clock = VirtualClock()
    let present = crowd(clock).enumerated().filter { selection >> $0.offset & 1 == 1 }.map(\.element)
    var bus = try busWith(present, clock)
    expect(findings(of: bus.probe()).map(\.address.rawValue), equals: present.map(\.address))
  }

  @Test static func `an empty bus yields no finding and no error`() throws {
    var bus = try busWith([])
    let report = bus.probe()
    expect(report.count, equals: 0)
    expect(report[0], equals: nil)
    for (address, _) in probedPlaces { expect(report[address], equals: nil) }
  }

  @Test static func `the wire shows a read of one byte for each model at each address and no more`() throws {
    let log = BusLog()
    let parts = (0x08...0x77).map { number in (address: UInt8(number), target: impostor(0x33)) }
    var bus = try busWith(parts.map { ($0.address, $0.target) }, log: log)
    _ = bus.probe()
    let expected = allPlaces.flatMap { place in questions(at: place).map { (place.address, $0) } }
    expect(log.transactions.map(\.address.rawValue), equals: expected.map(\.0))
    expect(log.transactions.map(\.written), equals: expected.map { [$0.1] })
    expect(all: log.transactions) { $0.read == [$0.written == [0x7F] ? 0x5A : 0x33] }
    expect(all: parts) { $0.target.writes == 0 }
  }

  @Test static func `a single address is probed alone`() throws {
    for (number, register) in probedPlaces {
      let log = BusLog()
      var bus = try busWith(probedPlaces.map { ($0.address, impostor(0x33)) }, log: log)
      let finding = bus.probe(number)
      expect(finding?.address.rawValue, equals: number)
      expect(finding?.answer, equals: .unknown(identity: 0x33))
      expect(all: log.transactions) { $0.address.rawValue == number }
      expect(log.transactions.map(\.written), equals: questions(at: (number, register)).map { [$0] })
    }
  }

  @Test(
    arguments: [
      .fault(.arbitrationLost), .fault(.timedOut), .fault(.unsupported), .fault(.notPermitted), .fault(.busy),
      .fault(.unavailable), .fault(.other(code: 71)), .shortRead(received: 0), .noAcknowledge,
    ] as [FaultPlan.Effect], 0..<4)
  static func `a fault at any transaction costs that address and no other`(_ effect: FaultPlan.Effect, _ number: Int)
    throws
  {
    let place = try require(allPlaces.firstIndex { $0.address == probedPlaces[number].address })
    let clock = VirtualClock()
    let log = BusLog()
    var healthy = try busWith(crowd(clock), clock)
    var bus = try busWith(crowd(clock), plan: [.init(effect, .transaction(place))], log: log, clock)
    let report = bus.probe()
    let expected: I2CFault =
      switch effect {
      case .fault(let fault): fault
      default: .shortRead(expected: 1, received: 0)
      }
    for (index, (address, _)) in probedPlaces.enumerated() {
      let answer =
        index == number ? (effect == .noAcknowledge ? nil : .fault(expected)) : healthy.probe(address)?.answer
      expect(report[address], equals: answer)
    }
    expect(log.transactionCount, equals: allPlaces.count)
    expect(log.faultCount, equals: 1 + allPlaces.count - probedPlaces.count)
  }

  @Test static func `a stuck bus costs a time-out for each address and is reported as often`() throws {
    let clock = VirtualClock()
    var bus = try busWith(
      crowd(clock), plan: [.init(.stuckBus(each: .milliseconds(35)), .always)], clock)
    let report = bus.probe()
    expect(findings(of: report).map(\.answer), equals: Array(repeating: .fault(.timedOut), count: allPlaces.count))
    expect(clock.now.microseconds, equals: Int64(35_000 * allPlaces.count))
  }
}

/// How a probe judges identities, and that the drivers judge them the same way.
struct ProbePolicyTests {
  /// The identities at 0x68 and 0x69, spelt out.
  static let family: [UInt8: SensorPart.Admission] = [
    0x68: .accepted, 0x70: .accepted, 0x71: .accepted, 0x73: .accepted, 0x74: .accepted,
    0x78: .acceptedWithNotice, 0x98: .acceptedWithNotice, 0xAF: .acceptedWithNotice, 0xAE: .acceptedWithNotice,
    0xA6: .acceptedWithNotice, 0x11: .acceptedWithNotice, 0x12: .acceptedWithNotice, 0x20: .acceptedWithNotice,
    0xA9: .acceptedWithNotice, 0x72: .onlyIfAsked, 0x69: .refused, 0x75: .refused, 0x40: .refused, 0x41: .refused,
    0x42: .refused, 0x43: .refused, 0x44: .refused, 0x45: .refused, 0x46: .refused, 0x47: .refused,
  ]

  /// The same at 0x53 and 0x1D.
  static let analog: [UInt8: SensorPart.Admission] = [0xE5: .accepted, 0xE6: .refused, 0xAD: .refused]

  @Test static func `every identity at every address means what the policy says`() throws {
    for (number, register) in probedPlaces {
      let (table, model): ([UInt8: SensorPart.Admission], SensorModel) =
        register == 0x75 ? (Self.family, .mpu6050) : (Self.analog, .adxl345)
      let others: [UInt8: SensorPart.Admission] = register == 0x75 ? [0xEA: .accepted, 0xE1: .refused] : [:]
      for identity: UInt8 in 0...255 {
        var bus = try busWith([(number, impostor(identity))])
        let answer = try require(bus.probe(number)?.answer)
        switch (answer, table[identity]) {
        case (.usable(let part), let admission?), (.refused(let part), let admission?):
          expect(part.model, equals: model)
          expect(part.identity, equals: identity)
          expect(part.admission, equals: admission)
          expect(admission == .refused, equals: answer == .refused(part))
          expect(admission == .refused, equals: !"\(part.remark)".isEmpty)
        case (.usable(let part), nil), (.refused(let part), nil):
          #expect(part.model == .icm20948 && part.identity == identity && part.admission == others[identity])
        default:
          let isBlank = identity == 0x00 || identity == 0xFF
          expect(others[identity], equals: nil)
          expect(answer, equals: isBlank ? .noIdentity(reading: identity) : .unknown(identity: identity))
          expect(table[identity], equals: nil)
        }
      }
    }
  }

  @Test static func `the MPU-6050 driver starts exactly what a probe calls usable`() throws {
    for identity: UInt8 in 0...255 {
      for asked in [false, true] {
        var bus = try busWith([(0x68, impostor(identity))])
        let answer = bus.probe(0x68 as UInt8)?.answer
        var device = MPU6050.Device(
          bus: bus, configuration: MPU6050.Configuration(acceptsUnverifiedParts: asked))
        let isStarted = starts { () throws(SensorError) in _ = try device.start() }
        switch answer {
        case .usable(let part) where part.model == .mpu6050:
          expect(isStarted, equals: asked || part.admission != .onlyIfAsked)
          if isStarted { expect(device.notice != nil, equals: part.admission != .accepted) }
        default: expect(that: !isStarted)
        }
      }
    }
  }

  @Test static func `the ADXL345 driver starts exactly what a probe calls usable`() throws {
    let clock = VirtualClock()
    for identity: UInt8 in 0...255 {
      let part = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
      var bus = try busWith([(0x53, part)], plan: [.init(.identity(identity), .always)], clock)
      let answer = bus.probe(0x53 as UInt8)?.answer
      var device = ADXL345.Device(bus: bus)
      let isStarted = starts { () throws(SensorError) in _ = try device.start() }
      expect(isStarted, equals: (answer == .usable(.adxl345, 0xE5)))
    }
  }

  @Test static func `every part of the emulator is known by its name`() throws {
    let clock = VirtualClock()
    let parts: [(EmulatedMPU6050.Part, MPU6050.Part)] = [
      (.mpu6050, .mpu6050), (.mpu6500, .mpu6500), (.mpu6515, .mpu6515), (.mpu9250, .mpu9250), (.mpu9255, .mpu9255),
      (.mpu6880, .mpu6880), (.icm20600, .icm20600), (.icm20602, .icm20602), (.icm20608, .icm20608),
      (.icm20608D, .icm20608D), (.icm20609, .icm20609), (.icm20689, .icm20689), (.icm20690, .icm20690),
      (.iam20680, .iam20680), (.clone98, .icm20689), (.clone72, .clone72),
    ]
    for (emulated, expected) in parts {
      let target = EmulatedMPU6050(motion: AttitudePath.tumble, configuration: .init(emulated)) { clock.now }
      var bus = try busWith([(0x69, target)], clock)
      expect(bus.probe(0x69 as UInt8)?.answer, equals: .usable(.mpu6050, expected.rawValue))
    }
  }

  @Test static func `a number at 0x68 that may be a time is reported as such, and no other`() throws {
    for (number, _) in probedPlaces {
      for identity: UInt8 in 0...255 {
        var bus = try busWith([(number, impostor(identity))])
        let isTime = number == 0x68 && (0...59).contains { $0 / 10 * 16 + $0 % 10 == Int(identity) }
        expect(bus.probe(number)?.mayBeClock, equals: isTime)
      }
    }
  }

  /// Whether `body` found its sensor.
  private static func starts(_ body: () throws(SensorError) -> Void) -> Bool {
    do throws(SensorError) {
      try body()
      return true
    } catch {
      if case .unexpectedIdentity = error { return false }
      Issue.record("an error other than of the identity: \(error)")
      return false
    }
  }
}

/// A probe does no harm, except where it cannot avoid it.
struct ProbeHarmTests {
  /// All registers of the target at `number`, read one at a time.
  private static func dump(_ bus: inout EmulatedBus, at number: UInt8, _ registers: ClosedRange<UInt8>) throws
    -> [UInt8]
  {
    try registers.map { register in
      var buffer: [UInt8] = [0xAA]
      var span = buffer.mutableSpan
      try bus.writeRead([register].span, into: &span, at: try i2cAddress(number))
      return buffer[0]
    }
  }

  private static func write(_ bus: inout EmulatedBus, at number: UInt8, _ bytes: [UInt8]) throws {
    try bus.write(bytes.span, to: try i2cAddress(number))
  }

  /// Four running sensors: measuring, with FIFOs that fill and latched interrupts.
  private static func sensorsAtWork(_ clock: VirtualClock) throws -> EmulatedBus {
    var bus = try busWith(
      [
        (0x1D, EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }),
        (0x53, EmulatedADXL345(motion: AttitudePath.tumble, seed: 2) { clock.now }),
        (0x68, EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }),
        (0x69, EmulatedMPU6050(motion: AttitudePath.tumble, configuration: .init(.mpu6500), seed: 3) { clock.now }),
      ], clock)
    for number: UInt8 in [0x1D, 0x53] {
      try write(&bus, at: number, [0x38, 0x90])  // stream, watermark 16
      try write(&bus, at: number, [0x2E, 0x83])  // data ready, watermark, overrun
      try write(&bus, at: number, [0x2D, 0x08])  // measure
    }
    for number: UInt8 in [0x68, 0x69] {
      try write(&bus, at: number, [0x6B, 0x01])  // awake
      try write(&bus, at: number, [0x19, 0x09, 0x03])  // 100 Hz
      try write(&bus, at: number, [0x37, 0x20, 0x01])  // latched, data ready
      try write(&bus, at: number, [0x23, 0x78])  // everything into the FIFO
      try write(&bus, at: number, [0x6A, 0x40])
    }
    return bus
  }

  /// Reading a register can change it, so a dump before the probe would not do: a twin that is not probed shows the
  /// right contents.
  @Test(arguments: [0, 1, 9_999, 100_000, 215_000, 437_000] as [Int64])
  static func `no register differs from that of a twin that was not probed`(_ span: Int64) throws {
    let clock = VirtualClock()
    var probed = try sensorsAtWork(clock)
    var twin = try sensorsAtWork(clock)
    clock.advance(by: Microseconds(span))
    expect(probed.probe().count, equals: 4)
    clock.advance(by: Microseconds(span / 3))
    for number: UInt8 in [0x1D, 0x53] {
      let found = try dump(&probed, at: number, 0x00...0x3F)
      expect(found, equals: (try dump(&twin, at: number, 0x00...0x3F)))
      expect(found[0x2D], equals: 0x08)
    }
    for number: UInt8 in [0x68, 0x69] {
      let found = try dump(&probed, at: number, 0x00...0x7F)
      expect(found, equals: (try dump(&twin, at: number, 0x00...0x7F)))
      expect(found[0x6A], equals: 0x40)
    }
  }

  @Test static func `a part that is asleep or was just powered up stays so`() throws {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }
    let other = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
    var bus = try busWith([(0x68, part), (0x53, other)], clock)
    expect(bus.probe().count, equals: 2)
    clock.advance(by: .seconds(1))
    try expect(dump(&bus, at: 0x68, 0x6B...0x6B), equals: [0x40])
    try expect(dump(&bus, at: 0x53, 0x2D...0x2D), equals: [0x00])
    expect(part.sampleCount, equals: 0)
    expect(other.sampleCount, equals: 0)
  }

  @Test static func `a running driver reads the same samples whether or not the bus is probed in between`() throws {
    func samples(probing: Bool) throws -> [Vector3] {
      let clock = VirtualClock()
      let part = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
      let bus = try busWith([(0x53, part), (0x68, impostor(0x68))], clock)
      var device = ADXL345.Device(
        bus: bus, configuration: ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 8))))
      clock.advance(by: try device.start())
      var found: [Vector3] = []
      for _ in 0..<50 {
        clock.advance(by: .milliseconds(70))
        if probing { expect(device.wire.bus.probe().count, equals: 2) }
        var batch = SampleBatch()
        let waiting = try device.waiting()
        expect(that: !waiting.followsGap)
        try device.take(waiting.count, into: &batch)
        found += (0..<batch.count).compactMap { batch[$0]?.force }
      }
      return found
    }
    let undisturbed = try samples(probing: false)
    expect(undisturbed.count, isAbove: 300)
    try expect(samples(probing: true), equals: undisturbed)
  }

  @Test static func `clocks and memories keep every byte`() throws {
    let contents = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    let parts = [0x1D, 0x53, 0x68, 0x69].map { (address: UInt8($0), target: ForeignPart(contents)) }
    var bus = try busWith(parts.map { ($0.address, $0.target) })
    let report = bus.probe()
    expect(all: parts) { $0.target.bytes == contents && $0.target.writes == 0 }
    // In a part with 64 registers, register 0x75 is its 0x35.
    expect(report[0x68 as UInt8], equals: .unknown(identity: contents[0x35]))
    expect(report[0x53 as UInt8], equals: .unknown(identity: contents[0]))
  }

  @Test static func `a clock whose memory holds an identity looks like a sensor: one byte is no proof`() throws {
    var contents = [UInt8](repeating: 0, count: 64)
    contents[0x35] = 0x68
    var bus = try busWith([(0x68, ForeignPart(contents))])
    let finding = bus.probe(0x68 as UInt8)
    expect(finding?.answer, equals: .usable(.mpu6050, 0x68))
    expect(finding?.mayBeClock, equals: false)
  }

  /// A bus with an ICM-20948 at 0x68 whose program has selected a bank, and written the divider of bank 2.
  private static func left(inBank bank: UInt8, divider: UInt8 = 0x0A, log: BusLog = BusLog()) throws -> EmulatedBus {
    let clock = VirtualClock()
    var bus = try busWith([(0x68, EmulatedICM20948(motion: AttitudePath.tumble) { clock.now })], log: log, clock)
    try write(&bus, at: 0x68, [0x06, 0x01])
    try write(&bus, at: 0x68, [0x7F, 0x20])
    try write(&bus, at: 0x68, [0x00, divider])
    try write(&bus, at: 0x68, [0x7F, bank << 4])
    return bus
  }

  @Test(arguments: 0...3 as ClosedRange<UInt8>)
  static func `an ICM-20948 is found in whatever bank it was left, and stays there`(_ bank: UInt8) throws {
    for divider in UInt8.min...UInt8.max {
      let log = BusLog()
      var bus = try left(inBank: bank, divider: divider, log: log)
      let before = log.transactionCount
      guard case .usable(let part) = bus.probe(0x68 as UInt8)?.answer else {
        Issue.record("not found in bank \(bank), divider \(divider)")
        return
      }
      expect(part.model, equals: .icm20948)
      expect(that: "\(part.name)".hasPrefix("an ICM-20948"))
      expect(all: log.transactions.dropFirst(before)) { $0.written.count == 1 }
      try expect(dump(&bus, at: 0x68, 0x7F...0x7F), equals: [bank << 4])
    }
  }

  @Test(arguments: 0...3 as ClosedRange<UInt8>)
  static func `the MPU-6050 driver names an ICM-20948 in whatever bank it was left`(_ bank: UInt8) throws {
    let bus = try left(inBank: bank)
    var device = MPU6050.Device(bus: bus)
    expect(
      sensorError { () throws(SensorError) in _ = try device.start() },
      equals: .unexpectedIdentity(found: 0xEA, expected: 0x68))
  }

  @Test static func `the ICM-20948 driver names every part of the MPU-6050 family`() throws {
    for part in emulatedParts {
      let clock = VirtualClock()
      let target = EmulatedMPU6050(motion: AttitudePath.tumble, configuration: .init(part)) { clock.now }
      var bus = try busWith([(0x68, target)], clock)
      guard case .usable(let found) = bus.probe(0x68 as UInt8)?.answer else {
        Issue.record("\(part) is not found")
        continue
      }
      var device = ICM20948.Device(bus: bus)
      expect(
        sensorError { () throws(SensorError) in _ = try device.start() },
        equals: .unexpectedIdentity(found: found.identity, expected: 0xEA))
    }
  }

  @Test
  static func
    `a clock that reads 10, 20 or 30 where a bank would be is suspicious, and no other byte looks like a bank`()
    throws
  {
    for byte in UInt8.min...UInt8.max {
      var contents = [UInt8](repeating: 0x77, count: 128)
      contents[0x7F] = byte
      var bus = try busWith([(0x68, ForeignPart(contents))])
      let finding = bus.probe(0x68 as UInt8)
      let part = ICM20948.part(bank: byte)
      expect(part != nil, equals: [0x10, 0x20, 0x30].contains(byte))
      expect(finding?.answer, equals: part.map { .usable($0) } ?? .unknown(identity: 0x77))
      expect(finding?.mayBeClock, equals: part != nil)
    }
  }

  @Test static func `a clock that shows its seconds is suspicious, even as an identity of the family`() throws {
    var bus = try busWith([(0x68, ForeignPart([UInt8](repeating: 0x12, count: 19)))])
    let finding = bus.probe(0x68 as UInt8)
    expect(finding?.answer, equals: .usable(.mpu6050, 0x12))
    expect(finding?.mayBeClock, equals: true)
  }

  @Test static func `an interrupt that any read clears is cleared, as the documentation warns`() throws {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }
    var bus = try busWith([(0x68, part)], clock)
    try write(&bus, at: 0x68, [0x6B, 0x01])
    try write(&bus, at: 0x68, [0x37, 0x30, 0x01])  // latched, cleared by any read; data ready
    clock.advance(by: .milliseconds(100))
    expect(part.interruptPin, equals: .high)
    _ = bus.probe()
    expect(part.interruptPin, equals: .low)
  }

  @Test static func `a part without registers takes the pointer as data, unless its address is left out`() throws {
    final class Converter: EmulatedTarget {
      var configuration: UInt8 = 0x90
      func receive(_ bytes: Span<UInt8>) { for index in bytes.indices { configuration = bytes[index] } }
      func transmit(into buffer: inout MutableSpan<UInt8>) { for index in buffer.indices { buffer[index] = 0 } }
      func powerCycle() {}
    }
    let converter = Converter()
    var bus = try busWith([(0x68, converter)])
    for place: UInt8 in [0x1D, 0x53, 0x69] { expect(bus.probe(place), equals: nil) }
    expect(converter.configuration, equals: 0x90)
    expect(bus.probe(0x68 as UInt8)?.answer, equals: .noIdentity(reading: 0x00))
    expect(converter.configuration, equals: 0x7F)
  }
}
