import FixedPoint
import Orientation
import OrientationModels
import TestSupport
import Testing

struct InterfaceRotationExhaustiveTests {
  @Test(arguments: [0, 1, 2, 3, 4] as [Int64])
  static func `for each mask and start, any two changes of pose at any time match the model`(duration: Int64)
    throws
  {
    var sequences = 0
    for mask in 1...15 as ClosedRange<UInt8> {
      for start in 0...3 as ClosedRange<UInt8> where mask >> start & 1 == 1 {
        for pose in posesAndNone.prefix(4) {
          var pair = try RotationPair(mask: mask, start: start, duration: duration)
          pair.step(pose, after: 0)
          let disagreements = pair.explore(depth: 2, duration: duration, &sequences)
          expect(disagreements, equals: 0, "mask \(mask), start \(start), pose \(String(describing: pose))")
        }
      }
    }
    let moments = Int(duration) + 3
    expect(sequences, equals: 32 * 4 * (7 * moments) * (7 * moments))
  }

  @Test
  static func `with all orientations supported, any four changes of pose at any time match the model`()
    throws
  {
    var sequences = 0
    let pair = try RotationPair(mask: 15, start: 0, duration: 2)
    expect(pair.explore(depth: 4, duration: 2, &sequences), equals: 0)
    expect(sequences, equals: 35 * 35 * 35 * 35)
  }

  @Test
  static func `whatever comes, the phases are in order and complete, and each turn begins where the last ended`()
    throws
  {
    var random = SplitMix64(seed: 5)
    for mask in 1...15 as ClosedRange<UInt8> {
      for duration in [0, 1, 2, 7, 300_000] as [Int64] {
        var interface = try RotatingInterface(mask: mask, duration: duration)
        var checker = PhaseOrder(shown: interface.shown)
        var time: Int64 = 0
        for _ in 0..<2_000 {
          time &+= jump(&random, duration)
          let told = interface.step(posesAndNone.randomElement(using: &random) ?? nil, at: time)
          checker.take(told)
          expect(told.count, isAtMost: 4)
          expect(mask >> interface.rotation.orientation.rawValue & 1, equals: 1)
        }
        expect(checker.faults, equals: 0, "mask \(mask)")
        expect(that: checker.turns > 50 || mask.nonzeroBitCount == 1, "mask \(mask)")
      }
    }
  }

  private static func jump(_ random: inout SplitMix64, _ duration: Int64) -> Int64 {
    switch Int.random(in: 0..<50, using: &random) {
    case 0: Int64(bitPattern: random.next())
    case 1: -duration
    case 2: Int64.max
    default: Int64.random(in: 0...duration / 3 + 1, using: &random)
    }
  }
}

/// Checks the reports by their order alone.
private struct PhaseOrder {
  enum Expected { case will, first, second, did }

  var shown: Character
  var target: Character = "?"
  var expected = Expected.will
  var turns = 0
  var faults = 0

  init(shown: Character) { self.shown = shown }

  mutating func take(_ told: [Told]) {
    for event in told {
      switch (expected, event) {
      case (.will, .will(shown, let to, _)) where to != shown: (expected, target) = (.first, to)
      case (.first, .first): expected = .second
      case (.second, .redirected(let to, _)) where to != target: target = to
      case (.second, .second): expected = .did
      case (.did, .did(shown)): (expected, shown, turns) = (.will, target, turns + 1)
      default: faults += 1
      }
    }
  }
}
