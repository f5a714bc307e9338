import FixedPoint
import Gestures
import Monitor
import Orientation
import TestSupport
import Testing

/// The scrolling functions of a monitor.
struct MonitorScrollTests {
  @Test static func `it scrolls to a position and stops there, at the rest that the tare defines`() throws {
    let right = Vector3(x: .one, y: .zero, z: .zero)
    var configuration = Monitor.Configuration.recording
    configuration.movement = Movement.Configuration()
    var monitor = Monitor(configuration, at: Instant(microseconds: 0))
    for sample in Int64(0)..<200 { _ = monitor.sampled(right, at: Instant(microseconds: sample * 10_000)) }
    monitor.rest(by: try Tare(right))
    let position = TiltScroll.Position(x: Q16(1, over: 4), y: Q16(3, over: 4))
    monitor.scroll(to: position)
    var seen = Observation()
    for sample in Int64(200)..<400 { seen = monitor.sampled(right, at: Instant(microseconds: sample * 10_000)) }
    try expect(require(monitor.movement).position, equals: position)
    expect(seen.snapshot.position, equals: position)
  }

  @Test
  static func `without a tare, the steering angle is the filter's own, which is finer than a sample's`() {
    var monitor = Monitor(.recording, at: Instant(microseconds: 0))
    var finer = 0
    for sample in Int32(0)..<300 {
      let force = Vector3(x: Q16(raw: sample * 37), y: Q16(raw: 65_000), z: Q16(raw: sample * 53))
      let seen = monitor.sampled(force, at: Instant(microseconds: Int64(sample) * 10_000))
      expect(seen.snapshot.steering, equals: monitor.steeringAngle)
      guard let gravity = seen.reading?.gravity else { continue }
      if seen.snapshot.steering != Tare.none.applied(to: gravity).steeringAngle { finer += 1 }
    }
    expect(finer, isAbove: 100)
  }
}
