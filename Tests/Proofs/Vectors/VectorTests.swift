import FixedPoint
import Gestures
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing
import Vibration

/// Test vectors: for fixed inputs the core computes exactly these bits.
///
/// The other tests require results within a bound; these show that nothing has moved within it, so that a recording
/// gives the same results with a newer Plumb. After an intended change, put the new digest here, and list the changed
/// results in CHANGELOG.md. `make gates` shows that the bits are the same on all processors.
struct VectorTests {
  /// The moves as parts measure them.
  static let recordings: [[Sample]] = [
    // 25 Hz, each millisecond exact; a part with little noise.
    Moves.recording(seed: 1, period: 40_000, force: 0.004, rate: 0.1),
    // 100 Hz, a clock with jitter.
    Moves.recording(seed: 2, period: 10_000, jitter: 800, force: 0.01, rate: 0.3),
    // 400 Hz, exact; a part with much noise.
    Moves.recording(seed: 3, period: 2_500, force: 0.04, rate: 1.5),
    // 2 Hz, exact.
    Moves.recording(seed: 4, period: 500_000, force: 0.004, rate: 0.1),
    // 100 Hz, exact; parts whose noise, of force or rate, is just about the limit of rest before it is known.
    Moves.recording(seed: 5, period: 10_000, force: 0.14, rate: 0.1),
    Moves.recording(seed: 6, period: 10_000, force: 0.004, rate: 3.5),
    extremes,
  ]

  private static let extremes: [Sample] = {
    var extremes = Extremes()
    return extremes.samples(20_000)
  }()

  /// Compares the digest of what `results` adds for each recording with `expected`.
  static func check(
    _ expected: String, location: SourceLocation = #_sourceLocation, _ results: ([Sample], inout Digest) -> Void
  ) {
    var digest = Digest()
    for recording in recordings { results(recording, &digest) }
    #expect("\(digest)" == expected, "results have changed", sourceLocation: location)
  }

  @Test static func `the recordings contain what the detectors look for`() {
    var found: [String: Int] = [:]
    func count(_ name: String, _ isFound: Bool = true) { found[name, default: 0] += isFound ? 1 : 0 }
    for samples in Self.recordings {
      var (filter, tracker, rest, fusion) = (LowPass(), PoseTracker(), RestDetector(), Fusion())
      var (shake, tap, fall, last) = (ShakeDetector(), TapDetector(), FallDetector(), samples[0].at)
      for sample in samples {
        let motion = sample.force.subtracting(filter.step(sample.force, at: sample.at))
        if let change = tracker.step(sample.force, at: sample.at) { count("\(change.to)") }
        count("shake", shake.step(sample.force, motion: motion, at: sample.at))
        switch tap.step(sample.force, at: sample.at) {
        case .tap: count("tap")
        case .doubleTap: count("double tap")
        case nil: break
        }
        count("fall", fall.step(sample.force, at: sample.at) != nil)
        rest.step(sample.force, at: sample.at)
        _ = fusion.step(sample.force, rotation: sample.rotation, at: sample.at)
        count("rest, by the force", rest.isStill == true)
        count("rest, by the fusion", fusion.isStill)
        count("gap", sample.at - last > .seconds(1))
        count("clock that runs backwards", sample.at < last)
        last = sample.at
      }
    }
    let poses = [Pose.portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown]
    let reasons = [UnknownReason.ambiguous, .accelerating, .freeFall]
    let states = poses.map { PoseState.known($0) } + reasons.map { PoseState.unknown($0) }
    let names = [
      "shake", "tap", "double tap", "fall", "rest, by the force", "rest, by the fusion", "gap",
      "clock that runs backwards",
    ]
    for name in states.map({ "\($0)" }) + names { #expect(found[name, default: 0] > 0, "\(name)") }
  }

  @Test static func `low-pass and high-pass`() {
    let configurations = [
      LowPass.Configuration(), LowPass.Configuration(timeConstant: .milliseconds(35), longestGap: .milliseconds(600)),
      LowPass.Configuration(timeConstant: .seconds(7), longestGap: .seconds(3)),
    ]
    Self.check("9ce710941f432672") { samples, digest in
      for configuration in configurations {
        var (low, high) = (LowPass(configuration), HighPass())
        for sample in samples {
          digest.add(low.step(sample.force, at: sample.at))
          digest.add(high.step(sample.force, at: sample.at, configuration))
        }
      }
    }
  }

  @Test static func `adaptive low-pass and high-pass`() throws {
    let slow = LowPass.Configuration(timeConstant: .seconds(2), longestGap: .milliseconds(600))
    let configurations = [
      AdaptiveFilterConfiguration(),
      try AdaptiveFilterConfiguration(slow, smallestStepMilliG: 55, attenuation: 7),
      try AdaptiveFilterConfiguration(smallestStepMilliG: 1, attenuation: 1_000),
    ]
    Self.check("cc9470a54ea3e178") { samples, digest in
      for configuration in configurations {
        var (low, high) = (AdaptiveLowPass(configuration), AdaptiveHighPass(configuration))
        for sample in samples {
          digest.add(low.step(sample.force, at: sample.at))
          digest.add(high.step(sample.force, at: sample.at))
        }
      }
    }
  }

  @Test static func `angles`() {
    Self.check("efdd33a17d7f2696") { samples, digest in
      var filter = LowPass()
      for sample in samples { digest.add(Angles(of: sample.force, gravity: filter.step(sample.force, at: sample.at))) }
    }
  }

  @Test static func `poses from the force and from gravity`() throws {
    let narrow = try PoseTracker.Configuration(
      minimumMagnitude: Q16(3, over: 10), maximumMagnitude: Q16(3, over: 1), leaveAngle: BinaryAngle(degrees: 48),
      faceEnterAngle: BinaryAngle(degrees: 10), faceLeaveAngle: BinaryAngle(degrees: 60), dwell: .milliseconds(200),
      evidence: Q16(3, over: 100), patience: .milliseconds(800), longestGap: .milliseconds(600))
    Self.check("f9d912f8c5a41d86") { samples, digest in
      for configuration in [.standard, .fused, narrow] {
        var filter = LowPass()
        var (ofForce, ofGravity, confirmed) = (
          PoseTracker(configuration), PoseTracker(configuration), PoseTracker(configuration)
        )
        for (index, sample) in samples.enumerated() {
          let gravity = filter.step(sample.force, at: sample.at)
          if index % 3_000 == 2_999 {
            ofForce.suspend(at: sample.at)
            if let change = ofGravity.fail() { digest.add(change.to) }
          }
          for change in [ofForce.expire(at: sample.at), ofForce.step(sample.force, at: sample.at)] {
            if let change { digest.add(change.from) }
          }
          _ = ofGravity.step(gravity, at: sample.at)
          // The fast path, as used by a monitor.
          let angles = Angles(of: gravity, gravity: gravity)
          if confirmed.confirms(gravity, angles, at: sample.at) == nil { _ = confirmed.decide(gravity, at: sample.at) }
          digest.add(ofForce.state)
          digest.add(ofGravity.state)
          digest.add(confirmed.state)
          if index % 16 == 0 { digest.add(ofForce.state(seeing: gravity, at: sample.at)) }
        }
      }
    }
  }

  @Test static func `rotation of an interface`() throws {
    let configurations = [
      .standard,
      try InterfaceRotation.Configuration(supported: .allButUpsideDown, duration: .milliseconds(1_333)),
      try InterfaceRotation.Configuration(supported: .landscape, duration: .zero),
    ]
    Self.check("d23f50d9242f575b") { samples, digest in
      for configuration in configurations {
        var (tracker, rotation) = (PoseTracker(), InterfaceRotation(configuration))
        for sample in samples {
          _ = tracker.step(sample.force, at: sample.at)
          let events = rotation.step(tracker.state, at: sample.at)
          digest.add(events.count)
          for index in 0..<events.count {
            if let event = events[index] { "\(event)".utf8.forEach { digest.add($0) } }
          }
          digest.add(rotation.orientation.rawValue)
          digest.add(rotation.goal.rawValue)
          digest.add(rotation.shown(at: sample.at).rawValue)
          digest.add(rotation.nextFlip(after: sample.at)?.microseconds ?? -1)
          digest.add(rotation.nextChange?.microseconds ?? -1)
        }
      }
    }
  }

  @Test static func `fusion`() {
    let configurations = [
      Fusion.Configuration(),
      Fusion.Configuration(
        timeConstant: .milliseconds(700), longestGap: .milliseconds(200), rateRange: Q16(whole: 500),
        forceRange: Q16(whole: 4), bias: Vector3(x: Q16(5, over: 4), y: Q16(-3, over: 4), z: Q16(1, over: 2))),
    ]
    Self.check("9ef78e44413b12ef") { samples, digest in
      for configuration in configurations {
        var fusion = Fusion(configuration)
        for sample in samples {
          digest.add(fusion.step(sample.force, rotation: sample.rotation, at: sample.at))
          let attitude = fusion.attitude
          digest.add(attitude.up)
          digest.add(attitude.heading?.raw ?? 1)
          digest.add(attitude.rate)
          digest.add(attitude.bias)
          digest.add(attitude.isStill)
          digest.add(attitude.certainty.rawValue)
          digest.add(fusion.gravity)
        }
        digest.add(fusion.clippedSamples)
      }
    }
  }

  @Test static func `rest by the force alone`() {
    Self.check("4adea7aafc8b4d04") { samples, digest in
      var detector = RestDetector()
      for (index, sample) in samples.enumerated() {
        if index % 4_000 == 3_999 { detector.interrupt() }
        detector.step(sample.force, at: sample.at)
        digest.add(detector.isStill.map { $0 ? 1 : 0 } ?? 2)
      }
    }
  }

  @Test static func `tare`() throws {
    Self.check("d44b22ec4363a618") { samples, digest in
      var tare = Tare.none
      var capture = samples.first.map { TareCapture(at: $0.at, period: .milliseconds(10)) }
      for sample in samples {
        switch capture?.step(sample.force, at: sample.at) {
        case .tare(let found):
          tare = found
          digest.add(1)
          capture = TareCapture(at: sample.at, period: .milliseconds(10))
        case .moved:
          digest.add(2)
          capture = TareCapture(at: sample.at, period: .milliseconds(10))
        case .measuring, nil: break
        }
        if let up = tare.up { digest.add(up) }
        let tared = tare.applied(to: sample.force)
        digest.add(tared.tilted)
        for angle in [tared.deviceAngle, tared.levelAngle, tared.pitch, tared.roll, tared.inclination] {
          digest.add(angle)
        }
        digest.add(tared.steeringAngle)
        digest.add(tare.undone(on: tared.tilted))
      }
    }
  }

  @Test static func `calibration, alignment and six positions`() throws {
    let calibration = try Calibration(
      offset: Vector3(x: Q16(3, over: 100), y: Q16(-7, over: 100), z: Q16(1, over: 9)),
      scale: Calibration.Scale(x: 1_050_000_000, y: 1_090_000_000, z: 1_111_111_111))
    let mounting = try Mounting(x: .minusY, y: .plusX, z: .plusZ)
    let alignments = [
      Alignment(calibration), Alignment(calibration, mounting, rotation: calibration), Alignment(.none, mounting),
    ]
    Self.check("e0a4324ebbf768f8") { samples, digest in
      for alignment in alignments {
        for sample in samples {
          digest.add(alignment.applied(to: sample.force))
          digest.add(alignment.applied(toRotation: sample.rotation))
        }
      }
    }
    // A sensor with errors, held still six times for two seconds, with some noise.
    var (digest, generator, six, time) = (Digest(), SplitMix64(seed: 5), SixPositionCalibration(), Int64(0))
    let up: [(x: Int32, y: Int32, z: Int32)] = [
      (66_300, 0, 0), (0, 66_000, 0), (0, 0, 64_000), (-64_900, 0, 0), (0, 0, -65_700), (0, -65_000, 0),
    ]
    for (x, y, z) in up {
      for _ in 0..<200 {
        time += 10_000
        func noise() -> Int32 { Int32(truncatingIfNeeded: generator.next() % 600) }
        let force = Vector3(
          x: Q16(raw: x + noise() + 900), y: Q16(raw: y + noise() - 2_100), z: Q16(raw: z + noise() + 1_500))
        "\(six.step(force, at: Instant(microseconds: time)))".utf8.forEach { digest.add($0) }
      }
    }
    let result = try six.result()
    digest.add(result.calibration.offset)
    [result.calibration.scale.x, result.calibration.scale.y, result.calibration.scale.z].forEach { digest.add($0) }
    for face in [SensorAxis.plusX, .plusY, .plusZ, .minusX, .minusZ, .minusY] {
      for residual in [result.before(face), result.after(face)] {
        digest.add(residual.tilt)
        digest.add(residual.length)
      }
    }
    #expect("\(digest)" == "b4f634c1ec2be1b8", "results have changed")
  }

  @Test static func `shakes`() throws {
    let eager = try ShakeDetector.Configuration(
      threshold: Q16(1, over: 2), reversals: 2, window: .seconds(1), shortestSwing: .milliseconds(20),
      refractory: .milliseconds(200), weightlessness: Q16(4, over: 10), shortestFall: .milliseconds(20),
      longestGap: .milliseconds(600))
    let patient = try ShakeDetector.Configuration(threshold: Q16(6, over: 10), reversals: 8, window: .seconds(2))
    Self.check("2f06581e915f1865") { samples, digest in
      for configuration in [.standard, eager, patient] {
        var (filter, detector) = (LowPass(), ShakeDetector(configuration))
        for sample in samples {
          let motion = sample.force.subtracting(filter.step(sample.force, at: sample.at))
          digest.add(detector.step(sample.force, motion: motion, at: sample.at))
          digest.add(detector.isShaking(at: sample.at))
        }
      }
    }
  }

  @Test static func `taps and falls`() throws {
    let configurations = [
      .standard,
      try TapDetector.Configuration(
        threshold: Q16(2, over: 1), duration: .milliseconds(30), latency: .milliseconds(20), window: .milliseconds(250),
        axes: Tap.Axes(bits: 5)),
      try TapDetector.Configuration(threshold: Q16(3, over: 2), findsDoubleTaps: false),
    ]
    let falls = [
      .standard, try FallDetector.Configuration(threshold: Q16(1, over: 5), time: .milliseconds(240)),
    ]
    func add(_ finding: TapDetector.Finding?, _ digest: inout Digest) {
      switch finding {
      case .tap(let tap): digest.add(10 + Int64(tap.axis.rawValue) * 4 + Int64(tap.sign))
      case .doubleTap(let tap): digest.add(30 + Int64(tap.axis.rawValue) * 4 + Int64(tap.sign))
      case nil: digest.add(0)
      }
    }
    Self.check("40fed94d1307b89a") { samples, digest in
      for configuration in configurations {
        var (detector, found, filter) = (
          TapDetector(configuration), FoundTaps(configuration, pause: .milliseconds(20)), LowPass()
        )
        for (index, sample) in samples.enumerated() {
          add(detector.step(sample.force, at: sample.at), &digest)
          let motion = sample.force.subtracting(filter.step(sample.force, at: sample.at))
          let axes = Tap.Axes(bits: UInt8(truncatingIfNeeded: index))
          add(
            found.step(motion: motion, single: index % 5 == 0, double: index % 7 == 0, on: axes, at: sample.at), &digest
          )
        }
      }
      for configuration in falls {
        var detector = FallDetector(configuration)
        for sample in samples {
          let time = detector.step(sample.force, at: sample.at)
          digest.add(time?.count ?? -1)
          digest.add(FallDetector.millimetres(in: time ?? .zero))
        }
      }
    }
  }

  @Test static func `scrolling by tilt`() throws {
    let rest = try TiltScroll.Rest(Vector3(x: Q16(1, over: 5), y: Q16(-2, over: 5), z: Q16(9, over: 10)))
    let configurations = [
      .standard,
      try TiltScroll.Configuration(
        viscosity: 900, acceleration: 70, interval: .milliseconds(7), longestGap: .milliseconds(600), rest: rest),
    ]
    Self.check("66b26bc5acbe4707") { samples, digest in
      for configuration in configurations {
        var (filter, scroll) = (
          LowPass(), TiltScroll(configuration, at: TiltScroll.Position(x: Q16(1, over: 3), y: .one))
        )
        for (index, sample) in samples.enumerated() {
          let position = scroll.step(filter.step(sample.force, at: sample.at), at: sample.at)
          digest.add(position.x)
          digest.add(position.y)
          let offset = position.offset(
            of: TiltScroll.PixelSize(width: 4_001, height: 90_007), in: TiltScroll.PixelSize(width: 320, height: 240))
          digest.add(offset.x)
          digest.add(offset.y)
          if index % 700 == 699 { scroll.jump(to: TiltScroll.Position(x: Q16(2, over: 3), y: Q16(1, over: 7))) }
          if index % 1_100 == 0 { scroll.settle() }
        }
      }
    }
  }

  @Test static func `vibration`() throws {
    let busy = try BusyDetector.Configuration(
      busyThreshold: Q16(1, over: 50), busyTime: .seconds(1), quietTime: .seconds(2))
    var digest = Digest()
    for samples in Self.recordings {
      let period = samples[1].at - samples[0].at
      var spectrum = try VibrationSpectrum<64>(period: period)
      var bands = try VibrationBands<32>(.all, period: period, interval: .milliseconds(900))
      var watch = try VibrationWatch<128>(VibrationConfiguration(busy: busy), period: period)
      for sample in samples {
        spectrum.step(sample.force, at: sample.at)
        if let report = bands.step(sample.force, at: sample.at) { add(report, &digest) }
        if let second = watch.step(sample.force, at: sample.at) {
          add(second.report, &digest)
          switch second.change {
          case .busy(let since): digest.add(since)
          case .quiet(let since): digest.add(since.microseconds + 1)
          case nil: digest.add(-1)
          }
        }
      }
      for number in [spectrum.blocks, spectrum.rate, spectrum.gaps, bands.rate] { digest.add(number) }
      for axis in [VibrationAxis.x, .y, .z, nil] {
        for bin in 0...65 {
          digest.add(spectrum.frequency(of: bin))
          digest.add(spectrum.meanSquare(of: axis, bin: bin))
        }
        digest.add(spectrum.rms(of: axis))
        digest.add(spectrum.rms(of: axis, from: Q16(whole: 2), to: Q16(whole: 9)))
        digest.add(spectrum.strongestLine(of: axis, above: Q16(whole: 1))?.rms ?? .zero)
      }
    }
    #expect("\(digest)" == "31368dacff1c3d1e", "results have changed")
  }

  private static func add(_ report: VibrationReport, _ digest: inout Digest) {
    digest.add(report.start)
    digest.add(report.end)
    digest.add(report.blocks)
    for figures in [report.level.rms, report.level.peak, report.level.mean] { digest.add(figures) }
    digest.add(report.level.total)
    for band in 0..<8 { digest.add(report.rms(inBand: band)) }
  }

  @Test static func `the whole pipeline`() {
    let configurations = [
      Pipeline.Configuration(), Pipeline.Configuration(gravity: .adaptive(AdaptiveFilterConfiguration())),
      Pipeline.Configuration(gravity: .fusion(Fusion.Configuration())),
    ]
    Self.check("cd8ebe2ff9c2698f") { samples, digest in
      for configuration in configurations {
        var pipeline = Pipeline(configuration)
        for (index, sample) in samples.enumerated() {
          // A gyroscope that sometimes measures nothing.
          let rotation = index % 2_500 < 2_400 ? sample.rotation : nil
          let reading = pipeline.step(Measurement(force: sample.force, rotation: rotation), at: sample.at)
          digest.add(reading.force)
          digest.add(reading.gravity)
          digest.add(reading.motion)
          digest.add(reading.angles)
          digest.add(reading.state)
          digest.add(reading.isFused)
          digest.add(reading.expired != nil)
          digest.add(reading.change != nil)
          digest.add(pipeline.steeringAngle)
          digest.add(pipeline.isStill)
        }
      }
    }
  }
}

extension Moves {
  /// 20,000 samples.
  fileprivate static func recording(
    seed: UInt64, period: Int64, jitter: Int64 = 0, force: Double, rate: Double
  ) -> [Sample] {
    var moves = Moves(seed: seed, period: period, jitter: jitter, force: force, rate: rate)
    return moves.samples(20_000)
  }
}
