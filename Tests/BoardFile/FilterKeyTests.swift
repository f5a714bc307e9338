import BoardFile
import FixedPoint
import Orientation
import Testing

/// The section `[filter]`: which filter yields gravity.
@Suite struct FilterKeys {
  private func gravity(_ lines: String...) throws -> GravityFilter.Configuration {
    try outcome(BoardText.whole + BoardText.text(lines)).get().gravity
  }

  private func lowPass(_ milliseconds: Int64) -> LowPass.Configuration {
    LowPass.Configuration(timeConstant: .milliseconds(milliseconds))
  }

  @Test func `without the section, or with none of its keys, gravity is what it is by default`() throws {
    #expect(try outcome(BoardText.whole).get().gravity == .standard)
    #expect(try gravity("[filter]") == .standard)
    #expect(try gravity("[filter]", "gravity = low-pass") == .standard)
    #expect(BoardDescription.emulated.gravity == .standard)
  }

  @Test func `either filter takes its time constant, whichever key comes first`() throws {
    #expect(try gravity("[filter]", "time-constant = 0.05") == .lowPass(lowPass(50)))
    #expect(try gravity("[filter]", "gravity = adaptive") == .adaptive(AdaptiveFilterConfiguration()))
    let slow = GravityFilter.Configuration.adaptive(AdaptiveFilterConfiguration(lowPass(1_250)))
    #expect(try gravity("[filter]", "gravity = adaptive", "time-constant = 1.25") == slow)
    #expect(try gravity("[filter]", "time-constant = 1.25", "gravity = adaptive") == slow)
  }

  @Test(arguments: [("0", 0), ("0.001", 1), ("10", 10_000), ("10.000", 10_000)] as [(String, Int64)])
  func `a time constant holds at its limits`(_ text: String, _ milliseconds: Int64) throws {
    #expect(try gravity("[filter]", "time-constant = \(text)") == .lowPass(lowPass(milliseconds)))
  }

  @Test(arguments: ["10.001", "-1", "0.0001", "200 ms", "", "1e1", "99999999999"])
  func `another time constant is refused, and what is allowed is named`(_ text: String) throws {
    let error = try #require(outcome(BoardText.whole + "[filter]\ntime-constant = \(text)\n").failure)
    #expect(error.cause == .badValue(.timeConstant))
    #expect(error.line == Int32(BoardText.lines.count + 2))
    #expect(error.message.description.hasSuffix("allowed: a number from 0 to 10 (s), at most 3 decimals"))
  }

  @Test(arguments: ["high-pass", "Adaptive", "", "adaptive low-pass"])
  func `another filter is refused, and what is allowed is named`(_ text: String) throws {
    let error = try #require(outcome(BoardText.whole + "[filter]\ngravity = \(text)\n").failure)
    #expect(error.cause == .badValue(.gravity))
    #expect(error.message.description.hasSuffix("allowed: low-pass or adaptive"))
  }
}
