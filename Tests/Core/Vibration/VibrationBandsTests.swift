import FixedPoint
import Foundation
import TestSupport
import Testing
import Vibration

struct VibrationBandsTests {
  private static func edges(_ hertz: Double...) throws -> BandEdges { try edges(hertz) }

  private static func edges(_ hertz: [Double]) throws -> BandEdges {
    // A named constant, because the span of a temporary array crashes the compiler (6.3.1).
    let edges = hertz.map(Signal.q16)
    return try BandEdges(edges.span)
  }

  /// The reports for samples at `rate` Hz; `now` gives the time of each.
  private static func reports<let bins: Int>(
    _ size: Bins<bins>, _ edges: BandEdges, _ forces: [Vector3], rate: Int64, interval: Microseconds = .seconds(1),
    at time: (Int64) -> Int64
  ) throws -> [VibrationReport] {
    var bands = try VibrationBands<bins>(
      edges, period: Microseconds(1_000_000 / rate), interval: interval)
    var reports: [VibrationReport] = []
    var now: Int64 = 0
    for (index, force) in forces.enumerated() {
      now = time(Int64(index))
      if let report = bands.step(force, at: Instant(microseconds: now)) { reports.append(report) }
    }
    if let rest = bands.finish(at: Instant(microseconds: now + 1_000_000 / rate)) { reports.append(rest) }
    return reports
  }

  @Test static func `the rate is the nominal one until there are two samples, then that of the samples`() throws {
    for period in [200, 1_000, 10_000, 333_333, 1_000_000] as [Int64] {
      for interval in [period / 2 + 1, period, period * 2] {
        var bands = try VibrationBands<32>(period: Microseconds(period))
        func rate(_ interval: Int64) -> UInt32 { UInt32((1e9 / Double(interval)).rounded()) }
        expect(bands.rate, equals: rate(period))
        _ = bands.step(.zero, at: Instant(microseconds: 5))
        expect(bands.rate, equals: rate(period))
        for sample in 1...3 as ClosedRange<Int64> {
          _ = bands.step(.zero, at: Instant(microseconds: 5 + sample * interval))
          expect(bands.rate, equals: rate(interval), "\(period) µs, \(sample) intervals of \(interval) µs")
        }
      }
    }
  }

  @Test static func `each second has a report with the strength of its samples and of each band`() throws {
    let edges = try Self.edges(5, 40, 60, 200)
    expect(edges.count, equals: 3)
    // 50 Hz for three seconds, then 100 Hz and 20 Hz for three.
    let first = Signal.tone(50, 0.3, at: 500, count: 1_500)
    let second = Signal.sum(
      Signal.tone(100, 0.2, at: 500, count: 1_500), Signal.tone(20, 0.1, at: 500, count: 1_500))
    let x = first + second
    let forces = Signal.forces(x, x.map { $0 / 2 }, x.map { 1 - $0 / 2 })
    let reports = try Self.reports(Bins<64>(), edges, forces, rate: 500) { 7 + $0 * 2_000 }
    expect(reports.count, equals: 6)
    let root = 1.5.squareRoot() / 2.squareRoot()
    for (index, report) in reports.enumerated() {
      expect(report.start, equals: Instant(microseconds: 7 + Int64(index) * 1_000_000))
      expect(report.end, equals: Instant(microseconds: 7 + Int64(index + 1) * 1_000_000))
      expect(report.level.samples, equals: 500)
      expect(report.blocks, isAtLeast: 6)
      expect(report.blocks, isAtMost: 8)
      let strength = index < 3 ? 0.3 : 0.05.squareRoot()
      expect(abs(report.level.total.double - strength * root), isBelow: 2e-5)
      let peak = x[(index * 500)..<(index * 500 + 500)].map(abs).max() ?? 0
      expect(abs(report.level.peak.x.double - peak), isBelow: 2e-5)
      expect(report.rms(inBand: -1), equals: .zero)
      expect(report.rms(inBand: 3), equals: .zero)
      expect(report.rms(inBand: 8), equals: .zero)
      // Blocks at the change contain both.
      guard index != 3 else { continue }
      let bands = index < 3 ? [0, 0.3, 0] : [0.1, 0, 0.2]
      for (band, peak) in bands.enumerated() {
        // The edges are two and a half bins from the tone: -40 dB of it lie beyond them.
        expect(abs(report.rms(inBand: band).double - peak * root), isBelow: 0.004, "second \(index), band \(band)")
      }
    }
  }

  @Test static func `bands that cover everything have the noise's power, within 2 percent over a minute`() throws {
    let noise = Signal.noise(0.2, count: 60_000, seed: 5)
    let edges = try Self.edges(0, 100, 200, 300, 400, 500.5)
    let reports = try Self.reports(
      Bins<128>(), edges, Signal.forces(noise, noise, noise), rate: 1_000, interval: .seconds(60)
    ) { $0 * 1_000 }
    let report = try require(reports.first)
    expect(reports.count, equals: 1)
    expect(report.blocks, equals: 467)
    let sum = (0..<5).map { report.rms(inBand: $0).double }.reduce(0) { $0 + $1 * $1 }
    let total = report.level.total.double
    // The bins 0 to 2 lack the power that subtracting each block's mean removes.
    expect(abs(sum / (total * total) - 1), isBelow: 0.02)
    for band in 0..<5 { expect(abs(report.rms(inBand: band).double / (total / 5.squareRoot()) - 1), isBelow: 0.03) }
  }

  @Test static func `the bands of a report are those of the spectrum of its blocks`() throws {
    let noise = Signal.noise(0.2, count: 900, seed: 6)
    let forces = Signal.forces(noise, noise.map { $0 / 3 + 1 }, noise.map { -$0 * 2 })
    let edges = try Self.edges(0, 100, 333, 500, 2_000)
    let reports = try Self.reports(Bins<64>(), edges, forces, rate: 1_000) { $0 * 1_000 }
    let measured = try spectrum(Bins<64>(), of: forces, at: 1_000)
    let report = try require(reports.first)
    for band in 0..<4 {
      let difference =
        report.rms(inBand: band).raw - measured.rms(of: nil, from: edges[band], to: edges[band + 1]).raw
      expect(abs(difference), isAtMost: 1, "band \(band)")
    }
    expect(report.rms(inBand: 3), isAbove: .zero, "the last bin, at half the rate")
  }

  @Test(arguments: [(127, 0), (128, 0), (130, 0), (132, 1), (192, 1), (194, 1), (196, 2)] as [(Int64, UInt32)])
  static func `a block counts once it has been transformed for all three axes, one after the other`(
    _ samples: Int64, _ blocks: UInt32
  ) throws {
    let tone = Signal.tone(50, 0.3, at: 500, count: 400)
    let reports = try Self.reports(
      Bins<64>(), .all, Signal.forces(tone, tone, tone), rate: 500, interval: Microseconds(samples * 2_000)
    ) { $0 * 2_000 }
    expect(reports.first?.level.samples, equals: UInt32(samples))
    expect(reports.first?.blocks, equals: blocks)
  }

  @Test static func `the rate is that of the samples, not the nominal one, and without the gaps`() throws {
    var bands = try VibrationBands<32>(.all, period: .milliseconds(10))
    expect(bands.rate, equals: 100_000)
    for sample in 0..<300 as Range<Int64> {
      let now = sample * 9_600 + (sample < 100 ? 0 : 5_000_000)
      _ = bands.step(Vector3(x: .zero, y: .zero, z: .one), at: Instant(microseconds: now))
    }
    expect(abs(Int(bands.rate) - 104_167), isAtMost: 1)
  }

  @Test static func `a pause ends a report one period after its last sample, and the next begins after the pause`()
    throws
  {
    let forces = Signal.forces(
      [Double](repeating: 0, count: 300), [Double](repeating: 1, count: 300), [Double](repeating: 0, count: 300))
    let reports = try Self.reports(Bins<32>(), .all, forces, rate: 100) { $0 * 10_000 + ($0 < 150 ? 0 : 7_000_000) }
    expect(reports.map(\.start.microseconds), equals: [0, 1_000_000, 8_500_000, 9_500_000])
    expect(reports.map(\.end.microseconds), equals: [1_000_000, 1_500_000, 9_500_000, 10_000_000])
    expect(reports.map(\.level.samples), equals: [100, 50, 100, 50])
    for report in reports { #expect(report.level.total == .zero && report.rms(inBand: 0) == .zero) }
  }

  @Test static func `edges out of order, too many, too few or out of range are rejected`() throws {
    let bad: [[Double]] = [
      [], [5], [5, 5], [10, 5], [-1, 5], [0, 2_500.1], Array(stride(from: 0, through: 90, by: 10)),
    ]
    for edges in bad {
      expect(throws: VibrationError.edges) { _ = try Self.edges(edges) }
    }
    let nine = try Self.edges(0, 10, 20, 30, 40, 50, 60, 70, 80)
    #expect(nine.count == 8 && nine[8] == Q16(whole: 80))
    expect(nine, isNot: .all)
    expect(nine, equals: nine)
    #expect(BandEdges.all.count == 1 && BandEdges.all[1] == Q16(whole: 2_500))
    expect(throws: VibrationError.interval) {
      _ = try Self.reports(Bins<32>(), .all, [], rate: 100, interval: .milliseconds(99)) { $0 }
    }
    expect(throws: VibrationError.interval) {
      _ = try Self.reports(Bins<32>(), .all, [], rate: 100, interval: Microseconds(60_000_001)) { $0 }
    }
    expect(throws: VibrationError.bins) { _ = try Self.reports(Bins<33>(), .all, [], rate: 100) { $0 } }
  }

  @Test static func `no force and no time traps`() throws {
    var dice = SplitMix64(seed: 77)
    let forces = (0..<20_000).map { _ in
      Vector3(
        x: Q16(raw: .random(in: .min ... .max, using: &dice)), y: Q16(raw: Bool.random(using: &dice) ? .max : .min),
        z: Q16(raw: .random(in: .min ... .max, using: &dice)))
    }
    let reports = try Self.reports(Bins<512>(), .all, forces, rate: 1_000, interval: .seconds(60)) {
      $0 % 7_000 == 6_999 ? .max - $0 : $0 * 1_000
    }
    expect(reports.count, isAbove: 1)
    for report in reports { #expect(report.level.total.double < 256 && report.rms(inBand: 0).double < 256) }
  }
}
