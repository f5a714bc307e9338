import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// A part with a FIFO of 32 samples, in one configuration.
struct SetFIFOSpecimen: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// The value of every sample.
  var force: Vector3
  /// The time between two samples, in microseconds, and how long after a start none is made at once.
  var period: Int64
  var offset: Int64 = 0
  var make: @Sendable () -> any SensorRig

  /// A started part with an empty FIFO.
  func emptied() throws(SensorError) -> any SensorRig {
    let rig = make()
    try rig.start()
    rig.clock.advance(by: Microseconds(offset))
    _ = try rig.nextSamples()
    return rig
  }

  func wait(_ rig: any SensorRig, _ samples: Int64) { rig.clock.advance(by: Microseconds(period * samples)) }

  static let all: [SetFIFOSpecimen] = [
    SetFIFOSpecimen(
      testDescription: "LIS3DH", force: LIS3DHRig.force.vector, period: 10_000,
      make: {
        LIS3DHRig(LIS3DHRig.force, LIS3DH.Configuration(fifo: .stream(watermark: .init(nearest: 25))))
      }),
    lsm9ds1(nil), lsm9ds1(.dps500),
  ]

  private static func lsm9ds1(_ gyroscope: LSM9DS1.GyroscopeRange?) -> SetFIFOSpecimen {
    // Half a period after a sample.
    SetFIFOSpecimen(
      testDescription: gyroscope == nil ? "LSM9DS1" : "LSM9DS1, gyroscope", force: LSM9DS1Rig.force.vector,
      period: 8_404, offset: 4_200,
      make: {
        LSM9DS1Rig(
          LSM9DS1Rig.force,
          LSM9DS1.Configuration(gyroscope: gyroscope, fifo: .continuous(threshold: .init(nearest: 25))))
      })
  }
}

/// Batches, at every level of the FIFO.
struct SetFIFOTests {
  @Test(arguments: 0...40, SetFIFOSpecimen.all)
  static func `a batch has each waiting sample once, or follows a gap`(_ count: Int64, _ specimen: SetFIFOSpecimen)
    throws
  {
    let rig = try specimen.emptied()
    specimen.wait(rig, count)
    let before = rig.log.transactionCount
    var batch: (samples: [Vector3], followsGap: Bool) = ([], false)
    try rig.takeWaiting(into: &batch)
    expect(that: batch.samples.allSatisfy { $0 == specimen.force })
    expect(batch.samples.count, equals: count < 32 ? Int(count) : 27)
    expect(batch.followsGap, equals: count >= 32)
    if count < 32 { expect(rig.log.transactionCount - before, equals: count == 0 ? 1 : 3) }
    specimen.wait(rig, 5)
    try rig.takeWaiting(into: &batch)
    expect(batch.samples.count, equals: 5)
    expect(that: !batch.followsGap)
  }

  @Test(arguments: 1...31, SetFIFOSpecimen.all)
  static func `if samples arrive between the count and the read, each is read once or a gap is reported`(
    _ waiting: Int64, _ specimen: SetFIFOSpecimen
  ) throws {
    for more in [0, 3, 10, 31] as [Int64] {
      let rig = try specimen.emptied()
      specimen.wait(rig, waiting)
      let found = try rig.waiting()
      expect(found, equals: WaitingSamples(count: Int(waiting)))
      specimen.wait(rig, more)
      var batch = SampleBatch()
      try rig.take(found.count, into: &batch)
      // The FIFO is full, or nearly: the samples read may follow a gap, and are discarded.
      let isLate = waiting + more >= 32
      expect(batch.count, equals: isLate ? 0 : Int(waiting))
      specimen.wait(rig, 1)
      let next = try rig.waiting()
      expect(next.followsGap, equals: isLate)
      if !isLate { expect(next.count, equals: Int(more) + 1) }
    }
  }

  @Test(arguments: SetFIFOSpecimen.all)
  static func `a batch can take some of the waiting samples and leave the rest`(_ specimen: SetFIFOSpecimen) throws {
    for count in 1...30 {
      let rig = try specimen.emptied()
      specimen.wait(rig, 30)
      var batch = SampleBatch()
      try rig.take(count, into: &batch)
      expect(batch.count, equals: count)
      try expect(rig.waiting(), equals: WaitingSamples(count: 30 - count))
    }
  }

  @Test(arguments: SetFIFOSpecimen.all)
  static func `a batch takes no more samples than it has room for`(_ specimen: SetFIFOSpecimen) throws {
    let rig = try specimen.emptied()
    specimen.wait(rig, 30)
    var batch = SampleBatch()
    for _ in 0..<60 { batch.append(Measurement(force: .zero)) }
    try rig.take(30, into: &batch)
    expect(batch.count, equals: 64)
    try rig.take(30, into: &batch)
    try expect(rig.waiting().count, equals: 26)
  }

  @Test static func `a level is from 1 to 31`() {
    expect((-3...40).map { FIFOLevel(nearest: $0).rawValue }, equals: (-3...40).map { UInt8(max(1, min(31, $0))) })
  }
}
