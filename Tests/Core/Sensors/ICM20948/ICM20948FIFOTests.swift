import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Batches, at every level of the FIFO, in each layout.
struct ICM20948FIFOTests {
  /// Layouts and their sizes in bytes.
  static let layouts: [(fifo: ICM20948.FIFO, gyroscope: ICM20948.GyroscopeRange?, size: Int64)] = [
    (.init(), nil, 6), (.init(includesTemperature: true), nil, 8),
    (.init(includesRotation: true, longestBurst: 240), .dps500, 12),
    (.init(includesTemperature: true, includesRotation: true, longestBurst: 240), .dps500, 14),
    (.init(includesTemperature: true, includesRotation: true, longestBurst: 1), .dps500, 14),
  ]

  private struct Turning: Motion {
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 { ICM20948Rig.force.vector }
    func rotationRate(at time: Microseconds) -> Vector3 {
      Vector3(x: Q16(whole: 20), y: Q16(whole: -40), z: Q16(whole: 60))
    }
  }

  private static func emptied(
    _ fifo: ICM20948.FIFO, _ gyroscope: ICM20948.GyroscopeRange?, size: Int = 512
  ) throws -> ICM20948Rig {
    let configuration = ICM20948.Configuration(rate: .init(divider: 8), gyroscope: gyroscope, fifo: fifo)
    let rig = ICM20948Rig(Turning(), configuration) { $0.fifoSize = size }
    try rig.start()
    rig.clock.advance(by: .milliseconds(24))
    _ = try rig.nextSamples()
    return rig
  }

  @Test(arguments: layouts, [512, 4_096])
  static func `a batch has each waiting sample once, or follows a gap, at every level of the FIFO`(
    _ row: (fifo: ICM20948.FIFO, gyroscope: ICM20948.GyroscopeRange?, size: Int64), _ size: Int
  ) throws {
    // Whatever its size, no more than 512 bytes are relied on.
    let most = (511 - 3 * row.size) / row.size
    for count in 0...(512 / row.size + 3) {
      let rig = try emptied(row.fifo, row.gyroscope, size: size)
      rig.clock.advance(by: .milliseconds(8 * count))
      let waiting = try rig.driver.waiting()
      guard count <= most else {
        expect(waiting, equals: WaitingSamples(count: 0, followsGap: true), "\(count)")
        continue
      }
      expect(waiting, equals: WaitingSamples(count: Int(count)))
      var batch = SampleBatch()
      try rig.driver.take(waiting.count, into: &batch)
      expect(batch.count, equals: min(64, Int(count)))
      for index in 0..<batch.count {
        let sample = try require(batch[index])
        expect(sample.force, equals: ICM20948Rig.force.vector)
        expect(sample.rotation != nil, equals: row.fifo.includesRotation)
        expect(sample.temperature != nil, equals: row.fifo.includesTemperature)
        if let z = sample.rotation?.z { expect(abs(z.raw - 60 * 65_536), isBelow: 600) }
        if let temperature = sample.temperature { expect(abs(temperature.raw - 25 * 65_536), isBelow: 100) }
      }
    }
  }

  @Test static func `an overflow between the count and the last burst spoils the batch and is reported`() throws {
    for late in 1...4 {
      let rig = try emptied(.init(), nil)
      rig.clock.advance(by: .milliseconds(80))
      let waiting = try rig.driver.waiting()
      expect(waiting.count, equals: 10)
      rig.clock.advance(by: .milliseconds(Int64(late) * 640))
      var batch = SampleBatch()
      try rig.driver.take(waiting.count, into: &batch)
      #expect(batch.count == (late == 1 ? 10 : 0) || batch.count == 0)
      rig.clock.advance(by: .milliseconds(8))
      let next = try rig.driver.waiting()
      expect(that: next.followsGap)
      expect(next.count, equals: 0)
      rig.clock.advance(by: .milliseconds(16))
      try expect(rig.driver.waiting(), equals: WaitingSamples(count: 2, followsGap: true))
    }
  }

  @Test(arguments: [-90_000, -10_000, 10_000, 90_000] as [Int32])
  static func `an inaccurate clock loses nothing`(_ partsPerMillion: Int32) throws {
    let configuration = ICM20948.Configuration(rate: .hz1125, fifo: .init(longestBurst: 240))
    let rig = ICM20948Rig(ICM20948Rig.force, configuration) { $0.specimen.ratePartsPerMillion = partsPerMillion }
    try rig.start()
    let before = rig.part.sampleCount
    var count = 0
    for _ in 0..<400 {
      rig.clock.advance(by: .milliseconds(50))
      let batch = try rig.nextSamples()
      count += batch.samples.count
      expect(batch.followsGap, equals: count == batch.samples.count)
    }
    expect(count, equals: Int(rig.part.sampleCount - before))
    expect(abs(Double(count) - 400 * 0.050889 * 1_125 * (1 + Double(partsPerMillion) / 1e6)), isAtMost: 12)
  }

  @Test static func `times of samples in batches are right to a part of a period`() throws {
    let clock = VirtualClock()
    let part = EmulatedICM20948(motion: ICM20948Rig.force) { clock.now }
    let configuration = ICM20948.Configuration(fifo: .init(longestBurst: 240))
    let bus = EmulatedBus(part, at: ICM20948.address) { clock.now }
    var sensor = Batched(ICM20948.Device(bus: bus, configuration: configuration), size: 10)
    clock.advance(by: try sensor.start())
    while let wait = try sensor.proceed() { clock.advance(by: wait) }
    var times: [Int64] = []
    while clock.now < Instant(microseconds: 30_000_000) {
      let next = try sensor.collect(by: clock)
      while case .sample(_, let instant)? = sensor.next() { times.append(instant.microseconds) }
      clock.advance(by: max(.milliseconds(1), next - clock.now))
    }
    let last = times.suffix(1_000)
    expect(last.count, equals: 1_000)
    let steps = zip(last.dropFirst(), last).map { $0 - $1 }
    expect(all: steps, "\(steps.min() ?? 0) to \(steps.max() ?? 0)") { abs($0 - 9_778) <= 40 }
  }
}
