import FixedPoint
import Orientation
import TestSupport
import Testing

/// The limits of faces, exactly and one unit beyond.
struct FaceLimitTests {
  private static func force(_ face: SensorAxis, _ along: Int32, _ next: Int32, _ last: Int32) -> Vector3 {
    let value = face.rawValue % 2 == 0 ? along : 0 - along
    return switch face {
    case .plusX, .minusX: Vector3(x: Q16(raw: value), y: Q16(raw: next), z: Q16(raw: last))
    case .plusY, .minusY: Vector3(x: Q16(raw: last), y: Q16(raw: value), z: Q16(raw: next))
    case .plusZ, .minusZ: Vector3(x: Q16(raw: next), y: Q16(raw: last), z: Q16(raw: value))
    }
  }

  private static func refusal(_ upright: Vector3, _ faceUp: Vector3) -> MountingFinderError? {
    do throws(MountingFinderError) {
      _ = try MountingFinder.mounting(upright: upright, faceUp: faceUp)
      return nil
    } catch { return error }
  }

  @Test(arguments: MountingTests.axes)
  static func `a face is up if it has more than 1.5 times the force of each other axis`(_ face: SensorAxis) {
    let other = Self.force(face == .plusX || face == .minusX ? .plusY : .plusX, 65_536, 0, 0)
    for (along, across) in [(60_000, 40_000), (60_003, 40_002), (49_998, 33_332)] as [(Int32, Int32)] {
      for sign in [1, -1] as [Int32] {
        for (next, last) in [(across, 0), (0, across), (across, 1_000), (1_000, across)] {
          let exact = Self.force(face, along, sign * next, sign * last)
          expect(refusal(exact, other), equals: .slanted(.upright))
          expect(refusal(other, exact), equals: .slanted(.faceUp))
          let more = Self.force(face, along + 1, sign * next, sign * last)
          expect(refusal(more, other), isNot: .slanted(.upright))
          expect(refusal(other, more), isNot: .slanted(.faceUp))
        }
      }
    }
  }

  @Test(arguments: MountingTests.axes)
  static func `a force of half to one and a half g is gravity`(_ face: SensorAxis) {
    let other = Self.force(face == .plusX || face == .minusX ? .plusY : .plusX, 65_536, 0, 0)
    for (size, isGravity) in [(32_767, false), (32_768, true), (98_304, true), (98_305, false)] as [(Int32, Bool)] {
      let tried = Self.force(face, size, 0, 0)
      expect((refusal(tried, other) == .notGravity(.upright)), equals: !isGravity, "\(size)")
      expect((refusal(other, tried) == .notGravity(.faceUp)), equals: !isGravity, "\(size)")
    }
  }

  /// A calibration that was held at `force` until it knows it.
  private static func hold(_ force: Vector3, _ calibration: inout SixPositionCalibration, from begin: Int64)
    -> SixPositionCalibration.Status
  {
    var status = SixPositionCalibration.Status.moving
    for number in 0..<400 as Range<Int64> {
      status = calibration.step(force, at: Instant(microseconds: (begin + number) * 10_000))
      switch status {
      case .moving, .holding: continue
      default: return status
      }
    }
    return status
  }

  @Test(arguments: MountingTests.axes)
  static func `a face needs more than a quarter of 1 g`(_ face: SensorAxis) {
    for (size, isUp) in [(16_384, false), (16_385, true)] as [(Int32, Bool)] {
      var calibration = SixPositionCalibration()
      let status = Self.hold(Self.force(face, size, 0, 0), &calibration, from: 0)
      expect(status, equals: isUp ? .accepted(face) : .betweenFaces)
      expect(calibration.isDone(face), equals: isUp)
    }
  }

  @Test static func `a slant of exactly the largest is accepted, and one of the last bit more is not`() throws {
    func calibrated(_ largest: BinaryAngle) throws -> SixPositionCalibration {
      var calibration = SixPositionCalibration(
        try require(SixPositionCalibration.Configuration(largestSlant: largest)))
      for (index, face) in MountingTests.axes.enumerated() {
        let isSlanted = face == .minusY
        let force = Self.force(face, 65_000, isSlanted ? 5_000 : 0, 0)
        expect(Self.hold(force, &calibration, from: Int64(index) * 1_000), equals: .accepted(face))
      }
      return calibration
    }
    let loose = try calibrated(BinaryAngle(degrees: 30)).result()
    let tilts = MountingTests.axes.map { loose.after($0).tilt }
    let largest = tilts.map(\.magnitude).max() ?? 0
    #expect(largest > 10_000_000 && tilts[3].magnitude == largest)
    let exact = try calibrated(BinaryAngle(raw: Int32(largest)))
    try expect(exact.result(), equals: loose)
    let strict = try calibrated(BinaryAngle(raw: Int32(largest) - 1))
    expect(throws: SixPositionError.askew(.minusY)) { try strict.result() }
    // The limits of the limit itself.
    let thirty = BinaryAngle(degrees: 30).raw
    for (raw, isValid) in [(-1, false), (0, true), (1, true), (thirty, true), (thirty + 1, false)] as [(Int32, Bool)] {
      expect(
        SixPositionCalibration.Configuration(largestSlant: BinaryAngle(raw: raw)) != nil, equals: isValid, "\(raw)")
    }
  }

  @Test static func `offset and scale are those of the two averages of an axis, rounded`() throws {
    for (up, down) in [
      (65_536, -65_536), (65_537, -65_536), (65_536, -65_537), (70_001, -60_003), (33_001, -33_002),
      (131_000, -130_999), (32_769, -32_768), (80_000, -52_001),
    ] as [(Int32, Int32)] {
      var calibration = SixPositionCalibration()
      for (index, face) in MountingTests.axes.enumerated() {
        let size = index == 4 ? up : index == 5 ? 0 - down : 65_536
        // Level in spite of the offset.
        let across = (up + down) / 2
        let force = Self.force(face, size, index / 2 == 1 ? across : 0, index / 2 == 0 ? across : 0)
        expect(Self.hold(force, &calibration, from: Int64(index) * 1_000), equals: .accepted(face))
      }
      let found = try calibration.result().calibration
      // Half the sum, and 2^30 g over half the difference; both ties up.
      let (sum, span) = (Int(up) + Int(down), Int(up) - Int(down))
      expect(Int(found.offset.z.raw), equals: (sum + 1) >> 1, "\(up), \(down)")
      expect(Int(found.scale.z), equals: Int((Double(1 << 47) / Double(span)).rounded()), "\(up), \(down)")
      expect(found.offset.x, equals: .zero)
      expect(found.scale.x, equals: 1 << 30)
    }
    // Half the scale is the least.
    for (size, isValid) in [(131_072, true), (131_073, false), (32_768, false), (32_769, true)] as [(Int32, Bool)] {
      var calibration = SixPositionCalibration()
      for (index, face) in MountingTests.axes.enumerated() {
        let force = Self.force(face, index > 3 ? size : 65_536, 0, 0)
        expect(Self.hold(force, &calibration, from: Int64(index) * 1_000), equals: .accepted(face))
      }
      var isFound = false
      do throws(SixPositionError) {
        _ = try calibration.result()
        isFound = true
      } catch { expect(error, equals: .calibration(.scale)) }
      expect(isFound, equals: isValid, "\(size)")
    }
  }
}

/// A still force, from lists of samples, in wide integers.
private struct StillModel {
  let configuration: StillForce.Configuration
  private var reference = Vector3.zero
  private(set) var samples: [Vector3] = []
  private var start = 0
  private var last: Int?

  init(_ configuration: StillForce.Configuration) { self.configuration = configuration }

  private static func parts(_ vector: Vector3) -> [Int] { [vector.x, vector.y, vector.z].map { Int($0.raw) } }

  mutating func interrupt() { last = nil }

  private mutating func begin(_ force: Vector3, at now: Int) {
    (reference, samples, start, last) = (force, [], now, now)
  }

  mutating func step(_ force: Vector3, at now: Int) -> StillForce.Progress {
    let most = 6 * Int(configuration.deviation.raw)
    guard let before = last, now >= before, now - before <= Int(configuration.longestGap.count),
      zip(Self.parts(force), Self.parts(reference)).allSatisfy({ abs($0 - $1) <= most })
    else {
      begin(force, at: now)
      return .moving
    }
    last = now
    let held = now - start - Int(configuration.settling.count)
    guard held >= 0 else { return .moving }
    if samples.isEmpty { reference = force }
    samples.append(force)
    let window = Int(configuration.window.count)
    if held >= window, samples.count >= Int(configuration.minimumSamples) { return judged(force, at: now) }
    let time = min(held, window - 1) * 65_536 / window
    let least = Int(configuration.minimumSamples)
    return .holding(Q16(raw: Int32(min(time, min(samples.count, least - 1) * 65_536 / least))))
  }

  private mutating func judged(_ force: Vector3, at now: Int) -> StillForce.Progress {
    let count = samples.count
    let base = Self.parts(reference)
    var (means, isStill) = ([Int32](), true)
    for axis in 0..<3 {
      let differences = samples.map { Self.parts($0)[axis] - base[axis] }
      let mean = Int((Double(differences.reduce(0, +)) / Double(count)).rounded())
      let squares = differences.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
      if squares > count * Int(configuration.deviation.raw) * Int(configuration.deviation.raw) { isStill = false }
      means.append(Int32(base[axis] + mean))
    }
    begin(force, at: now)
    guard isStill else { return .moving }
    start = now - Int(configuration.settling.count)
    return .held(Vector3(x: Q16(raw: means[0]), y: Q16(raw: means[1]), z: Q16(raw: means[2])))
  }
}

struct StillModelTests {
  /// To a pause of exactly the longest gap, one more, and back.
  private static let jumps = [50_000, 50_001, -10_001, -10_000]

  @Test static func `every progress is that of the model, with forces and times at the limits and one unit beyond`()
    throws
  {
    var (held, moved) = (0, 0)
    for seed in 1...400 as ClosedRange<UInt64> {
      var dice = SplitMix64(seed: seed)
      let configuration = try StillForce.Configuration(
        settling: .milliseconds([0, 20, 50].randomElement(using: &dice) ?? 0),
        window: .milliseconds([10, 40, 100].randomElement(using: &dice) ?? 10),
        minimumSamples: [2, 3, 7].randomElement(using: &dice) ?? 2,
        deviation: Q16(raw: [1, 5, 100].randomElement(using: &dice) ?? 1), longestGap: .milliseconds(60))
      var (still, model) = (StillForce(configuration), StillModel(configuration))
      let size = configuration.deviation.raw
      var (force, now) = ([Int32](arrayLiteral: 100, -300, 65_000), 0)
      for number in 0..<300 {
        let axis = Int.random(in: 0..<3, using: &dice)
        let sign: Int32 = number % 2 == 0 ? 1 : -1
        switch Int.random(in: 0..<40, using: &dice) {
        case 0: force[axis] += sign * (6 * size + Int32.random(in: 0...1, using: &dice))
        case 1: now += Self.jumps[Int.random(in: 0..<4, using: &dice)]
        case 2:
          still.interrupt()
          model.interrupt()
        default: break
        }
        // Around a constant: exactly the deviation, a little less or more.
        let noise = seed % 4 == 0 ? 0 : size + Int32.random(in: -1...(seed % 4 == 1 ? 0 : 1), using: &dice)
        var noisy = force
        noisy[axis] += sign * noise
        let sample = Vector3(x: Q16(raw: noisy[0]), y: Q16(raw: noisy[1]), z: Q16(raw: noisy[2]))
        let expected = model.step(sample, at: now)
        let found = still.step(sample, at: Instant(microseconds: Int64(now)))
        expect(found, equals: expected, "seed \(seed), sample \(number)")
        guard found == expected else { return }
        if case .held = found { held += 1 }
        if case .moving = found { moved += 1 }
        now += 10_000
      }
    }
    expect(held, isAbove: 1_000, "\(held), \(moved)")
    expect(moved, isAbove: 1_000, "\(held), \(moved)")
  }
}

/// Rounding to the last bit, against integers of any width.
struct OrientationRoundingTests {
  @Test static func `a unit vector is rounded to Q16.16 and to millionths, ties up`() {
    var dice = SplitMix64(seed: 8)
    let ties = (-70_000...70_000 as ClosedRange<Int32>).flatMap { (part: Int32) -> [Int32] in
      let tie: Int32 = part << 14 &+ 0x2000
      return [tie &- 1, tie, tie &+ 1].filter { abs(Int($0)) <= 1 << 30 }
    }
    let random = (0..<20_000).map { _ in Int32.random(in: -(1 << 30)...(1 << 30), using: &dice) }
    var wrong: [Int32] = []
    for raw in ties + random {
      let unit = UnitVector(x: raw, y: 0, z: 0 - raw)
      let wide = Int(raw)
      let expected = Int32((wide + 8_192) >> 14)
      let opposite = Int32((8_192 - wide) >> 14)
      if unit.vector != Vector3(x: Q16(raw: expected), y: .zero, z: Q16(raw: opposite)) { wrong.append(raw) }
      let swapped = UnitVector(x: 0, y: raw, z: 0)
      if swapped.vector.y.raw != expected { wrong.append(raw) }
      let parts = unit.millionths
      let half: Int = 1 << 29
      let x = Int32((wide * 1_000_000 + half) >> 30)
      let z = Int32((half - wide * 1_000_000) >> 30)
      if parts.0 != x || parts.1 != 0 || parts.2 != z || swapped.millionths.y != x { wrong.append(raw) }
    }
    expect(empty: wrong, "\(wrong.prefix(9))")
    expect(UnitVector.face, equals: UnitVector(x: 0, y: 0, z: 1 << 30))
  }

  @Test
  static func `a low-pass without a time passes a sample of the same instant, and a new one takes effect at once`() {
    let (none, long) = (LowPass.Configuration(timeConstant: .zero), LowPass.Configuration(timeConstant: .seconds(1)))
    func force(_ raw: Int32) -> Vector3 { Vector3(x: Q16(raw: raw), y: .one, z: .one) }
    var filter = LowPass()
    for (index, time) in [0, 0, 7, 7, 8].enumerated() as EnumeratedSequence<[Int64]> {
      let sample = force(Int32(index) * 1_000_000)
      expect(filter.step(sample, at: Instant(microseconds: time), none), equals: sample)
    }
    // A microsecond later, a millionth of the difference.
    let next = filter.step(force(1 << 30), at: Instant(microseconds: 9), long)
    let expected: Double = 4_000_000 + (0x1p30 - 4_000_000) / 1_000_001
    expect(abs(Double(next.x.raw) - expected), isBelow: 2)
  }

  @Test(arguments: [1_000_000, 2_000_000_000, 2_147_483_647, 2_147_483_648, 9_000_000_000, 1 << 40] as [Int64])
  static func `a low-pass with long times passes the share of its formula`(_ constant: Int64) {
    let configuration = LowPass.Configuration(
      timeConstant: Microseconds(constant), longestGap: Microseconds(1 << 42))
    for elapsed in [1, 1_000_000, 2_147_483_647, 2_147_483_648, 3_000_000_000, 77_000_000_000, 1 << 41] as [Int64] {
      var filter = LowPass()
      _ = filter.step(Vector3(x: Q16(raw: 1), y: .zero, z: .one), at: Instant(microseconds: 0), configuration)
      let next = Vector3(x: Q16(raw: 1 << 30), y: Q16(raw: -(1 << 30)), z: .one)
      let found = filter.step(next, at: Instant(microseconds: elapsed), configuration)
      let share = Double(elapsed) / (Double(elapsed) + Double(constant))
      expect(abs(Double(found.x.raw) - share * 0x1p30), isAtMost: 2 + share, "\(elapsed)")
      expect(abs(Double(found.y.raw) + share * 0x1p30), isAtMost: 2 + share, "\(elapsed)")
      expect(found.z, equals: .one)
    }
    // One microsecond beyond the longest gap, a sample passes unchanged.
    var filter = LowPass()
    let short = LowPass.Configuration(timeConstant: Microseconds(constant), longestGap: .seconds(2))
    for (elapsed, isNew) in [(2_000_000, false), (2_000_001, true)] as [(Int64, Bool)] {
      _ = filter.step(Vector3(x: .one, y: .one, z: .one), at: Instant(microseconds: 0), short)
      let next = filter.step(Vector3(x: .zero, y: .one, z: .one), at: Instant(microseconds: elapsed), short)
      expect(next.x == .zero, equals: isNew)
      filter = LowPass()
    }
  }
}
