import FixedPoint
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Samples without noise: a frozen sensor, or one that is quiet by nature.
struct QuietSensorTests {
  private static let period = Microseconds.milliseconds(10)

  /// Feeds `samples` at 100 Hz. Returns the indices of `frozen` faults, and the poses.
  private static func run(_ samples: [Vector3]) -> (frozen: [Int], poses: [Pose]) {
    var monitor = Monitor(
      Monitor.Configuration(period: Self.period, fullScale: Q16(whole: 16)), at: Instant(microseconds: 0))
    var (frozen, poses): ([Int], [Pose]) = ([], [])
    for (index, sample) in samples.enumerated() {
      let report = monitor.sampled(sample, at: Instant(microseconds: Int64(index) * Self.period.count))
      for number in 0..<report.events.count {
        switch report.events[number]?.event {
        case .trouble(.fault, .frozen?): frozen.append(index)
        case .pose(_, let pose, _): poses.append(pose)
        default: break
        }
      }
    }
    return (frozen, poses)
  }

  @Test static func `after four small steps equal samples are frozen at the limit, before that only after 5 s too`() {
    for limit: UInt32 in [1, 2, 3, 5, 32, 100] {
      for steps in 0...6 {
        var monitor = Monitor(
          Monitor.Configuration(
            period: Self.period, fullScale: Q16(whole: 16), faults: FaultPolicy(implausibleLimit: limit)),
          at: Instant(microseconds: 0))
        var frozen: Int?
        for index in 0..<700 where frozen == nil {
          // As many steps, then the same sample for ever.
          let force = Vector3(x: Q16(raw: Int32(min(index, steps))), y: Q16(whole: 1), z: .zero)
          let report = monitor.sampled(force, at: Instant(microseconds: Int64(index) * Self.period.count))
          for number in 0..<report.events.count {
            if case .trouble(.fault, .frozen?) = report.events[number]?.event { frozen = index }
          }
        }
        // The first sample is the start, the last step the first of the equal ones.
        let expected = steps >= 4 ? steps + Int(limit) : steps + 501
        if frozen != expected { Issue.record("limit \(limit), \(steps) steps: \(frozen ?? -1), not \(expected)") }
      }
    }
  }

  private static func held(_ pose: Pose, _ count: Int, noise: Int32 = 0) -> [Vector3] {
    let force: (Int32, Int32, Int32) =
      switch pose {
      case .portrait: (0, 65_536, 0)
      case .portraitUpsideDown: (0, -65_536, 0)
      case .landscapeLeft: (65_536, 0, 0)
      case .landscapeRight: (-65_536, 0, 0)
      case .faceUp: (0, 0, 65_536)
      case .faceDown: (0, 0, -65_536)
      }
    return (0..<count).map { index in
      let wobble = noise * Int32(index % 2)
      return Vector3(x: Q16(raw: force.0 + wobble), y: Q16(raw: force.1), z: Q16(raw: force.2))
    }
  }

  @Test static func `a register file that is written once per pose, every 4 s, is not a frozen sensor`() {
    let walk: [Pose] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown]
    let result = run(walk.flatMap { held($0, 400) })
    expect(that: result.frozen.isEmpty)
    expect(result.poses, equals: walk)
  }

  @Test static func `a register file that is written in quick succession, then left alone, is not a frozen sensor`() {
    let walk: [Pose] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown]
    let result = run(walk.flatMap { held($0, 10) } + held(.faceDown, 400))
    expect(that: result.frozen.isEmpty)
    expect(result.poses.last, equals: .faceDown)
  }

  @Test static func `samples without any noise are frozen after 5 s of equal samples, reported once`() {
    // The row of equal samples begins with the second sample.
    expect(run(held(.portrait, 2_000)).frozen, equals: [501])
  }

  @Test static func `samples that had noise are frozen at the 32nd equal to the one before`() {
    let result = run(held(.portrait, 200, noise: 256) + held(.portrait, 200))
    #expect(result.frozen == [200 + 31] || result.frozen == [200 + 32])
  }

  @Test static func `a sensor whose samples change every 200 ms is found frozen as soon as any other`() {
    let slow = held(.portrait, 20, noise: 256).flatMap { Array(repeating: $0, count: 20) }
    let result = run(slow + Array(repeating: slow[399], count: 200))
    #expect(result.frozen.count == 1 && (400...420).contains(result.frozen[0]))
  }

  @Test static func `a sensor sampled at four times its rate is found frozen as soon as any other`() {
    let result = run(held(.portrait, 100, noise: 256).flatMap { [$0, $0, $0, $0] } + held(.portrait, 200, noise: 0))
    #expect(result.frozen.count == 1 && (400...440).contains(result.frozen[0]))
  }

  @Test static func `a sensor sampled at twice its rate is not frozen`() {
    let result = run(held(.portrait, 3_000, noise: 256).flatMap { [$0, $0] })
    expect(that: result.frozen.isEmpty)
    expect(result.poses, equals: [.portrait])
  }

  @Test static func `a quiet sensor that was found frozen is trusted again at the first sample that differs`() {
    let result = run(held(.portrait, 600) + held(.landscapeLeft, 100))
    expect(result.frozen, equals: [501])
    expect(result.poses, equals: [.portrait, .landscapeLeft])
  }
}
