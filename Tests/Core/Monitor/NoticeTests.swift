import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Notices of a sensor that works.
struct NoticeTests {
  static let parts: [(part: EmulatedMPU6050.Part, notices: [SensorNotice])] = [
    (.mpu6050, []), (.mpu6500, []), (.mpu9250, []), (.icm20602, [.compatiblePart(identity: 0x12)]),
    (.icm20689, [.compatiblePart(identity: 0x98)]), (.mpu6880, [.compatiblePart(identity: 0x78)]),
  ]

  @Test(arguments: parts)
  static func `a compatible part is reported once, at the start and before the first pose, not after outages`(
    _ row: (part: EmulatedMPU6050.Part, notices: [SensorNotice])
  ) {
    let rig = Rig(
      plan: [.init(.noAcknowledge, .during(.seconds(1)..<Microseconds.seconds(3)))],
      part: .mpu6050(EmulatedMPU6050.Configuration(row.part)))
    let outcome = rig.run(for: .seconds(6))
    expect(outcome.notices.map(\.notice), equals: row.notices)
    expect(outcome.counters.notices, equals: UInt64(row.notices.count))
    expect(all: outcome.notices) { $0.at == at(0) }
    expect(outcome.recoveries.count, equals: 1)
    expect(outcome.poses, equals: [.portrait, .portrait])
  }

  @Test static func `a notice is reported again only if it differs from the one at the last start`() {
    let a = SensorNotice.compatiblePart(identity: 1)
    let b = SensorNotice.compatiblePart(identity: 2)
    let courses: [(found: [SensorNotice?], told: [SensorNotice])] = [
      ([nil, nil], []), ([a], [a]), ([a, a, a], [a]), ([a, b], [a, b]), ([a, b, a], [a, b, a]),
      ([nil, a, a, nil, a], [a, a]),
    ]
    for course in courses {
      var monitor = Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(16, over: 1)), at: at(0))
      var told: [SensorNotice] = []
      for (index, found) in course.found.enumerated() {
        let report = monitor.started(settling: .zero, notice: found, at: at(Int64(index)))
        for number in 0..<report.events.count {
          if case .notice(let notice?)? = report.events[number]?.event { told.append(notice) }
        }
      }
      expect(told, equals: course.told)
      expect(monitor.counters.notices, equals: UInt64(course.told.count))
    }
  }

  @Test static func `a rejected clone reports its identity once, and is retried`() {
    let outcome = Rig(part: .mpu6050(EmulatedMPU6050.Configuration(.clone72))).run(for: .seconds(10))
    expect(outcome.troubles.map(\.cause), equals: [.unexpectedIdentity(found: 0x72, expected: 0x68)])
    expect(empty: outcome.notices)
    expect(outcome.counters.faultKinds[.unexpectedIdentity], equals: outcome.counters.faults)
    expect(outcome.counters.faults, isIn: 20...30)
    expect(outcome.finalState, equals: .unknown(.fault))
  }
}
