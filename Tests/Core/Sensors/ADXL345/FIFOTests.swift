import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// No sample is lost without a report and none comes twice, for each interpretation of the data sheet's FIFO.
struct FIFOTests {
  typealias Reading = FIFOPart.Reading

  @Test(arguments: Reading.allCases)
  static func `a reader late by less than the FIFO's depth gets every sample once; a later one gets a report`(
    _ reading: Reading
  ) throws {
    for lateness in 0...80 {
      let rig = FIFORig(reading)
      _ = try rig.driver.start()
      rig.part.make(5)
      try rig.take()
      rig.part.make(lateness)
      try rig.take()
      // All but the samples that fill the FIFO: then a loss is reported, because the next sample may be the first one
      // lost.
      expect(rig.batches, equals: [false, lateness > 31])
      expect(that: rig.isStrictlyAscending)
      expect(rig.samples.last?.number, equals: Int32(5 + lateness) - reading.unreachable)
      if lateness <= 31 { expect(rig.missing, equals: []) } else { expect(that: rig.tellsEveryGap(reading)) }
      expect(rig.samples.first?.number, equals: 1)
    }
  }

  @Test(arguments: Reading.allCases)
  static func `after a reported loss the following samples are complete again`(_ reading: Reading) throws {
    let rig = FIFORig(reading)
    _ = try rig.driver.start()
    rig.part.make(1_000)
    try rig.take()
    for _ in 0..<20 {
      rig.part.make(16)
      try rig.take()
    }
    expect(rig.batches.first, equals: true)
    expect(all: rig.batches.dropFirst()) { $0 == false }
    let whole = 1_001 - reading.unreachable...1_320 - reading.unreachable
    expect(Array(rig.samples.map(\.number).suffix(320)), equals: Array(whole))
  }

  @Test(arguments: Reading.allCases)
  static func `whenever samples come and a batch is delayed, each comes once or its loss is reported`(
    _ reading: Reading
  ) throws {
    var random = SplitMix64(seed: 800)
    for _ in 0..<600 {
      let rig = FIFORig(reading, log: BusLog(capacity: 0))
      _ = try rig.driver.start()
      // One sample per so many transactions, and sometimes a long pause.
      let pace = Int.random(in: 1...12, using: &random)
      let pauses = Int.random(in: 20...400, using: &random)
      rig.part.beforeTransaction = {
        if Int.random(in: 0..<pace, using: &random) == 0 { rig.part.make(1) }
        if Int.random(in: 0..<pauses, using: &random) == 0 { rig.part.make(Int.random(in: 1...60, using: &random)) }
      }
      for _ in 0..<30 {
        rig.part.make(Int.random(in: 0...24, using: &random))
        try rig.take()
      }
      // The next batch reports what the last one found.
      rig.part.beforeTransaction = {}
      rig.part.make(2)
      try rig.take()
      expect(that: rig.isStrictlyAscending)
      expect(that: rig.tellsEveryGap(reading))
      // A full FIFO costs five discarded samples; up to 33 wait at the end.
      let gone = Int(rig.part.made) - rig.samples.count - rig.part.lost.count
      expect(gone, isAtMost: 33 + 5 * rig.batches.count { $0 == true }, "\(gone)")
    }
  }

  @Test(arguments: Reading.allCases)
  static func `a batch takes one transaction for the count and one per sample, and reads no more than wait`(
    _ reading: Reading
  )
    throws
  {
    for waiting in 0..<32 {
      let rig = FIFORig(reading)
      _ = try rig.driver.start()
      rig.part.make(waiting)
      let before = rig.log.transactionCount
      try rig.take()
      let read = max(0, waiting - Int(reading.unreachable))
      expect(rig.samples.count, equals: read)
      expect(rig.log.transactionCount - before, equals: read + 1)
      expect(rig.driver.transactions, equals: UInt64(rig.log.transactionCount))
      expect(all: rig.log.transactions.dropFirst(before)) { $0.written != [0x32] || $0.read.count == 8 }
    }
  }

  @Test(arguments: Reading.allCases)
  static func `a sample from before the start is not taken for one of the FIFO`(_ reading: Reading) throws {
    let rig = FIFORig(reading)
    _ = try rig.driver.start()
    rig.part.make(7)
    _ = try rig.driver.start()
    rig.part.make(3)
    try rig.take()
    rig.part.make(40)
    _ = try rig.driver.start()
    rig.part.make(2)
    try rig.take()
    expect(rig.samples.map(\.number), equals: (reading == .behind ? [8, 9, 51] : [8, 9, 10, 51, 52]))
    expect(rig.batches, equals: [false, false])
  }
}

/// Every transaction of a batch fails once, in every way.
struct FIFOFaultTests {
  /// The transactions of a start with a FIFO.
  static let start = 14

  /// The transactions of a batch after ten samples: the status, and the samples.
  private static func batch(_ reading: FIFOPart.Reading) -> Int { 11 - Int(reading.unreachable) }

  @Test(arguments: FIFOPart.Reading.allCases, ConformanceTests.faults)
  static func `a bus fault at any transaction is reported unchanged, and loses or doubles no sample`(
    _ reading: FIFOPart.Reading, _ fault: I2CFault
  ) throws {
    for transaction in 0..<batch(reading) {
      let rig = FIFORig(reading, plan: [.init(.fault(fault), .transaction(FIFOFaultTests.start + transaction))])
      _ = try rig.driver.start()
      rig.part.make(10)
      expect(throws: SensorError.bus(fault)) { try rig.take() }
      expect(rig.log.transactionCount, equals: FIFOFaultTests.start + transaction + 1)
      rig.part.make(4)
      try rig.take()
      expect(rig.samples.map(\.number), equals: Array(1...14 - reading.unreachable))
      // A read that was not acknowledged has taken nothing; one that broke off may have.
      let mayHaveTaken = ![.noAcknowledge, .unsupported, .notPermitted, .busy, .unavailable].contains(fault)
      expect(rig.batches, equals: (transaction == 0 ? [nil, false] : [false, mayHaveTaken]))
      rig.part.make(4)
      try rig.take()
      expect(rig.batches.last, equals: false)
    }
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  static func `a read that ends too soon may have cost its sample, which the next batch reports`(
    _ reading: FIFOPart.Reading
  )
    throws
  {
    for transaction in 0..<batch(reading) {
      let rig = FIFORig(
        reading, plan: [.init(.shortRead(received: 1), .transaction(FIFOFaultTests.start + transaction))])
      _ = try rig.driver.start()
      rig.part.make(10)
      let error = sensorError { () throws(SensorError) in try rig.take() }
      expect(error, equals: .bus(.shortRead(expected: transaction == 0 ? 2 : 8, received: 1)))
      // At least one sample, after which there can be a gap.
      rig.part.make(2)
      try rig.take()
      expect(rig.batches, equals: (transaction == 0 ? [nil, false] : [false, true]))
    }
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  static func `a loss found by a check that failed is reported by the next one`(_ reading: FIFOPart.Reading) throws {
    let rig = FIFORig(reading, plan: [.init(.noAcknowledge, .transaction(FIFOFaultTests.start + 2))])
    _ = try rig.driver.start()
    rig.part.make(100)
    expect(throws: SensorError.bus(.noAcknowledge)) { try rig.take() }
    try rig.take()
    try rig.take()
    expect(rig.batches, equals: [nil, true, false])
    expect(that: rig.isStrictlyAscending)
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  static func `a loss found before a start is not reported after it`(_ reading: FIFOPart.Reading) throws {
    let rig = FIFORig(reading, plan: [.init(.noAcknowledge, .transaction(FIFOFaultTests.start + 2))])
    _ = try rig.driver.start()
    rig.part.make(100)
    expect(throws: SensorError.bus(.noAcknowledge)) { try rig.take() }
    _ = try rig.driver.start()
    rig.part.make(10)
    try rig.take()
    expect(rig.batches.last, equals: false)
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  static func `a brown-out at any transaction ends the batch and gives no wrong sample`(_ reading: FIFOPart.Reading)
    throws
  {
    for transaction in 0..<batch(reading) {
      let rig = FIFORig(reading, plan: [.init(.brownOut, .transaction(FIFOFaultTests.start + transaction))])
      _ = try rig.driver.start()
      rig.part.make(10)
      expect(throws: SensorError.configurationLost) { try rig.take() }
      let before = Array(1...10).prefix(max(0, transaction - 1)).map { Int32($0) }
      expect(rig.samples.map(\.number), equals: before)
      expect(throws: SensorError.configurationLost) { try rig.take() }
      _ = try rig.driver.start()
      rig.part.make(3)
      try rig.take()
      expect(rig.samples.map(\.number), equals: before + Array(11...13 - reading.unreachable))
      expect(rig.batches.last, equals: false)
    }
  }

  private static let stream = ADXL345.Configuration(rate: .hz800, fifo: .stream(watermark: .init(nearest: 16)))

  @Test static func `too high an entry count repeats no sample, and what follows is reported to follow a gap`()
    throws
  {
    for wrong: UInt8 in 0...31 {
      // Five wait; the counts in the bursts are right.
      let reads = wrong <= 5 ? wrong : 1
      var steps: [BusScript.Step] = [.writeRead([0x38], reply: [0x90, wrong], at: ADXL345.address)]
      for read in 0..<reads {
        steps.append(.writeRead([0x32], reply: [1, 0, 0, 0, 0, 0, 0x90, 4 - read], at: ADXL345.address))
      }
      steps.append(.writeRead([0x38], reply: [0x90, 1], at: ADXL345.address))
      let script = BusScript(steps)
      var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: Self.stream)
      var batch = SampleBatch()
      let waiting = try driver.waiting()
      expect(waiting.count, equals: Int(wrong))
      expect(that: !waiting.followsGap)
      try driver.take(waiting.count, into: &batch)
      expect(batch.count, equals: Int(reads))
      try expect(driver.waiting().followsGap, equals: wrong > 5)
      expect(script.complaints, equals: [])
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  static func `an impossible FIFO_CTL or FIFO_STATUS is a lost configuration`(_ byte: UInt8) {
    for isControl in [false, true] {
      let reply = isControl ? [byte, 0x00] : [0x90, byte & 0x80 | max(33, byte & 0x7F)]
      let expected: SensorError? = isControl && byte == 0x90 ? nil : .configurationLost
      var looking = ADXL345.Device(
        bus: ScriptedBus([.writeRead([0x38], reply: reply, at: ADXL345.address)]), configuration: Self.stream)
      expect(sensorError { () throws(SensorError) in _ = try looking.waiting() }, equals: expected)
      var taking = ADXL345.Device(
        bus: ScriptedBus([.writeRead([0x32], reply: [1, 0, 0, 0, 0, 0] + reply, at: ADXL345.address)]),
        configuration: Self.stream)
      var batch = SampleBatch()
      expect(sensorError { () throws(SensorError) in try taking.take(1, into: &batch) }, equals: expected)
      expect(batch.count, equals: expected == nil ? 1 : 0)
    }
  }
}
