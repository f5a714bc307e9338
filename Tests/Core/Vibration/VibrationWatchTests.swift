import FixedPoint
import Foundation
import TestSupport
import Testing
import Vibration

struct VibrationWatchTests {
  @Test(
    arguments: [
      (1_000, [1, 5, 10, 20, 50, 100, 200, 500]), (1_250, [1, 5, 10, 20, 50, 100, 200, 400]),
      (5_000, [1, 5, 10, 20, 50, 100]), (10_000, [1, 5, 10, 20, 50]), (20_000, [1, 5, 10, 20, 25]), (100_000, [1, 5]),
      (200, [1, 5, 10, 20, 50, 100, 200, 500, 2_500]), (400_000, [1, 1.25]), (500_000, [0, 1]), (1_000_000, [0, 0.5]),
      // 10 Hz is not well below half of 20.4 Hz.
      (49_020, [1, 5, 10.2]),
    ] as [(Int64, [Double])])
  static func `the usual bands end at half the rate, and begin well below`(period: Int64, edges: [Double]) {
    let usual = BandEdges.usual(period: Microseconds(period))
    expect(usual.count, equals: edges.count - 1)
    for (index, edge) in edges.enumerated() {
      expect(abs(usual[index].double - edge), isBelow: 0.000_1, "edge \(index)")
    }
    expect(usual.top, equals: BandEdges.highest(period: Microseconds(period)))
    expect(usual.top, equals: usual[usual.count])
  }

  @Test static func `half the rate is rounded to nearest, and uses the nearest valid period`() {
    for period in [200, 333, 1_001, 8_342, 999_999, 1_000_000] as [Int64] {
      let half = BandEdges.highest(period: Microseconds(period))
      expect(abs(Double(half.raw) - 500_000 * 65_536 / Double(period)), isAtMost: 0.5, "\(period) µs")
    }
    for period in [Int64.min, 0, 199] {
      expect(BandEdges.highest(period: Microseconds(period)), equals: Q16(whole: 2_500))
    }
    expect(BandEdges.highest(period: Microseconds(.max)), equals: Q16(1, over: 2))
  }

  @Test static func `a block has a second of samples, so one ends in each second`() {
    for period in 1_000...1_000_000 {
      let bins = VibrationConfiguration.bins(period: Microseconds(Int64(period)))
      let second = 1_000_000 / Double(period)
      let isFewest = bins == 32 || Double(bins) < second
      expect(that: [32, 64, 128, 256, 512].contains(bins), "\(period) µs")
      expect(Double(2 * bins), isAtLeast: second, "\(period) µs")
      expect(that: isFewest, "\(period) µs")
    }
    for period in [Int64.min, 0, 200, 976] {
      expect(VibrationConfiguration.bins(period: Microseconds(period)), equals: 512)
    }
    expect(VibrationConfiguration.bins(period: Microseconds(.max)), equals: 32)
  }

  /// A machine that runs from 3 s to 11 s at 24 Hz with 0.5 g.
  private static func force(at second: Double) -> Vector3 {
    let isRunning = second >= 3 && second < 11
    let swing = isRunning ? 0.5 * sin(2 * .pi * 24 * second) : 0
    return Vector3(x: Signal.q16(swing), y: .zero, z: Signal.q16(1))
  }

  @Test static func `it reports when a machine starts and stops, with the values of the bands and the detector`() throws
  {
    let period = Microseconds(5_000)
    let configuration = VibrationConfiguration(
      busy: try BusyDetector.Configuration(
        busyThreshold: Q16(1, over: 10), busyTime: .seconds(3), quietTime: .seconds(2)))
    var watch = try VibrationWatch<128>(configuration, period: period)
    var bands = try VibrationBands<128>(.usual(period: period), period: period)
    var detector = BusyDetector(configuration.busy)
    expect(watch.edges, equals: .usual(period: period))
    expect(that: !watch.isBusy)
    var changes: [BusyDetector.Change] = []
    var seconds = 0
    for index in 0..<3_200 {
      let now = Instant(microseconds: Int64(index) * period.count)
      let force = Self.force(at: Double(index) / 200)
      let (second, report) = (watch.step(force, at: now), bands.step(force, at: now))
      expect(second?.report, equals: report)
      guard let second else { continue }
      expect(second.change, equals: detector.step(second.report))
      expect(watch.isBusy, equals: detector.isBusy)
      if let change = second.change { changes.append(change) }
      seconds += 1
    }
    expect(seconds, equals: 15)
    expect(
      changes,
      equals: [.busy(since: Instant(microseconds: 3_000_000)), .quiet(since: Instant(microseconds: 11_000_000))])
  }

  /// Seconds of a detector in memory, and of a watch with blocks of the same length, which must be the same.
  private static func compare<let bins: Int>(
    _ watch: consuming VibrationWatch<bins>, period: Microseconds
  ) throws -> Int {
    let size = VibrationDetector.byteCount(period: period)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    var detector = try unsafe VibrationDetector(VibrationConfiguration(), period: period, in: memory) { memory, _ in
      unsafe memory.deallocate()
    }
    var seconds = 0
    for index in 0..<(6_000_000 / period.count) {
      // A gap in the third second, in both.
      let now = Instant(microseconds: index * period.count + (index * period.count > 2_500_000 ? 200_000 : 0))
      let force = force(at: 3 + Double(index * period.count) / 1e6)
      let (found, second) = (detector.take(force, at: now), watch.step(force, at: now))
      expect(found == nil, equals: second == nil)
      guard let found, let second else { continue }
      seconds += 1
      expect(found.change, equals: second.change)
      expect(found.second, equals: VibrationSecond(second.report, watch.edges))
      expect(found.second.edges, equals: watch.edges)
      expect(found.second.hasBands, equals: second.report.blocks > 0)
      for band in -1...8 {
        expect(
          found.second.rms(inBand: band), equals: second.report.rms(inBand: band), "\(period.count) µs, band \(band)")
      }
    }
    return seconds
  }

  @Test static func `a detector in memory that was provided finds what a watch finds, at every block length`() throws {
    for period in [1_000, 2_000, 5_000, 10_000, 20_000, 40_000] as [Int64] {
      let period = Microseconds(period)
      let configuration = VibrationConfiguration()
      let seconds =
        switch VibrationConfiguration.bins(period: period) {
        case 32: try Self.compare(try VibrationWatch<32>(configuration, period: period), period: period)
        case 64: try Self.compare(try VibrationWatch<64>(configuration, period: period), period: period)
        case 128: try Self.compare(try VibrationWatch<128>(configuration, period: period), period: period)
        case 256: try Self.compare(try VibrationWatch<256>(configuration, period: period), period: period)
        default: try Self.compare(try VibrationWatch<512>(configuration, period: period), period: period)
        }
      expect(seconds, isAtLeast: 5)
    }
  }

  @Test static func `the lowest band of a second counts, like the others`() throws {
    let period = Microseconds(10_000)
    let edges = [Q16(whole: 1), Q16(whole: 30), Q16(whole: 40)]
    var watch = try VibrationWatch<64>(
      VibrationConfiguration(edges: try BandEdges(edges.span)), period: period)
    var strongest = (low: Q16.zero, high: Q16.zero)
    for index in 0..<500 as Range<Int64> {
      // 24 Hz.
      let force = Self.force(at: 3 + Double(index) / 100)
      guard let second = watch.step(force, at: Instant(microseconds: index * 10_000)) else { continue }
      let found = VibrationSecond(second.report, watch.edges)
      strongest = (max(strongest.low, found.rms(inBand: 0)), max(strongest.high, found.rms(inBand: 1)))
    }
    expect(abs(strongest.low.double - 0.5 / 2.squareRoot()), isBelow: 0.05)
    expect(strongest.high.double, isBelow: 0.05)
  }

  @Test static func `configured bands replace the usual ones`() throws {
    let edges = [Q16(whole: 2), Q16(whole: 30)]
    let named = try BandEdges(edges.span)
    let watch = try VibrationWatch<32>(VibrationConfiguration(edges: named), period: .milliseconds(10))
    expect(watch.edges, equals: named)
    expect(VibrationConfiguration(), equals: VibrationConfiguration(edges: nil, busy: .standard))
  }

  @Test static func `an impossible period is rejected`() {
    for period in [0, 199, 1_000_001] as [Int64] {
      expect(throws: VibrationError.period) {
        _ = try VibrationWatch<32>(VibrationConfiguration(), period: Microseconds(period))
      }
    }
  }
}
