import FixedPoint
import Gestures
import TestSupport
import Testing

struct FallDetectorTests {
  /// The reports of a detector whose board measures no force from 1 s on for `fall` seconds, sampled `hertz` times a
  /// second. `findings` are the seconds at which the sensor itself finds a fall; nil is a sensor that does not look
  /// for falls.
  private static func reports(
    _ fall: Double, hertz: Double, phase: Double = 0, findings: [Double]? = nil, force: Double = 0.1,
    _ configuration: FallDetector.Configuration = .standard
  ) -> [(seconds: Double, at: Double)] {
    var detector = FallDetector(configuration)
    var found: [(Double, Double)] = []
    var latched = findings ?? []
    for index in 0..<Int(3 * hertz) {
      let time = (Double(index) + phase) / hertz
      let isFalling = time >= 1 && time < 1 + fall
      let now = Instant(microseconds: 0x7_FFF0_0000 + Int64((time * 1e6).rounded()))
      let isFound = latched.contains { $0 <= time }
      latched.removeAll { $0 <= time }
      if let span = detector.step(
        ForceInG(x: isFalling ? force : 0, y: isFalling ? -force : 1, z: 0).vector,
        finding: findings == nil ? nil : isFound, at: now)
      {
        found.append((Double(span.count) / 1e6, time))
      }
    }
    return found
  }

  @Test static func `a fall is reported when it ends, with its duration within one sample period`() {
    for hertz in [25.0, 50, 100, 400] {
      for tenth in 0..<10 {
        for fall in [0.2, 0.4, 1.1] {
          let found = reports(fall, hertz: hertz, phase: Double(tenth) / 10)
          expect(found.count, equals: 1, "\(hertz), \(fall)")
          guard let one = found.first else { continue }
          expect(abs(one.seconds - fall), isAtMost: 1.001 / hertz, "\(hertz), \(fall): \(one.seconds)")
          expect(one.at, isAtLeast: 1 + fall - 1e-9)
          expect(one.at, isAtMost: 1 + fall + 1.001 / hertz)
        }
      }
    }
  }

  @Test static func `a short fall is ignored, and one with force on an axis`() {
    expect(empty: reports(0.09, hertz: 100))
    expect(empty: reports(0.5, hertz: 100, force: 0.376))
    expect(reports(0.5, hertz: 100, force: 0.374).count, equals: 1)
    // A board that stands on a corner: at rest no axis can measure less than 0.577 g.
    var detector = FallDetector()
    for index in 0..<300 {
      let force = ForceInG(x: 0.577, y: 0.577, z: 0.577).vector
      expect(detector.step(force, at: Instant(microseconds: Int64(index) * 10_000)), equals: nil)
    }
  }

  @Test static func `a force of exactly the threshold on an axis is not a fall, and slightly less is one`() {
    let limit = Q16(3, over: 8).raw
    for axis in 0..<3 {
      for (size, isFall) in [(limit, false), (-limit, false), (limit - 1, true), (1 - limit, true)] {
        var (force, detector, reports) = (Vector3.zero, FallDetector(), 0)
        switch axis {
        case 0: force.x.raw = size
        case 1: force.y.raw = size
        default: force.z.raw = size
        }
        for sample in 0..<40 as Range<Int64> {
          let isLight = (5..<35).contains(sample)
          let measured = isLight ? force : Vector3(x: .zero, y: .zero, z: .one)
          if detector.step(measured, at: Instant(microseconds: sample * 10_000)) != nil { reports += 1 }
        }
        expect(reports, equals: isFall ? 1 : 0, "\(axis), \(size)")
      }
    }
  }

  @Test static func `a sensor that finds falls itself decides whether there was one`() {
    expect(empty: reports(0.5, hertz: 100, findings: []))
    let found = reports(0.5, hertz: 100, findings: [1.1, 1.2, 1.3, 1.4, 1.5])
    expect(found.count, equals: 1)
    expect(abs((found.first?.seconds ?? 0) - 0.5), isBelow: 0.0101)
    // Found between the last sample of the fall and the first after it, but reported with a later sample, as in a
    // batch.
    for late in [1.505, 1.52, 1.7] {
      let found = reports(0.5, hertz: 100, findings: [late])
      #expect(found.count == 1 && abs((found.first?.seconds ?? 0) - 0.5) < 0.0101, "\(late)")
    }
    // Found twice, the second time reported after the landing: one fall.
    expect(reports(0.5, hertz: 100, findings: [1.2, 1.6]).count, equals: 1)
    // Between two samples: the shortest duration.
    expect(reports(0.15, hertz: 4, phase: 0.8, findings: [1.1]).map(\.seconds), equals: [0.1])
  }

  @Test static func `a gap in the samples ends a fall without a report`() {
    var detector = FallDetector()
    for index in 0..<20 { _ = detector.step(.zero, at: Instant(microseconds: Int64(index) * 10_000)) }
    expect(detector.step(ForceInG(y: 1).vector, at: Instant(microseconds: 190_000 + 250_001)), equals: nil)
    expect(detector.step(.zero, at: Instant(microseconds: 0)), equals: nil)
  }

  @Test static func `an expected pause of up to an hour ends no gesture`() {
    let hour = Microseconds.seconds(3_600)
    for pause in [.zero, .milliseconds(249), .milliseconds(600), .seconds(2), hour, hour * 2] as [Microseconds] {
      let least = min(pause, hour)
      expect(
        FallDetector.Configuration.standard.allowing(pause: pause).longestGap, equals: max(.milliseconds(250), least))
      expect(ShakeDetector.Configuration.standard.allowing(pause: pause).longestGap, equals: max(.seconds(1), least))
      expect(TiltScroll.Configuration.standard.allowing(pause: pause).longestGap, equals: max(.seconds(1), least))
    }
  }

  @Test static func `the height is half of g times the square of the duration`() {
    for microseconds in stride(from: 0 as Int64, through: 60_000_000, by: 61_337) {
      let seconds = Double(microseconds) / 1e6
      let height = Double(FallDetector.millimetres(in: Microseconds(microseconds)))
      // The duration is rounded to 0.1 ms.
      expect(abs(height - 0.5 * 9_806.65 * seconds * seconds), isAtMost: 0.5 + 9_806.65 * seconds * 0.000_05 + 0.001)
    }
    expect(FallDetector.millimetres(in: .milliseconds(452)), equals: 1_002)
    expect(FallDetector.millimetres(in: Microseconds(-5)), equals: 0)
  }

  @Test static func `a configuration is validated`() {
    for (raw, isGood) in [(4_095, false), (4_096, true), (61_440, true), (61_441, false)] as [(Int32, Bool)] {
      expect((try? FallDetector.Configuration(threshold: Q16(raw: raw))) != nil, equals: isGood)
    }
    for (time, isGood) in [(4_999, false), (5_000, true), (1_275_000, true), (1_275_001, false)] as [(Int64, Bool)] {
      expect((try? FallDetector.Configuration(time: Microseconds(time))) != nil, equals: isGood)
    }
    expect(throws: FallConfigurationError.longestGap) { try FallDetector.Configuration(longestGap: .zero) }
    expect(try? FallDetector.Configuration(), equals: .standard)
  }
}
