import FixedPoint
import Foundation
import TestSupport
import Testing
import Vibration

/// Which bins belong to a band, and which bands exist, compared with the definitions in Double.
struct BandEdgeTests {
  private static func edges(_ raws: [Int32]) throws -> BandEdges {
    let edges = raws.map { Q16(raw: $0) }
    return try BandEdges(edges.span)
  }

  /// 260 samples at 1 kHz, which give three blocks of 128: bins every 7.8125 Hz.
  private static let axes = (1...3).map { Signal.noise(0.2, count: 260, seed: $0) }
  private static let forces = Signal.forces(axes[0], axes[1], axes[2])

  /// The report on all of them.
  private static func report(_ edges: BandEdges) throws -> VibrationReport {
    var bands = try VibrationBands<64>(edges, period: .milliseconds(1))
    for (index, force) in forces.enumerated() { _ = bands.step(force, at: Instant(microseconds: Int64(index) * 1_000)) }
    let report = bands.finish(at: Instant(microseconds: 260_000))
    return try require(report)
  }

  @Test static func `a bin belongs to the band that begins at or below its frequency, to the last bit of the edge`()
    throws
  {
    // The mean square of all axes in each bin. The blocks of each axis begin two samples after those of the one before.
    let model = Self.axes.enumerated().map { SpectrumModel.meanSquares($1, count: 128, from: 2 * $0) }
    let powers = (0...64).map { bin in model.reduce(0) { $0 + $1[bin] } }
    let spacing: Int32 = 512_000
    for first in stride(from: 0 as Int32, to: 64, by: 8) {
      for offset in [-1, 0, 1] as [Int32] {
        let raws = (first...first + 8).map { max(0, $0 * spacing + offset) }
        let report = try Self.report(Self.edges(raws))
        for band in 0..<8 {
          // Bin 0 is the mean, which is not vibration.
          let bins = (1...64).filter { raws[band] <= Int32($0) * spacing && Int32($0) * spacing < raws[band + 1] }
          let rms = bins.reduce(0) { $0 + powers[$1] }.squareRoot()
          let found = report.rms(inBand: band).double
          if abs(found - rms) > 5e-5 { Issue.record("\(first), \(offset), \(band): \(found) for \(rms)") }
        }
      }
    }
  }

  @Test static func `the usual edges are those below 0.95 of half the rate, and half the rate, for every period`() {
    let periods =
      Array(-1...3_000) + [2_375, 4_750, 9_500, 23_750, 47_500, 95_000, 475_000].flatMap { $0 - 2...$0 + 2 }
      + Array(stride(from: 3_001, through: 1_000_300, by: 97)) + [999_999, 1_000_000, 1_000_001, 5_000_000]
    for period in periods {
      let half = (500_000 / Double(max(200, min(1_000_000, period))) * 65_536).rounded() / 65_536
      let usual = [1.0, 5, 10, 20, 50, 100, 200, 500].filter { $0 * 20 < half * 19 }
      let expected = (usual.isEmpty ? [0] : usual) + [half]
      let edges = BandEdges.usual(period: Microseconds(Int64(period)))
      let found = (0...edges.count).map { edges[$0].double }
      if found != expected || edges.top.double != half
        || BandEdges.highest(period: Microseconds(Int64(period))) != edges.top
      {
        Issue.record("\(period): \(found) for \(expected)")
      }
    }
  }

  @Test static func `two to nine edges define bands if they ascend and lie within 0 to 2500 Hz`() {
    let most: Int32 = 2_500 << 16
    for count in 0...11 as ClosedRange<Int32> {
      for (first, step) in [(0, 1), (-1, 1), (most - count + 1, 1), (most - count + 2, 1), (5, 0), (most, -1)]
        as [(Int32, Int32)]
      {
        let raws = (0..<count).map { first + $0 * step }
        let isGood = count >= 2 && count <= 9 && step > 0 && raws.allSatisfy { $0 >= 0 && $0 <= most }
        do {
          let edges = try Self.edges(raws)
          let found = (0...edges.count).map { edges[$0].raw }
          if !isGood || found != raws { Issue.record("\(raws): \(found)") }
        } catch {
          if isGood || error as? VibrationError != .edges { Issue.record("\(raws): \(error)") }
        }
      }
      // One edge, at any position, that is not above the one before.
      guard (2...9).contains(count) else { continue }
      for index in 1..<count {
        for fall in [0, 1] as [Int32] {
          var raws = (0..<count).map { 10 * $0 }
          raws[Int(index)] = raws[Int(index) - 1] - fall
          let isRefused = (try? Self.edges(raws)) == nil
          if !isRefused { Issue.record("\(raws)") }
        }
      }
    }
  }

  @Test static func `edges are equal only if each edge is, and reports only if each band is`() throws {
    let spacing: Int32 = 512_000
    let raws = (1...9).map { $0 * 4 * spacing }
    let (edges, report) = (try Self.edges(raws), try Self.report(Self.edges(raws)))
    try expect(edges, equals: Self.edges(raws))
    try expect(report, equals: Self.report(edges))
    for index in 0...8 {
      var others = raws
      others[index] += spacing
      let other = try Self.edges(others)
      if other == edges { Issue.record("edge \(index)") }
      if try Self.report(other) == report { Issue.record("band beside edge \(index)") }
    }
    for count in 2...8 {
      let fewer = try Self.edges(Array(raws.prefix(count)))
      if fewer == edges || edges == fewer { Issue.record("\(count) edges") }
    }
  }

  @Test static func `a report ends with the interval, to the microsecond, and when time runs backwards`() throws {
    let interval: Int64 = 250_000
    for (then, isEnd) in [(249_999, false), (250_000, true), (250_001, true), (0, false), (-1, true)] as [(Int64, Bool)]
    {
      var bands = try VibrationBands<32>(.all, period: .milliseconds(1), interval: Microseconds(interval))
      let start = Instant(microseconds: 5_000_000)
      let isNothing = bands.finish(at: start) == nil && bands.step(.zero, at: start) == nil
      let report = bands.step(.zero, at: start + Microseconds(then))
      if (report != nil) != isEnd || report?.level.samples ?? 1 != 1 { Issue.record("\(then): \(report as Any)") }
      // The interval that began with that sample, or continued.
      let rest = bands.finish(at: start + Microseconds(then + 1_000))
      let begin = isEnd ? start + Microseconds(then) : start
      let isOver = bands.finish(at: start + Microseconds(then + 2_000)) == nil
      if !isNothing || !isOver || rest?.level.samples != (isEnd ? 1 : 2) || rest?.start != begin {
        Issue.record("\(then): \(rest as Any)")
      }
    }
  }

  @Test static func `an interval lasts 0.1 to 60 s`() {
    for (interval, isGood) in [(99_999, false), (100_000, true), (60_000_000, true), (60_000_001, false)]
      as [(Int64, Bool)]
    {
      do {
        _ = try VibrationBands<32>(.all, period: .milliseconds(1), interval: Microseconds(interval))
        if !isGood { Issue.record("\(interval)") }
      } catch {
        if isGood || error != .interval { Issue.record("\(interval): \(error)") }
      }
    }
  }
}
