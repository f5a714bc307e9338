import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Each kind of fault, and each unknown reason, has its own count.
struct CountTests {
  /// An error, and the index of its count in `all`.
  static let errors: [(error: SensorError, number: Int)] = [
    (.bus(.noAcknowledge), 0), (.bus(.arbitrationLost), 1), (.bus(.timedOut), 2),
    (.bus(.shortRead(expected: 7, received: 3)), 3), (.bus(.shortRead(expected: 6, received: 0)), 3),
    (.bus(.unsupported), 4), (.bus(.notPermitted), 5), (.bus(.busy), 6), (.bus(.unavailable), 7),
    (.bus(.other(code: 5)), 8), (.bus(.other(code: 110)), 8),
    (.unexpectedIdentity(found: 0, expected: 0xE5), 9),
    (.configurationRejected(register: 0x2C, wrote: 0x0A, read: 0), 10), (.configurationLost, 11),
    (.resetTimedOut, 12), (.rateTooHigh(busHertz: 100_000, highestHertz: 200), 13), (.frozen, 14),
    (.stuckAtFullScale, 15), (.weightless, 16),
    (.configurationChanged(register: 0x2C, wrote: 0x0A, read: 0x0C), 17),
  ]

  static func all(_ counts: FaultCounts) -> [UInt64] { FaultKind.allCases.map { counts[$0] } }

  static func monitor(_ policy: FaultPolicy = FaultPolicy()) -> Monitor {
    Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(16, over: 1), faults: policy), at: at(0))
  }

  @Test(arguments: errors)
  static func `an error counts as its own kind and as no other`(_ row: (error: SensorError, number: Int)) {
    var monitor = Self.monitor()
    for count in 1...20 as ClosedRange<UInt64> {
      _ = monitor.failed(row.error, at: at(Int64(count)))
      var expected = [UInt64](repeating: 0, count: FaultKind.allCases.count)
      expected[row.number] = count
      expect(Self.all(monitor.counters.faultKinds), equals: expected)
      expect(monitor.counters.faults, equals: count)
      expect(monitor.counters.faultKinds.bus, equals: row.number <= 8 ? count : 0)
    }
  }

  @Test(arguments: errors)
  static func `a lasting error is reported once, is retried no sooner than its back-off, and leaves no pose`(
    _ row: (error: SensorError, number: Int)
  ) {
    var monitor = Self.monitor()
    var now = at(0)
    var told: [SensorError?] = []
    var pauses: [Int64] = []
    for _ in 0..<12 {
      let report = monitor.failed(row.error, at: now)
      for index in 0..<report.events.count {
        if case .trouble(.fault, let cause)? = report.events[index]?.event { told.append(cause) }
      }
      let next = monitor.next
      // Blinks in between are no attempts.
      guard next.task != .rest else {
        var due = next
        while due.task == .rest {
          _ = monitor.rested(at: due.at)
          due = monitor.next
        }
        pauses.append((due.at - now).count / 1_000)
        now = due.at
        continue
      }
      pauses.append((next.at - now).count / 1_000)
      now = next.at
    }
    expect(told, equals: [row.error])
    // Bus faults get two retries; a lost configuration is set up again once without delay.
    let immediate = row.number <= 8 ? 2 : row.error == .configurationLost ? 1 : 0
    let backOffs = [50, 100, 200, 400, 400, 400, 400, 400, 400, 400, 400, 400] as [Int64]
    expect(pauses, equals: [Int64](repeating: 0, count: immediate) + backOffs.prefix(12 - immediate))
    expect(monitor.state, equals: .unknown(.fault))
    expect(monitor.counters.unknown.fault, equals: 1)
  }

  @Test(arguments: errors)
  static func `each kind of error is reported once, even if they alternate`(
    _ row: (error: SensorError, number: Int)
  ) {
    for other in Self.errors where other.number != row.number {
      var monitor = Self.monitor()
      var (told, now) = ([SensorError?](), at(0))
      for error in [row.error, other.error, row.error, other.error] {
        // From fault to fault, past the blinks in between and the retries that report nothing.
        for _ in 0..<4 {
          let report = monitor.failed(error, at: now)
          for index in 0..<report.events.count {
            if case .trouble(.fault, let cause)? = report.events[index]?.event { told.append(cause) }
          }
          while monitor.next.task == .rest { _ = monitor.rested(at: monitor.next.at) }
          now = monitor.next.at
        }
      }
      expect(told, equals: [row.error, other.error])
    }
  }

  @Test static func `each unknown reason is counted and reported when it begins`() {
    let up = Vector3(x: .zero, y: .one, z: .zero)
    let light = Vector3(x: .zero, y: Q16(3, over: 10), z: .zero)
    let left = Vector3(x: Q16(98, over: 100), y: Q16(17, over: 100), z: .zero)
    let right = Vector3(x: left.x.negatedSaturating, y: left.y, z: .zero)
    let heavy = Vector3(x: .zero, y: Q16(3, over: 1), z: .zero)
    var monitor = Self.monitor(FaultPolicy(implausibleLimit: 0))
    var told: [UnknownReason] = []
    var now: Int64 = 0
    func take(_ report: Observation) {
      for index in 0..<report.events.count {
        if case .trouble(let reason, _)? = report.events[index]?.event { told.append(reason) }
      }
    }
    func hold(_ force: Vector3, for milliseconds: Int64) {
      for _ in 0..<milliseconds / 10 {
        now += 10
        take(monitor.sampled(force, at: at(now)))
      }
    }
    for _ in 0..<3 {
      hold(up, for: 500)
      hold(light, for: 1_800)
      hold(up, for: 500)
      hold(heavy, for: 1_800)
      hold(up, for: 500)
      now += 2_000
      take(monitor.rested(at: at(now)))
      hold(up, for: 500)
      take(monitor.failed(.resetTimedOut, at: at(now)))
      hold(up, for: 500)
      // Alternate sides, so that neither wins.
      for _ in 0..<75 {
        hold(left, for: 10)
        hold(right, for: 10)
      }
    }
    expect(told, equals: [UnknownReason](repeating: [.freeFall, .accelerating, .stale, .fault, .ambiguous], count: 3))
    let counts = monitor.counters.unknown
    expect(
      [counts.ambiguous, counts.accelerating, counts.freeFall, counts.stale, counts.fault], equals: [3, 3, 3, 3, 3])
  }
}

extension [UnknownReason] {
  fileprivate init(repeating reasons: [UnknownReason], count: Int) {
    self = (0..<count).flatMap { _ in reasons }
  }
}
