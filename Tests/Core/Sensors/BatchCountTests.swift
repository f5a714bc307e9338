import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// How `Batched` treats the counts that a sensor returns.
@Suite struct BatchCountTests {
  /// A sensor with a period of 10 ms that returns scripted counts.
  private struct Sayer: BatchingAccelerometer, ~Copyable {
    var said: [WaitingSamples] = []
    var fullScale: Q16 { Q16(whole: 16) }
    var rotationFullScale: Q16? { nil }
    var transactions: UInt64 { 0 }
    var notice: SensorNotice? { nil }
    var samplePeriod: Microseconds { .milliseconds(10) }
    var keepsSamples: Bool { true }

    mutating func start() throws(SensorError) -> Microseconds { .zero }
    mutating func sample() throws(SensorError) -> Vector3 { .zero }
    mutating func reopen() throws(SensorError) {}
    mutating func waiting() throws(SensorError) -> WaitingSamples {
      guard let first = said.first else { throw .configurationLost }
      if said.count > 1 { said.removeFirst() }
      return first
    }

    mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
      for _ in 0..<count { samples.append(Measurement(force: .zero)) }
    }
  }

  /// Checks every 250 ms, each with a scripted count. Returns how many samples each yielded, and the total lost so
  /// far.
  private func looks(_ counts: [Int]) throws -> [(given: Int, lost: UInt64)] {
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

  @Test(arguments: 2...7)
  func `one count that contradicts the time is ignored, two in a row are not`(
    _ right: Int
  ) throws {
    let before = [Int](repeating: 25, count: right)
    // Ten more than possible are not taken. With ten fewer, the waiting ones follow the last ones.
    for (wrong, given) in [(35, 25), (15, 15)] {
      let once = try looks(before + [wrong, 25])
      #expect(once.map(\.given) == before + [given, 25], "\(wrong)")
      #expect(once.map(\.lost).suffix(2) == [0, UInt64(25 - given)], "\(wrong): \(once)")
    }
    let twice = try looks(before + [15, 15, 25])
    #expect(twice.map(\.lost).suffix(2) == [20, 20], "\(twice)")
  }

  @Test(arguments: 0...24)
  func `after a gap the missing samples are counted, however few samples wait`(_ count: Int) throws {
    let clock = VirtualClock()
    var sensor = Batched(Sayer(), size: 25)
    _ = try sensor.start()
    for _ in 0..<4 {
      sensor.base.said = [WaitingSamples(count: 25)]
      clock.advance(by: .milliseconds(250))
      _ = try sensor.collect(by: clock)
      while sensor.next() != nil {}
    }
    #expect(sensor.lostSamples == 0)
    sensor.base.said = [WaitingSamples(count: count, followsGap: true)]
    clock.advance(by: .milliseconds(250))
    _ = try sensor.collect(by: clock)
    while sensor.next() != nil {}
    // With none waiting it is not known yet. By time alone it may be off by one.
    let lost = count == 0 ? 0 : Int64(25 - count)
    #expect(abs(Int64(sensor.lostSamples) - lost) <= (count == 0 ? 0 : 1), "\(sensor.lostSamples)")
  }

  @Test func `no samples are taken beyond the waiting ones, and batches offer no more than their sensor`() throws {
    var sensor = Batched(Sayer(), size: 25)
    var errors: [SensorError] = []
    do throws(SensorError) { _ = try sensor.sample() } catch { errors.append(error) }
    do throws(SensorError) { _ = try sensor.measure() } catch { errors.append(error) }
    #expect(errors == [.configurationLost, .configurationLost])
    #expect(try sensor.adopt() == false && !sensor.canWatchForMovement && sensor.movementThreshold == .zero)
    // A batch of one asks the sensor.
    var single = Batched(Sayer(), size: 1)
    #expect(try single.sample() == .zero && !single.isBatching)
  }

  @Test(arguments: [0, 2, 5])
  func `the next batch is due when all of its samples can be taken`(_ unreachable: Int) throws {
    let clock = VirtualClock()
    clock.advance(by: .seconds(1))
    var sensor = Batched(Sayer(), size: 25)
    _ = try sensor.start()
    // The newest sample is at most one period old; the middle of that is assumed.
    sensor.base.said = [WaitingSamples(count: 0, unreachable: unreachable)]
    let due = try sensor.collect(by: clock)
    #expect(abs((due - clock.now).count - 245_000) <= 1_000, "\(due)")
  }
}
