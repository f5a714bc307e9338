import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Batches, at every level of the FIFO.
struct LIS3DHFIFOTests {
  private static let configuration = LIS3DH.Configuration(fifo: .stream(watermark: .init(nearest: 25)))

  /// A started part with an empty FIFO.
  private func emptied(_ plan: FaultPlan = .none) throws -> LIS3DHRig {
    let rig = LIS3DHRig(LIS3DHRig.force, Self.configuration, plan: plan)
    try rig.start()
    _ = try rig.nextSamples()
    return rig
  }

  @Test(arguments: 0...40)
  func `a batch has each waiting sample once, or follows a gap`(_ count: Int64) throws {
    let rig = try emptied()
    rig.clock.advance(by: .milliseconds(10 * count))
    let before = rig.log.transactionCount
    var batch: (samples: [Vector3], followsGap: Bool) = ([], false)
    try rig.takeWaiting(into: &batch)
    #expect(batch.samples.allSatisfy { $0 == LIS3DHRig.force.vector })
    if count < 32 {
      #expect(batch.samples.count == count && !batch.followsGap)
      expect(rig.log.transactionCount - before, equals: count == 0 ? 1 : 3)
    } else {
      expect(batch.samples.count, equals: 27)
      expect(that: batch.followsGap)
    }
    rig.clock.advance(by: .milliseconds(50))
    try rig.takeWaiting(into: &batch)
    expect(batch.samples.count, equals: 5)
    expect(that: !batch.followsGap)
  }

  @Test(arguments: 1...31, [0, 3, 10, 31])
  func `if samples arrive between the count and the read, each is read once or a gap is reported`(
    _ waiting: Int64, _ more: Int64
  ) throws {
    let rig = try emptied()
    rig.clock.advance(by: .milliseconds(10 * waiting))
    let found = try rig.driver.waiting()
    expect(found, equals: WaitingSamples(count: Int(waiting)))
    rig.clock.advance(by: .milliseconds(10 * more))
    var batch = SampleBatch()
    try rig.driver.take(found.count, into: &batch)
    // The FIFO is full, or nearly: the samples read may follow a gap, and are discarded.
    let isLate = waiting + more >= 32
    expect(batch.count, equals: isLate ? 0 : Int(waiting))
    rig.clock.advance(by: .milliseconds(10))
    let next = try rig.driver.waiting()
    expect(next.followsGap, equals: isLate)
    #expect(isLate || next.count == Int(more) + 1)
  }

  @Test(arguments: 1...30)
  func `a batch can take some of the waiting samples and leave the rest`(_ count: Int) throws {
    let rig = try emptied()
    rig.clock.advance(by: .milliseconds(300))
    var batch = SampleBatch()
    try rig.driver.take(count, into: &batch)
    expect(batch.count, equals: count)
    try expect(rig.driver.waiting(), equals: WaitingSamples(count: 30 - count))
  }

  @Test func `a batch takes no more samples than it has room for`() throws {
    let rig = try emptied()
    rig.clock.advance(by: .milliseconds(300))
    var batch = SampleBatch()
    for _ in 0..<60 { batch.append(Measurement(force: .zero)) }
    try rig.driver.take(30, into: &batch)
    expect(batch.count, equals: 64)
    try rig.driver.take(30, into: &batch)
    try expect(rig.driver.waiting().count, equals: 26)
  }

  @Test func `a supply lost before a batch is read is detected, and the batch stays empty`() throws {
    let rig = try emptied()
    rig.clock.advance(by: .milliseconds(100))
    let waiting = try rig.driver.waiting()
    rig.powerCycle()
    var batch = SampleBatch()
    expect(
      sensorError { () throws(SensorError) in try rig.driver.take(waiting.count, into: &batch) },
      equals: .configurationLost)
    expect(batch.count, equals: 0)
  }

  @Test func `without a FIFO, asking for waiting samples is an error`() throws {
    let rig = LIS3DHRig()
    try rig.start()
    expect(that: !rig.keepsSamples)
    expect(sensorError { () throws(SensorError) in _ = try rig.driver.waiting() }, equals: .configurationLost)
    expect(
      (-3...40).map { LIS3DH.FIFO.Level(nearest: $0).rawValue }, equals: (-3...40).map { UInt8(max(1, min(31, $0))) })
  }
}
