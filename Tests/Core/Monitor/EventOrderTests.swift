import FixedPoint
import Gestures
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The events of a monitor that is stepped by hand: their number, order and times.
struct EventOrderTests {
  @Test static func `what a program without a loop has lost is an event, and counted`() {
    var monitor = Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16)), at: at(0))
    var events: [Event] = []
    monitor.lost(3, at: at(20), readAt: at(30)).forEachEvent { events.append($0.event) }
    expect(events, contains: .notice(.samplesLost(3)))
    expect(monitor.counters.lostSamples, equals: 3)
  }

  private static let upright = Measurement(force: Vector3(x: .zero, y: .one, z: .zero))

  private static func occurrences(_ report: Observation) -> [Occurrence] {
    (0..<report.events.count).compactMap { report.events[$0] }
  }

  @Test static func `a step without news has no events`() {
    expect(Events().count, equals: 0)
    var monitor = Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16)), at: at(0))
    expect(monitor.started(settling: .zero, at: at(0)).events.count, equals: 0)
    expect(monitor.sampled(Self.upright, at: at(10)).events.count, equals: 1)
    expect(
      monitor.sampled(Measurement(force: Vector3(x: Q16(raw: 5), y: .one, z: .zero)), at: at(20)).events.count,
      equals: 0)
  }

  /// Forces of a board that lies, or is shaken, tapped or dropped, 5 ms apart.
  private static func handling(_ dice: inout SplitMix64) -> [Vector3] {
    let poses: [(x: Int32, y: Int32, z: Int32)] = [(0, 1, 0), (1, 0, 0), (0, 0, -1), (-1, 0, 0)]
    let pose = poses.randomElement(using: &dice) ?? poses[0]
    func force(_ push: Int32 = 0) -> Vector3 {
      let noise = Int32.random(in: -99...99, using: &dice)
      return Vector3(x: Q16(whole: pose.x + push), y: Q16(whole: pose.y), z: Q16(raw: pose.z * 65_536 + noise))
    }
    let begin = (0..<Int.random(in: 20...500, using: &dice)).map { _ in force() }
    return switch Int.random(in: 0..<4, using: &dice) {
    case 0: begin + (0..<120).map { force($0 / 12 % 2 == 0 ? 3 : -3) }
    case 1: begin + [force(4)]
    case 2: begin + Array(repeating: .zero, count: 60)
    default: begin
    }
  }

  @Test static func `a sample brings no more events of a group than its row says, however the board is handled`() {
    var dice = SplitMix64(seed: 29)
    var configuration = Monitor.Configuration(period: .milliseconds(5), fullScale: Q16(whole: 16))
    (configuration.movement, configuration.detectsRest) = (Movement.Configuration(), true)
    configuration.knocks = Knocks.Configuration(taps: .standard, fall: .standard, areFoundBySensor: false)
    var monitor = Monitor(configuration, at: at(0))
    var (time, found) = (Int64(0), Set<Event.Group>())
    for _ in 0..<300 {
      if Int.random(in: 0..<9, using: &dice) == 0 { _ = monitor.failed(.configurationLost, at: at(time)) }
      for force in handling(&dice) {
        time += 5
        var counts: [Event.Group: Int] = [:]
        monitor.sampled(Measurement(force: force), at: at(time)).forEachEvent {
          counts[$0.event.kind.group, default: 0] += 1
        }
        for (group, count) in counts { expect(count, isAtMost: group.mostInStep, "\(group)") }
        found.formUnion(counts.keys)
      }
    }
    expect(found, equals: [.pose, .sensor, .shake, .rest, .rotation, .tap, .fall])
  }

  @Test static func `no event exists before the first or after the last index`() {
    var monitor = Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16)), at: at(0))
    _ = monitor.started(settling: .zero, at: at(0))
    let events = monitor.sampled(Self.upright, at: at(10)).events
    #expect(events.count == 1 && events[0] != nil)
    for index in [-1, 1, Events.capacity - 1, Events.capacity, Int.min, Int.max] {
      expect(events[index], equals: nil, "\(index)")
    }
  }

  @Test static func `a sample that waited gives its events the time of the last report, not the current time`() throws {
    var monitor = Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16)), at: at(0))
    _ = monitor.started(settling: .zero, notice: .compatiblePart(identity: 7), at: at(500))
    // Produced before the notice about the part, and read later.
    let report = monitor.sampled(Self.upright, at: at(300), readAt: at(900))
    let event = try require(occurrences(report).first)
    guard case .pose = event.event else { return #expect(Bool(false), "\(event)") }
    expect(event.at, equals: at(500))
  }

  @Test static func `the temperature is that of the last sample, and nil if it had none`() {
    var monitor = Monitor(Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16)), at: at(0))
    _ = monitor.started(settling: .zero, at: at(0))
    expect(monitor.temperature, equals: nil)
    for (sample, degrees) in ([21, 22, nil, 23] as [Int32?]).enumerated() {
      let temperature = degrees.map { Q16(whole: $0) }
      let force = Vector3(x: Q16(raw: Int32(sample)), y: .one, z: .zero)
      _ = monitor.sampled(Measurement(force: force, temperature: temperature), at: at(Int64(sample) * 10 + 10))
      expect(monitor.temperature, equals: temperature)
    }
  }

  @Test static func `recorded samples, which have no schedule, are never late`() {
    var monitor = Monitor(.recording, at: at(0))
    for second in 0..<20 as Range<Int64> { _ = monitor.sampled(Self.upright, at: at(second * 1_000)) }
    expect(monitor.counters.samples, equals: 20)
    expect(monitor.counters.lateSamples, equals: 0)
  }

  @Test static func `a sensor that is woken on demand reports that, and no movement`() {
    var configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16))
    (configuration.sleep, configuration.detectsRest) = (Sleep(after: .seconds(2)), true)
    var monitor = Monitor(configuration, at: at(0))
    var time: Int64 = 0
    var told: [Event] = []
    func take(_ report: Observation) { told += occurrences(report).map(\.event) }
    while !monitor.isAsleep, time < 60_000 {
      time += 10
      switch monitor.next.task {
      case .start, .restart: take(monitor.started(settling: .zero, at: at(time)))
      case .watch: take(monitor.watched(at: at(time)))
      default:
        let wobble = Q16(raw: Int32(time / 10 % 2) * 100)
        take(monitor.sampled(Vector3(x: wobble, y: .one, z: .zero), at: at(time)))
      }
    }
    expect(that: monitor.isAsleep)
    expect(that: told.contains(.still))
    told = []
    monitor.wakeUp(at: at(time + 500))
    take(monitor.started(settling: .zero, at: at(time + 600)))
    expect(told, equals: [.awake])
  }

  @Test static func `a part that rejects its setting for watching reports that once, and is not asked again`() {
    var configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16))
    (configuration.sleep, configuration.detectsRest) = (Sleep(after: .seconds(2)), true)
    var monitor = Monitor(configuration, at: at(0))
    var (notices, asked) = (0, 0)
    var time: Int64 = 0
    func count(_ report: Observation) {
      notices += occurrences(report).count { $0.event == .notice(.staysAwake) }
    }
    while time < 30_000 {
      time += 10
      switch monitor.next.task {
      case .start, .restart: count(monitor.started(settling: .zero, at: at(time)))
      case .watch:
        asked += 1
        count(monitor.failed(.configurationRejected(register: 0x24, wrote: 2, read: 0), at: at(time)))
      default:
        let wobble = Q16(raw: Int32(time / 10 % 2) * 100)
        count(monitor.sampled(Vector3(x: wobble, y: .one, z: .zero), at: at(time)))
      }
    }
    expect(asked, equals: 1)
    expect(notices, equals: 1)
    expect(monitor.counters.samples, isAbove: 2_900)
    expect(that: !monitor.isAsleep)
  }

  @Test static func `a query of a force equals one of a measurement, and is a fault while the sensor has one`() {
    var monitor = Monitor(.recording, at: at(0))
    _ = monitor.sampled(Self.upright, at: at(10))
    let left = Vector3(x: .one, y: .zero, z: .zero)
    let seen = monitor.reading(of: left, at: at(20))
    expect(seen, equals: monitor.reading(of: Measurement(force: left), at: at(20)))
    expect(seen.state, equals: .known(.landscapeLeft))
    expect(monitor.state, equals: .known(.portrait))
    _ = monitor.failed(.configurationRejected(register: 1, wrote: 2, read: 3), at: at(30))
    expect(monitor.reading(of: left, at: at(40)).state, equals: .unknown(.fault))
  }
}
