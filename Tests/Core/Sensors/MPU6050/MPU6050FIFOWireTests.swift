import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// The bytes on the wire with a FIFO, and what is made of them.
@Suite struct MPU6050FIFOWireTests {
  static let start: [BusScript.Step] = [
    MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00), MPU6050Script.write(0x6A, 0x04), watched(0x01),
    MPU6050Script.write(0x23, 0x08), MPU6050Script.write(0x6A, 0x40),
    MPU6050Script.read(0x23, [0x08]), MPU6050Script.read(0x6A, [0x40]),
  ]

  /// All of a start with a FIFO for the specific force: the overflow drives the pin.
  static var wholeStart: [BusScript.Step] {
    MPU6050Script.wakeUp(0x68, power: 0x00) + [
      MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00),
      MPU6050Script.write(0x19, 0x09, 0x03, 0x00, 0x08), MPU6050Script.write(0x37, 0x08, 0x10),
      MPU6050Script.write(0x6C, 0x07), MPU6050Script.write(0x6B, 0x00),
      MPU6050Script.read(0x19, [0x09, 0x03, 0x00, 0x08]), MPU6050Script.read(0x23, [0x00]),
      MPU6050Script.read(0x37, [0x08, 0x10]), MPU6050Script.read(0x6A, [0x00, 0x00, 0x07]),
    ] + start
  }

  static func watched(_ status: UInt8) -> BusScript.Step { MPU6050Script.read(0x37, [0x08, 0x10, 0x00, status]) }

  static func count(_ bytes: Int) -> BusScript.Step {
    MPU6050Script.read(0x72, [UInt8(bytes / 256), UInt8(bytes % 256)])
  }

  /// Records with X, Y and Z of ten times and one, two and three more than their number.
  static func records(_ numbers: Range<Int>) -> BusScript.Step {
    MPU6050Script.read(0x74, numbers.flatMap { n in (1...3).flatMap { word(10 * n + $0) } })
  }

  static func word(_ value: Int) -> [UInt8] { [UInt8(value / 256), UInt8(value % 256)] }

  static func force(_ number: Int) -> Vector3 {
    let first = Int32(10 * number)
    return Vector3(x: Q16(raw: (first + 1) * 8), y: Q16(raw: (first + 2) * 8), z: Q16(raw: (first + 3) * 8))
  }

  static func started(_ steps: [BusScript.Step], _ fifo: MPU6050.FIFO = MPU6050.FIFO()) throws(SensorError)
    -> MPU6050Script
  {
    var rig = MPU6050Script(wholeStart + steps, MPU6050.Configuration(fifo: fifo))
    try rig.driver.startWholly()
    return rig
  }

  @Test func `records come in bursts of five, whole ones only, and the rest stays`() throws {
    var rig = try Self.started([
      Self.count(12 * 6 + 5), Self.records(0..<5), Self.records(5..<10), Self.records(10..<12), Self.watched(0x01),
      Self.count(5), Self.watched(0x00), Self.count(0), Self.watched(0x00),
    ])
    var batch = MPU6050.Batch<20>()
    try rig.driver.drain(into: &batch)
    #expect(batch.count == 12)
    for number in 0..<12 { #expect(batch[number] == Measurement(force: Self.force(number))) }
    #expect(batch[12] == nil)
    #expect(batch[-1] == nil)
    #expect(batch.remaining == 0)
    #expect(!batch.followsGap)
    for _ in 0..<2 {
      try rig.driver.drain(into: &batch)
      #expect(batch.count == 0)
      #expect(batch[0] == nil)
      #expect(!batch.followsGap)
    }
    #expect(rig.script.complaints == [])
  }

  @Test func `a batch takes what fits in, and says what is left`() throws {
    var rig = try Self.started([
      Self.count(17 * 6), Self.records(0..<5), Self.records(5..<7), Self.watched(0),
      Self.count(10 * 6), Self.records(7..<12), Self.records(12..<14), Self.watched(0),
    ])
    var batch = MPU6050.Batch<7>()
    try rig.driver.drain(into: &batch)
    #expect(batch.count == 7)
    #expect(batch[6]?.force == Self.force(6))
    #expect(batch.remaining == 10)
    try rig.driver.drain(into: &batch)
    #expect(batch[0]?.force == Self.force(7))
    #expect(batch.remaining == 3)
    #expect(!batch.followsGap)
    #expect(rig.script.complaints == [])
  }

  @Test(arguments: [(0 as UInt8, 1), (6, 1), (11, 1), (12, 2), (30, 5), (255, 40)])
  func `the longest burst can be chosen, of at least one record`(_ row: (longest: UInt8, records: Int)) throws {
    var steps = [Self.count(41 * 6)]
    for first in stride(from: 0, to: 41, by: row.records) {
      steps.append(Self.records(first..<min(41, first + row.records)))
    }
    var rig = try Self.started(steps + [Self.watched(0)], MPU6050.FIFO(longestBurst: row.longest))
    var batch = MPU6050.Batch<41>()
    try rig.driver.drain(into: &batch)
    #expect(batch.count == 41)
    for number in 0..<41 { #expect(batch[number]?.force == Self.force(number)) }
    #expect(rig.script.complaints == [])
  }

  @Test func `a FIFO that is nearly full is begun anew, and the loss is told once`() throws {
    var rig = try Self.started(
      [
        // 1024 - 3 · 6 - 1 is the most that is trusted.
        Self.count(1_005), Self.records(0..<1), Self.watched(0),
        Self.count(1_006),
      ] + Self.start + [Self.count(6), Self.records(0..<1), Self.watched(0), Self.count(1_024)] + Self.start)
    var batch = MPU6050.Batch<1>()
    try rig.driver.drain(into: &batch)
    #expect(!batch.followsGap)
    #expect(batch.remaining == 166)
    try rig.driver.drain(into: &batch)
    #expect(batch.followsGap)
    #expect(batch.count == 0)
    #expect(batch.discarded == 167)
    try rig.driver.drain(into: &batch)
    #expect(!batch.followsGap)
    #expect(batch.count == 1)
    #expect(batch.discarded == 0)
    try rig.driver.drain(into: &batch)
    #expect(batch.followsGap)
    #expect(batch.discarded == 170)
    #expect(rig.script.complaints == [])
  }

  @Test func `an overflow while records are read spoils them all`() throws {
    var rig = try Self.started(
      [Self.count(60), Self.records(0..<5), Self.records(5..<7), Self.watched(0x11)] + Self.start + [
        Self.count(6), Self.records(0..<1), Self.watched(0),
      ])
    var batch = MPU6050.Batch<7>()
    try rig.driver.drain(into: &batch)
    #expect(batch.count == 0)
    #expect(batch[0] == nil)
    #expect(batch.followsGap)
    #expect(batch.discarded == 10)
    try rig.driver.drain(into: &batch)
    #expect(batch.count == 1)
    #expect(!batch.followsGap)
    #expect(rig.script.complaints == [])
  }

  @Test func `an overflow that another read of INT_STATUS cleared is remembered`() throws {
    let data: [UInt8] = [0, 1, 0, 1, 0, 1]
    let sample = MPU6050Script.read(0x37, [0x08, 0x10, 0x00, 0x10] + data)
    var rig = MPU6050Script(
      Self.wholeStart + [sample] + Self.start + [sample] + Self.start + [Self.count(0), Self.watched(0)],
      MPU6050.Configuration(fifo: MPU6050.FIFO(), samplesPerWatch: 1))
    try rig.driver.startWholly()
    var batch = MPU6050.Batch<7>()
    _ = try rig.driver.sample()
    try rig.driver.drain(into: &batch)
    #expect(batch.followsGap)
    _ = try rig.driver.sample()
    try rig.driver.drain(into: &batch)
    #expect(batch.followsGap)
    try rig.driver.drain(into: &batch)
    #expect(!batch.followsGap)
    #expect(rig.script.complaints == [])
  }

  @Test func `records that were read from a part which had lost its configuration are not given away`() throws {
    var rig = try Self.started([
      Self.count(6), Self.records(0..<1), MPU6050Script.read(0x37, [0x00, 0x00, 0x00, 0x00]),
    ])
    var batch = MPU6050.Batch<7>()
    #expect(throws: SensorError.configurationLost) { try rig.driver.drain(into: &batch) }
    #expect(batch.count == 0)
    #expect(batch.remaining == 0)
    #expect(rig.script.complaints == [])
  }

  /// Each read of a drain: how many steps go before it, and whether bytes may be gone after it.
  @Test(arguments: [(0, false), (1, true), (2, true), (3, true)])
  func `after a fault in the middle the FIFO is begun anew, after one at the count it is not`(
    _ row: (step: Int, breaks: Bool)
  ) throws {
    var steps = [Self.count(36), Self.records(0..<5), Self.records(5..<6), Self.watched(0)]
    steps = Array(steps[...row.step])
    steps[row.step].fault = .timedOut
    steps += row.breaks ? Self.start : [Self.count(36), Self.records(0..<5), Self.records(5..<6), Self.watched(0)]
    var rig = try Self.started(steps)
    var batch = MPU6050.Batch<6>()
    #expect(throws: SensorError.bus(.timedOut)) { try rig.driver.drain(into: &batch) }
    #expect(batch.count == 0)
    #expect(batch.remaining == 0)
    try rig.driver.drain(into: &batch)
    #expect(batch.followsGap == row.breaks)
    #expect(batch.count == (row.breaks ? 0 : 6))
    #expect(rig.script.complaints == [])
  }

  @Test(arguments: 0..<8)
  func `a fault while the FIFO is begun anew has it begun anew again`(_ step: Int) throws {
    var broken = Array(Self.start[...step])
    broken[step].fault = .noAcknowledge
    var rig = try Self.started([Self.count(1_024)] + broken + Self.start + [Self.count(0), Self.watched(0)])
    var batch = MPU6050.Batch<6>()
    #expect(throws: SensorError.bus(.noAcknowledge)) { try rig.driver.drain(into: &batch) }
    #expect(!batch.followsGap)
    #expect(batch.remaining == 0)
    try rig.driver.drain(into: &batch)
    #expect(batch.followsGap)
    try rig.driver.drain(into: &batch)
    #expect(!batch.followsGap)
    #expect(rig.script.complaints == [])
  }
}
