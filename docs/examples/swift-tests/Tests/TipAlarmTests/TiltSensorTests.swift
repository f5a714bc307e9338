import Plumb
import PlumbEmulation
import Testing
import TipAlarm

let address = EmulatedADXL345.address

/// An emulated sensor without noise, so that its bytes are known.
func quietSensor(_ motion: any Motion, _ clock: VirtualClock) -> EmulatedADXL345 {
  var configuration = EmulatedADXL345.Configuration()
  configuration.noise = .zero
  return EmulatedADXL345(motion: motion, configuration: configuration) { clock.now }
}

@Test func `the driver reads what the emulated sensor is made to feel`() throws {
  let clock = VirtualClock()
  let part = EmulatedADXL345(motion: AttitudePath.hold(.faceDown)) { clock.now }
  var sensor = TiltSensor(EmulatedBus(part, at: address) { clock.now }, at: address)
  try sensor.start()
  clock.advance(by: .milliseconds(20))
  let z = try sensor.z()
  #expect(abs(z - -1) < 0.03)
}

@Test func `the driver sends exactly these bytes`() throws {
  let script = BusScript([
    .write([0x31, 0x0B], to: address),
    .write([0x2D, 0x08], to: address),
    .writeRead([0x36], reply: [0x80, 0xFF], at: address),
  ])
  var sensor = TiltSensor(ScriptedBus(script), at: address)
  try sensor.start()
  #expect(try sensor.z() == -0.5)
  #expect(script.complaints == [])
}

@Test(arguments: [.noAcknowledge, .timedOut, .arbitrationLost] as [I2CFault], 0..<3)
func `a fault at any transaction reaches the caller, and the next attempt works`(_ fault: I2CFault, _ number: Int)
  throws
{
  let clock = VirtualClock()
  let part = quietSensor(AttitudePath.hold(.faceUp), clock)
  let bus = EmulatedBus(part, at: address, plan: [.init(.fault(fault), .transaction(number))]) { clock.now }
  var sensor = TiltSensor(bus, at: address)
  #expect(throws: fault) {
    try sensor.start()
    _ = try sensor.z()
  }
  try sensor.start()
  clock.advance(by: .milliseconds(20))
  #expect(try sensor.z() == 1)
}

@Test func `a session on the bus is as it was recorded`() throws {
  let clock = VirtualClock()
  let bus = EmulatedBus(quietSensor(AttitudePath.hold(.faceUp), clock), at: address) { clock.now }
  let log = BusLog()
  var sensor = TiltSensor(BusRecorder(bus, log: log) { clock.now }, at: address)
  try sensor.start()
  clock.advance(by: .milliseconds(20))
  _ = try sensor.z()
  let recording = try BusTrace(
    parsing: """
          0.000000  S | 53+W | 31 0B | P
          0.000000  S | 53+W | 2D 08 | P
          0.020000  S | 53+W | 36 | Sr | 53+R | 00 01 | P
      """)
  #expect(log.trace.difference(from: recording, times: .within(.milliseconds(1))) == nil)
}

@Test func `the difference of two traces says where they part`() throws {
  let expected = try BusTrace(parsing: "0.0 S | 53+W | 31 0B | P\n 0.0 S | 53+W | 2D 08 | P")
  let found = try BusTrace(parsing: "0.0 S | 53+W | 31 0B | P\n 0.0 S | 53+W | 2D 00 | P")
  #expect(
    found.difference(from: expected) == """
      first difference at entry 1; 2 entries expected, 2 found
          0   S | 53+W | 31 0B | P
          1 - S | 53+W | 2D 08 | P
          1 + S | 53+W | 2D 00 | P
                            ^ first difference
      """)
}

@Test func `what was recorded in the field is played back`() throws {
  let recording = try BusTrace(
    parsing: """
      # tilt sensor of box 7, 21 November: no acknowledge
          0.000000  S | 53+W | 31 0B | P
          0.000000  S | 53+W | 2D 08 | P
          0.020000  S | 53+W | 36 | Sr | 53+R | ?? ?? | ! noAcknowledge
      """)
  let script = BusScript(recording.script)
  var sensor = TiltSensor(ScriptedBus(script), at: address)
  try sensor.start()
  #expect(throws: I2CFault.noAcknowledge) { _ = try sensor.z() }
  #expect(script.complaints == [])
}
