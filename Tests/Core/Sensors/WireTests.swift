import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The register reads and writes of a bus, and the wire of a driver above them.
struct WireTests {
  static let address = ADXL345.address

  @Test static func `each read and write of a bus is these bytes`() throws {
    let script = BusScript([
      .write([0x2D, 0x08], to: Self.address), .write([0x1E, 1, 2, 3], to: Self.address),
      .writeRead([0x00], reply: [0xE5], at: Self.address),
      .writeRead([0x32], reply: [1, 2, 3, 4, 5, 6], at: Self.address),
      .writeRead([0x39], reply: [7, 8], at: Self.address),
    ])
    var bus = ScriptedBus(script)
    try bus.writeRegister(0x2D, 0x08, at: Self.address)
    try bus.write([0x1E, 1, 2, 3], to: Self.address)
    try expect(bus.readRegister(0x00, at: Self.address), equals: 0xE5)
    var six = InlineArray<6, UInt8>(repeating: 0)
    try bus.readRegisters(from: 0x32, into: &six, at: Self.address)
    expect(six.indices.map { six[$0] }, equals: [1, 2, 3, 4, 5, 6])
    var two: [UInt8] = [0, 0]
    var span = two.mutableSpan
    try bus.readRegisters(from: 0x39, into: &span, at: Self.address)
    expect(two, equals: [7, 8])
    expect(script.complaints, equals: [])
  }

  @Test static func `a wire counts the transactions it begins, and wraps every fault`() throws {
    let log = BusLog()
    let bus = EmulatedBus(
      plan: [.init(.fault(.timedOut), .always)], log: log
    ) { Instant(microseconds: 0) }
    var wire = Wire(bus, at: Self.address)
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    expect(throws: SensorError.bus(.timedOut)) { try wire.write(0x2D, 0x08) }
    expect(throws: SensorError.bus(.timedOut)) { _ = try wire.read(0x00) }
    expect(throws: SensorError.bus(.timedOut)) { try wire.read(3, from: 0x32, into: &bytes) }
    expect(throws: SensorError.bus(.timedOut)) { try wire.verify([0x2D, 0x08]) }
    expect(wire.transactions, equals: 4)
    expect(log.transactionCount, equals: 4)
  }

  @Test static func `a wire names the first register that does not hold its written value`() throws {
    let script = BusScript([
      .writeRead([0x1E], reply: [1, 2, 3], at: Self.address), .writeRead([0x1E], reply: [1, 9, 8], at: Self.address),
    ])
    var wire = Wire(ScriptedBus(script), at: Self.address)
    try wire.verify([0x1E, 1, 2, 3])
    expect(throws: SensorError.configurationRejected(register: 0x1F, wrote: 2, read: 9)) {
      try wire.verify([0x1E, 1, 2, 3])
    }
    expect(script.complaints, equals: [])
  }
}
