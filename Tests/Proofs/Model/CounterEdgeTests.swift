import FixedPoint
import Monitor
import Orientation
import Testing

/// Counters at the end of their range, which no test run reaches by itself: the tests set them there.
struct CounterEdgeTests {
  private static func set<Number: BitwiseCopyable>(_ place: Int, to number: Number, in monitor: inout Monitor) {
    unsafe withUnsafeMutableBytes(of: &monitor) {
      unsafe $0.storeBytes(of: number, toByteOffset: place, as: Number.self)
    }
  }

  private static func monitor() -> Monitor {
    let faults = FaultPolicy(implausibleLimit: 3, quietLimit: .milliseconds(400))
    return Monitor(
      Monitor.Configuration(period: .milliseconds(100), fullScale: Q16(whole: 2), faults: faults),
      at: Instant(microseconds: 0))
  }

  @Test static func `a full counter continues from 0, and no other changes`() throws {
    let base = try #require(
      try Fingerprint<Monitor>(without: MonitorMachine.omitted, horizon: 1).offsets["snapshot.counters"])
    let samples = try #require(MemoryLayout<Counters>.offset(of: \.samples))
    var monitor = Self.monitor()
    Self.set(base + samples, to: UInt64.max - 1, in: &monitor)
    for (time, count) in [(1, UInt64.max), (2, 0), (3, 1)] as [(Int64, UInt64)] {
      _ = monitor.sampled(Place.centre(.portrait).force, at: Instant(microseconds: time * 100_000))
      var expected = Counters()
      (expected.samples, expected.poseChanges, expected.lateSamples) = (count, 1, monitor.counters.lateSamples)
      #expect(monitor.counters == expected)
    }
  }

  @Test(arguments: ["repeats", "atFullScale"])
  static func `a run of bad samples too long to count is not believed`(_ name: String) throws {
    let fingerprint = try Fingerprint<Monitor>(without: MonitorMachine.omitted, horizon: 1)
    let place = try #require(fingerprint.offsets["plausibility.\(name)"])
    let end = Vector3(x: Q16(whole: 2), y: .zero, z: .zero)
    var monitor = Self.monitor()
    for time in 1...40 as ClosedRange<Int64> {
      if time == 20 { Self.set(place, to: UInt32.max - 3, in: &monitor) }
      // At the end of the range on one axis, with noise on another.
      let noise = Q16(raw: name == "repeats" ? 0 : Int32(time) * 256)
      let force = name == "repeats" ? Place.centre(.portrait).force : Vector3(x: end.x, y: noise, z: .zero)
      _ = monitor.sampled(force, at: Instant(microseconds: time * 100_000))
      if time > 10 { #expect(monitor.state == .unknown(.fault), "sample \(time)") }
    }
    #expect(monitor.counters.recoveries == 0)
  }
}
