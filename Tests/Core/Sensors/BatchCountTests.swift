import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// How `Batched` treats the counts that a sensor returns.
struct BatchCountTests {
  /// A sensor with a period of 10 ms that returns scripted counts.
  private struct Sayer: BatchingAccelerometer, ~Copyable {
    var said: [WaitingSamples] = []
    /// The number of samples after which a batch fails.
    var end: Int?
    var fullScale: Q16 { Q16(whole: 16) }
    var rotationFullScale: Q16? { nil }
    var transactions: UInt64 { 0 }
    var notice: SensorNotice? { nil }
    var samplePeriod = Microseconds.milliseconds(10)
    var keepsSamples: Bool { true }

    mutating func start() throws(SensorError) -> Microseconds { .zero }
    mutating func sample() throws(SensorError) -> Vector3 { .zero }
    mutating func reopen() throws(SensorError) {}
    mutating func watchForMovement() throws(SensorError) -> Microseconds? { nil }
    mutating func waiting() throws(SensorError) -> WaitingSamples {
      guard let first = said.first else { throw .configurationLost }
      if said.count > 1 { said.removeFirst() }
      return first
    }

    mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
      for _ in 0..<min(count, end ?? count) { samples.append(Measurement(force: .zero)) }
      if let end, end < count { throw .bus(.timedOut) }
    }
  }

  /// Checks every 250 ms, each with a scripted count. Returns how many samples each yielded, and the total lost so
  /// far.
  private static func looks(_ counts: [Int]) throws -> [(given: Int, lost: UInt64)] {
    let clock = VirtualClock()
    var sensor = Batched(Sayer(), size: 25)
    _ = try sensor.start()
    // The first check after a start asks twice.
    sensor.base.said = [WaitingSamples(count: counts[0])] + counts.map { WaitingSamples(count: $0) }
    return try counts.map { _ in
      _ = try sensor.collect(by: clock)
      var given = 0
      while let element = sensor.next() { if case .sample = element { given += 1 } }
      clock.advance(by: .milliseconds(250))
      return (given, sensor.lostSamples)
    }
  }

  @Test static func `a batch that is not empty is kept, and one that leaves samples waiting is followed at once`()
    throws
  {
    let clock = VirtualClock()
    var sensor = Batched(Sayer(), size: 25)
    _ = try sensor.start()
    expect(sensor.next(), equals: nil)
    expect(that: !sensor.hasNext)
    expect(sensor.timing, equals: nil)
    sensor.base.said = [WaitingSamples(count: 100), WaitingSamples(count: 100), WaitingSamples(count: 36)]
    // 64 samples fit, so the next batch is due at once.
    try expect(sensor.collect(by: clock), equals: clock.now)
    expect(sensor.base.said.count, equals: 1)
    try expect(sensor.collect(by: clock), equals: clock.now, "nothing is asked")
    expect(sensor.base.said.count, equals: 1, "nothing is asked")
    var given = 0
    while sensor.next() != nil { given += 1 }
    expect(given, equals: 64)
    expect(sensor.next(), equals: nil)
    let due = try sensor.collect(by: clock)
    expect(due - clock.now, isAbove: .milliseconds(200), "\(due)")
    expect(due - clock.now, isBelow: .milliseconds(300), "\(due)")
    // A query of the newest sample takes nothing from the batch.
    let newest = try sensor.newest(by: clock)
    #expect(newest?.at == clock.now || newest != nil)
    given = 0
    while sensor.next() != nil { given += 1 }
    expect(given, equals: 36)
  }

  @Test static func `an error behind samples comes at once after them, and only once`() throws {
    let clock = VirtualClock()
    var sensor = Batched(Sayer(), size: 25)
    _ = try sensor.start()
    (sensor.base.said, sensor.base.end) = ([WaitingSamples(count: 25)], 7)
    try expect(sensor.collect(by: clock), equals: clock.now)
    sensor.base.end = nil
    var given = 0
    while sensor.next() != nil { given += 1 }
    expect(given, equals: 7)
    expect(sensorError { () throws(SensorError) in _ = try sensor.collect(by: clock) }, equals: .bus(.timedOut))
    clock.advance(by: .milliseconds(250))
    expect(sensorError { () throws(SensorError) in _ = try sensor.collect(by: clock) }, equals: nil)
    expect(that: sensor.hasNext)
    // Forgotten by a start.
    while sensor.next() != nil {}
    sensor.base.end = 7
    clock.advance(by: .milliseconds(250))
    _ = try sensor.collect(by: clock)
    _ = try sensor.start()
    expect(that: !sensor.hasNext)
    expect(sensor.next(), equals: nil)
    sensor.base.end = nil
    expect(sensorError { () throws(SensorError) in _ = try sensor.collect(by: clock) }, equals: nil)
    // An error before any sample comes itself.
    _ = try sensor.start()
    sensor.base.end = 0
    let error = sensorError { () throws(SensorError) in _ = try sensor.collect(by: clock) }
    expect(error, equals: .bus(.timedOut))
    expect(sensor.next(), equals: nil)
  }

  @Test static func `a batch is of 1 to 64 samples, and a single one is read without a batch`() throws {
    for (size, expected) in [(-3, 1), (0, 1), (1, 1), (2, 2), (64, 64), (65, 64), (Int.max, 64)] {
      var sensor = Batched(Sayer(), size: size)
      expect(sensor.size, equals: expected)
      expect(sensor.isBatching, equals: expected > 1)
      let error = sensorError { () throws(SensorError) in _ = try sensor.sample() }
      expect(error, equals: expected > 1 ? .configurationLost : nil)
    }
  }

  @Test(arguments: 2...7)
  static func `one count that contradicts the time is ignored, two in a row are not`(
    _ right: Int
  ) throws {
    let before = [Int](repeating: 25, count: right)
    // Ten more than possible are not taken. With ten fewer, the waiting ones follow the last ones.
    for (wrong, given) in [(35, 25), (15, 15)] {
      let once = try looks(before + [wrong, 25])
      expect(once.map(\.given), equals: before + [given, 25], "\(wrong)")
      expect(once.map(\.lost).suffix(2), equals: [0, UInt64(25 - given)], "\(wrong): \(once)")
    }
    let twice = try looks(before + [15, 15, 25])
    expect(twice.map(\.lost).suffix(2), equals: [20, 20], "\(twice)")
  }

  @Test(arguments: 0...24)
  static func `after a gap the missing samples are counted, however few samples wait`(_ count: Int) throws {
    let clock = VirtualClock()
    var sensor = Batched(Sayer(), size: 25)
    _ = try sensor.start()
    for _ in 0..<4 {
      sensor.base.said = [WaitingSamples(count: 25)]
      clock.advance(by: .milliseconds(250))
      _ = try sensor.collect(by: clock)
      while sensor.next() != nil {}
    }
    expect(sensor.lostSamples, equals: 0)
    sensor.base.said = [WaitingSamples(count: count, followsGap: true)]
    clock.advance(by: .milliseconds(250))
    _ = try sensor.collect(by: clock)
    while sensor.next() != nil {}
    // With none waiting it is not known yet. By time alone it may be off by one.
    let lost = count == 0 ? 0 : Int64(25 - count)
    expect(abs(Int64(sensor.lostSamples) - lost), isAtMost: count == 0 ? 0 : 1, "\(sensor.lostSamples)")
  }

  @Test static func `after a restart the samples lost meanwhile are counted by the elapsed time and reported first`()
    throws
  {
    let day: Int64 = 86_400_000_000
    for silence in [
      0, 3_000, 14_000, 16_000, 24_000, 26_000, 252_000, 999_000, 60_000_000, 30 * day, 50 * day, 60 * day,
    ] {
      // How many samples the first and the second check after the start find.
      for (first, second) in [(0, 1), (0, 25), (1, 1), (2, 25), (25, 1)] {
        let clock = VirtualClock()
        var sensor = Batched(Sayer(), size: 25)
        _ = try sensor.start()
        sensor.base.said = [WaitingSamples(count: 25)]
        var since = Instant(microseconds: 0)
        for _ in 0..<40 {
          clock.advance(by: .milliseconds(250))
          _ = try sensor.collect(by: clock)
          while case .sample(_, let instant)? = sensor.next() { since = instant }
        }
        expect(sensor.lostSamples, equals: 0)
        // A fault, then a restart.
        _ = try sensor.start()
        clock.advance(by: Microseconds(silence))
        var (lost, gap, instants, count): (Int64, Instant?, [Instant], Int) = (0, nil, [], 0)
        for waiting in [first, second] {
          sensor.base.said = [WaitingSamples(count: waiting)]
          _ = try sensor.collect(by: clock)
          while let element = sensor.next() {
            switch element {
            case .lost(let more, let instant): (lost, gap, count) = (lost + Int64(more), instant, instants.count)
            case .sample(_, let instant): instants.append(instant)
            }
          }
          clock.advance(by: .milliseconds(10 * Int64(second)))
        }
        let begin = try require(instants.first)
        // The period is known to a few ppm, and a silence counts as 2^42 µs at most.
        let missing = max(0, (Double(min(1 << 42, (begin - since).count)) / 10_000).rounded() - 1)
        let isCounted = abs(Double(lost) - missing) <= missing * 2e-3 && (missing > 0) == (gap != nil) && count == 0
        let isPlaced = gap.map { abs((begin - $0).count - 10_000) <= 100 && $0 >= since } ?? true
        let isAscending = zip([since] + instants, instants).allSatisfy { $0 < $1 } && begin <= clock.now
        if !isCounted || !isPlaced || !isAscending || sensor.lostSamples != UInt64(lost)
          || instants.count != first + second
        {
          Issue.record("\(silence), \(first), \(second): \(lost) for \(missing), \(gap as Any), \(since), \(instants)")
        }
      }
    }
  }

  @Test static func `more lost samples than 32 bits hold are reported as the most that they hold, and counted in full`()
    throws
  {
    let clock = VirtualClock()
    var sensor = Batched(Sayer(samplePeriod: Microseconds(200)), size: 25)
    for loss in 1...2 {
      _ = try sensor.start()
      sensor.base.said = [WaitingSamples(count: 25)]
      _ = try sensor.collect(by: clock)
      var lost: UInt32?
      while let element = sensor.next() { if case .lost(let count, _) = element { lost = count } }
      let expected = Double(loss - 1) * 30 * 86_400 * 5_000
      if lost != (loss == 1 ? nil : .max) || abs(Double(sensor.lostSamples) - expected) > expected * 0.11 {
        Issue.record("\(loss): \(lost as Any), \(sensor.lostSamples) for \(expected)")
      }
      clock.advance(by: .seconds(30 * 86_400))
    }
  }

  @Test static func `the times of a batch behind a gap are as uncertain as a clock that made the same checks`() throws {
    // The gap, and whether the sensor knows how many samples cannot be taken yet.
    for (seconds, unreachable) in [(1, 0), (10, 0), (100, 0), (100, nil), (1_000, 1)] as [(Int64, Int?)] {
      let time = VirtualClock()
      var sensor = Batched(Sayer(), size: 25)
      var clock = SensorClock(nominal: .milliseconds(10))
      _ = try sensor.start()
      for look in 0..<80 {
        time.advance(by: .milliseconds(250))
        sensor.base.said = [WaitingSamples(count: 25)]
        _ = try sensor.collect(by: time)
        while sensor.next() != nil {}
        _ =
          look == 0
          ? clock.resume(between: time.now, and: time.now) : clock.saw(25, between: time.now, and: time.now)
      }
      time.advance(by: .seconds(seconds) + .milliseconds(5))
      sensor.base.said = [WaitingSamples(count: 20, unreachable: unreachable, followsGap: true)]
      let missing = clock.resume(between: time.now, and: time.now) - 20 - Int64(unreachable ?? 0)
      _ = try sensor.collect(by: time)
      let newest = (clock.newest ?? 0) - Int64(unreachable ?? 0)
      let ends = [newest - 20, newest].map { clock.uncertainty(of: $0)?.count ?? 0 }
      if sensor.lostSamples != UInt64(missing) || sensor.timing?.uncertainty.count ?? -1 != ends.max() {
        Issue.record("\(seconds) s: \(sensor.lostSamples) for \(missing), \(sensor.timing as Any) for \(ends)")
      }
    }
  }

  @Test(arguments: ["start", "adopt", "watch", "wake"])
  static func `a new start of the sensor drops samples that were not yet delivered, and a pending error`(
    _ action: String
  ) throws {
    for given in [0, 1, 9, 10] {
      let clock = VirtualClock()
      var sensor = Batched(Sayer(), size: 25)
      _ = try sensor.start()
      clock.advance(by: .seconds(1))
      sensor.base.said = [WaitingSamples(count: 25)]
      sensor.base.end = 10
      _ = try sensor.collect(by: clock)
      for _ in 0..<given { _ = sensor.next() }
      switch action {
      case "start": _ = try sensor.start()
      case "adopt": _ = try sensor.adopt()
      case "watch": _ = try sensor.watchForMovement()
      default: _ = try sensor.wake()
      }
      sensor.base.end = nil
      let isEmpty = !sensor.hasNext && sensor.next() == nil && sensor.timing == nil
      clock.advance(by: .milliseconds(100))
      sensor.base.said = [WaitingSamples(count: 4)]
      _ = try sensor.collect(by: clock)
      var fresh = 0
      while let element = sensor.next() { if case .sample = element { fresh += 1 } }
      // Only `start` follows a fault, which loses samples.
      let isLost = action == "start" && given > 0
      if !isEmpty || fresh != 4 || (sensor.lostSamples > 0) != isLost || sensor.timing == nil {
        Issue.record("\(given): \(isEmpty), \(fresh), \(sensor.lostSamples)")
      }
    }
  }

  @Test static func `no samples are taken beyond the waiting ones, and batches offer no more than their sensor`() throws
  {
    var sensor = Batched(Sayer(), size: 25)
    var errors: [SensorError] = []
    do throws(SensorError) { _ = try sensor.sample() } catch { errors.append(error) }
    do throws(SensorError) { _ = try sensor.measure() } catch { errors.append(error) }
    expect(errors, equals: [.configurationLost, .configurationLost])
    try expect(sensor.adopt(), equals: false)
    expect(that: !sensor.canWatchForMovement)
    expect(sensor.movementThreshold, equals: .zero)
    // A batch of one asks the sensor.
    var single = Batched(Sayer(), size: 1)
    try expect(single.sample(), equals: .zero)
    expect(that: !single.isBatching)
  }

  @Test(arguments: [0, 2, 5])
  static func `the next batch is due when all of its samples can be taken`(_ unreachable: Int) throws {
    let clock = VirtualClock()
    clock.advance(by: .seconds(1))
    var sensor = Batched(Sayer(), size: 25)
    _ = try sensor.start()
    // The newest sample is at most one period old; the middle of that is assumed.
    sensor.base.said = [WaitingSamples(count: 0, unreachable: unreachable)]
    let due = try sensor.collect(by: clock)
    expect(abs((due - clock.now).count - 245_000), isAtMost: 1_000, "\(due)")
  }
}
