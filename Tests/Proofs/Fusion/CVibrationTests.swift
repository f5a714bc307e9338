internal import CPlumb
import FixedPoint
import TestSupport
import Testing
import Vibration

/// The C interface of vibration against the core's.
struct CVibrationTests {
  private static func numbers(_ vector: plumb_vector_t) -> [Int32] { [vector.x, vector.y, vector.z] }
  private static func numbers(_ vector: Vector3) -> [Int32] { [vector.x, vector.y, vector.z].map(\.raw) }

  private static func numbers(_ bands: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32)) -> [Int32] {
    [bands.0, bands.1, bands.2, bands.3, bands.4, bands.5, bands.6, bands.7]
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  static func `vibration gives the same seconds and changes in C as in the core`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let period: Int64 = [2_500, 5_000, 10_000, 1_250][Int(seed % 4)]
    // Memory with other contents: the state must not depend on them.
    var state = plumb_vibration_t()
    unsafe withUnsafeMutableBytes(of: &state) { bytes in
      for index in bytes.indices { unsafe bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
    }
    var config = plumb_vibration_config_t()
    try #require(unsafe plumb_vibration_config_default(&config) == PLUMB_OK.rawValue)
    config.period_us = UInt32(period)
    (config.busy_time_ms, config.quiet_time_ms) = (3_000, 2_000)
    try #require(unsafe plumb_vibration_init(&state, &config) == PLUMB_OK.rawValue)
    let busy = try BusyDetector.Configuration(busyTime: .seconds(3), quietTime: .seconds(2))
    var watch = try VibrationWatch<64>(VibrationConfiguration(busy: busy), period: Microseconds(period))
    var edges = [Int32](repeating: -1, count: Int(PLUMB_VIBRATION_BANDS) + 1)
    #expect(unsafe plumb_vibration_edges(&state, &edges) == Int32(watch.edges.count))
    #expect(edges == (0..<edges.count).map { $0 <= watch.edges.count ? watch.edges[$0].raw : 0 })
    var (time, seconds, changes) = (Int64(seed) * 7_000_000, 0, 0)
    for index in 0..<Int(14_000_000 / period) {
      // A pause in the sixth second; strong vibration in the first half.
      time += index == Int(5_500_000 / period) ? 40 * period : period
      let size = index < Int(7_000_000 / period) ? 0.4 : 0.002
      let force = q16(
        SIMD3(size * generator.normal(), size * generator.normal(), 1 + size * generator.normal()))
      let second = watch.step(force, at: Instant(microseconds: time))
      var (measured, found) = (CInterfaceTests.c(force), plumb_vibration_output_t())
      let events = unsafe plumb_vibration_step(&state, &measured, UInt64(time), &found)
      guard let second else {
        #expect(events == 0, "at \(time) µs")
        continue
      }
      seconds += 1
      var (wanted, since) = (PLUMB_VIBRATION_SECOND.rawValue, 0 as UInt64)
      switch second.change {
      case .busy(let begin): (wanted, since) = (wanted | PLUMB_VIBRATION_BUSY.rawValue, UInt64(begin.microseconds))
      case .quiet(let begin): (wanted, since) = (wanted | PLUMB_VIBRATION_QUIET.rawValue, UInt64(begin.microseconds))
      case nil: break
      }
      changes += since == 0 ? 0 : 1
      #expect(events == Int32(wanted), "at \(time) µs")
      let report = second.report
      #expect(found.start_us == UInt64(report.start.microseconds) && found.end_us == UInt64(report.end.microseconds))
      #expect(found.since_us == since && found.is_busy == (watch.isBusy ? 1 : 0))
      #expect(Self.numbers(found.rms) == Self.numbers(report.level.rms))
      #expect(Self.numbers(found.peak) == Self.numbers(report.level.peak))
      #expect(found.total == report.level.total.raw)
      #expect(found.samples == report.level.samples && found.blocks == report.blocks)
      #expect(Self.numbers(found.bands) == (0..<8).map { report.rms(inBand: $0).raw })
    }
    #expect(seconds >= 13)
    #expect(changes == 2)
  }
}
