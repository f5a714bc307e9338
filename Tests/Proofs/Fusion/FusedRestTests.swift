import FixedPoint
import Foundation
import Monitor
import Orientation
import TestSupport
import Testing

/// The fusion at rest, and in motions that only look like it.
struct FusedRestTests {
  static let biases = [SIMD3(0.0, 0, 0), SIMD3(2.7, -0.6, 1.8), SIMD3(20.0, -20, 20), SIMD3(-39.9, 39.9, -39.9)]

  @Test(arguments: biases)
  static func `in an hour of rest up stays within 0.2° and the pose does not change, for any bias`(bias: SIMD3<Double>)
  {
    for up in [SIMD3(0.0, 0, 1), SIMD3(0.0, 1, 0), SIMD3(0.6, -0.5, 0.62)] {
      var board = FusedBoard(up: up, bias: bias, seed: 3)
      board.move(for: 2)
      var worst = 0.0
      board.move(for: 3_598, each: { worst = max(worst, $0.error) })
      #expect(worst <= 0.2, "\(bias) °/s, up \(up)")
      #expect(board.changes.count == 1, "\(bias) °/s, up \(up)")
      #expect(board.isStill)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  static func `any bias is found within 2 s of rest at the start`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let bias = SIMD3<Double>.random(in: -40...40, using: &generator)
    var board = FusedBoard(up: .direction(using: &generator), bias: bias, seed: seed)
    board.move(for: 2)
    #expect(board.biasError <= 0.05, "\(bias) °/s")
    #expect(board.attitude?.certainty == .still)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  static func `any bias is found within 2 s of rest after a movement, known before or not`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for isKnown in [false, true] {
      let bias = SIMD3<Double>.random(in: -20...20, using: &generator)
      var board = FusedBoard(up: .direction(using: &generator), bias: bias, seed: seed)
      if isKnown { board.move(for: 3) }
      // Warmer meanwhile: 20 °/s over 65 °C, so 0.3 °/s per degree.
      if isKnown { board.bias += SIMD3(0.3, -0.3, 0.3) }
      let axis = SIMD3<Double>.direction(using: &generator)
      board.move(for: 10, rate: { axis * (150 * sin(3 * $0)) }, push: { SIMD2(0, 0.3 * sin(8 * $0)) })
      #expect(!board.isStill)
      board.move(for: 2)
      #expect(board.biasError <= 0.1, "\(bias) °/s")
      #expect(board.isStill)
      board.move(for: 1)
      #expect(board.error <= 1)
    }
  }

  @Test static func `before the noise is known, 1.5 °/s and 0.06 g on each axis are rest, and 2 % more are not`() {
    // Noise may be twice 0.75 °/s and 0.03 g, plus 0.3 °/s and 0.01 g on all axes together for the rounding.
    for (rate, force, isStill) in [(1.5, 0.0, true), (1.54, 0, false), (0, 0.06, true), (0, 0.062, false)] {
      var fusion = Fusion()
      for sample in 0..<500 as Range<Int64> {
        // To alternate sides of the first sample.
        let side = sample == 0 ? 0.0 : sample % 2 == 0 ? 1 : -1
        let push = side * force
        _ = fusion.step(
          q16(SIMD3(push, push, 1 + push)), rotation: q16(SIMD3(repeating: side * rate)),
          at: Instant(microseconds: sample * 10_000))
      }
      #expect(fusion.isStill == isStill, "\(rate) °/s, \(force) g")
    }
  }

  @Test
  static func `before the noise is known, two samples 3 °/s or 0.12 g off per axis are rest, and no more`() {
    // Four times 0.75 °/s and 0.03 g; after the first window much less is movement.
    func rest(rate: Int32, force: Int32) -> Int64? {
      var fusion = Fusion()
      for sample in 0..<500 as Range<Int64> {
        // To one side and to the other.
        let side: Int32 = sample == 20 ? 1 : sample == 21 ? -1 : 0
        let (turn, push) = (side * rate, side * force)
        _ = fusion.step(
          Vector3(x: Q16(raw: push), y: Q16(raw: push), z: Q16(raw: 65_536 + push)),
          rotation: Vector3(x: Q16(raw: turn), y: Q16(raw: turn), z: Q16(raw: turn)),
          at: Instant(microseconds: sample * 10_000))
        if fusion.isStill { return sample }
      }
      return nil
    }
    let usual = rest(rate: 0, force: 0)
    #expect(rest(rate: 4 * 49_152, force: 0) == usual && rest(rate: 4 * 49_152 + 1, force: 0) != usual)
    #expect(rest(rate: 0, force: 4 * 1_966) == usual && rest(rate: 0, force: 4 * 1_966 + 1) != usual)
  }

  @Test(arguments: [SIMD3(2.0, 0, 0), SIMD3(0, -5, 0), SIMD3(1, 1, 0)])
  static func `a bias that jumps about a level axis at rest is found by pulling up away from the force`(
    _ jump: SIMD3<Double>
  ) {
    var board = FusedBoard(bias: SIMD3(2.7, -0.6, 1.8), seed: 11)
    board.move(for: 20)
    #expect(board.isStill && board.biasError <= 0.05)
    board.bias += jump
    board.move(for: 60)
    #expect(board.isStill)
    #expect(board.biasError <= 0.1, "\(board.biasError) °/s")
    #expect(board.error <= 0.3, "\(board.error)°")
  }

  @Test(arguments: [2.2, 10], [SIMD3(2.0, 0, 0), SIMD3(0, -5, 0)] as [SIMD3<Double>])
  static func `a bias that jumps at rest is found once a fifth of its pull shows`(
    _ constant: Double, _ jump: SIMD3<Double>
  ) throws {
    var board = FusedBoard(bias: SIMD3(2.7, -0.6, 1.8), seed: 11)
    let fusion = Fusion.Configuration(timeConstant: Microseconds(Int64(constant * 1e6)))
    board.pipeline = Pipeline(Pipeline.Configuration(gravity: .fusion(fusion)))
    board.move(for: 60)
    let start = board.seconds
    board.bias += jump
    var found: Double?
    board.move(for: constant * 2, each: { if found == nil && $0.biasError < 0.1 { found = $0.seconds - start } })
    // At the end of a window of 0.4 s.
    let time = try #require(found)
    #expect(time > 0.7 * constant && time < 0.7 * constant + 0.9, "\(time)")
  }

  @Test(arguments: [20.0, 60, 120], [SIMD3(3.0, 0, 0), SIMD3(0, -3, 0)])
  static func `without rest a bias that jumps about a level axis is followed within ten seconds`(
    _ seconds: Double, _ jump: SIMD3<Double>
  ) throws {
    var board = FusedBoard(bias: SIMD3(0.5, -0.6, 0.8), seed: 11)
    let rate: (Double) -> SIMD3<Double> = { SIMD3(0, 0, 30 * sin(5 * $0)) }
    let push: (Double) -> SIMD2<Double> = { SIMD2(0.1 * sin(9 * $0), 0.1 * sin(14 * $0)) }
    board.move(for: seconds, rate: rate, push: push)
    board.bias += jump
    board.move(for: 10, rate: rate, push: push)
    #expect(!board.isStill)
    let off = try #require(board.attitude).bias.double - board.bias
    #expect(max(abs(off.x), abs(off.y)) <= 0.6, "\(off)")
  }

  @Test(arguments: [1.0, 2, 5, 30, -1, -5], [SIMD3(0.0, 0, 1), SIMD3(0.3, 0.8, 0.5)])
  static func `a slow turntable is not mistaken for a bias`(speed: Double, up: SIMD3<Double>) throws {
    var board = FusedBoard(up: up, bias: SIMD3(2.7, -0.6, 1.8), seed: 5)
    board.move(for: 5)
    let start = try #require(board.attitude?.heading).degrees
    let axis = board.up
    var rests = 0
    var worst = 0.0
    var turned = 0.0
    board.move(
      for: 600, rate: { axis * (speed * min(1, $0 / 0.2)) },
      each: { board in
        turned += speed * 0.01
        if board.isStill && turned.magnitude > 1.2 * speed.magnitude { rests += 1 }
        if let heading = board.attitude?.heading {
          worst = max(worst, abs(difference(heading.degrees - start, turned)))
        }
      })
    #expect(rests == 0)
    // 0.005 °/s is the remaining error of the mean of 5 s of rest.
    #expect(worst <= 4, "\(speed) °/s")
    #expect(board.error <= 0.3)
  }

  @Test(arguments: [41.0, 60, -250], [SIMD3(0.0, 0, 1), SIMD3(0.0, 1, 0)])
  static func `a turn faster than any bias is not rest, even if it lasts from the start`(
    _ speed: Double, _ axis: SIMD3<Double>
  ) {
    var board = FusedBoard(up: axis, bias: .zero, seed: 4)
    var rests = 0
    board.move(for: 10, rate: { _ in axis * speed }, each: { rests += $0.isStill ? 1 : 0 })
    #expect(rests == 0)
  }

  @Test(arguments: [10.0, 60, 300])
  static func `after a long movement a slow steady turn is a bias that has crept`(
    _ seconds: Double
  ) {
    for (share, isBias) in [(0.85, true), (1.2, false)] {
      var board = FusedBoard(bias: SIMD3(2.7, -0.6, 1.8), seed: 9)
      board.move(for: 5)
      board.move(for: seconds, rate: { SIMD3(60 * sin(2 * $0), 40 * sin(3 * $0), 50 * sin($0)) })
      // About the vertical, so that the force shows nothing. Three windows pass before it counts.
      let turn = board.up * (share * (0.5 + 0.02 * (seconds + 1.2)))
      board.move(for: 3, rate: { _ in turn })
      #expect(board.isStill == isBias, "\(turn.length) °/s")
    }
  }

  @Test static func `a bias that creeps by 0.02 °/s per second is followed at rest`() {
    for axis in [SIMD3(1.0, 0, 0), SIMD3(0.0, 0, 1), SIMD3(-0.5, 0.7, 0.5)] {
      var board = FusedBoard(bias: SIMD3(5, 5, 5), seed: 7)
      board.move(for: 3)
      board.biasDrift = axis * 0.02
      var worst = (bias: 0.0, up: 0.0, rests: 0)
      board.move(
        for: 300,
        each: { board in
          worst.bias = max(worst.bias, board.biasError)
          worst.up = max(worst.up, board.error)
          worst.rests += board.isStill ? 1 : 0
        })
      #expect(worst.bias <= 0.3, "\(axis)")
      #expect(worst.up <= 0.5, "\(axis)")
      #expect(worst.rests > 29_000, "\(axis)")
      #expect(board.changes.count == 1)
    }
  }

  @Test static func `a clone with ten times the noise rests too`() {
    for seed in 1...5 as ClosedRange<UInt64> {
      var board = FusedBoard(up: SIMD3(0.2, 0.9, 0.3), bias: SIMD3(12, -7, 3), seed: seed)
      (board.rateNoise, board.forceNoise) = (0.5, 0.03)
      board.move(for: 2)
      #expect(board.isStill)
      #expect(board.biasError <= 0.2)
      var rests = 0
      board.move(for: 60, each: { rests += $0.isStill ? 1 : 0 })
      #expect(rests > 5_900)
      #expect(board.changes.count == 1)
      #expect(board.error <= 0.5)
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  static func `slow uniform turns about a level axis are not a bias, even with ten times the noise`(seed: UInt64) {
    for speed in [3.0, 10, 20] {
      var board = FusedBoard(up: SIMD3(0, 1, 0.1), bias: SIMD3(2.7, -0.6, 1.8), seed: seed)
      board.period = 20_000
      (board.rateNoise, board.forceNoise) = (0.5, 0.03)
      board.move(for: 3)
      var worst = 0.0
      board.move(for: 60, rate: { _ in SIMD3(0, 0, speed) }, each: { worst = max(worst, $0.biasError) })
      #expect(worst <= 1, "\(speed) °/s")
      #expect(board.error <= 4, "\(speed) °/s")
      board.move(for: 3)
      #expect(board.isStill && board.biasError <= 0.3, "\(speed) °/s")
    }
  }

  @Test static func `a bias that changed during a long pause is found in the rest after it`() {
    var board = FusedBoard(bias: SIMD3(12, -7, 3), seed: 3)
    board.move(for: 10)
    board.lose(900_000_000)
    board.bias += SIMD3(-5, 4, 6)
    board.move(for: 3)
    #expect(board.isStill && board.biasError <= 0.1)
    #expect(board.error <= 0.5)
  }

  @Test static func `a hand's tremor is not rest once the board has been on a table`() {
    var board = FusedBoard(up: SIMD3(0, 0.8, 0.6), bias: SIMD3(2.7, -0.6, 1.8), seed: 9)
    board.move(for: 5)
    var rests = 0
    board.move(
      for: 30, rate: { SIMD3(3 * sin(50 * $0), 2 * sin(61 * $0 + 1), 2 * sin(44 * $0 + 2)) },
      each: {
        if $0.seconds > 6 { rests += $0.isStill ? 1 : 0 }
      })
    #expect(rests == 0)
    #expect(board.biasError <= 0.1)
  }

  /// Whether a gyroscope at rest counts as such after three windows of 40 samples with the given forces: in g, by
  /// window and sample.
  private static func isStill(_ windows: Int, _ force: (Int, Int) -> Double) -> Bool {
    var fusion = Fusion()
    for sample in 0...(windows * 40) {
      // The first sample starts the first window, which is full with the fortieth after it.
      let push = force(max(0, sample - 1) / 40, sample)
      _ = fusion.step(
        Vector3(x: Q16(raw: Int32((push * 65_536).rounded())), y: .zero, z: .one), rotation: .zero,
        at: Instant(microseconds: Int64(sample) * 10_000))
    }
    return fusion.isStill
  }

  @Test(arguments: [(0.05, true), (0.097, true), (0.103, true), (0.106, false), (0.15, false), (-0.103, true)])
  static func `before the noise is known a force may have twice 0.03 g on each axis`(_ noise: Double, _ isRest: Bool) {
    // 2 · √3 · 0.03 g, all of it on one axis, plus 0.01 g.
    let rests = isStill(4) { _, sample in sample % 2 == 0 ? noise : -noise }
    #expect(rests == isRest, "\(noise) g")
  }

  @Test(arguments: [(0.001, true), (0.0039, true), (0.0041, false), (0.0044, false), (-0.0039, true), (-0.0041, false)])
  static func `a force that moves by more than 0.004 g from window to window is not rest`(
    _ step: Double, _ isRest: Bool
  ) {
    #expect(isStill(8) { window, _ in step * Double(window) } == isRest, "\(step) g")
  }

  @Test static func `two pushed samples in a row end rest at once, and a single one does not`() {
    for pushed in [1, 2] {
      var fusion = Fusion()
      var rests: [Bool] = []
      for sample in 0..<150 as Range<Int64> {
        let isPushed = sample >= 130 && sample < 130 + pushed
        _ = fusion.step(
          Vector3(x: isPushed ? Q16(raw: 32_768) : .zero, y: .zero, z: .one), rotation: .zero,
          at: Instant(microseconds: sample * 10_000))
        rests.append(fusion.isStill)
      }
      #expect(rests[129] && rests[130] && rests[131] == (pushed == 1))
    }
  }

  @Test static func `at rest gravity is the force to the last bit, from either side`() {
    let forces = [(0, 0, 65_536), (40_001, -30_002, 43_003), (-37_838, 37_837, -37_839)] as [(Int32, Int32, Int32)]
    for (x, y, z) in forces {
      for off in [3_000, -3_000] as [Int32] {
        var fusion = Fusion(Fusion.Configuration(timeConstant: .milliseconds(100)))
        var gravity = Vector3.zero
        let rest = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
        for sample in 0..<6_000 as Range<Int32> {
          // Pushed at first, each axis by a different amount.
          let push = sample < 3_000 ? off &* (1 &+ sample % 3) : 0
          let force = Vector3(x: Q16(raw: x &+ push), y: Q16(raw: y &- push), z: Q16(raw: z &+ push / 2))
          gravity = fusion.step(force, rotation: .zero, at: Instant(microseconds: Int64(sample) * 10_000))
        }
        #expect(gravity == rest, "\(off)")
      }
    }
  }

  @Test(arguments: [(25, 200), (200, 200), (300, 300), (500, 500), (9_000, 500)] as [(Int64, Int64)])
  static func `an expected pause of up to half a second is not a gap`(_ pause: Int64, _ gap: Int64) {
    let configuration = Fusion.Configuration(longestGap: .milliseconds(200))
    #expect(configuration.allowing(pause: .milliseconds(pause)).longestGap == .milliseconds(gap))
  }

  @Test static func `the state of the fusion takes at most 256 bytes`() { #expect(MemoryLayout<Fusion>.size <= 256) }
}
