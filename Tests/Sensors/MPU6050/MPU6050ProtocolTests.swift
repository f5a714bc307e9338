import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// A driver as those see it who know the protocol only.
@Suite struct MPU6050ProtocolTests {
  /// A sensor that is ready after `start()` and says nothing of the rest.
  struct Simple: Accelerometer, ~Copyable {
    var fullScale: Q16 { .one }
    var transactions: UInt64 { 0 }
    mutating func start() throws(SensorError) -> Microseconds { .milliseconds(3) }
    mutating func sample() throws(SensorError) -> Vector3 { .zero }
    mutating func reopen() throws(SensorError) {}
  }

  /// Starts any sensor and takes a sample; counts the waits.
  private func firstSample<Sensor: Accelerometer & ~Copyable>(
    of sensor: inout Sensor, _ clock: VirtualClock, waits: inout Int
  ) throws(SensorError) -> Vector3 {
    clock.advance(by: try sensor.start())
    waits = 1
    while let wait = try sensor.proceed() {
      clock.advance(by: wait)
      waits += 1
    }
    return try sensor.sample()
  }

  @Test func `a sensor that needs no second step has nothing to do in it`() throws {
    var sensor = Simple()
    var waits = 0
    #expect(try firstSample(of: &sensor, VirtualClock(), waits: &waits) == .zero)
    #expect(waits == 1)
    #expect(sensor.notice == nil)
  }

  @Test func `a part of the family is started, sampled and started again through the protocol`() throws {
    let rig = MPU6050Rig(.clone98)
    for _ in 0..<3 {
      var waits = 0
      #expect(try firstSample(of: &rig.driver, rig.clock, waits: &waits) == MPU6050Rig.force.vector)
      #expect(waits == 3)
      #expect(rig.driver.notice == .compatiblePart(identity: 0x98))
    }
    #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
  }

  @Test func `a start in the middle of another begins anew`() throws {
    let rig = MPU6050Rig()
    for steps in 0..<4 {
      rig.clock.advance(by: try rig.driver.start())
      for _ in 0..<steps { rig.clock.advance(by: try rig.driver.proceed() ?? .zero) }
      let before = rig.log.transactionCount
      try rig.start()
      #expect(rig.log.transactionCount == before + 15)
      #expect(try rig.nextSample() == MPU6050Rig.force.vector)
    }
  }
}
