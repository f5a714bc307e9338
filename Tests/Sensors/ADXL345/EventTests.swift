import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// What the part says has happened.
@Suite struct EventTests {
  /// The registers from ACT_TAP_STATUS to INT_SOURCE as they are at 100 Hz with free fall looked for.
  static let registers: [UInt8] = [0x00, 0x0A, 0x08, 0x04, 0x00, 0x00]

  static func configuration() throws -> ADXL345.Configuration {
    let freeFall = try #require(ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))
    return ADXL345.Configuration(
      fifo: .stream(watermark: .init(nearest: 31)), detection: ADXL345.Detection(freeFall: freeFall))
  }

  @Test(arguments: 0..<6, UInt8.min...UInt8.max)
  func `a register between the axes and INT_SOURCE that is not as written shows a lost configuration`(
    _ index: Int, _ byte: UInt8
  ) throws {
    var reply = EventTests.registers
    reply[index] = byte
    var driver = ADXL345.Device(
      bus: ScriptedBus([.writeRead([0x2B], reply: reply, at: ADXL345.address)]),
      configuration: try EventTests.configuration())
    var report = ADXL345.EventReport()
    let error = sensorError { () throws(SensorError) in report = try driver.events() }
    switch index {
    case 0: #expect(error == (byte < 0x80 ? nil : .configurationLost))
    case 5: #expect(error == nil && report.events.rawValue == byte)
    default: #expect(error == (byte == EventTests.registers[index] ? nil : .configurationLost))
    }
  }

  @Test func `INT_MAP may read anything while nothing is mapped`() {
    for byte in UInt8.min...UInt8.max {
      var driver = ADXL345.Device(
        bus: ScriptedBus([.writeRead([0x2B], reply: [0, 0x0A, 0x08, 0x00, byte, 0], at: ADXL345.address)]))
      #expect(sensorError { () throws(SensorError) in _ = try driver.events() } == nil)
    }
  }

  @Test func `an event that a drain has seen is told by the next events, once, with conditions of that moment`() throws
  {
    let script = BusScript([
      .writeRead([0x38], reply: [0x9F, 0x00], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x10, 0x0A, 0x08, 0x04, 0x00, 0b0000_0100], at: ADXL345.address),
      .writeRead([0x38], reply: [0x9F, 0x00], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x10, 0x0A, 0x08, 0x04, 0x00, 0b0001_0011], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x20, 0x0A, 0x08, 0x04, 0x00, 0b1000_0000], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x20, 0x0A, 0x08, 0x04, 0x00, 0b0000_0000], at: ADXL345.address),
    ])
    var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: try EventTests.configuration())
    var batch = ADXL345.Batch()
    try driver.drain(into: &batch)
    try driver.drain(into: &batch)
    let first = try driver.events()
    #expect(first.events.rawValue == 0b1001_0100)
    #expect(first.activityAxes == ADXL345.Axes(y: true))
    let second = try driver.events()
    #expect(second.events == .none)
    #expect(script.mismatches == [])
    #expect(script.leftovers == [])
  }

  @Test func `a dip of the supply is noticed by the next events`() throws {
    let rig = Rig(Rig.force)
    rig.clock.advance(by: try rig.driver.start())
    rig.part.powerCycle()
    #expect(throws: SensorError.configurationLost) { try rig.driver.events() }
  }
}
