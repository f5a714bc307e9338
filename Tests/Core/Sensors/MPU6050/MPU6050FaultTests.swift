import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// Every transaction of a start fails once, in every way; every register of use sticks once.
@Suite struct MPU6050FaultTests {
  static let faults: [I2CFault] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .unsupported, .notPermitted, .busy, .unavailable, .other(code: 5),
  ]
  /// Setups that between them use every transaction there is: a first-class part, and a later one with all it has.
  static let setups: [(identity: UInt8, configuration: MPU6050.Configuration, transactions: Int)] = [
    (0x68, MPU6050.Configuration(), 15),
    (0x68, MPU6050.Configuration(gyroscope: .dps250, fifo: MPU6050.FIFO(includesRotation: true)), 23),
    (0x71, MPU6050.Configuration(rate: .hz500, gyroscope: .dps2000), 17),
  ]
  static let data: [UInt8] = [0x20, 0x00, 0xE0, 0x01, 0x00, 0x10]

  private func bus(_ identity: UInt8, _ plan: FaultPlan, _ log: BusLog) -> EmulatedBus {
    let memory = MPU6050Memory(identity: identity, data: Self.data)
    return EmulatedBus(memory, at: MPU6050.address, plan: plan, log: log) { Instant(microseconds: 0) }
  }

  @Test(arguments: setups)
  func `a bus fault at any transaction is reported as it is, and the next start works`(
    _ row: (identity: UInt8, configuration: MPU6050.Configuration, transactions: Int)
  ) throws {
    for fault in Self.faults {
      for number in 0..<row.transactions {
        let log = BusLog()
        var driver = MPU6050.Device(
          bus: bus(row.identity, [.init(.fault(fault), .transaction(number))], log), configuration: row.configuration)
        #expect(sensorError { () throws(SensorError) in try driver.startWholly() } == .bus(fault))
        #expect(log.transactionCount == number + 1)
        #expect(throws: SensorError.configurationLost) { try driver.sample() }
        try driver.startWholly()
        #expect(try driver.sample() == MPU6050SampleTests.force)
        #expect(driver.transactions == UInt64(log.transactionCount))
        #expect(log.transactionCount == number + 1 + row.transactions + 1)
      }
    }
  }

  @Test(arguments: setups)
  func `after a bus fault the start can also be gone on with`(
    _ row: (identity: UInt8, configuration: MPU6050.Configuration, transactions: Int)
  ) throws {
    for number in 0..<row.transactions {
      let log = BusLog()
      var driver = MPU6050.Device(
        bus: bus(row.identity, [.init(.timedOut, .transaction(number))], log), configuration: row.configuration)
      #expect(sensorError { () throws(SensorError) in try driver.startWholly() } == .bus(.timedOut))
      var turns = 0
      while turns < 100, try driver.proceed() != nil { turns += 1 }
      #expect(turns <= 3)
      #expect(try driver.sample() == MPU6050SampleTests.force)
      // From the identity on, or from the last step on.
      #expect(log.transactionCount <= number + 1 + row.transactions + 1)
    }
  }

  @Test(arguments: setups)
  func `a read that ends too soon is reported with its length`(
    _ row: (identity: UInt8, configuration: MPU6050.Configuration, transactions: Int)
  ) throws {
    let clean = BusLog()
    var driver = MPU6050.Device(bus: bus(row.identity, .none, clean), configuration: row.configuration)
    try driver.startWholly()
    for (number, transaction) in clean.transactions.enumerated() {
      let length = transaction.read.count
      let plan: FaultPlan = [.init(.shortRead(received: 0), .transaction(number))]
      var driver = MPU6050.Device(bus: bus(row.identity, plan, BusLog()), configuration: row.configuration)
      let error = sensorError { () throws(SensorError) in try driver.startWholly() }
      // A write has no length to be short of.
      #expect(error == (length == 0 ? nil : .bus(.shortRead(expected: length, received: 0))))
    }
  }

  @Test(arguments: 0..<15)
  func `a part that was measuring is not read after a new start has failed`(_ number: Int) throws {
    let log = BusLog()
    var driver = MPU6050.Device(bus: bus(0x68, [.init(.timedOut, .transaction(15 + number))], log))
    try driver.startWholly()
    #expect(sensorError { () throws(SensorError) in try driver.startWholly() } == .bus(.timedOut))
    #expect(throws: SensorError.configurationLost) { try driver.sample() }
    #expect(log.transactionCount == 15 + number + 1)
  }

  @Test func `a fault in a sample needs no new start once it is over`() throws {
    let log = BusLog()
    var driver = MPU6050.Device(bus: bus(0x68, [.init(.noAcknowledge, .transactions(15..<20))], log))
    try driver.startWholly()
    for _ in 0..<5 { #expect(throws: SensorError.bus(.noAcknowledge)) { try driver.sample() } }
    #expect(try driver.sample() == MPU6050SampleTests.force)
    #expect(log.transactionCount == 21)
  }

  @Test func `a bus without the part reports that nobody acknowledges`() {
    var driver = MPU6050.Device(bus: EmulatedBus { Instant(microseconds: 0) })
    #expect(sensorError { () throws(SensorError) in _ = try driver.start() } == .bus(.noAcknowledge))
    #expect(sensorError { () throws(SensorError) in _ = try driver.proceed() } == .bus(.noAcknowledge))
    #expect(driver.transactions == 2)
  }

  @Test func `reopening is passed on and is no transaction`() throws {
    let log = BusLog()
    var driver = MPU6050.Device(
      bus: bus(0x68, [.init(.reopenFault(.unavailable), .transactions(0..<1))], log))
    #expect(throws: SensorError.bus(.unavailable)) { try driver.reopen() }
    #expect(driver.transactions == 0)
    try driver.startWholly()
    #expect(sensorError { () throws(SensorError) in try driver.reopen() } == nil)
    #expect(log.reopenCount == 2)
    #expect(driver.transactions == 15)
  }

  /// Every register that a setup writes and reads back, and what it wrote.
  static let stuck: [(setup: Int, register: UInt8, wrote: UInt8)] = [
    (0, 0x19, 0x09), (0, 0x1A, 0x03), (0, 0x1B, 0x00), (0, 0x1C, 0x08), (0, 0x23, 0x00), (0, 0x37, 0x08),
    (0, 0x38, 0x00), (0, 0x6A, 0x00), (0, 0x6C, 0x07), (1, 0x1B, 0x00), (1, 0x38, 0x10), (1, 0x6C, 0x00),
    (2, 0x19, 0x01), (2, 0x1B, 0x18), (2, 0x1D, 0x03), (3, 0x1D, 0x07), (3, 0x1E, 0x07), (3, 0x6C, 0x07),
  ]

  @Test(arguments: stuck)
  func `a register that does not keep its value is named, with both values`(
    _ row: (setup: Int, register: UInt8, wrote: UInt8)
  ) {
    for bit in 0..<8 as Range<UInt8> {
      let read = row.wrote ^ (1 << bit)
      let setup = Self.setups[row.setup]
      let memory = MPU6050Memory(identity: setup.identity, stuck: [row.register: read])
      let log = BusLog()
      var driver = memory.driver(setup.configuration, log: log)
      let error = sensorError { () throws(SensorError) in try driver.startWholly() }
      #expect(error == .configurationRejected(register: row.register, wrote: row.wrote, read: read))
      #expect(throws: SensorError.configurationLost) { try driver.sample() }
      // It is not gone on with: the next step is a reset.
      #expect(sensorError { () throws(SensorError) in _ = try driver.proceed() } == nil)
      #expect(log.transactions.suffix(2).map(\.written) == [[0x75], [0x6B, 0x80]])
    }
  }

  @Test(arguments: [(0, 0x00 as UInt8), (1, 0x01), (2, 0x01), (3, 0x28)])
  func `a part that does not stay awake as it was told is refused`(_ row: (setup: Int, wrote: UInt8)) {
    for bit in 0..<7 as Range<UInt8> {
      let setup = Self.setups[row.setup]
      let read = row.wrote ^ (1 << bit)
      var driver = MPU6050Memory(identity: setup.identity, stuck: [0x6B: read]).driver(setup.configuration)
      let error = sensorError { () throws(SensorError) in try driver.startWholly() }
      #expect(error == .configurationRejected(register: 0x6B, wrote: row.wrote, read: read))
    }
    var driver = MPU6050Memory(stuck: [0x6B: 0x80]).driver()
    #expect(sensorError { () throws(SensorError) in try driver.startWholly() } == .resetTimedOut)
  }

  @Test(arguments: [(0x23 as UInt8, 0x78 as UInt8), (0x6A, 0x40)])
  func `a FIFO that does not start is refused`(_ row: (register: UInt8, wrote: UInt8)) {
    // Stuck at what the configuration wants: only the start of the FIFO can notice.
    var driver = MPU6050Memory(stuck: [row.register: 0x00]).driver(Self.setups[1].configuration)
    let error = sensorError { () throws(SensorError) in try driver.startWholly() }
    #expect(error == .configurationRejected(register: row.register, wrote: row.wrote, read: 0x00))
  }

  @Test func `registers of no interest may read anything`() throws {
    var driver = MPU6050Memory(stuck: [0x39: 0xFF, 0x3A: 0xEF, 0x06: 0x12, 0x68: 0xFF]).driver(
      MPU6050.Configuration(samplesPerWatch: 1))
    try driver.startWholly()
    #expect(try driver.sample() == .zero)
  }
}
