import FixedPoint
import Gestures
import Monitor
import Orientation
import Testing

/// Observers of a monitor, and what can be asked of its scrolling.
@Suite struct ObserverTests {
  private static let up = Vector3(x: .zero, y: .one, z: .zero)
  private static let right = Vector3(x: .one, y: .zero, z: .zero)

  private static func monitor() -> Monitor {
    var configuration = Monitor.Configuration.recording
    configuration.movement = Movement.Configuration()
    return Monitor(configuration, at: Instant(microseconds: 0))
  }

  /// Turns the board there and back, `times` times; each turn is a pose and four phases.
  private static func turn(_ monitor: inout Monitor, times: Int) -> [Occurrence] {
    var told: [Occurrence] = []
    for number in 0..<Int64(times) {
      for sample in Int64(0)..<100 {
        let report = monitor.sampled(
          (number + sample / 50) % 2 == 0 ? up : right, at: Instant(microseconds: (number * 50 + sample) * 10_000))
        told += (0..<report.events.count).compactMap { report.events[$0] }
      }
    }
    return told
  }

  private static func read(_ monitor: inout Monitor, _ observer: Monitor.Log.Cursor) throws -> (
    missed: UInt64, events: [Occurrence]
  ) {
    var result: (missed: UInt64, events: [Occurrence]) = (0, [])
    while let reading = try monitor.next(for: observer) {
      switch reading {
      case .missed(let count): result.missed += count
      case .element(let occurrence): result.events.append(occurrence)
      }
    }
    return result
  }

  @Test func `eight observers read every event in order, and a ninth is refused without harm`() throws {
    var monitor = Self.monitor()
    let observers = try (0..<8).map { _ in try monitor.observe() }
    #expect(throws: EventLogError.tooManyReaders) { try monitor.observe() }
    let told = Self.turn(&monitor, times: 3)
    #expect(told.count == 16)
    for observer in observers {
      let read = try Self.read(&monitor, observer)
      #expect(read.missed == 0 && read.events == told)
    }
    try monitor.dismiss(observers[3])
    _ = try monitor.observe()
    #expect(throws: EventLogError.unknownReader) { try monitor.next(for: observers[3]) }
  }

  @Test func `a slow observer is told how many it missed, and goes on with the oldest that is kept`() throws {
    var monitor = Self.monitor()
    let slow = try monitor.observe()
    let told = Self.turn(&monitor, times: 9)
    let read = try Self.read(&monitor, slow)
    #expect(told.count > 32 && read.missed == UInt64(told.count - 32))
    #expect(read.events == told.suffix(32))
  }

  @Test func `the present pose becomes the rest, where it is one`() throws {
    var monitor = Self.monitor()
    #expect(throws: TiltScrollError.restMagnitude) { try monitor.captureScrollRest() }
    for sample in Int64(0)..<200 { _ = monitor.sampled(Self.right, at: Instant(microseconds: sample * 10_000)) }
    try monitor.captureScrollRest()
    monitor.scroll(to: TiltScroll.Position(x: Q16(1, over: 4), y: Q16(3, over: 4)))
    for sample in Int64(200)..<400 { _ = monitor.sampled(Self.right, at: Instant(microseconds: sample * 10_000)) }
    let position = try #require(monitor.movement).position
    #expect(position == TiltScroll.Position(x: Q16(1, over: 4), y: Q16(3, over: 4)))
  }
}
