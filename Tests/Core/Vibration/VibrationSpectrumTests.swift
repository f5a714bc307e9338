import FixedPoint
import Foundation
import TestSupport
import Testing
import Vibration

struct VibrationSpectrumTests {
  static let silence = [Double](repeating: 0, count: 20_000)

  /// Compares every bin of every axis with Welch's method in Double, for samples that are exact in the core.
  private static func check<let bins: Int>(_ size: Bins<bins>, _ forces: [Vector3], _ name: String) throws {
    let measured = try spectrum(size, of: forces, at: 1_000)
    let axes: [(VibrationAxis, [Double], Int)] = [
      (.x, forces.map(\.x.double), 0), (.y, forces.map(\.y.double), 2), (.z, forces.map(\.z.double), 4),
    ]
    for (axis, values, first) in axes {
      let exact = SpectrumModel.meanSquares(values, count: 2 * bins, from: first)
      let found = measured.meanSquares(axis)
      let extent = (values.max() ?? 0) - (values.min() ?? 0)
      // The allowed error of an amplitude; see the documentation of the transform. A mean square is 16/3 of its
      // square.
      let line = 12.1 * 0x1p-29 * extent
      for bin in 1...bins {
        let size = exact[bin].squareRoot()
        let bound = 2 * 2.31 * line * size + 5.34 * line * line + 1e-12 * exact[bin] + 0x1p-37
        expect(abs(found[bin] - exact[bin]), isAtMost: bound, "\(name), \(bins) bins, \(axis), bin \(bin)")
      }
    }
  }

  @Test static func `every bin matches Welch's method in Double, for all sizes`() throws {
    var dice = SplitMix64(seed: 7)
    let white = (0..<4_000).map { _ in
      Vector3(
        x: Q16(raw: .random(in: -1_048_576...1_048_576, using: &dice)),
        y: Q16(raw: .random(in: -60...60, using: &dice)), z: Q16(raw: .random(in: -8_000_000...8_000_000, using: &dice))
      )
    }
    try Self.check(Bins<32>(), white, "white")
    try Self.check(Bins<64>(), white, "white")
    try Self.check(Bins<128>(), white, "white")
    try Self.check(Bins<256>(), white, "white")
    try Self.check(Bins<512>(), white, "white")
  }

  @Test static func `clipping at ±16 g and steps of ±128 g match Double`() throws {
    let loud = Signal.tone(37, 40, at: 1_000, count: 4_000).map { max(-16, min(15.9998, $0)) }
    let square = (0..<4_000).map { $0 % 50 < 25 ? 127.999 : -127.999 }
    let steps = (0..<4_000).map { $0 % 2 == 0 ? 127.999 : -127.999 }
    try Self.check(Bins<256>(), Signal.forces(loud, square, steps), "clipped")
  }

  /// A tone's place in bins.
  struct Tone: Sendable {
    var bin: Double
    var peak: Double
  }

  @Test(arguments: [
    Tone(bin: 16, peak: 1), Tone(bin: 16.5, peak: 1), Tone(bin: 40.25, peak: 0.01), Tone(bin: 100.9, peak: 15),
    Tone(bin: 5, peak: 0.5), Tone(bin: 120.1, peak: 0.5),
  ])
  static func `a tone is found within a hundredth of a bin, with its strength within 0_1 percent`(tone: Tone) throws {
    let hertz = tone.bin * 1_000 / 256
    let wave = Signal.tone(hertz, tone.peak, at: 1_000, count: 8_000)
    let forces = Signal.forces(wave, Array(Self.silence.prefix(8_000)), wave.map { 1 + $0 / 2 })
    let measured = try spectrum(Bins<128>(), of: forces, at: 1_000)
    let line = try require(measured.strongestLine(of: .x))
    expect(abs(line.frequency.double - hertz), isBelow: 0.01 * 1_000 / 256)
    expect(abs(line.rms.double / (tone.peak / 2.squareRoot()) - 1), isBelow: 0.001 + 1e-5 / tone.peak)
    // Together with Z: √1.25 of it. Y is silent, and gravity does not show.
    expect(measured.strongestLine(of: .y), equals: nil)
    let all = try require(measured.strongestLine(of: nil))
    expect(
      abs(all.rms.double / (tone.peak * 1.25.squareRoot() / 2.squareRoot()) - 1), isBelow: 0.001 + 1e-5 / tone.peak)
    expect(abs(measured.rms(of: .x).double / (tone.peak / 2.squareRoot()) - 1), isBelow: 0.001 + 1e-5 / tone.peak)
  }

  @Test static func `noise of a known density has that density`() throws {
    // 100 µg/√Hz … 10 mg/√Hz: a deviation of density · √(rate / 2).
    for density in [100e-6, 1e-3, 10e-3] {
      let noise = Signal.noise(density * 500.squareRoot(), count: 60_000, seed: 3)
      let measured = try spectrum(Bins<128>(), of: Signal.forces(noise, noise, noise), at: 1_000)
      let step = 1_000.0 / 256
      let found = measured.meanSquares(.x)[3..<128].map { ($0 / step).squareRoot() }
      let mean = (found.map { $0 * $0 }.reduce(0, +) / Double(found.count)).squareRoot()
      // Rounding to Q16.16 adds a twelfth of an LSB squared.
      expect(abs(mean / density - 1), isBelow: 0.01, "\(density)")
      // 467 overlapping blocks: a deviation of some 2.5 % of the value.
      for value in found { expect(abs(value / density - 1), isBelow: 0.12, "\(density)") }
    }
  }

  @Test static func `a tone is found beside one that is 60 dB stronger, within a percent`() throws {
    let strong = Signal.tone(100, 8, at: 1_000, count: 20_000)
    let weak = Signal.tone(250, 0.008, at: 1_000, count: 20_000)
    let wave = Signal.sum(strong, weak)
    let measured = try spectrum(Bins<512>(), of: Signal.forces(wave, Self.silence, Self.silence), at: 1_000)
    let line = try require(measured.strongestLine(of: .x, above: Q16(whole: 200)))
    expect(abs(line.frequency.double - 250), isBelow: 0.02)
    expect(abs(line.rms.double / (0.008 / 2.squareRoot()) - 1), isBelow: 0.01)
    let first = try require(measured.strongestLine(of: .x))
    expect(abs(first.frequency.double - 100), isBelow: 0.02)
  }

  @Test static func `gravity alone has no spectrum`() throws {
    let forces = Signal.forces(
      Self.silence.map { _ in -0.3 }, Self.silence.map { _ in 0.953_9 }, Self.silence.map { _ in 16 })
    let measured = try spectrum(Bins<64>(), of: forces, at: 1_000)
    expect(measured.blocks, equals: 311)
    for bin in 0...65 { expect(measured.meanSquare(of: nil, bin: bin), equals: 0) }
    expect(measured.strongestLine(of: nil), equals: nil)
  }

  @Test static func `the sum over all bins is the power of the windowed samples (Parseval)`() throws {
    let noise = Signal.noise(0.4, count: 1_024, seed: 11)
    let forces = Signal.forces(noise, noise, noise)
    let measured = try spectrum(Bins<512>(), of: forces, at: 1_000)
    let prepared = SpectrumModel.prepared(forces.map(\.x.double)[...])
    let window = SpectrumModel.window(1_024).reduce(0) { $0 + $1 * $1 }
    let dc = SpectrumModel.transform(prepared)[0].squaredSize * 1_024 / window * 1_024
    let power = prepared.reduce(0) { $0 + $1 * $1 } / window
    let sum = measured.meanSquares(.x).reduce(0, +)
    expect(abs(sum + dc / 1_024 - power), isBelow: 1e-7 * power)
  }

  @Test static func `adjacent bands have the power of the whole`() throws {
    let noise = Signal.noise(0.4, count: 10_000, seed: 12)
    let measured = try spectrum(Bins<128>(), of: Signal.forces(noise, noise, noise), at: 1_000)
    let edges = [0, 10.5, 62.5, 63, 200, 499.9, 2_000].map(Signal.q16)
    var sum = 0.0
    for (low, high) in zip(edges, edges.dropFirst()) {
      let rms = measured.rms(of: nil, from: low, to: high).double
      sum += rms * rms
    }
    let whole = measured.rms(of: nil).double
    // Six roundings to 2^-17 g.
    expect(abs(sum - whole * whole), isBelow: 6 * 2 * whole * 0x1p-17)
    expect(measured.rms(of: nil, from: Q16(whole: 3), to: Q16(whole: 3)), equals: .zero)
  }

  @Test static func `the mean over thousands of blocks is as exact as over one`() throws {
    let wave = Signal.tone(125, 0.02, at: 1_000, count: 300_000)
    let zero = [Double](repeating: 0, count: wave.count)
    let forces = Signal.forces(wave, zero, zero)
    let long = try spectrum(Bins<32>(), of: forces, at: 1_000)
    let short = try spectrum(Bins<32>(), of: Array(forces.prefix(128)), at: 1_000)
    expect(long.blocks, equals: 9_373)
    for bin in 1...32 {
      let (a, b) = (long.meanSquares(.x)[bin], short.meanSquares(.x)[bin])
      // The same blocks again and again: each power of two of them rounds by half of 2^-(49 - b).
      expect(abs(a - b), isAtMost: 0x1p-35, "\(bin)")
    }
  }

  @Test static func `a gap begins new blocks, so no block has a hole`() throws {
    let measured = try Measured<32>(period: .milliseconds(10))
    let wave = Signal.tone(12.5, 0.5, at: 100, count: 640)
    var now: Int64 = 0
    for (index, value) in wave.enumerated() {
      // 40 ms are missing every 200 samples, and the tone changes its phase: within one block it would leak.
      now += index % 200 == 199 ? 40_000 : 10_000
      measured.step(
        Vector3(x: Signal.q16(index % 400 < 199 ? value : -value), y: .zero, z: .one), at: Instant(microseconds: now))
    }
    expect(measured.gaps, equals: 3)
    expect(measured.rate, equals: 100_000)
    let line = try require(measured.strongestLine(of: .x))
    expect(abs(line.rms.double / (0.5 / 2.squareRoot()) - 1), isBelow: 0.001)
    for bin in 12...31 { expect(measured.meanSquare(of: .x, bin: bin), isBelow: 1 << 10) }
  }

  /// Intervals between samples, in µs, around a special one.
  struct Pace: Sendable, CustomTestStringConvertible {
    var name: String
    var odd: Int64
    var usual: [Int64] = [10_000]
    var gaps: UInt32
    var blocks: UInt32
    var testDescription: String { name }
  }

  @Test(arguments: [
    Pace(name: "backwards", odd: -5_000, gaps: 1, blocks: 4), Pace(name: "the same time", odd: 0, gaps: 1, blocks: 4),
    Pace(name: "two and a half periods", odd: 25_000, gaps: 0, blocks: 5),
    Pace(name: "more", odd: 25_001, gaps: 1, blocks: 4),
    Pace(name: "uneven", odd: 10_000, usual: [4_000, 16_000], gaps: 0, blocks: 5),
    Pace(name: "the end of time", odd: .max - 2_000_000, gaps: 1, blocks: 4),
  ])
  static func `these intervals count as a gap`(pace: Pace) throws {
    let measured = try Measured<32>(period: .milliseconds(10))
    var now: Int64 = 1_000
    for index in 0..<200 {
      now &+= index == 100 ? pace.odd : pace.usual[index % pace.usual.count]
      measured.step(Vector3(x: .one, y: .zero, z: .zero), at: Instant(microseconds: now))
    }
    expect(measured.gaps, equals: pace.gaps)
    expect(measured.blocks, equals: pace.blocks)
  }

  @Test static func `the rate is measured, and frequencies follow it`() throws {
    // A part that is 1.3 % fast.
    let measured = try Measured<64>(period: .milliseconds(10))
    for index in 0..<1_000 as Range<Int64> {
      measured.step(Vector3(x: .one, y: .zero, z: .zero), at: Instant(microseconds: index * 987_167 / 100))
    }
    expect(abs(Int32(measured.rate) - 101_300), isAtMost: 1)
    expect(abs(measured.frequency(of: 64).double - 50.65), isBelow: 0.001)
    expect(measured.frequency(of: 0), equals: .zero)
    let empty = try Measured<64>(period: .milliseconds(10))
    expect(empty.rate, equals: 100_000)
    expect(empty.rms(of: nil), equals: .zero)
    expect(empty.strongestLine(of: nil), equals: nil)
  }

  @Test static func `other numbers of bins and other periods are rejected`() {
    expect(throws: VibrationError.bins) { _ = try Measured<16>(period: .milliseconds(1)) }
    expect(throws: VibrationError.bins) { _ = try Measured<96>(period: .milliseconds(1)) }
    expect(throws: VibrationError.bins) { _ = try Measured<1024>(period: .milliseconds(1)) }
    expect(throws: VibrationError.period) { _ = try Measured<32>(period: Microseconds(199)) }
    expect(throws: VibrationError.period) { _ = try Measured<32>(period: Microseconds(1_000_001)) }
  }

  /// Steps with any forces at any times: no step traps, and the strength stays within the range of samples of ±128 g.
  private static func hammer<let bins: Int>(_ size: Bins<bins>, seed: UInt64) throws {
    var dice = SplitMix64(seed: seed)
    let measured = try Measured<bins>(period: .milliseconds(1))
    let extremes: [Int32] = [.min, .max, 0, -1, 1, 8_388_607, -8_388_608]
    var now = Instant(microseconds: 0)
    func word() -> Int32 {
      Int.random(in: 0..<3, using: &dice) == 0
        ? extremes.randomElement(using: &dice) ?? 0 : Int32.random(in: .min ... .max, using: &dice)
    }
    for index in 0..<6_000 {
      now = now + .milliseconds(1)
      if index % 2_500 == 2_499 { now = Instant(microseconds: Int64.random(in: .min ... .max, using: &dice)) }
      measured.step(Vector3(x: Q16(raw: word()), y: Q16(raw: word()), z: Q16(raw: word())), at: now)
    }
    expect(measured.blocks, isAbove: 0)
    expect(measured.rms(of: nil).double, isBelow: 256)
    expect(measured.rms(of: nil).double, isAbove: 50)
    for bin in [Int.min, -1, 0, bins + 1, Int.max] { expect(measured.meanSquare(of: .x, bin: bin), equals: 0) }
    _ = measured.frequency(of: .max)
    _ = measured.strongestLine(of: nil, above: Q16(raw: .max))
  }

  @Test static func `no force and no time traps`() throws {
    try Self.hammer(Bins<32>(), seed: 1)
    try Self.hammer(Bins<64>(), seed: 2)
    try Self.hammer(Bins<128>(), seed: 3)
    try Self.hammer(Bins<256>(), seed: 4)
    try Self.hammer(Bins<512>(), seed: 5)
  }
}
