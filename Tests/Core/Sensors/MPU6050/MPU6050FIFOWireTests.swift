import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The bytes on the wire with a FIFO, and the records made from them.
struct MPU6050FIFOWireTests {
  static let start: [BusScript.Step] = [
    MPU6050Script.write(0x6A, 0x00), MPU6050Script.write(0x23, 0x00), MPU6050Script.write(0x6A, 0x04), watched(0x01),
    MPU6050Script.write(0x23, 0x08), MPU6050Script.write(0x6A, 0x40),
    MPU6050Script.read(0x23, [0x08]), MPU6050Script.read(0x6A, [0x40]),
  ]

  /// A whole start with a FIFO for the specific force: the overflow drives the pin.
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

  /// Records with X, Y and Z of ten times their number plus one, two and three.
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

  /// A batch of all records reported to wait, or of `most` of them.
  private static func batch(
    _ rig: inout MPU6050Script, most: Int = .max
  ) throws(SensorError) -> (samples: [Measurement], waiting: WaitingSamples) {
    let waiting = try rig.driver.waiting()
    var batch = SampleBatch()
    try rig.driver.take(min(most, waiting.count), into: &batch)
    // A list, because unoptimised code copies a whole batch each time.
    var samples: [Measurement] = []
    for index in 0..<batch.count { if let sample = batch[index] { samples.append(sample) } }
    return (samples, waiting)
  }

  @Test static func `records come in bursts of five, whole ones only, and the rest stays`() throws {
    var rig = try Self.started([
      Self.count(12 * 6 + 5), Self.records(0..<5), Self.records(5..<10), Self.records(10..<12), Self.watched(0x01),
      Self.count(5), Self.watched(0x00), Self.count(0), Self.watched(0x00),
    ])
    let first = try batch(&rig)
    expect(first.waiting, equals: WaitingSamples(count: 12, followsGap: true))
    expect(first.samples, equals: (0..<12).map { Measurement(force: Self.force($0)) })
    for _ in 0..<2 {
      let next = try batch(&rig)
      expect(next.waiting, equals: WaitingSamples(count: 0))
      expect(next.samples.count, equals: 0)
    }
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `records not taken stay`() throws {
    var rig = try Self.started([
      Self.count(17 * 6), Self.records(0..<5), Self.records(5..<7), Self.watched(0),
      Self.count(10 * 6), Self.records(7..<12), Self.records(12..<14), Self.watched(0),
    ])
    let first = try batch(&rig, most: 7)
    expect(first.waiting.count, equals: 17)
    expect(first.samples.count, equals: 7)
    expect(first.samples.last?.force, equals: Self.force(6))
    let next = try batch(&rig, most: 7)
    expect(next.waiting, equals: WaitingSamples(count: 10))
    expect(next.samples.first?.force, equals: Self.force(7))
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `no more records are taken than there is room for`() throws {
    var rig = try Self.started([Self.count(17 * 6), Self.records(0..<3), Self.watched(0)])
    var samples = SampleBatch()
    for _ in 0..<SampleBatch.capacity - 3 { samples.append(Measurement(force: .zero)) }
    try rig.driver.take(try rig.driver.waiting().count, into: &samples)
    expect(samples[SampleBatch.capacity - 1]?.force, equals: Self.force(2))
    expect(samples[SampleBatch.capacity], equals: nil)
    expect(rig.script.complaints, equals: [])
  }

  @Test(arguments: [(0 as UInt8, 1), (6, 1), (11, 1), (12, 2), (30, 5), (255, 40)])
  static func `the longest burst can be chosen, and has at least one record`(_ row: (longest: UInt8, records: Int))
    throws
  {
    var steps = [Self.count(41 * 6)]
    for first in stride(from: 0, to: 41, by: row.records) {
      steps.append(Self.records(first..<min(41, first + row.records)))
    }
    var rig = try Self.started(steps + [Self.watched(0)], MPU6050.FIFO(longestBurst: row.longest))
    let samples = try batch(&rig).samples
    expect(samples.map(\.force), equals: (0..<41).map(Self.force))
    expect(rig.script.complaints, equals: [])
  }

  /// A batch of one record, the first after a start, which follows a gap.
  static let one = [count(6), records(0..<1), watched(0)]

  /// A check that restarts the FIFO, and then reads the part's status.
  static var anew: [BusScript.Step] { start + [watched(0)] }

  @Test static func `a FIFO that is nearly full is restarted, and the loss is reported with the next record`() throws {
    var rig = try Self.started(
      [
        // 1024 - 3 · 6 - 1 is the largest trusted count.
        Self.count(1_005), Self.records(0..<1), Self.watched(0),
        Self.count(1_006),
      ] + Self.anew + Self.one + [Self.count(1_024)] + Self.anew)
    try expect(batch(&rig, most: 1).waiting, equals: WaitingSamples(count: 167, followsGap: true))
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 0, followsGap: true))
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 1, followsGap: true))
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 0, followsGap: true))
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `an overflow while records are read spoils them all`() throws {
    var rig = try Self.started(
      Self.one + [Self.count(60), Self.records(0..<5), Self.records(5..<7), Self.watched(0x11)] + Self.anew + Self.one
        + Self.one)
    _ = try batch(&rig)
    let spoilt = try batch(&rig, most: 7)
    expect(spoilt.waiting, equals: WaitingSamples(count: 10))
    expect(spoilt.samples.count, equals: 0)
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 0, followsGap: true))
    for followsGap in [true, false] {
      let next = try batch(&rig)
      expect(next.waiting, equals: WaitingSamples(count: 1, followsGap: followsGap))
      expect(next.samples.count, equals: 1)
    }
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `an overflow that another read of INT_STATUS cleared is remembered`() throws {
    let data: [UInt8] = [0, 1, 0, 1, 0, 1]
    let watched = MPU6050Script.read(0x37, [0x08, 0x10, 0x00, 0x00] + data)
    let overflowed = MPU6050Script.read(0x37, [0x08, 0x10, 0x00, 0x10] + data)
    var rig = MPU6050Script(
      Self.wholeStart + Self.one + [watched] + Self.one + [overflowed] + Self.anew + Self.one,
      MPU6050.Configuration(fifo: MPU6050.FIFO(), samplesPerWatch: 1))
    try rig.driver.startWholly()
    _ = try batch(&rig)
    _ = try rig.driver.sample()
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 1))
    _ = try rig.driver.sample()
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 0, followsGap: true))
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 1, followsGap: true))
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `records read from a part that had lost its configuration are discarded`() throws {
    var rig = try Self.started([
      Self.count(6), Self.records(0..<1), MPU6050Script.read(0x37, [0x00, 0x00, 0x00, 0x00]),
    ])
    var samples = SampleBatch()
    let waiting = try rig.driver.waiting().count
    expect(throws: SensorError.configurationLost) { try rig.driver.take(waiting, into: &samples) }
    expect(samples.count, equals: 0)
    expect(rig.script.complaints, equals: [])
  }

  /// Each read of a batch: how many steps come before it, and whether bytes may be gone after it.
  @Test(arguments: [(0, false), (1, true), (2, true), (3, true)])
  static func `a fault in the middle restarts the FIFO, and one at the count does not`(
    _ row: (step: Int, breaks: Bool)
  ) throws {
    let whole = [Self.count(36), Self.records(0..<5), Self.records(5..<6), Self.watched(0)]
    var broken = Array(whole[...row.step])
    broken[row.step].fault = .timedOut
    var rig = try Self.started(Self.one + broken + (row.breaks ? Self.anew : whole))
    _ = try batch(&rig)
    var samples = SampleBatch()
    expect(throws: SensorError.bus(.timedOut)) {
      try rig.driver.take(try rig.driver.waiting().count, into: &samples)
    }
    expect(samples.count, equals: 0)
    let next = try batch(&rig)
    expect(next.waiting.followsGap, equals: row.breaks)
    expect(next.samples.count, equals: row.breaks ? 0 : 6)
    expect(rig.script.complaints, equals: [])
  }

  @Test(arguments: 0..<8)
  static func `a fault during a restart of the FIFO causes another restart`(_ step: Int) throws {
    var broken = Array(Self.start[...step])
    broken[step].fault = .noAcknowledge
    var rig = try Self.started(
      Self.one + [Self.count(1_024)] + broken + Self.anew + Self.one + [Self.count(0), Self.watched(0)])
    _ = try batch(&rig)
    expect(throws: SensorError.bus(.noAcknowledge)) { try rig.driver.waiting() }
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 0, followsGap: true))
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 1, followsGap: true))
    try expect(batch(&rig).waiting, equals: WaitingSamples(count: 0))
    expect(rig.script.complaints, equals: [])
  }
}
