import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Both layouts of the FIFO: fill levels, overruns, and sets that are out of step.
struct LSM6DSFIFOTests {
  private static let force = LSM6DSFacts.read(LSM6DSRig.force.vector)

  private static func started(_ part: EmulatedLSM6DS.Part, gyroscope: LSM6DS.GyroscopeRange?) throws -> LSM6DSRig {
    var specimen = LSM6DSFacts.quiet
    specimen.turn = Vector3(x: Q16(whole: 100), y: Q16(whole: -60), z: Q16(whole: 33))
    let rig = LSM6DSRig(part, LSM6DS.Configuration(gyroscope: gyroscope, usesFIFO: true), specimen: specimen)
    try rig.start()
    // The first follow a gap.
    rig.clock.advance(by: .milliseconds(10))
    _ = try rig.nextSamples()
    return rig
  }

  /// The number of sets that fit, from the sizes in the data sheets: 8 kB, 4 kB, and 512 words.
  private static func capacity(_ part: EmulatedLSM6DS.Part, _ gyroscope: LSM6DS.GyroscopeRange?) -> Int {
    let whole = part == .lsm6ds33 ? 8_192 / 6 : part == .lsm6ds3trC ? 4_096 / 6 : 512
    return gyroscope == nil ? whole : whole / 2
  }

  @Test(arguments: LSM6DSFacts.parts, [nil, LSM6DS.GyroscopeRange.dps250])
  static func `at every fill level all sets are read, with force, rotation and temperature`(
    _ part: EmulatedLSM6DS.Part, _ gyroscope: LSM6DS.GyroscopeRange?
  ) throws {
    let rig = try started(part, gyroscope: gyroscope)
    for level in Array(0...70) + [capacity(part, gyroscope) - 3] {
      rig.clock.advance(by: Microseconds(Int64(level) * 9_615 + 200))
      let waiting = try rig.driver.waiting()
      expect(abs(waiting.count - level), isAtMost: 2, "\(level)")
      expect(that: !waiting.followsGap, "\(level)")
      var left = waiting.count
      while left > 0 {
        var batch = SampleBatch()
        try rig.driver.take(left, into: &batch)
        expect(batch.count, equals: min(left, 64))
        for index in 0..<batch.count {
          let sample = try require(batch[index])
          expect(sample.force, equals: Self.force)
          expect(sample.temperature, equals: Q16(whole: 25))
          expect(sample.rotation != nil, equals: gyroscope != nil)
          guard let rotation = sample.rotation else { continue }
          for (axis, turn) in [(rotation.x, 100.0), (rotation.y, -60), (rotation.z, 33)] {
            expect(abs(Double(axis.raw) / 65_536 - turn), isAtMost: 0.005)
          }
        }
        left -= batch.count
        if batch.count == 0 { break }
      }
      try expect(rig.driver.waiting().count, equals: 0)
    }
  }

  @Test(arguments: LSM6DSFacts.parts, [nil, LSM6DS.GyroscopeRange.dps250])
  static func `a FIFO that overflowed is emptied, and the next samples follow a gap`(
    _ part: EmulatedLSM6DS.Part, _ gyroscope: LSM6DS.GyroscopeRange?
  ) throws {
    let rig = try started(part, gyroscope: gyroscope)
    rig.clock.advance(by: Microseconds(Int64(capacity(part, gyroscope)) * 9_615 + 100_000))
    try expect(rig.registers(0x3A, 2)[1] & 0x40, isNot: 0)
    try expect(rig.driver.waiting(), equals: WaitingSamples(count: 0, followsGap: true))
    let (samples, followsGap) = try rig.nextSamples()
    expect(that: samples.allSatisfy { $0 == Self.force })
    expect(that: !samples.isEmpty)
    expect(that: followsGap)
    try expect(that: !rig.nextSamples().followsGap)
  }

  @Test(arguments: LSM6DSFacts.parts)
  static func `sets that are out of step are never taken for samples`(_ part: EmulatedLSM6DS.Part) throws {
    let rig = try started(part, gyroscope: .dps250)
    rig.clock.advance(by: .milliseconds(100))
    // Another reader takes the first word.
    _ = try rig.registers(LSM6DSFacts.hasTags(part) ? 0x78 : 0x3E, LSM6DSFacts.hasTags(part) ? 7 : 2)
    var (empty, gaps) = (0, 0)
    for _ in 0..<5 {
      let (samples, followsGap) = try rig.nextSamples()
      expect(all: samples) { $0 == Self.force }
      if samples.isEmpty { empty += 1 } else if followsGap { gaps += 1 }
    }
    expect(empty, isAtLeast: 1, "\(empty), \(gaps)")
    expect(empty, isAtMost: 2, "\(empty), \(gaps)")
    expect(gaps, equals: 1, "\(empty), \(gaps)")
  }

  @Test(arguments: LSM6DSFacts.parts)
  static func `a burst that takes longer than a sample neither tears nor loses one`(_ part: EmulatedLSM6DS.Part) throws
  {
    let configuration = LSM6DS.Configuration(rate: .hz1666, gyroscope: .dps250, usesFIFO: true)
    let rig = LSM6DSRig(part, configuration, frequency: 400_000, specimen: LSM6DSFacts.slow)
    try rig.start()
    var count = 0
    for _ in 0..<100 {
      rig.clock.advance(by: .milliseconds(20))
      count += try rig.nextSamples().samples.count { $0 == Self.force }
    }
    // 2 s, less what the bursts take on a clock that does not see them.
    expect(count, isAbove: 3_200, "\(count)")
  }
}
