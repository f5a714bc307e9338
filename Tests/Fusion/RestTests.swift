import FixedPoint
import Foundation
import Orientation
import TestSupport
import Testing

/// What the fusion makes of rest, and of what only looks like it.
@Suite struct RestTests {
  static let biases = [SIMD3(0.0, 0, 0), SIMD3(2.7, -0.6, 1.8), SIMD3(20.0, -20, 20), SIMD3(-39.0, 39, -39)]

  @Test(arguments: biases)
  func `in an hour of rest up stays within 0.2° and the pose does not change, whatever the bias`(bias: SIMD3<Double>) {
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
  func `any bias is found within 2 s of rest at the start`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let bias = SIMD3<Double>.random(in: -40...40, using: &generator)
    var board = FusedBoard(up: .direction(using: &generator), bias: bias, seed: seed)
    board.move(for: 2)
    #expect(board.biasError <= 0.05, "\(bias) °/s")
    #expect(board.attitude?.certainty == .still)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `any bias is found within 2 s of rest after a movement, known before or not`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for isKnown in [false, true] {
      let bias = SIMD3<Double>.random(in: -20...20, using: &generator)
      var board = FusedBoard(up: .direction(using: &generator), bias: bias, seed: seed)
      if isKnown { board.move(for: 3) }
      // Warmer meanwhile: 20 °/s in 65 °C, so 0.3 °/s in one.
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

  @Test(arguments: [1.0, 2, 5, 30, -1, -5], [SIMD3(0.0, 0, 1), SIMD3(0.3, 0.8, 0.5)])
  func `a slow turntable is not taken for a bias`(speed: Double, up: SIMD3<Double>) throws {
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
    // 0.005 °/s is what the mean of 5 s of rest leaves.
    #expect(worst <= 4, "\(speed) °/s")
    #expect(board.error <= 0.3)
  }

  @Test func `a bias that creeps by 0.02 °/s in a second is followed at rest`() {
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

  @Test func `a clone with ten times the noise rests too`() {
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
  func `slow even turns about a level axis are not taken for a bias, even with ten times the noise`(seed: UInt64) {
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

  @Test func `a bias that has changed during a long pause is found in the rest after it`() {
    var board = FusedBoard(bias: SIMD3(12, -7, 3), seed: 3)
    board.move(for: 10)
    board.lose(900_000_000)
    board.bias += SIMD3(-5, 4, 6)
    board.move(for: 3)
    #expect(board.isStill && board.biasError <= 0.1)
    #expect(board.error <= 0.5)
  }

  @Test func `a hand's tremor is no rest once a table has been seen`() {
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

  @Test func `the state of the fusion takes 256 bytes at most`() { #expect(MemoryLayout<Fusion>.size <= 256) }
}
