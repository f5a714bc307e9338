import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// What is special to batches of this part.
struct LSM9DS1FIFOTests {
  private static func wait(_ rig: LSM9DS1Rig, _ samples: Int64) { rig.clock.advance(by: Microseconds(8_404 * samples)) }

  @Test static func `each set of a batch has the force, rotation and temperature of its own instant`() throws {
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
      let (p, q) = (try require(a.rotation), try require(b.rotation))
      expect(abs(Double(q.y.raw - p.y.raw) - 8_403), isAtMost: 1_200)
      expect(p.x, equals: .zero)
      expect(p.z, equals: .zero)
      expect(abs(Double(a.rotation?.y.raw ?? 0) / 100 - Double(a.force.x.raw)), isAtMost: 20)
      expect(a.temperature, equals: Q16(whole: 25))
    }
  }

  @Test static func `the first sample after the FIFO is turned on is not valid, and is not returned`() throws {
    let rig = LSM9DS1Rig(
      LSM9DS1Rig.force, LSM9DS1.Configuration(fifo: .continuous(threshold: .init(nearest: 25))))
    _ = try rig.driver.start()
    wait(rig, 1)
    try expect(rig.registers(0x28, 6), equals: [UInt8](repeating: 0x55, count: 6))
    try rig.start()
    try expect(all: rig.nextSamples().samples) { $0 == LSM9DS1Rig.force.vector }
  }
}
