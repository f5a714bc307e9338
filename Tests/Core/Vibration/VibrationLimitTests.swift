import FixedPoint
import TestSupport
import Testing
import Vibration

/// Counts and indices of vibration at their ends.
struct VibrationLimitTests {
  @Test static func `intervals add up, and beyond their greatest number the earlier ones count half`() {
    var intervals = SampleIntervals()
    expect(intervals.count, equals: 0)
    expect(intervals.span, equals: 0)
    for elapsed in [7, 11, 13] as [Int64] { intervals.add(elapsed) }
    expect(intervals.count, equals: 3)
    expect(intervals.span, equals: 31)
    var many = SampleIntervals(count: UInt32.max - 1, span: 4_000_000_001)
    many.add(1_000)
    expect(many.count, equals: UInt32.max)
    expect(many.span, equals: 4_000_001_001)
    many.add(500)
    expect(many.count, equals: 1 << 31)
    expect(many.span, equals: 2_000_001_000)
    many.add(1)
    expect(many.count, equals: 1 << 31 + 1)
    expect(many.span, equals: 2_000_001_001)
  }

  @Test static func `the rate is that of the first interval already, and until then that of the period`() throws {
    for (period, elapsed) in [(10_000, 12_500), (1_000, 1_001), (200, 300), (1_000_000, 999_999)] as [(Int64, Int64)] {
      var spectrum = try VibrationSpectrum<32>(period: Microseconds(period))
      expect(Double(spectrum.rate), equals: (1e9 / Double(period)).rounded())
      spectrum.step(.zero, at: Instant(microseconds: 5))
      expect(Double(spectrum.rate), equals: (1e9 / Double(period)).rounded())
      spectrum.step(.zero, at: Instant(microseconds: 5 + elapsed))
      expect(Double(spectrum.rate), equals: (1e9 / Double(elapsed)).rounded())
      expect(spectrum.gaps, equals: 0)
      spectrum.step(.zero, at: Instant(microseconds: 5 + elapsed + period))
      expect(Double(spectrum.rate), equals: (2e9 / Double(elapsed + period)).rounded())
      // Two and a half periods are no gap; more is one, and so is no time.
      let last = 5 + elapsed + period + period * 5 / 2
      spectrum.step(.zero, at: Instant(microseconds: last))
      expect(spectrum.gaps, equals: 0)
      let rate = spectrum.rate
      spectrum.step(.zero, at: Instant(microseconds: last + period * 5 / 2 + 1))
      expect(spectrum.gaps, equals: 1)
      expect(spectrum.rate, equals: rate)
      spectrum.step(.zero, at: Instant(microseconds: last + period * 5 / 2 + 1))
      expect(spectrum.gaps, equals: 2)
      expect(spectrum.rate, equals: rate)
    }
  }

  @Test static func `a second says what its report says, band by band`() throws {
    let period = Microseconds.milliseconds(10)
    let edges = BandEdges.usual(period: period)
    var bands = try VibrationBands<32>(edges, period: period)
    var reports: [VibrationReport] = []
    for (index, force) in Signal.forces(
      Signal.noise(0.2, count: 301, seed: 3), Signal.noise(0.1, count: 301, seed: 4),
      Signal.noise(0.3, count: 301, seed: 5)
    ).enumerated() {
      if let report = bands.step(force, at: Instant(microseconds: Int64(index) * period.count)) {
        reports.append(report)
      }
    }
    expect(reports.count, equals: 3)
    for report in reports {
      let second = VibrationSecond(report, edges)
      expect(second.instant, equals: report.end)
      expect(second.edges, equals: edges)
      expect(second.hasBands, equals: report.blocks > 0)
      expect(second.total, equals: report.level.total)
      expect(second.rms, equals: report.level.rms)
      expect(second.peak, equals: report.level.peak)
      expect((0..<8).map { second.rms(inBand: $0) }, equals: (0..<8).map { report.rms(inBand: $0) })
      #expect(!second.hasBands || (0..<edges.count).contains { second.rms(inBand: $0) > .zero })
    }
    expect(any: reports) { $0.blocks > 0 }
  }

  @Test static func `a second has eight bands, each with its own strength, and none beyond`() throws {
    let edges = BandEdges.usual(period: .milliseconds(1))
    var second = VibrationSecond(
      at: Instant(microseconds: 9), total: Q16(raw: 1), rms: .zero, peak: .zero, edges, hasBands: true)
    let empty = second
    expect(all: (-2...9)) { second.rms(inBand: $0) == .zero }
    for index in -2...9 {
      let before = second
      second.setRMS(Q16(raw: Int32(index) + 100), inBand: index)
      expect(second != before, equals: (0..<8).contains(index), "\(index)")
    }
    for index in -2...9 {
      expect(second.rms(inBand: index).raw, equals: (0..<8).contains(index) ? Int32(index) + 100 : 0)
    }
    for index in 0..<8 { second.setRMS(.zero, inBand: index) }
    expect(second, equals: empty)
  }
}
