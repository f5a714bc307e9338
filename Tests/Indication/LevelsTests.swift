import HAL
import Indication
import Orientation
import TestSupport
import Testing

@Suite struct LevelsTests {
  @Test func `a line is on where its bit is set, and nowhere beyond the 32 bits`() {
    var random = SplitMix64(seed: 32)
    for _ in 0..<1_000 {
      let bits = UInt32(truncatingIfNeeded: random.next())
      for line in 0..<32 { #expect(Levels(bits: bits).isOn(line) == (bits >> UInt32(line) & 1 == 1)) }
    }
    for line in [-1, -32, Int.min, 32, 33, 64, Int.max] { #expect(!Levels(bits: UInt32.max).isOn(line)) }
  }

  @Test func `off has no line on, all has six`() {
    #expect((0..<32).filter { Levels.off.isOn($0) } == [])
    #expect((0..<32).filter { Levels.all.isOn($0) } == [0, 1, 2, 3, 4, 5])
  }

  @Test func `the poses have six different lines, which together are all`() {
    let poses = (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) }
    let bits = poses.map { Levels.oneHot($0).bits }
    #expect(Set(bits) == IndicatorTests.oneHots)
    #expect(bits.reduce(0, |) == Levels.all.bits)
  }
}
