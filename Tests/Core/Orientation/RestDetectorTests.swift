import FixedPoint
import Foundation
import Orientation
import OrientationModels
import TestSupport
import Testing

/// Still or moving by the force alone, with a modelled part: white noise on each axis, an output filter, whole
/// counts.
struct RestDetectorTests {
  /// ADXL345 rev. E, table 1: 0.75 LSB on X and Y and 1.1 LSB on Z at 100 Hz or less, √2 more with every doubling.
  /// PS-MPU-6000A rev. 3.4, 6.2: 400 µg/√Hz; at ±16 g a count is 0.49 mg. The last part has four times that noise.
  static let parts: [RestPart] =
    [10.0, 25, 50, 100, 200, 400, 800].map { rate in
      let more = max(1, rate / 100).squareRoot()
      return RestPart(name: "ADXL345", rate: rate, noise: SIMD3(2.9, 2.9, 4.3) * more, filter: nil, count: 3.9)
    }
    + [10.0, 100, 1_000].flatMap { rate in
      [5.0, 44, 260].map { cut in
        // Noise per sample before the filter, matching the data sheet's density.
        let noise = 0.4 * (rate / 2).squareRoot()
        let pole = cut < rate / 4 ? cut : nil
        return RestPart(
          name: "MPU-6050, \(cut) Hz", rate: rate,
          noise: SIMD3(repeating: pole == nil ? 0.4 * (cut * 1.57).squareRoot() : noise), filter: pole, count: 0.49)
      }
    } + [RestPart(name: "a loud part", rate: 100, noise: SIMD3(repeating: 12), filter: nil, count: 4)]

  /// Vertical acceleration, in g, of a minimum-jerk lift by `height` metres in `duration` seconds.
  static func lift(_ height: Double, in duration: Double) -> (Double) -> SIMD3<Double> {
    { time in
      guard time < duration else { return .zero }
      let s = time / duration
      return SIMD3(0, 0, height * (60 * s - 180 * s * s + 120 * s * s * s) / (duration * duration) / 9.80665)
    }
  }

  /// Three windows, and the part of the first one that had passed before.
  static func longest(_ rate: Double) -> Double { 4 * max(0.4, 8 / rate) + 0.05 }

  @Test(arguments: parts) static func `noise is never movement`(_ part: RestPart) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      var bench = RestBench(part, seed: seed)
      bench.run(min(1_800, 60_000 / part.rate))
      expect(bench.changes.map(\.isStill), equals: [true], "\(bench.changes)")
      let first = try require(bench.changes.first)
      expect(first.time, isAtLeast: 1.2, "\(first)")
      expect(first.time, isBelow: Self.longest(part.rate), "\(first)")
    }
  }

  @Test(arguments: parts) static func `slow drift is not movement`(_ part: RestPart) {
    for slope in [0.000_5, -0.000_5] {
      var bench = RestBench(part)
      bench.run(5)
      bench.run(60) { SIMD3(0.6, -0.5, 0.6) * slope * $0 }
      expect(bench.changes.map(\.isStill), equals: [true], "\(slope): \(bench.changes)")
    }
  }

  /// Without 10 Hz behind a filter of 260 Hz: ten samples with 8 mg of noise on each axis do not show 0.06 g.
  static let gentle = parts.filter { $0.noise.z < ($0.rate < 25 ? 6 : 14) && $0.name != "a loud part" }

  @Test(arguments: gentle)
  static func `a gentle lift is movement, and rest returns`(_ part: RestPart) throws {
    for (height, duration) in [(0.1, 1.0), (0.3, 1.5), (0.05, 0.5)] {
      for seed in 1...5 as ClosedRange<UInt64> {
        var bench = RestBench(part, seed: seed)
        bench.run(20 + Double(seed) / 13)
        let start = bench.time
        bench.run(10, push: Self.lift(height, in: duration))
        try require(that: bench.changes.map(\.isStill) == [true, false, true], "\(height): \(bench.changes)")
        let (moved, rested) = (bench.changes[1].time - start, bench.changes[2].time - start)
        expect(moved, isBelow: duration + 2 * max(0.4, 8 / part.rate), "\(height) m: \(moved)")
        expect(rested, isAbove: 1.2, "\(height) m: \(rested)")
        expect(rested, isBelow: duration + 2 * Self.longest(part.rate), "\(height) m: \(rested)")
      }
    }
  }

  @Test(arguments: parts) static func `a turn by three degrees is movement`(_ part: RestPart) throws {
    var bench = RestBench(part)
    bench.run(20)
    let start = bench.time
    bench.run(10) { SIMD3(min($0, 1) * 0.052, 0, 0) }
    let moved = try require(bench.changes.first { !$0.isStill })
    expect(moved.time - start, isBelow: 1 + 2 * max(0.4, 8 / part.rate))
    expect(bench.changes.last?.isStill, equals: true)
  }

  @Test(arguments: [25.0, 100, 800])
  static func `a knock on the table is not movement; shaking and a hand's tremor are`(_ rate: Double) {
    let part = RestPart(name: "quiet", rate: rate, noise: SIMD3(repeating: 3), filter: nil, count: 0.49)
    var bench = RestBench(part)
    bench.run(10)
    for _ in 0..<10 {
      bench.run(1.5) { $0 > 0.5 && $0 < 0.52 ? SIMD3(0, 0, 0.6) : .zero }
    }
    expect(bench.changes.count, equals: 1)
    bench.run(5) { SIMD3(0.3 * sin(2 * .pi * 4.3 * $0), 0, 0) }
    expect(bench.changes.count, equals: 2)
    expect(bench.detector.isStill, equals: false)
    bench.run(5)
    expect(bench.detector.isStill, equals: true)
    bench.run(20) { time in
      SIMD3(0.02 * sin(2 * .pi * 7.1 * time), 0.02 * cos(2 * .pi * 5.3 * time), 0.01 * sin(2 * .pi * 1.1 * time))
    }
    expect(bench.detector.isStill, equals: false)
    expect(bench.changes.count, equals: 4)
  }

  @Test static func `a board that moves from the start is reported as moving after two seconds`() {
    var bench = RestBench(Self.parts[3])
    bench.run(10) { SIMD3(0.5 * sin(2 * .pi * 1.3 * $0), 0, 0) }
    expect(bench.changes.map(\.isStill), equals: [false])
    expect(bench.changes[0].time, isIn: 2...2.5, "\(bench.changes)")
  }

  @Test static func `after a pause, or when the clock runs backwards, rest is unknown`() {
    for jump in [5.1, -0.1] {
      var bench = RestBench(Self.parts[3])
      bench.run(10)
      expect(bench.detector.isStill, equals: true)
      bench.time += jump
      bench.step(SIMD3(0, 0, 1))
      expect(bench.detector.isStill, equals: nil)
      bench.force = SIMD3(0, 1, 0)
      bench.run(3)
      expect(bench.changes.map(\.isStill), equals: [true, true])
      bench.detector.interrupt()
      expect(bench.detector.isStill, equals: nil)
    }
    // A clock that stands still decides nothing.
    var detector = RestDetector()
    for _ in 0..<10_000 { detector.step(Vector3(x: .zero, y: .zero, z: Q16(whole: 1)), at: Instant(microseconds: 7)) }
    expect(detector.isStill, equals: nil)
  }

  @Test static func `any force and any time are accepted`() {
    var generator = SplitMix64(seed: 5)
    var detector = RestDetector()
    let forces: [Int32] = [.min, .max, 0, 65_536, -65_536, 1]
    var time: Int64 = 0
    for _ in 0..<200_000 {
      func any() -> Q16 { Q16(raw: forces.randomElement(using: &generator) ?? 0) }
      let steps: [Int64] = [0, 1, 1_250, 10_000, 400_000, 5_000_000, 5_000_001, -1, .max / 4, .min / 4]
      time &+= steps.randomElement(using: &generator) ?? 0
      detector.step(Vector3(x: any(), y: any(), z: any()), at: Instant(microseconds: time))
      expect(detector.isStill, isNot: true)
    }
  }

  /// Recorded movement of a wrist, followed by samples without movement.
  @Test(arguments: ["abduction", "forward-elevation", "pendulum", "row"])
  static func `a recorded exercise is movement from beginning to end`(_ name: String) throws {
    let path = "Tests/Programs/EndToEnd/Recordings/wrist-\(name).csv"
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
      .map { line in line.split(separator: ",").map { Double($0) ?? .nan } }
    var bench = RestBench(RestPart(name: name, rate: 50, noise: SIMD3(repeating: 3), filter: nil, count: 0.49))
    for row in rows {
      bench.time = row[0]
      bench.step(SIMD3(row[1], row[2], row[3]))
    }
    #expect(bench.changes.map(\.isStill) == [false] && bench.changes[0].time < 2.5)
    let (last, end) = (try require(rows.last), bench.time)
    bench.force = SIMD3(last[1], last[2], last[3])
    bench.run(5)
    #expect(bench.changes.map(\.isStill) == [false, true] && bench.changes[1].time - end < 2)
  }
}

/// Which windows count as the same rest, given their exact noise and mean.
struct RestWindowTests {
  /// The detector's result after each window of a board at 100 Hz. Mean and noise are in g; the noise alternates in
  /// sign.
  private static func verdicts(_ windows: [(mean: Double, noise: Double)]) -> [Bool?] {
    var detector = RestDetector()
    func step(_ sample: Int, _ height: Double) {
      let force = Vector3(x: .zero, y: Q16(raw: Int32((height * 65_536).rounded())), z: .one)
      detector.step(force, at: Instant(microseconds: Int64(sample) * 10_000))
    }
    step(0, 0)
    return windows.enumerated().map { number, window in
      for sample in 1...40 {
        step(number * 40 + sample, window.mean + (sample % 2 == 0 ? window.noise : -window.noise))
      }
      return detector.isStill
    }
  }

  /// Windows with noise of 0.02 g.
  private static func verdicts(_ means: [Double]) -> [Bool?] { verdicts(means.map { ($0, 0.02) }) }

  @Test static func `a part's noise is remembered through a quieter rest`() {
    let loud = [(mean: Double, noise: Double)](repeating: (0, 0.02), count: 5)
    // Moved, and at rest again with half the noise: 3/4 of the square of the old noise and 1/4 of that of the new.
    let rest = loud + [(0.5, 0.02)] + [(mean: Double, noise: Double)](repeating: (0.5, 0.01), count: 4)
    let verdicts = verdicts(rest + [(0.5, 0.06), (0.5, 0.01), (0.5, 0.02)])
    #expect(verdicts[5] == false && verdicts[9] == true)
    // Up to 0.072 g counts as noise then; one loud window alone is not movement.
    expect(verdicts.suffix(3), equals: [true, true, true], "\(verdicts)")
  }

  @Test static func `a tenth of a second beyond the noise is movement before its window ends`() {
    var detector = RestDetector()
    var seen: [Bool?] = []
    for sample in 0..<300 as Range<Int64> {
      let push: Int32 = sample < 240 ? 0 : 2_000
      detector.step(Vector3(x: .zero, y: Q16(raw: push), z: .one), at: Instant(microseconds: sample * 10_000))
      seen.append(detector.isStill)
    }
    // 0.03 g, where 0.02 g always counts as noise: the first windows end at 1.2 s.
    #expect(seen[239] == true && seen[248] == true && seen[250] == false)
  }

  @Test
  static func `windows up to four times their mean distance from rest are rest, and two further off movement`() {
    // Means 0.006 g off, to both sides: up to 0.024 g.
    let usual = [Double](repeating: 0, count: 5) + (0..<60).map { $0 % 2 == 0 ? 0.006 : -0.006 }
    for (off, isStill) in [(0.012, true), (0.0205, true), (0.029, false), (-0.0205, true), (-0.029, false)] {
      let verdicts = verdicts(usual + [off, off])
      expect(all: verdicts[2..<65], "the rest itself") { $0 == true }
      expect(verdicts.suffix(2), equals: [true, isStill], "\(off) g")
    }
    // A single one is a knock.
    expect(verdicts(usual + [0.029, 0, 0.029, 0]).last, equals: true)
  }

  @Test
  static func `at first, windows up to twice as far off as samples are rest, and two further off movement`() {
    let quiet = [(mean: Double, noise: Double)](repeating: (0, 0.02), count: 3)
    for (off, isStill) in [(0.03, true), (0.039, true), (0.041, false), (-0.039, true), (-0.041, false)] {
      let verdicts = verdicts(quiet + [(off, 0.02), (off, 0.02)])
      expect(verdicts.suffix(3), equals: [true, true, isStill], "\(off) g")
    }
  }

  @Test(arguments: [(10_000, 10), (33_333, 4), (50_000, 2), (200_000, 2)] as [(Int64, Int)])
  static func `movement takes samples for a tenth of a second in all, and at least two`(_ period: Int64, _ least: Int) {
    for count in 1...12 {
      var detector = RestDetector()
      for sample in 0..<400 as Range<Int64> {
        let push: Int32 = sample < 400 - Int64(count) ? 0 : 4_000
        detector.step(Vector3(x: Q16(raw: push), y: .zero, z: .one), at: Instant(microseconds: sample * period))
      }
      expect(detector.isStill, equals: count < least, "\(count)")
    }
  }
}
