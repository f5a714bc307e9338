import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Batches, at every level of the FIFO, with the gyroscope and without.
struct LSM9DS1FIFOTests {
  static let gyroscopes: [LSM9DS1.GyroscopeRange?] = [nil, .dps500]

  /// A started part with an empty FIFO.
  private func emptied(_ gyroscope: LSM9DS1.GyroscopeRange?) throws -> LSM9DS1Rig {
    let rig = LSM9DS1Rig(
      LSM9DS1Rig.force,
      LSM9DS1.Configuration(gyroscope: gyroscope, fifo: .continuous(threshold: .init(nearest: 25))))
    try rig.start()
    // Half a period after a sample.
    rig.clock.advance(by: Microseconds(4_200))
    _ = try rig.nextSamples()
    return rig
  }

  private func wait(_ rig: LSM9DS1Rig, _ samples: Int64) { rig.clock.advance(by: Microseconds(8_404 * samples)) }

  @Test(arguments: 0...40, gyroscopes)
  func `a batch has each waiting sample once, or follows a gap`(
    _ count: Int64, _ gyroscope: LSM9DS1.GyroscopeRange?
  ) throws {
    let rig = try emptied(gyroscope)
    wait(rig, count)
    let before = rig.log.transactionCount
    var batch: (samples: [Vector3], followsGap: Bool) = ([], false)
    try rig.takeWaiting(into: &batch)
    #expect(batch.samples.allSatisfy { $0 == LSM9DS1Rig.force.vector })
    if count < 32 {
      #expect(batch.samples.count == count && !batch.followsGap)
      expect(rig.log.transactionCount - before, equals: count == 0 ? 1 : 3)
    } else {
      expect(batch.samples.count, equals: 27)
      expect(that: batch.followsGap)
    }
    wait(rig, 5)
    try rig.takeWaiting(into: &batch)
    expect(batch.samples.count, equals: 5)
    expect(that: !batch.followsGap)
  }

  @Test(arguments: 1...31, [0, 3, 10, 31])
  func `if samples arrive between the count and the read, each is read once or a gap is reported`(
    _ waiting: Int64, _ more: Int64
  ) throws {
    for gyroscope in Self.gyroscopes {
      let rig = try emptied(gyroscope)
      wait(rig, waiting)
      let found = try rig.driver.waiting()
      expect(found, equals: WaitingSamples(count: Int(waiting)))
      wait(rig, more)
      var batch = SampleBatch()
      try rig.driver.take(found.count, into: &batch)
      // The FIFO is full, or nearly: the samples read may follow a gap, and are discarded.
      let isLate = waiting + more >= 32
      expect(batch.count, equals: isLate ? 0 : Int(waiting))
      wait(rig, 1)
      let next = try rig.driver.waiting()
      expect(next.followsGap, equals: isLate)
      #expect(isLate || next.count == Int(more) + 1)
    }
  }

  @Test func `each set of a batch has the force, rotation and temperature of its own instant`() throws {
    struct Ramp: Motion {
      var duration: Microseconds { .zero }
      func specificForce(at time: Microseconds) -> Vector3 {
        Vector3(x: Q16(raw: Int32(time.count / 100)), y: .zero, z: Q16(whole: 1))
      }
      func rotationRate(at time: Microseconds) -> Vector3 {
        Vector3(x: .zero, y: Q16(raw: Int32(time.count)), z: .zero)
      }
    }
    let rig = LSM9DS1Rig(
      Ramp(),
      LSM9DS1.Configuration(range: .g8, gyroscope: .dps500, fifo: .continuous(threshold: .init(nearest: 25))))
    try rig.start()
    _ = try rig.nextSamples()
    wait(rig, 30)
    let count = try rig.driver.waiting().count
    var batch = SampleBatch()
    try rig.driver.take(count, into: &batch)
    let taken = (0..<batch.count).compactMap { batch[$0] }
    expect(taken.count, isAtLeast: 30)
    for (a, b) in zip(taken, taken.dropFirst()) {
      expect(abs(Double(b.force.x.raw - a.force.x.raw) - 84), isAtMost: 17)
      let (p, q) = (try #require(a.rotation), try #require(b.rotation))
      expect(abs(Double(q.y.raw - p.y.raw) - 8_403), isAtMost: 1_200)
      expect(p.x, equals: .zero)
      expect(p.z, equals: .zero)
      expect(abs(Double(a.rotation?.y.raw ?? 0) / 100 - Double(a.force.x.raw)), isAtMost: 20)
      expect(a.temperature, equals: Q16(whole: 25))
    }
  }

  @Test func `the first sample after the FIFO is turned on is not valid, and is not returned`() throws {
    let rig = LSM9DS1Rig(
      LSM9DS1Rig.force, LSM9DS1.Configuration(fifo: .continuous(threshold: .init(nearest: 25))))
    _ = try rig.driver.start()
    wait(rig, 1)
    try expect(rig.registers(0x28, 6), equals: [UInt8](repeating: 0x55, count: 6))
    try rig.start()
    #expect(try rig.nextSamples().samples.allSatisfy { $0 == LSM9DS1Rig.force.vector })
  }

  @Test(arguments: 1...30)
  func `a batch can take some of the waiting samples and leave the rest`(_ count: Int) throws {
    for gyroscope in Self.gyroscopes {
      let rig = try emptied(gyroscope)
      wait(rig, 30)
      var batch = SampleBatch()
      try rig.driver.take(count, into: &batch)
      expect(batch.count, equals: count)
      try expect(rig.driver.waiting(), equals: WaitingSamples(count: 30 - count))
    }
  }

  @Test(arguments: gyroscopes)
  func `a supply lost before a batch is read is detected, and the batch stays empty`(
    _ gyroscope: LSM9DS1.GyroscopeRange?
  ) throws {
    let rig = try emptied(gyroscope)
    wait(rig, 10)
    let waiting = try rig.driver.waiting()
    rig.powerCycle()
    var batch = SampleBatch()
    expect(
      sensorError { () throws(SensorError) in try rig.driver.take(waiting.count, into: &batch) },
      equals: .configurationLost)
    expect(batch.count, equals: 0)
  }

  @Test func `without a FIFO, asking for waiting samples is an error`() throws {
    let rig = LSM9DS1Rig()
    try rig.start()
    expect(that: !rig.keepsSamples)
    expect(sensorError { () throws(SensorError) in _ = try rig.driver.waiting() }, equals: .configurationLost)
    expect(
      (-3...40).map { LSM9DS1.FIFO.Level(nearest: $0).rawValue }, equals: (-3...40).map { UInt8(max(1, min(31, $0))) })
  }
}
