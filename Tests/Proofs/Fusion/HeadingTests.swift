import FixedPoint
import Foundation
import Orientation
import TestSupport
import Testing

/// The relative heading.
struct HeadingTests {
  @Test(arguments: [SIMD3(0.0, 0, 1), SIMD3(0.0, 1, 0), SIMD3(0.5, 0.3, 0.6)])
  static func `a counter-clockwise turn, seen from above, adds to the heading`(up: SIMD3<Double>) throws {
    var board = FusedBoard(up: up, seed: 1)
    board.move(for: 3)
    let start = try #require(board.attitude?.heading).degrees
    let axis = board.up
    board.move(for: 1, rate: { _ in axis * 90 })
    board.move(for: 0.1)
    let after = try #require(board.attitude?.heading).degrees
    #expect(abs(difference(after - start, 90)) <= 0.5)
    board.move(for: 0.5, rate: { _ in axis * -360 })
    board.move(for: 0.1)
    #expect(abs(difference(try #require(board.attitude?.heading).degrees - start, -90)) <= 0.5)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  static func `turned about several axes and back, the board has its former heading`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var board = FusedBoard(up: SIMD3(0.2, 0.5, 0.8), bias: SIMD3(3, -2, 8), seed: seed)
    board.move(for: 3)
    let start = try #require(board.attitude?.heading).degrees
    let turns = (0..<4).map { _ in
      SIMD3<Double>.direction(using: &generator) * Double.random(in: 20...150, using: &generator)
    }
    for turn in turns { board.move(for: 1, rate: { turn * (1 - cos(2 * .pi * $0)) }) }
    for turn in turns.reversed() { board.move(for: 1, rate: { turn * (cos(2 * .pi * $0) - 1) }) }
    #expect(abs(difference(try #require(board.attitude?.heading).degrees, start)) <= 1)
  }

  @Test(arguments: [0.0, 60, 120, 172, 174.5])
  static func `a heading begins at 0, in any initial attitude`(_ tilt: Double) throws {
    for direction in stride(from: 0.0, to: 360, by: 24) {
      let (t, d) = (tilt * .pi / 180, direction * .pi / 180)
      var board = FusedBoard(up: SIMD3(sin(t) * cos(d), sin(t) * sin(d), cos(t)))
      (board.forceNoise, board.rateNoise) = (0, 0)
      board.move(for: 0.05)
      let heading = try #require(board.attitude?.heading)
      #expect(abs(heading.degrees) <= 0.1, "\(tilt)° towards \(direction)°")
    }
  }

  @Test static func `a board that is face down at first has a heading once it is turned over`() throws {
    var board = FusedBoard(up: SIMD3(0.02, 0, -1), seed: 6)
    board.move(for: 2)
    #expect(board.attitude?.heading == nil)
    board.move(for: 1, rate: { _ in SIMD3(170, 0, 0) })
    board.move(for: 1)
    let start = try #require(board.attitude?.heading).degrees
    let axis = board.up
    board.move(for: 1, rate: { _ in axis * 60 })
    board.move(for: 0.1)
    #expect(abs(difference(try #require(board.attitude?.heading).degrees - start, 60)) <= 0.5)
  }

  @Test static func `tilting to any side and back keeps the heading, which means nothing face down`() throws {
    var board = FusedBoard(seed: 2)
    board.move(for: 3)
    let start = try #require(board.attitude?.heading).degrees
    for direction in stride(from: 0.0, to: 360, by: 30) {
      let axis = SIMD3(cos(direction * .pi / 180), sin(direction * .pi / 180), 0)
      board.move(for: 1, rate: { _ in axis * 80 })
      #expect(abs(difference(try #require(board.attitude?.heading).degrees, start)) <= 1, "towards \(direction)°")
      board.move(for: 1, rate: { _ in axis * -80 })
    }
    board.move(for: 1, rate: { _ in SIMD3(180, 0, 0) })
    #expect(board.attitude?.up.double.z ?? 0 < -0.99)
    #expect(board.attitude?.heading == nil)
  }
}
