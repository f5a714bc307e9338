import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// A board held upright whose force is `light` for a span, and 1 g otherwise.
struct Weight: Motion {
  var light: Q16
  var span: Range<Microseconds>
  var duration: Microseconds { .zero }

  static func constant(_ light: Q16) -> Weight { Weight(light: light, span: .zero..<Microseconds(Int64.max)) }

  func specificForce(at time: Microseconds) -> Vector3 {
    Vector3(x: .zero, y: span.contains(time) ? light : .one, z: .zero)
  }
}

/// Samples with hardly any force.
struct WeightTests {
  @Test(arguments: [ADXL345.OutputDataRate.hz25, .hz50, .hz100, .hz800])
  static func `a part that counts in other units is a fault after two seconds, at every rate`(
    rate: ADXL345.OutputDataRate
  ) throws {
    let outcome = Rig(motion: Weight.constant(Q16(8, over: 100)), rate: rate).run(for: .seconds(20))
    expect(empty: outcome.poses)
    expect(outcome.troubles.map(\.reason), equals: [.freeFall, .fault])
    expect(outcome.troubles.map(\.cause), equals: [nil, .weightless])
    let begin = try require(outcome.troubles.first?.at)
    let end = try require(outcome.troubles.last?.at)
    expect(end - begin, isAbove: .seconds(2))
    expect(end - begin, isAtMost: .seconds(2) + rate.period)
    expect(outcome.finalState, equals: .unknown(.fault))
    expect(outcome.counters.faultKinds[.weightless], equals: outcome.counters.faults)
    expect(empty: outcome.recoveries)
  }

  @Test(arguments: [3_000, 4_000, 9_000, 60_000] as [Int64])
  static func `it recovers when there is weight again, and not before`(_ end: Int64) {
    let span = Microseconds.seconds(1)..<Microseconds.milliseconds(end)
    let outcome = Rig(motion: Weight(light: Q16(8, over: 100), span: span)).run(for: .milliseconds(end + 3_000))
    let isFault = end > 3_000
    expect(outcome.poses, equals: [.portrait, .portrait])
    expect(outcome.troubles.filter { $0.reason == .fault }.map(\.cause), equals: isFault ? [.weightless] : [])
    expect(outcome.recoveries.map(\.from), equals: isFault ? [.weightless] : [])
    expect(all: outcome.recoveries) { $0.at >= at(end) && $0.at <= at(end + 500) }
    expect(all: outcome.states) { $0.at >= at(end) || $0.at < at(2_500) || $0.state.pose == nil }
  }

  @Test static func `a limit of zero never finds a fault, and any other limit is exact`() {
    for limit in [0, 300, 10_000] as [Int64] {
      var rig = Rig(motion: Weight.constant(Q16(8, over: 100)))
      rig.policy.weightlessLimit = .milliseconds(limit)
      let outcome = rig.run(for: .seconds(30))
      expect(outcome.troubles.map(\.reason), equals: (limit == 0 ? [.freeFall] : [.freeFall, .fault]))
      let span = (outcome.troubles.last?.at ?? at(0)) - (outcome.troubles.first?.at ?? at(0))
      if limit > 0 { #expect(span > .milliseconds(limit) && span <= .milliseconds(limit + 10)) }
    }
  }

  @Test(arguments: [
    (13_106, true), (-13_106, true), (0, true), (13_107, false), (-13_107, false), (65_536, false),
    (Int32.min, false), (Int32.max, false),
  ])
  static func `less than 0.2 g on every axis is weightless, and one axis is enough for weight`(
    _ raw: Int32, _ isWeightless: Bool
  ) {
    for axis in 0..<3 {
      var monitor = Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(raw: Int32.max)), at: at(0))
      for count in Int64(0)...400 {
        // Two LSB of noise on the other axes, so that nothing looks frozen.
        var components = InlineArray<3, Int32>(repeating: Int32(count % 3))
        components[axis] = raw
        let force = Vector3(x: Q16(raw: components[0]), y: Q16(raw: components[1]), z: Q16(raw: components[2]))
        _ = monitor.sampled(force, at: at(count * 10))
      }
      expect(monitor.counters.faultKinds[.weightless] > 0, equals: isWeightless)
    }
  }

  @Test static func `an outage does not count as time without weight`() {
    // Light for one second before the outage and one after it: never two seconds in a row.
    let motion = Weight(light: Q16(8, over: 100), span: .seconds(1)..<Microseconds.seconds(5))
    let plan: FaultPlan = [.init(.noAcknowledge, .during(.seconds(2)..<Microseconds.seconds(4)))]
    let outcome = Rig(motion: motion, plan: plan).run(for: .seconds(8))
    expect(outcome.counters.faultKinds[.weightless], equals: 0)
    expect(outcome.finalState, equals: .known(.portrait))
  }

  @Test static func `a weightless part that was absent for a while is not trusted just because it returned`() {
    let plan: FaultPlan = [.init(.noAcknowledge, .during(.seconds(5)..<Microseconds.seconds(6)))]
    let outcome = Rig(motion: Weight.constant(Q16(8, over: 100)), plan: plan).run(for: .seconds(20))
    expect(outcome.troubles.map(\.cause), equals: [nil, .weightless, .bus(.noAcknowledge)])
    expect(empty: outcome.recoveries)
    expect(outcome.finalState, equals: .unknown(.fault))
  }

  @Test static func `a clone that reads only zeros is found weightless, once, before it is found frozen`() {
    var specimen = EmulatedMPU6050.Configuration()
    specimen.readsAllZero = true
    let outcome = Rig(part: .mpu6050(specimen)).run(for: .seconds(60))
    expect(outcome.troubles.map(\.cause), equals: [nil, .weightless])
    expect(empty: outcome.poses)
    expect(empty: outcome.recoveries)
    expect(outcome.finalState, equals: .unknown(.fault))
  }
}
