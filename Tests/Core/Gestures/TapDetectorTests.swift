import FixedPoint
import Gestures
import TestSupport
import Testing

/// A board at rest, face up, with pulses: start and end in milliseconds, and the force along X in g.
private struct Pulses {
  var pulses: [(from: Double, to: Double, g: Double)]

  /// What a detector finds in samples `step` ms apart, and when.
  func found(
    _ configuration: TapDetector.Configuration = .standard, every step: Double = 1, to end: Double = 1_000
  ) -> [(finding: TapDetector.Finding, ms: Double)] {
    var detector = TapDetector(configuration)
    var found: [(TapDetector.Finding, Double)] = []
    for index in 0..<Int((end / step).rounded()) {
      let time = Double(index) * step
      let x = pulses.filter { $0.from <= time && time < $0.to }.reduce(0) { $0 + $1.g }
      let force = ForceInG(x: x, z: 1).vector
      let now = Instant(microseconds: 0x7_FFF0_0000 + Int64((time * 1_000).rounded()))
      if let finding = detector.step(force, at: now) { found.append((finding, time)) }
    }
    return found
  }
}

private func single(_ sign: Int32 = 1) -> TapDetector.Finding { .tap(Tap(.x, sign: sign)) }
private func double(_ sign: Int32 = 1) -> TapDetector.Finding { .doubleTap(Tap(.x, sign: sign)) }

struct TapDetectorTests {
  @Test static func `a knock is a tap if it is hard and short enough`() {
    let cases: [(pulse: (Double, Double, Double), finds: [TapDetector.Finding])] = [
      ((100, 105, 4), [single()]), ((100, 105, -4), [single(-1)]), ((100, 105, 3), []), ((100, 105, 3.01), [single()]),
      ((100, 120, 4), [single()]), ((100, 121, 4), []), ((100, 400, 4), []), ((100, 101, 16), [single()]),
    ]
    for (pulse, finds) in cases {
      expect(Pulses(pulses: [pulse]).found().map(\.finding), equals: finds, "\(pulse)")
    }
  }

  @Test static func `two knocks are a double tap if the second begins in the window and is a tap itself`() {
    // The first ends at 105 ms; the latency ends at 185 ms and the window at 485 ms.
    let first = (100.0, 105.0, 4.0)
    let cases: [(second: (Double, Double, Double), finds: [TapDetector.Finding])] = [
      ((250, 255, 4), [double()]), ((250, 255, -5), [double()]), ((186, 190, 4), [double()]),
      ((485, 490, 4), [double()]), ((486, 491, 4), [single(), single()]),
      // Ringing: over before the window opens.
      ((120, 125, 4), [single()]), ((106, 184, 4), [single()]),
      // Above the threshold as the window opens, or for too long.
      ((180, 190, 4), [single()]), ((250, 280, 4), [single()]), ((250, 255, 2), [single()]),
    ]
    for (second, finds) in cases {
      expect(Pulses(pulses: [first, second]).found().map(\.finding), equals: finds, "\(second)")
    }
  }

  @Test static func `a single tap is reported when it ends, or when no second tap can follow`() throws {
    let tap = Pulses(pulses: [(100, 105, 4)])
    expect(tap.found().map(\.ms), equals: [485])
    let alone = try TapDetector.Configuration(findsDoubleTaps: false)
    expect(tap.found(alone).map(\.ms), equals: [105])
    let two = Pulses(pulses: [(100, 105, 4), (250, 255, -4)])
    expect(two.found(alone).map(\.finding), equals: [single(), single(-1)])
    expect(two.found().map(\.ms), equals: [255])
  }

  @Test static func `only the selected axes count, and the strongest gives axis and sign`() throws {
    for (force, axis, sign) in [
      (ForceInG(x: 5, y: -4, z: 1), Tap.Axis.x, 1), (ForceInG(x: 3.5, y: -4, z: 1), .y, -1),
      (ForceInG(x: 1, y: 2, z: -6), .z, -1),
    ] {
      for bits in 1...7 as ClosedRange<UInt8> {
        let configuration = try TapDetector.Configuration(axes: Tap.Axes(bits: bits), findsDoubleTaps: false)
        var detector = TapDetector(configuration)
        _ = detector.step(force.vector, at: Instant(microseconds: 1_000))
        let found = detector.step(ForceInG(z: 1).vector, at: Instant(microseconds: 6_000))
        // The model: the largest component among the selected axes, if it exceeds 3 g.
        let parts = [(Tap.Axis.x, force.x), (.y, force.y), (.z, force.z)].filter {
          configuration.axes.contains($0.0) && abs($0.1) > 3
        }
        let longest = parts.max { abs($0.1) < abs($1.1) }
        expect(found, equals: longest.map { .tap(Tap($0.0, sign: $0.1 > 0 ? 1 : -1)) })
        if configuration.axes == .all { expect(found, equals: .tap(Tap(axis, sign: Int32(sign)))) }
      }
    }
  }

  @Test static func `exactly the threshold is not a tap, and slightly more is one, on each axis and side`() throws {
    let configuration = try TapDetector.Configuration(threshold: Q16(whole: 3), findsDoubleTaps: false)
    for (index, axis) in [Tap.Axis.x, .y, .z].enumerated() {
      for size: Int32 in [196_608, -196_608, 196_609, -196_609] {
        var (force, detector) = (Vector3.zero, TapDetector(configuration))
        switch index {
        case 0: force.x.raw = size
        case 1: force.y.raw = size
        default: force.z.raw = size
        }
        expect(detector.step(force, at: Instant(microseconds: 1_000)), equals: nil)
        let found = detector.step(.zero, at: Instant(microseconds: 6_000))
        expect(
          found, equals: (size.magnitude > 196_608 ? .tap(Tap(axis, sign: size.signum())) : nil), "\(axis), \(size)")
      }
    }
  }

  @Test static func `a knock of one sample period is found at 200 samples a second, whenever it comes`() {
    for tenth in 0..<50 {
      let start = 100 + Double(tenth) / 10
      let found = Pulses(pulses: [(start, start + 5.01, 4)]).found(every: 5)
      expect(found.map(\.finding), equals: [single()], "\(start)")
    }
  }

  @Test static func `a gap in the samples ends a tap in progress`() {
    for (lastSample, finds) in [(102, nil), (110, single()), (200, single()), (252, single())]
      as [(Int, TapDetector.Finding?)]
    {
      var detector = TapDetector()
      func force(_ ms: Int) -> Vector3 {
        ForceInG(x: (100..<105).contains(ms) || (250..<255).contains(ms) ? 4 : 0, z: 1).vector
      }
      for ms in 0...lastSample {
        expect(detector.step(force(ms), at: Instant(microseconds: Int64(ms) * 1_000)), equals: nil)
      }
      let late = Instant(microseconds: Int64(lastSample) * 1_000 + 100_001)
      expect(detector.step(ForceInG(z: 1).vector, at: late), equals: finds, "\(lastSample)")
      expect(detector.step(ForceInG(z: 1).vector, at: Instant(microseconds: 0)), equals: nil)
    }
  }

  @Test static func `a configuration is validated`() {
    func error(_ make: () throws(TapConfigurationError) -> TapDetector.Configuration) -> TapConfigurationError? {
      do throws(TapConfigurationError) {
        _ = try make()
        return nil
      } catch {
        return error
      }
    }
    func ms(_ thousandths: Int64) -> Microseconds { Microseconds(thousandths) }
    for (raw, isGood) in [(4_095, false), (4_096, true), (1_044_480, true), (1_044_481, false)] as [(Int32, Bool)] {
      expect(error { () throws(TapConfigurationError) in try .init(threshold: Q16(raw: raw)) } == nil, equals: isGood)
    }
    for (time, isGood) in [(624, false), (625, true), (159_375, true), (159_376, false)] as [(Int64, Bool)] {
      expect(error { () throws(TapConfigurationError) in try .init(duration: ms(time)) } == nil, equals: isGood)
    }
    for (time, isGood) in [(1_249, false), (1_250, true), (318_750, true), (318_751, false)] as [(Int64, Bool)] {
      expect(
        error { () throws(TapConfigurationError) in try .init(latency: ms(time)) }, equals: isGood ? nil : .latency)
      expect(error { () throws(TapConfigurationError) in try .init(window: ms(time)) }, equals: isGood ? nil : .window)
    }
    expect(error { () throws(TapConfigurationError) in try .init(axes: Tap.Axes(bits: 8)) }, equals: .axes)
    expect(error { () throws(TapConfigurationError) in try .init() }, equals: nil)
    expect(try? TapDetector.Configuration(), equals: .standard)
  }
}

struct FoundTapsTests {
  private let still = Vector3.zero

  @Test func `the sign of a tap found by the sensor comes from the samples around it`() {
    for (g, sign) in [(2.0, 1), (-2, -1), (0.8, 1), (0.7, 0), (-0.7, 0)] as [(Double, Int32)] {
      var taps = FoundTaps(.standard, pause: .milliseconds(100))
      var found: [TapDetector.Finding] = []
      for index in 0..<100 {
        let motion = index == 50 ? ForceInG(y: g).vector : still
        let isFound = index == 88
        let finding = taps.step(
          motion: motion, single: isFound, double: false, on: Tap.Axes(bits: 2),
          at: Instant(microseconds: Int64(index) * 10_000))
        if let finding { found.append(finding) }
      }
      expect(found, equals: [.tap(Tap(.y, sign: sign))], "\(g)")
    }
  }

  @Test func `motion long before a tap does not count, and a double tap hides its first tap`() {
    var taps = FoundTaps(.standard, pause: .milliseconds(100))
    _ = taps.step(motion: ForceInG(y: 5).vector, single: false, double: false, on: .all, at: Instant(microseconds: 0))
    let late = Instant(microseconds: 521_000)
    let found = taps.step(motion: still, single: true, double: true, on: Tap.Axes(bits: 6), at: late)
    expect(found, equals: .doubleTap(Tap(.y, sign: 0)))
    expect(taps.step(motion: still, single: false, double: false, on: .all, at: late), equals: nil)
  }
}

/// The direction of a tap found by the sensor, from all motions since the last one.
struct FoundTapModelTests {
  private static func size(_ motion: Vector3) -> Int64 {
    [motion.x, motion.y, motion.z].map { Int64($0.raw) * Int64($0.raw) }.reduce(0, +)
  }

  @Test static func `the sign is that of the strongest motion within the time, from a quarter of the threshold on`()
    throws
  {
    var dice = SplitMix64(seed: 61)
    var signs: [Int32: Int] = [:]
    for _ in 0..<60 {
      let threshold = Int32.random(in: 70_000...400_000, using: &dice)
      let configuration = try TapDetector.Configuration(
        threshold: Q16(raw: threshold), findsDoubleTaps: Bool.random(using: &dice))
      let memory = configuration.longestWait.count + 10_000
      var taps = FoundTaps(configuration, pause: .milliseconds(10))
      var (now, peak): (Int64, (motion: Vector3, at: Int64)?) = (0, nil)
      for _ in 0..<300 {
        let edge = (peak?.at ?? now) + memory + Int64.random(in: 0...1, using: &dice)
        let usual = now + Int64.random(in: -1...90_000, using: &dice)
        now = edge >= now && Int.random(in: 0..<3, using: &dice) == 0 ? edge : usual
        // A quarter of the threshold, exactly and a unit less; often twice the same.
        func component() -> Q16 {
          let sizes: [Int32] = [threshold / 4, threshold / 4 - 1, threshold / 4 - 1, 5]
          let size = sizes.randomElement(using: &dice) ?? 0
          return Q16(raw: Bool.random(using: &dice) ? size : 0 - size)
        }
        let motion = Vector3(x: component(), y: component(), z: component())
        // As strong counts as stronger, because it is later.
        let isKept = peak.map { now - $0.at <= memory && now >= $0.at && Self.size($0.motion) > Self.size(motion) }
        if isKept != true { peak = (motion, now) }
        let (isFound, isDouble) = (Int.random(in: 0..<4, using: &dice) == 0, Bool.random(using: &dice))
        let axis = [Tap.Axis.x, .y, .z][Int.random(in: 0..<3, using: &dice)]
        let found = taps.step(
          motion: motion, single: isFound, double: isFound && isDouble, on: Tap.Axes(bits: 1 << axis.rawValue),
          at: Instant(microseconds: now))
        guard isFound, let strongest = peak?.motion else {
          expect(found, equals: nil)
          continue
        }
        peak = nil
        let value = axis == .x ? strongest.x.raw : axis == .y ? strongest.y.raw : strongest.z.raw
        let tap = Tap(axis, sign: abs(value) >= threshold / 4 ? value.signum() : 0)
        expect(found, equals: isDouble ? .doubleTap(tap) : .tap(tap))
        signs[tap.sign, default: 0] += 1
      }
    }
    #expect(signs.count == 3 && signs.values.allSatisfy { $0 > 300 }, "\(signs)")
  }
}

struct FoundTapStateTests {
  @Test static func `states of FoundTaps are equal only if the strongest motion and its time are`() {
    func seen(_ motion: Int32, at microseconds: Int64) -> FoundTaps {
      var taps = FoundTaps(.standard, pause: .milliseconds(10))
      let force = Vector3(x: Q16(raw: motion), y: .zero, z: .zero)
      _ = taps.step(motion: force, single: false, double: false, on: .all, at: Instant(microseconds: microseconds))
      return taps
    }
    expect(seen(70_000, at: 5), equals: seen(70_000, at: 5))
    expect(seen(70_000, at: 5), isNot: seen(70_001, at: 5))
    expect(seen(70_000, at: 5), isNot: seen(70_000, at: 6))
  }
}
