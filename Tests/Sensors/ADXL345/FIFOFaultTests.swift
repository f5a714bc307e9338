import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// Every transaction of a drain fails once, in every way.
@Suite struct FIFOFaultTests {
  /// Those of a start with a FIFO.
  static let start = 14
  /// Those of a drain of ten samples: the status, the samples and the look for one more.
  static let drain = 12

  @Test(arguments: FIFOPart.Reading.allCases, FaultTests.faults)
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
