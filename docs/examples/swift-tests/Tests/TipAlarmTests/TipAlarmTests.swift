import Plumb
import PlumbEmulation
import Testing
import TipAlarm

@Test func `the lamp is lit while the box is not upright`() throws {
  let clock = VirtualClock()
  let path = AttitudePath([.init(.faceUp, held: .seconds(2)), .init(.portrait, held: .seconds(2))])
  let part = EmulatedADXL345(motion: path) { clock.now }
  let bus = EmulatedBus(part, at: address) { clock.now }
  let lamps = OutputLog()
  var alarm = TipAlarm(
    sensor: ADXL345.Device(bus: bus), lamps: RecordingOutputBank(log: lamps) { clock.now })
  for _ in 0..<40 {
    try alarm.step()
    clock.advance(by: .milliseconds(100))
  }
  #expect(lamps.writes.map(\.levels.bits) == [0b00, 0b01])
  #expect(lamps.writes.map(\.instant.microseconds) == [100_000, 2_100_000])
}

/// An upright box in virtual time, on a bus where `plan` goes wrong.
final class Box {
  let bus = BusLog()
  let lamps = OutputLog()
  private let clock = VirtualClock()
  private var alarm: TipAlarm<ADXL345.Device<EmulatedBus>, RecordingOutputBank>
  var faults: Int { alarm.faults }

  init(_ plan: FaultPlan) {
    let clock = clock
    let part = EmulatedADXL345(motion: AttitudePath.hold(.faceUp)) { clock.now }
    let emulated = EmulatedBus(part, at: address, plan: plan, log: bus, pass: { clock.advance(by: $0) }) { clock.now }
    alarm = TipAlarm(
      sensor: ADXL345.Device(bus: emulated), lamps: RecordingOutputBank(log: lamps) { clock.now })
  }

  func run(for span: Microseconds) throws {
    let end = clock.now + span
    while clock.now < end {
      try alarm.step()
      clock.advance(by: .milliseconds(100))
    }
  }
}

@Test(
  arguments: [.noAcknowledge, .hang(.milliseconds(35)), .stuckBus(), .shortRead(received: 1), .unplugged]
    as [FaultPlan.Effect])
func `a fault from any transaction on is shown, counted and survived`(_ effect: FaultPlan.Effect) throws {
  for number in 0..<30 {
    let box = Box([.init(effect, .from(transaction: number, for: .milliseconds(700)))])
    try box.run(for: .seconds(10))
    #expect(box.faults == box.bus.faultCount)
    #expect(box.lamps.writes.contains { $0.levels.bits == 0b11 } == (box.faults > 0))
    #expect(box.lamps.levels == .off)
  }
}

@Test func `a sensor that lost its supply is started again`() throws {
  let box = Box([.init(.brownOut, .during(.seconds(2) ..< .seconds(2)))])
  try box.run(for: .seconds(4))
  #expect(box.faults == 1)
  #expect(box.bus.faultCount == 0)
  #expect(box.lamps.writes.map(\.levels.bits) == [0b00, 0b11, 0b00])
}

@Test func `an hour of random faults is counted to the last one`() throws {
  let box = Box(
    .random(seed: 1, oneIn: 100, [.noAcknowledge, .timedOut, .arbitrationLost], lasting: .zero ... .seconds(1)))
  try box.run(for: .seconds(3_600))
  #expect(box.faults == box.bus.faultCount)
  #expect(box.bus.injectionCount == box.bus.faultCount)
  #expect(box.bus.injectionCount(of: .arbitrationLost) > 100)
}
