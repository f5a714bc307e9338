import FixedPoint
import Foundation
import Monitor
import Sensors
import TestSupport
import Testing

/// The longest runs. Each has its own process, so that its memory can be measured.
@Suite(.serialized) struct EnduranceTests {
  private static let isLong = ProcessInfo.processInfo.environment["PLUMB_ENDURANCE"] == "1"

  private static func check(_ name: String, _ endurance: Endurance) throws {
    let result = try endurance.run()
    let counters = result.counters
    print(
      "endurance: \(name): \(counters.samples) samples, \(counters.faults) faults, \(counters.lostSamples) samples lost and",
      "told, \(counters.recoveries) recoveries, \(counters.poseChanges) changes of pose, longest stretch"
        + " \(result.longestStretch), \(Int(result.mostAstray.rounded())) µs astray, \(result.growth) bytes more")
    expect(empty: result.complaints, "\(result.complaints.prefix(10).joined(separator: "\n"))")
    let samples = endurance.duration.count / endurance.rate.period.count
    expect(Int64(counters.samples), isAbove: samples * 9 / 10)
    expect(counters.faults, isAbove: UInt64(samples) / 20_000)
    #expect(endurance.batch == 1 || counters.lostSamples > 0)
    expect(result.growth, isBelow: 1 << 20, "\(result.growth) bytes more")
  }

  /// Prints the output of a run's process.
  private static func tell(_ result: ExitTest.Result?) {
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
  }

  @Test static func `twenty minutes at 800 Hz: no unreported loss, exact times, right poses, constant memory`() async {
    await Self.tell(
      #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try EnduranceTests.check(
          "20 minutes at 800 Hz",
          Endurance(rate: .hz800, batch: 16, partsPerMillion: 20_000, duration: .seconds(1_200), seed: 31))
      })
  }

  @Test static func `eight hours at 25 Hz: every sample on time, right poses, constant memory`() async {
    await Self.tell(
      #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try EnduranceTests.check(
          "8 hours at 25 Hz",
          Endurance(rate: .hz25, batch: 1, partsPerMillion: -20_000, duration: .seconds(8 * 3_600), seed: 32))
      })
  }

  /// Only with PLUMB_ENDURANCE=1, as `make endurance` sets it.
  @Test(.enabled(if: isLong)) static func `a day at 800 Hz`() async {
    await Self.tell(
      #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try EnduranceTests.check(
          "a day at 800 Hz",
          Endurance(rate: .hz800, batch: 16, partsPerMillion: -15_000, duration: .seconds(86_400), seed: 33))
      })
  }

  /// Only with PLUMB_ENDURANCE=1, as `make endurance` sets it.
  @Test(.enabled(if: isLong)) static func `a month at 25 Hz`() async {
    await Self.tell(
      #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try EnduranceTests.check(
          "30 days at 25 Hz",
          Endurance(rate: .hz25, batch: 1, partsPerMillion: 15_000, duration: .seconds(30 * 86_400), seed: 34))
      })
  }

  /// The ends of 32 bits, of 64, and of a Double's integers; and the beginning of time.
  @Test(arguments: [1 << 31, 1 << 32, 1 << 53, Int64.max - 100_000_000, 0, -60_000_000, Int64.min + 1_000_000])
  static func `two minutes around an end of a clock are like any others`(_ end: Int64) throws {
    let begin =
      end > Int64.max - 120_000_000 ? Int64.max - 130_000_000 : end == Int64.min + 1_000_000 ? end : end - 60_000_000
    for batch in [1, 10] {
      func run(_ start: Int64) throws -> Endurance.Result {
        try Endurance(
          rate: .hz100, batch: batch, partsPerMillion: 10_000, duration: .seconds(120), seed: 35, faultsOneIn: 1_000,
          start: Instant(microseconds: start)
        ).run()
      }
      let (there, usual) = (try run(begin), try run(1_000_000_000))
      expect(empty: there.complaints, "\(there.complaints.prefix(10))")
      expect(there.counters, equals: usual.counters)
      expect(usual.counters.samples, isAbove: 11_000)
    }
  }
}
