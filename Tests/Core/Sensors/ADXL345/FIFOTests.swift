import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// No sample is lost untold, none comes twice, in each way in which the data sheet's FIFO can be read.
@Suite struct FIFOTests {
  typealias Reading = FIFOPart.Reading

  @Test(arguments: Reading.allCases)
  func `a reader that is late by up to the FIFO's depth gets every sample once, and one that is later is told`(
    _ reading: Reading
  ) throws {
    for lateness in 0...80 {
      let rig = FIFORig(reading)
      _ = try rig.driver.start()
      rig.part.make(5)
      try rig.drain()
      rig.part.make(lateness)
      try rig.drain()
      // All but those that make the FIFO full: then it is told, and the next one may be the first to be lost.
      let mostUntold = reading == .behind ? 32 : 31
      #expect(rig.batches == [false, lateness > mostUntold])
      #expect(rig.isStrictlyAscending)
      if lateness <= 32 {
        #expect(rig.samples.map(\.number) == Array(1...Int32(5 + lateness)))
      } else {
        #expect(rig.missing.isEmpty == rig.part.lost.isEmpty)
        #expect(rig.tellsEveryGap())
      }
    }
  }

  @Test(arguments: Reading.allCases)
  func `once a loss was told, the samples that follow are whole again`(_ reading: Reading) throws {
    let rig = FIFORig(reading)
    _ = try rig.driver.start()
    rig.part.make(1_000)
    try rig.drain()
    for _ in 0..<20 {
      rig.part.make(16)
      try rig.drain()
    }
    #expect(rig.batches.first == true)
    #expect(rig.batches.dropFirst().allSatisfy { $0 == false })
    #expect(Array(rig.samples.map(\.number).suffix(320)) == Array(1_001...1_320))
  }

  @Test(arguments: Reading.allCases, [false, true])
  func `whenever samples come during a drain, and however long it is held up, each comes once or its loss is told`(
    _ reading: Reading, _ isStream: Bool
  ) throws {
    var random = SplitMix64(seed: 800)
    let level = ADXL345.FIFO.Level(nearest: 16)
    for _ in 0..<300 {
      let rig = FIFORig(reading, isStream ? .stream(watermark: level) : .untilFull(watermark: level))
      _ = try rig.driver.start()
      // One sample in so many transactions, and sometimes a long pause.
      let pace = Int.random(in: 1...12, using: &random)
      let pauses = Int.random(in: 20...400, using: &random)
      rig.part.beforeTransaction = {
        if Int.random(in: 0..<pace, using: &random) == 0 { rig.part.make(1) }
        if Int.random(in: 0..<pauses, using: &random) == 0 { rig.part.make(Int.random(in: 1...60, using: &random)) }
      }
      for _ in 0..<30 {
        rig.part.make(Int.random(in: 0...24, using: &random))
        try rig.drain()
      }
      #expect(rig.isStrictlyAscending)
      #expect(rig.tellsEveryGap(isStream: isStream))
      #expect(Set(rig.missing).isSubset(of: rig.part.lost))
      if rig.part.lost.isEmpty { #expect(rig.missing == []) }
    }
  }

  @Test(arguments: Reading.allCases)
  func `a drain reads no more than waits, and takes two transactions and one for each sample`(_ reading: Reading) throws
  {
    for waiting in 0...33 {
      let rig = FIFORig(reading)
      _ = try rig.driver.start()
      rig.part.make(waiting)
      let before = rig.log.transactionCount
      try rig.drain()
      let read = min(waiting, reading == .none ? 32 : 33)
      #expect(rig.samples.count == read)
      #expect(rig.log.transactionCount - before == read + 2)
      #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
      #expect(rig.log.transactions.dropFirst(before).allSatisfy { $0.written != [0x32] || $0.read.count == 8 })
    }
  }

  @Test(arguments: Reading.allCases)
  func `a sample from before the start is not taken for one of the FIFO`(_ reading: Reading) throws {
    let rig = FIFORig(reading)
    _ = try rig.driver.start()
    rig.part.make(7)
    _ = try rig.driver.start()
    rig.part.make(3)
    try rig.drain()
    #expect(rig.samples.map(\.number) == [8, 9, 10])
    rig.part.make(40)
    _ = try rig.driver.start()
    rig.part.make(2)
    try rig.drain()
    #expect(rig.samples.map(\.number) == [8, 9, 10, 51, 52])
    #expect(rig.batches == [false, false])
  }

  @Test func `what is retained for a trigger stays until it has come`() throws {
    let rig = FIFORig(.behind, .trigger(retained: .init(nearest: 8), pin: .int1))
    _ = try rig.driver.start()
    rig.part.make(20)
    try rig.drain()
    try rig.drain()
    #expect(rig.samples.isEmpty)
    let script = BusScript([
      .writeRead([0x38], reply: [0xC8, 0x00], at: ADXL345.address),
      .writeRead([0x38], reply: [0xC8, 0x81], at: ADXL345.address),
      .writeRead([0x32], reply: [1, 0, 0, 0, 0, 0, 0xC8, 0x80], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x00, 0x0D, 0x08, 0x00, 0x00, 0x00], at: ADXL345.address),
      // Triggered for good, even if the bit should not stay.
      .writeRead([0x38], reply: [0xC8, 0x01], at: ADXL345.address),
      .writeRead([0x32], reply: [2, 0, 0, 0, 0, 0, 0xC8, 0x00], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x00, 0x0D, 0x08, 0x00, 0x00, 0x00], at: ADXL345.address),
    ])
    var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: rig.driver.configuration)
    var batch = ADXL345.Batch()
    for expected in [nil, 1, 2] as [Int32?] {
      try driver.drain(into: &batch)
      #expect(batch[0]?.x == expected.map { Q16(raw: $0 * 256) })
    }
    #expect(script.mismatches == [])
    #expect(script.leftovers == [])
  }
}

/// Every transaction of a drain fails once, in every way.
@Suite struct FIFOFaultTests {
  /// Those of a start with a FIFO.
  static let start = 14
  /// Those of a drain of ten samples: the status, the samples and the look for one more.
  static let drain = 12

  @Test(arguments: FIFOPart.Reading.allCases, ConformanceTests.faults)
  func `a bus fault at any transaction is reported as it is, and no sample is lost or doubled by it`(
    _ reading: FIFOPart.Reading, _ fault: I2CFault
  ) throws {
    for transaction in 0..<FIFOFaultTests.drain {
      let rig = FIFORig(reading, plan: [.init(.fault(fault), .transaction(FIFOFaultTests.start + transaction))])
      _ = try rig.driver.start()
      rig.part.make(10)
      #expect(throws: SensorError.bus(fault)) { try rig.drain() }
      #expect(rig.log.transactionCount == FIFOFaultTests.start + transaction + 1)
      rig.part.make(4)
      try rig.drain()
      #expect(rig.samples.map(\.number) == Array(1...14))
      // A read that nobody acknowledged has taken nothing; one that broke off may have.
      let isData = rig.log.transactions.dropFirst(FIFOFaultTests.start + transaction).first?.written == [0x32]
      let mayHaveTaken = ![.noAcknowledge, .unsupported, .notPermitted, .busy, .unavailable].contains(fault)
      #expect(rig.batches == [nil, isData && mayHaveTaken])
      rig.part.make(4)
      try rig.drain()
      #expect(rig.batches.last == false)
    }
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  func `a read that ends too soon may have cost its sample, which the next batch tells`(_ reading: FIFOPart.Reading)
    throws
  {
    for transaction in 0..<FIFOFaultTests.drain {
      let rig = FIFORig(
        reading, plan: [.init(.shortRead(received: 1), .transaction(FIFOFaultTests.start + transaction))])
      _ = try rig.driver.start()
      rig.part.make(10)
      let error = sensorError { () throws(SensorError) in try rig.drain() }
      let written = rig.log.transactions.dropFirst(FIFOFaultTests.start + transaction).first?.written
      let length = written == [0x32] ? 8 : written == [0x38] ? 2 : 6
      #expect(error == .bus(.shortRead(expected: length, received: 1)))
      try rig.drain()
      #expect(rig.batches == [nil, written == [0x32]])
    }
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  func `a loss that was found by a drain that failed is told by the next one`(_ reading: FIFOPart.Reading) throws {
    let rig = FIFORig(reading, plan: [.init(.noAcknowledge, .transaction(FIFOFaultTests.start + 2))])
    _ = try rig.driver.start()
    rig.part.make(100)
    #expect(throws: SensorError.bus(.noAcknowledge)) { try rig.drain() }
    try rig.drain()
    try rig.drain()
    #expect(rig.batches == [nil, true, false])
    #expect(rig.isStrictlyAscending)
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  func `a loss that was found before a start is not told after it`(_ reading: FIFOPart.Reading) throws {
    let rig = FIFORig(reading, plan: [.init(.noAcknowledge, .transaction(FIFOFaultTests.start + 2))])
    _ = try rig.driver.start()
    rig.part.make(100)
    #expect(throws: SensorError.bus(.noAcknowledge)) { try rig.drain() }
    _ = try rig.driver.start()
    rig.part.make(10)
    try rig.drain()
    #expect(rig.batches.last == false)
  }

  @Test(arguments: FIFOPart.Reading.allCases)
  func `a dip of the supply at any transaction ends the drain and gives no wrong sample`(_ reading: FIFOPart.Reading)
    throws
  {
    for transaction in 0..<FIFOFaultTests.drain {
      let rig = FIFORig(reading, plan: [.init(.brownOut, .transaction(FIFOFaultTests.start + transaction))])
      _ = try rig.driver.start()
      rig.part.make(10)
      #expect(throws: SensorError.configurationLost) { try rig.drain() }
      let whole = rig.log.transactions.dropFirst(FIFOFaultTests.start).prefix(transaction)
      let read = whole.count { $0.written == [0x32] }
      #expect(rig.samples.map(\.number) == Array(1...10).prefix(read).map { Int32($0) })
      #expect(throws: SensorError.configurationLost) { try rig.drain() }
      _ = try rig.driver.start()
      rig.part.make(3)
      try rig.drain()
      #expect(rig.samples.suffix(3).map(\.number) == [11, 12, 13])
      #expect(rig.batches.last == false)
    }
  }

  @Test func `a number of entries that came wrong repeats no sample and loses none`() throws {
    for wrong: UInt8 in 0...32 {
      var steps: [BusScript.Step] = [.writeRead([0x38], reply: [0x90, wrong], at: ADXL345.address)]
      // Five wait; what is left is right in the bursts.
      for left in (0..<5).reversed() where 5 - left <= Int(wrong) {
        steps.append(.writeRead([0x32], reply: [1, 0, 0, 0, 0, 0, 0x90, UInt8(left)], at: ADXL345.address))
      }
      steps.append(.writeRead([0x2B], reply: [0x00, 0x0D, 0x08, 0x00, 0x00, 0x00], at: ADXL345.address))
      let script = BusScript(steps)
      var driver = ADXL345.Device(
        bus: ScriptedBus(script),
        configuration: ADXL345.Configuration(rate: .hz800, fifo: .stream(watermark: .init(nearest: 16))))
      var batch = ADXL345.Batch()
      try driver.drain(into: &batch)
      #expect(batch.count == min(5, Int(wrong)))
      #expect(script.mismatches == [])
      #expect(script.leftovers == [])
    }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `a FIFO_CTL or a FIFO_STATUS that cannot be ends the drain`(_ byte: UInt8) {
    for isControl in [false, true] {
      let reply = isControl ? [byte, 0x00] : [0x90, byte & 0x80 | max(33, byte & 0x7F)]
      var driver = ADXL345.Device(
        bus: ScriptedBus([
          .writeRead([0x38], reply: reply, at: ADXL345.address),
          .writeRead([0x2B], reply: [0x00, 0x0D, 0x08, 0x00, 0x00, 0x00], at: ADXL345.address),
        ]), configuration: ADXL345.Configuration(rate: .hz800, fifo: .stream(watermark: .init(nearest: 16))))
      var batch = ADXL345.Batch()
      let error = sensorError { () throws(SensorError) in try driver.drain(into: &batch) }
      #expect(error == (isControl && byte == 0x90 ? nil : .configurationLost))
    }
  }
}
