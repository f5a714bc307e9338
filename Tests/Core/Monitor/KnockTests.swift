import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Taps and falls, found by the ADXL345 itself, or by the core in an MPU-6050's samples.
struct KnockTests {
  /// One way to find taps.
  struct Path: CustomTestStringConvertible {
    var name: String
    var rig: Rig
    /// Whether the samples are dense enough to show the sign of every knock.
    var seesSides = true
    var testDescription: String { name }
  }

  /// An ADXL345 at 25 to 800 Hz and in batches, and MPU-6050s at 200 to 1000 Hz.
  static func paths(_ taps: TapDetector.Configuration = .standard) -> [Path] {
    var paths: [Path] = []
    for (rate, name, batches) in [
      (.hz25, "25", [1]), (.hz100, "100", [1, 25]), (.hz400, "400", [1]), (.hz800, "800", [1, 28]),
    ] as [(ADXL345.OutputDataRate, String, [Int])] {
      for batch in batches {
        var rig = Rig(rate: rate, batch: batch, readsPerTransaction: 21)
        rig.knocks = Knocks.Configuration(taps: taps, fall: .standard, areFoundBySensor: true)
        rig.detection = ADXL345.Detection(tap: tap(taps), freeFall: freeFall)
        // Knocks of 10 ms always show in samples 2.5 ms apart.
        paths.append(
          Path(name: "ADXL345, \(name) Hz, batch \(batch)", rig: rig, seesSides: rate.rawValue >= 0xC))
      }
    }
    for (hertz, filter, batches) in [
      (200, .hz94, [1]), (250, .hz94, [1, 25]), (500, .hz184, [1]), (1_000, .hz184, [1, 28]),
    ] as [(Int32, MPU6050.Filter, [Int])] {
      for batch in batches {
        var rig = Rig(part: .mpu6050(EmulatedMPU6050.Configuration()), batch: batch, readsPerTransaction: 21)
        rig.mpu6050.range = .g8
        rig.mpu6050.filter = filter
        rig.mpu6050.rate = MPU6050.SampleRate(atLeastMillihertz: hertz * 1_000) ?? rig.mpu6050.rate
        rig.knocks = Knocks.Configuration(taps: taps, fall: .standard, areFoundBySensor: false)
        paths.append(Path(name: "MPU-6050, \(hertz) Hz, batch \(batch)", rig: rig))
      }
    }
    return paths
  }

  private static func tap(_ taps: TapDetector.Configuration) -> ADXL345.Tap? {
    guard let second = ADXL345.SecondTap(latency: taps.latency, window: taps.window) else { return nil }
    return ADXL345.Tap(
      threshold: taps.threshold, duration: taps.duration,
      kind: taps.findsDoubleTaps ? .singleAndDouble(second) : .single)
  }

  private static var freeFall: ADXL345.FreeFall? {
    let fall = FallDetector.Configuration.standard
    return ADXL345.FreeFall(threshold: fall.threshold, time: fall.time)
  }

  /// The events of taps and falls, in words.
  private static func words(_ outcome: Rig.Outcome, sides: Bool = true) -> [String] {
    func words(_ tap: Tap) -> String {
      sides ? "\(tap.sign < 0 ? "-" : tap.sign > 0 ? "+" : "?")\(tap.axis)" : "\(tap.axis)"
    }
    return outcome.events.compactMap { occurrence in
      switch occurrence.event {
      case .tap(let tap): "tap " + words(tap)
      case .doubleTap(let tap): "double tap " + words(tap)
      case .freeFall: "fall"
      default: nil
      }
    }
  }

  @Test(arguments: paths()) static func `every part and rate reports the same taps, with axis and sign`(_ path: Path) {
    let cases: [(motion: NamedMotion, seconds: Int64, words: [String])] = [
      (.tap, 3, ["tap -x"]), (.doubleTap, 3, ["double tap +z"]),
      (
        .knocks, 10,
        ["tap +x", "tap -x", "tap +y", "tap -y", "tap +z", "tap -z", "double tap -z"]
      ),
      (.hold, 3, []), (.shake, 5, []), (.tumble, 26, []), (.carried, 30, []),
    ]
    for (motion, seconds, wanted) in cases {
      var rig = path.rig
      rig.motion = motion.motion
      let outcome = rig.run(for: .seconds(seconds))
      expect(outcome.counters.faults, equals: 0)
      let found = words(outcome, sides: path.seesSides)
      expect(
        found, equals: wanted.map { path.seesSides ? $0 : $0.filter { $0 != "+" && $0 != "-" } }, "\(path), \(motion)")
      guard !path.seesSides else { continue }
      // A sign is right or unknown, never wrong.
      for (told, true_) in zip(words(outcome), wanted) { #expect(told == true_ || told.contains("?"), "\(path)") }
    }
  }

  @Test(arguments: paths()) static func `every part and rate reports a fall once, with its duration`(_ path: Path) {
    for (motion, seconds, fall) in [
      (FreeFall(), 5, 1.5), (FreeFall(falling: .milliseconds(300)), 4, 0.3), (DroppedMotion(), 14, 0.42),
    ] as [(any Motion, Int64, Double)] {
      var rig = path.rig
      rig.motion = motion
      let outcome = rig.run(for: .seconds(seconds))
      let falls = outcome.events.compactMap { if case .freeFall(let time) = $0.event { time.seconds } else { nil } }
      expect(falls.count, equals: 1, "\(path), \(fall): \(falls)")
      // The drop takes 20 ms to let go, and its bounces are too short.
      let error = Double(rig.rate.period.count) / 1e6 + 0.025
      if let time = falls.first { expect(abs(time - fall), isAtMost: error, "\(path): \(time) of \(fall)") }
      // Free fall as an unknown reason is the same without the detection.
      rig.knocks = nil
      rig.detection = ADXL345.Detection()
      expect(rig.run(for: .seconds(seconds)).troubles.map(\.reason), equals: outcome.troubles.map(\.reason))
    }
  }

  @Test static func `detection in the ADXL345 costs no transaction, or one per batch`() {
    for batch in [1, 25] {
      var rig = Rig(motion: NamedMotion.tap.motion, batch: batch, readsPerTransaction: 21)
      let without = rig.run(for: .seconds(10))
      rig.knocks = Knocks.Configuration(taps: .standard, fall: .standard, areFoundBySensor: true)
      rig.detection = ADXL345.Detection(tap: Self.tap(.standard), freeFall: Self.freeFall)
      let with = rig.run(for: .seconds(10))
      expect(with.counters.samples, equals: without.counters.samples)
      let more = Int(with.transactions) - Int(without.transactions)
      // The start takes two transactions more, INT_MAP and INT_ENABLE, and one to verify.
      expect(batch == 1 ? more : more - 40, isIn: 0...6, "\(batch): \(more)")
    }
  }

  @Test static func `LEDs flash once for a tap and twice for a double tap; coded lines do not`() {
    for (motion, flashes) in [(NamedMotion.tap, 1), (.doubleTap, 2), (.hold, 0)] {
      for path in Self.paths().filter({ $0.rig.batch == 1 && $0.seesSides }) {
        var rig = path.rig
        rig.motion = motion.motion
        let pose = Levels.oneHot(.portrait)
        let writes = rig.run(for: .seconds(3)).outputs.writes
        // Dark, the pose, and then each flash on and off.
        let levels = writes.map(\.levels)
        expect(
          levels.suffix(2 * flashes), equals: (0..<flashes).flatMap { _ in [Levels.all, pose] }, "\(path), \(motion)")
        expect(levels.filter { $0 == .all }.count, equals: flashes)
        let changes = writes.suffix(2 * flashes).map(\.instant.microseconds)
        for (a, b) in zip(changes, changes.dropFirst()) { expect(b - a, isIn: 80_000...82_000, "\(path)") }
        rig.indicator.code = .binary
        // The number of portrait is 0: only the valid line is on.
        expect(rig.run(for: .seconds(3)).outputs.writes.map(\.levels), equals: [Levels(bits: 1)], "\(path), \(motion)")
      }
    }
  }

  @Test static func `a mounting turns the axes of the taps that the part finds`() throws {
    let mounting = try Mounting(x: .minusY, y: .plusZ, z: .minusX)
    for path in Self.paths() where path.seesSides {
      var rig = path.rig
      rig.mounting = mounting
      rig.motion = Mounted(motion: KnockedMotion.knocks, mounting: mounting)
      expect(
        words(rig.run(for: .seconds(10))),
        equals: ["tap +x", "tap -x", "tap +y", "tap -y", "tap +z", "tap -z", "double tap -z"], "\(path)")
    }
  }

  /// What a sensor with this mounting measures.
  private struct Mounted: Motion {
    var motion: KnockedMotion
    var mounting: Mounting
    var duration: Microseconds { motion.duration }
    func specificForce(at time: Microseconds) -> Vector3 { mounting.undone(on: motion.specificForce(at: time)) }
  }

  @Test static func `the core's rule equals the part's: random knocks, sampled in the part's own steps`() {
    var generator = SplitMix64(seed: 18)
    var decided = 0
    for round in 0..<20 {
      // Knocks of 1 to 60 ms, 5 to 500 ms apart, with 2 to 9 g along one axis.
      var knocks: [KnockedMotion.Knock] = []
      var time: Int64 = 1_000_000
      for _ in 0..<12 {
        let g = Q16(
          raw: Int32.random(in: 131_072...589_824, using: &generator) * (Bool.random(using: &generator) ? 1 : -1))
        let axis = Int.random(in: 0..<3, using: &generator)
        let peak = Vector3(x: axis == 0 ? g : .zero, y: axis == 1 ? g : .zero, z: axis == 2 ? g : .zero)
        let length = Int64.random(in: 1_000...60_000, using: &generator)
        knocks.append(.init(at: Microseconds(time), peak, for: Microseconds(length)))
        time += length + Int64.random(in: 5_000...500_000, using: &generator)
      }
      let findsDoubleTaps = round % 4 != 0
      guard let configuration = try? TapDetector.Configuration(findsDoubleTaps: findsDoubleTaps) else { return }
      let motion = KnockedMotion(knocks, duration: Microseconds(time))
      var rig = Rig(motion: motion, rate: .hz800)
      rig.knocks = Knocks.Configuration(taps: configuration, fall: nil, areFoundBySensor: true)
      rig.detection = ADXL345.Detection(tap: Self.tap(configuration))
      // Noise would split a knock that passes the threshold slowly. A part without noise looks frozen.
      rig.adxl345.noise = .zero
      rig.policy = FaultPolicy(implausibleLimit: 0)
      let ofPart = words(rig.run(for: Microseconds(time + 1_000_000)), sides: false)

      // Skips knocks whose result depends on when within a step the part samples: either result may be right.
      let ofCore = (0..<4).map { found(configuration, in: motion, for: time + 1_000_000, from: 78 * $0) }
      guard ofCore.allSatisfy({ $0 == ofCore[0] }) else { continue }
      decided += 1
      expect(ofPart, equals: ofCore[0], "\(round)")
      expect(ofCore[0].count, isAbove: 1)
    }
    expect(decided, isAtLeast: 12)
  }

  /// The core's findings in `motion` in steps of 312.5 µs, from `phase` µs on.
  private static func found(
    _ configuration: TapDetector.Configuration, in motion: KnockedMotion, for time: Int64, from phase: Int64
  ) -> [String] {
    var detector = TapDetector(configuration)
    var words: [String] = []
    for step in 0..<time * 16 / 5_000 {
      let now = Microseconds(phase + step * 5_000 / 16)
      switch detector.step(motion.specificForce(at: now), at: Instant(microseconds: now.count)) {
      case .tap(let tap): words.append("tap \(tap.axis)")
      case .doubleTap(let tap): words.append("double tap \(tap.axis)")
      case nil: break
      }
    }
    return words
  }

  @Test static func `a query between two samples does not swallow a tap`() throws {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: KnockedMotion.tap, seed: 1) { clock.now }
    let bus = EmulatedBus(part, at: EmulatedADXL345.address, pass: { clock.advance(by: $0) }) { clock.now }
    let sensor = ADXL345.Device(
      bus: bus,
      configuration: ADXL345.Configuration(
        detection: ADXL345.Detection(tap: Self.tap(.standard)), interrupts: .init(onInterrupt2: .singleTap)))
    let configuration = Monitor.Configuration(
      period: .milliseconds(10), fullScale: sensor.fullScale,
      knocks: Knocks.Configuration(taps: .standard, fall: nil, areFoundBySensor: true))
    var loop = Loop(
      sensor: sensor, bank: RecordingOutputBank(now: { clock.now }), clock: clock, configuration: configuration)
    var taps = 0
    while loop.monitor.next.at <= Instant(microseconds: 3_000_000) {
      guard let report = try loop.turn() else { break }
      for index in 0..<report.events.count {
        if case .tap = report.events[index]?.event { taps += 1 }
      }
      // Queries right after each sample, so that mostly the query reads INT_SOURCE.
      if report.reading != nil {
        clock.advance(by: .milliseconds(9))
        _ = try loop.read()
      }
    }
    expect(taps, equals: 1)
  }
}
