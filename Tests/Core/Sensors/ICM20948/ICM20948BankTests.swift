import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The bank that is selected: after a reset of the host, after faults, and when another program changes it.
struct ICM20948BankTests {
  private static let faults: [FaultPlan.Effect] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .fault(.other(code: 5)), .hang(.milliseconds(35)),
  ]

  @Test(arguments: 0...3 as ClosedRange<UInt8>, [nil, ICM20948.FIFO()])
  static func `a part that another host left in any bank is started, and ends in bank 0`(
    _ bank: UInt8, _ fifo: ICM20948.FIFO?
  ) throws {
    for divider in [0x0A, 0xEA] as [UInt8] {
      let rig = ICM20948Rig(ICM20948Rig.force, ICM20948.Configuration(fifo: fifo))
      try rig.write([0x06, 0x01])
      // In bank 2, register 0 is a divider, which can look like an identity.
      try rig.write([0x7F, 0x20])
      try rig.write([0x00, divider])
      try rig.write([0x7F, bank << 4])
      try expect(that: !rig.adopt())
      try rig.start()
      try expect(rig.registers(0x7F), equals: [0x00])
      try expect(all: rig.nextSamples().samples) { $0 == ICM20948Rig.force.vector }
      expect(rig.part.reservedWrites, equals: 0)
    }
  }

  /// The transactions of a start during which another bank than 0 is selected.
  private static func switched(_ rig: ICM20948Rig) -> [Int] {
    var (bank, found) = (0 as UInt8, [] as [Int])
    for (number, transaction) in rig.log.transactions.enumerated() {
      if bank != 0 || transaction.written.first == 0x7F && transaction.written.count == 2 { found.append(number) }
      if transaction.written.count == 2, transaction.written[0] == 0x7F { bank = transaction.written[1] }
    }
    return found
  }

  @Test static func `bank 0 is selected again after a fault at any transaction within a switch`() throws {
    let clean = ICM20948Rig()
    try clean.start()
    let numbers = switched(clean)
    expect(numbers.count, equals: 8)
    for number in numbers {
      for effect in Self.faults + [.shortRead(received: 1), .corruptByte(index: 0, mask: 0xFF)] {
        let rig = ICM20948Rig(plan: [.init(effect, .transaction(number))])
        let error = sensorError { () throws(SensorError) in try rig.start() }
        let isWrite = clean.log.transactions[number].read.isEmpty
        if isWrite, case .shortRead = effect { continue }
        if isWrite, case .corruptByte = effect { continue }
        expect(error, isNot: nil, "\(effect) at \(number)")
        try expect(rig.registers(0x7F), equals: [0x00], "\(effect) at \(number)")
        expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
        try rig.start()
        try expect(rig.nextSample(), equals: ICM20948Rig.force.vector)
      }
    }
  }

  @Test static func `if that fails too, the next access does it, whichever it is`() throws {
    let clean = ICM20948Rig()
    try clean.start()
    for number in switched(clean) {
      for length in 2...4 {
        let rig = ICM20948Rig(plan: [.init(.timedOut, .transactions(number..<(number + length)))])
        var errors = 0
        var turns = 0
        while turns < 20 {
          turns += 1
          let error = sensorError { () throws(SensorError) in
            while try rig.proceed() {}
          }
          guard error != nil else { break }
          errors += 1
        }
        expect(errors, isIn: 1...3, "\(length) from \(number)")
        try expect(rig.registers(0x7F), equals: [0x00])
        try expect(rig.nextSample(), equals: ICM20948Rig.force.vector, "\(length) from \(number)")
      }
    }
  }

  @Test static func `a brown-out at any transaction within a switch is detected by the start`() throws {
    let clean = ICM20948Rig()
    try clean.start()
    for number in switched(clean) {
      let rig = ICM20948Rig(plan: [.init(.brownOut, .transaction(number))])
      let error = sensorError { () throws(SensorError) in try rig.start() }
      guard case .configurationRejected = error else {
        Issue.record("\(String(describing: error)) at \(number)")
        continue
      }
      try rig.start()
      try expect(rig.nextSample(), equals: ICM20948Rig.force.vector)
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt8>)
  static func `another program that selects a bank is noticed by the next check, and named`(_ bank: UInt8) throws {
    let rig = ICM20948Rig(ICM20948Rig.force, ICM20948.Configuration(samplesPerWatch: 5))
    try rig.start()
    try rig.write([0x7F, bank << 4])
    expect(
      sensorError { () throws(SensorError) in try rig.driver.verifyConfiguration() },
      equals: .configurationChanged(register: 0x7F, wrote: 0, read: bank << 4))
    let error = sensorError { () throws(SensorError) in for _ in 0..<6 { _ = try rig.nextSample() } }
    expect(error, equals: .configurationLost)
    try rig.start()
    try expect(rig.nextSample(), equals: ICM20948Rig.force.vector)
  }

  @Test static func `a check names the first register of bank 0 that another program has changed`() throws {
    for (register, value, fifo) in [
      (0x03, 0x40, nil), (0x05, 0x20, nil), (0x07, 0x00, nil), (0x0F, 0x00, nil), (0x11, 0x01, nil),
      (0x12, 0x06, nil), (0x67, 0x01, nil), (0x67, 0x11, .init()), (0x69, 0x01, .init()),
    ] as [(UInt8, UInt8, ICM20948.FIFO?)] {
      let rig = ICM20948Rig(ICM20948Rig.force, ICM20948.Configuration(fifo: fifo))
      try rig.start()
      try rig.driver.verifyConfiguration()
      let wrote = try rig.registers(register)[0]
      try rig.write([register, value])
      expect(
        sensorError { () throws(SensorError) in try rig.driver.verifyConfiguration() },
        equals: .configurationChanged(register: register, wrote: wrote, read: value))
    }
  }

  @Test static func `a reset by another program is noticed as a lost configuration`() throws {
    let rig = ICM20948Rig()
    try rig.start()
    try rig.write([0x06, 0x80])
    rig.clock.advance(by: .milliseconds(100))
    expect(sensorError { () throws(SensorError) in try rig.driver.verifyConfiguration() }, equals: .configurationLost)
    expect(sensorError { () throws(SensorError) in _ = try rig.sample() }, equals: .configurationLost)
  }

  @Test static func `a register of bank 2 that does not keep its value is named with 0x80 added`() throws {
    let clean = ICM20948Rig()
    try clean.start()
    let names: [UInt8: UInt8] = [0x00: 0x80, 0x09: 0x89, 0x10: 0x90]
    for number in switched(clean) where !clean.log.transactions[number].read.isEmpty {
      let rig = ICM20948Rig(plan: [.init(.corruptByte(index: 0, mask: 0x04), .transaction(number))])
      guard
        case .configurationRejected(let register, _, _) = sensorError(of: { () throws(SensorError) in try rig.start() })
      else {
        Issue.record("no error at \(number)")
        continue
      }
      expect(register, equals: names[clean.log.transactions[number].written[0]])
    }
  }

  @Test static func `a part that another driver of other ranges runs is not adopted, whatever else is alike`() throws {
    let ranges = ICM20948Facts.ranges.map(\.range)
    let gyroscopes: [ICM20948.GyroscopeRange?] = [nil] + ICM20948Facts.gyroscopeRanges.map(\.range)
    let clock = VirtualClock()
    let part = EmulatedICM20948(motion: ICM20948Rig.force) { clock.now }
    func device(_ range: ICM20948.Range, _ gyroscope: ICM20948.GyroscopeRange?) -> ICM20948.Device<EmulatedBus> {
      ICM20948.Device(
        bus: EmulatedBus(part, at: ICM20948.address) { clock.now },
        configuration: ICM20948.Configuration(range: range, gyroscope: gyroscope))
    }
    for range in ranges {
      for gyroscope in gyroscopes {
        var host = device(range, gyroscope)
        clock.advance(by: try host.start())
        while let wait = try host.proceed() { clock.advance(by: wait) }
        for other in ranges {
          for otherGyroscope in gyroscopes {
            var guest = device(other, otherGyroscope)
            try expect(guest.adopt(), equals: other == range && otherGyroscope == gyroscope)
          }
        }
      }
    }
  }
}
