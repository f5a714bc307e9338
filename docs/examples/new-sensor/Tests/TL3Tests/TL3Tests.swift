import Plumb
import PlumbEmulation
import TL3
import Testing

/// A specific force that never changes, in 1/4096 g: a whole number of LSB in every range.
struct Still: Motion {
  var x: Int32 = 409
  var y: Int32 = -4_096
  var z: Int32 = 7_001
  var duration: Microseconds { .zero }
  var vector: Vector3 { Vector3(x: Q16(raw: x * 16), y: Q16(raw: y * 16), z: Q16(raw: z * 16)) }
  func specificForce(at time: Microseconds) -> Vector3 { vector }
}

/// A driver on an emulated bus with an emulated part, on a virtual clock.
final class Rig {
  let clock = VirtualClock()
  let log = BusLog()
  var driver: TL3.Device<EmulatedBus>

  init(
    _ motion: any Motion = Still(), _ configuration: TL3.Configuration = .init(), plan: FaultPlan = .none,
    frequency: UInt32? = nil
  ) throws {
    let clock = clock
    let address = try #require(I2CAddress(0x4C))
    let part = EmulatedSensor(EmulatedTL3(motion, at: clock.now)) { clock.now }
    let bus = EmulatedBus(part, at: address, plan: plan, frequency: frequency, log: log) { clock.now }
    driver = TL3.Device(bus: bus, address: address, configuration: configuration)
  }

  func startAndSample() throws(SensorError) -> Vector3 {
    clock.advance(by: try driver.start())
    return try driver.sample()
  }
}

/// What `body` threw; nil when it went through.
func error(of body: () throws(SensorError) -> Void) -> SensorError? {
  do throws(SensorError) {
    try body()
    return nil
  } catch { return error }
}

@Test(arguments: [TL3.OutputDataRate.hz50, .hz100, .hz200, .hz400], [TL3.Range.g2, .g4, .g8])
func `the first sample is what the board feels, at every rate and range`(_ rate: TL3.OutputDataRate, _ range: TL3.Range)
  throws
{
  let rig = try Rig(Still(), TL3.Configuration(rate: rate, range: range))
  #expect(try rig.startAndSample() == Still().vector)
}

@Test func `a sample is one burst of seven bytes`() throws {
  let rig = try Rig()
  _ = try rig.startAndSample()
  let before = rig.log.transactionCount
  for _ in 0..<10 { _ = try rig.driver.sample() }
  #expect(rig.log.transactionCount == before + 10)
  #expect(rig.log.transactions.suffix(10).allSatisfy { $0.written == [0x01] && $0.read.count == 7 })
  #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
}

@Test func `the driver sends exactly these bytes`() throws {
  let address = try #require(I2CAddress(0x4C))
  let script = BusScript([
    .writeRead([0x00], reply: [0x3A], at: address),
    .write([0x01, 0x00], to: address),
    .write([0x01, 0xB1], to: address),
    .writeRead([0x01], reply: [0xB1], at: address),
    .writeRead([0x01], reply: [0xB1, 0x80, 0x00, 0x20, 0x00, 0xFF, 0xFF], at: address),
  ])
  var driver = TL3.Device(
    bus: ScriptedBus(script), address: address, configuration: TL3.Configuration(rate: .hz400, range: .g4))
  #expect(try driver.start() == Microseconds(7_500))
  #expect(try driver.sample() == Vector3(x: Q16(raw: -262_144), y: Q16(raw: 65_536), z: Q16(raw: -8)))
  #expect(script.complaints == [])
}

@Test func `every byte of SETUP is decoded to a field that encodes to the same byte, or refused`() {
  for byte: UInt8 in 0...255 {
    let isReserved = byte & 0b0100_1100 != 0 || byte & 0b11 == 3
    #expect(TL3.SetupField(decoding: byte)?.encoded == (isReserved ? nil : byte))
  }
}

@Test(arguments: [(.g2, 2), (.g4, 4), (.g8, 8)] as [(TL3.Range, Double)])
func `every count is the force that the data sheet says`(_ range: TL3.Range, _ gravities: Double) {
  for count in Int16.min...Int16.max {
    let pattern = UInt16(bitPattern: count)
    let force = range.component(UInt8(pattern >> 8), UInt8(pattern & 0xFF))
    #expect(Double(force.raw) / 65_536 == Double(count) * gravities / 32_768)
  }
  #expect(Double(range.fullScale.raw) / 65_536 == 32_767 * gravities / 32_768)
}

/// Transactions 0 to 4 are the first start and its sample, 5 to 9 the second.
@Test(arguments: [.noAcknowledge, .timedOut, .arbitrationLost] as [I2CFault], 0..<10)
func `a fault at any transaction reaches the caller, and the next start works`(_ fault: I2CFault, _ number: Int) throws
{
  let rig = try Rig(plan: [.init(.fault(fault), .transaction(number))])
  if number >= 5 { #expect(try rig.startAndSample() == Still().vector) }
  #expect(error { () throws(SensorError) in _ = try rig.startAndSample() } == .bus(fault))
  if number % 5 < 4 {
    #expect(error { () throws(SensorError) in _ = try rig.driver.sample() } == .configurationLost)
  }
  #expect(rig.log.transactionCount == number + 1)
  #expect(try rig.startAndSample() == Still().vector)
}

@Test func `a lost supply is detected at the next sample, and the part is started again`() throws {
  let rig = try Rig(plan: [.init(.brownOut, .transaction(6))])
  #expect(try rig.startAndSample() == Still().vector)
  #expect(try rig.driver.sample() == Still().vector)
  #expect(error { () throws(SensorError) in _ = try rig.driver.sample() } == .configurationLost)
  #expect(try rig.startAndSample() == Still().vector)
}

@Test func `any other identity is refused before anything is written`() throws {
  for identity: UInt8 in 0...255 where identity != 0x3A {
    let rig = try Rig(plan: [.init(.identity(identity), .always)])
    let found = error { () throws(SensorError) in _ = try rig.driver.start() }
    #expect(found == .unexpectedIdentity(found: identity, expected: 0x3A))
    #expect(rig.log.transactions.map(\.written) == [[0x00]])
  }
}

@Test func `a part that does not keep its configuration is refused`() throws {
  let rig = try Rig(plan: [.init(.corruptByte(index: 0, mask: 0x01), .transaction(3))])
  let found = error { () throws(SensorError) in _ = try rig.driver.start() }
  #expect(found == .configurationRejected(register: 0x01, wrote: 0x91, read: 0x90))
}

@Test func `a rate that the bus cannot carry is refused before any transaction`() throws {
  let rig = try Rig(Still(), TL3.Configuration(rate: .hz400), frequency: 74_399)
  let found = error { () throws(SensorError) in _ = try rig.driver.start() }
  #expect(found == .rateTooHigh(busHertz: 74_399, highestHertz: 200))
  #expect(rig.log.transactionCount == 0)
  #expect(try Rig(Still(), TL3.Configuration(rate: .hz400), frequency: 74_400).startAndSample() == Still().vector)
}

@Test func `a loop finds each pose of a tumbling board`() throws {
  let clock = VirtualClock()
  let address = try #require(I2CAddress(0x4C))
  let noise = Vector3(x: Q16(1, over: 250), y: Q16(1, over: 250), z: Q16(1, over: 250))
  let part = EmulatedSensor(EmulatedTL3(AttitudePath.tumble, noise: noise, at: clock.now)) { clock.now }
  let bus = EmulatedBus(part, at: address) { clock.now }
  var loop = Loop(
    sensor: TL3.Device(bus: bus, address: address), bank: RecordingOutputBank { clock.now }, clock: clock,
    period: .milliseconds(10))
  var poses: [Pose] = []
  while clock.now < Instant(microseconds: 12_000_000), let report = try loop.turn() {
    for case .pose(_, let pose, _) in report.events.map(\.event) { poses.append(pose) }
  }
  #expect(
    poses == [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .portrait, .faceDown])
}
