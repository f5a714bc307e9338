import TestSupport
import Testing

/// The functions with which tests compare, because a comparison that cannot fail tests nothing.
struct ExpectTests {
  /// Expects that `check` fails in this file at `line`, and says `text`.
  private static func failure(_ text: String, at line: Int = #line, of check: () -> Void) {
    withKnownIssue {
      check()
    } matching: { issue in
      let place = issue.sourceLocation
      return issue.comments.map(\.rawValue) == [text] && place?.line == line && place?.fileID == #fileID
    }
  }

  @Test static func `what does not hold fails at its line, with both values and the comment`() {
    failure("found 1, expected 2") { expect(1, equals: 2) }
    failure("found 1, expected 2: why") { expect(1, equals: 2, "why") }
    failure("found nil, expected 2") { expect(nil, equals: 2) }
    failure("found [1, 2], expected []") { expect([1, 2], equals: []) }
    failure("found 3, expected not 3: why") { expect(3, isNot: 3, "why") }
    failure("found 3, expected less than 3: why") { expect(3, isBelow: 3, "why") }
    failure("found 4, expected at most 3") { expect(4, isAtMost: 3) }
    failure("found 3, expected more than 3") { expect(3, isAbove: 3) }
    failure("found 2, expected at least 3") { expect(2, isAtLeast: 3) }
    failure(#"found "plumb", expected text with "line": why"#) { expect("plumb", contains: "line", "why") }
    failure(#"found nil, expected text with "line""#) { expect(nil, contains: "line") }
    failure(#"found "plumb", expected text without "um": why"#) { expect("plumb", lacks: "um", "why") }
    failure(#"found nil, expected text without "um""#) { expect(nil, lacks: "um") }
    failure(#"found "plumb", expected text that begins with "b": why"#) { expect("plumb", hasPrefix: "b", "why") }
    failure(#"found nil, expected text that begins with "b""#) { expect(nil, hasPrefix: "b") }
    failure(#"found "plumb", expected text that ends with "p": why"#) { expect("plumb", hasSuffix: "p", "why") }
    failure(#"found nil, expected text that ends with "p""#) { expect(nil, hasSuffix: "p") }
    failure("found [1, 2], expected one of them to be 3: why") { expect([1, 2], contains: 3, "why") }
    failure("found [1, 2], expected none of them to be 2: why") { expect([1, 2], lacks: 2, "why") }
    failure("found 4, expected in 1..<4: why") { expect(4, isIn: 1..<4, "why") }
    failure("found [1], expected nothing") { expect(empty: [1]) }
    failure(#"found "plumb", expected nothing: why"#) { expect(empty: "plumb", "why") }
    failure("found (1, 2), expected (1, 3): why") { expect((1, 2), equals: (1, 3), "why") }
    failure("found (1, 2), expected (0, 2)") { expect((1, 2), equals: (0, 2)) }
    failure("found 3, expected nil: why") { expect(absent: 3, "why") }
    failure("found 2, expected all to be as the condition says: why") { expect(all: [1, 2, 3], "why") { $0 < 2 } }
    failure("found [1, 2], expected one of them to be as the condition says") { expect(any: [1, 2]) { $0 > 2 } }
    failure("found [], expected one of them to be as the condition says") { expect(any: [Int]()) { $0 > 2 } }
    failure("found 2, expected none to be as the condition says: why") { expect(none: [1, 2, 3], "why") { $0 > 1 } }
    failure("found false, expected true") { expect(that: false) }
  }

  @Test static func `no comparison with what is not a number holds`() {
    let nothing = Double.nan
    failure("found nan, expected nan") { expect(nothing, equals: nothing) }
    failure("found nan, expected less than 1.0") { expect(nothing, isBelow: 1) }
    failure("found nan, expected at most 1.0") { expect(nothing, isAtMost: 1) }
    failure("found nan, expected more than 1.0") { expect(nothing, isAbove: 1) }
    failure("found nan, expected at least 1.0") { expect(nothing, isAtLeast: 1) }
  }

  @Test static func `what holds passes, without a comment being made`() {
    func comment() -> Comment {
      Issue.record("a comment was made")
      return ""
    }
    expect(2, equals: 2)
    expect(2, equals: 2, comment())
    expect(3, isNot: 4, comment())
    expect(2, isBelow: 3, comment())
    expect(3, isAtMost: 3, comment())
    expect(4, isAbove: 3, comment())
    expect(3, isAtLeast: 3, comment())
    expect("plumb line", contains: "line", comment())
    expect("plumb line" as String?, contains: "line", comment())
    expect("plumb line", lacks: "lime", comment())
    expect("plumb line", hasPrefix: "plumb", comment())
    expect("plumb line", hasSuffix: "line", comment())
    expect([1, 2], contains: 2, comment())
    expect([1, 2], lacks: 3, comment())
    expect(3, isIn: 1...3, comment())
    expect(empty: "", comment())
    expect((1, "a"), equals: (1, "a"), comment())
    expect(absent: nil as Int?, comment())
    expect(all: [1, 2], comment()) { $0 < 3 }
    expect(any: [1, 2], comment()) { $0 > 1 }
    expect(none: [1, 2], comment()) { $0 > 2 }
    expect(that: true, comment())
  }

  private enum Broken: Error { case glass, wood }

  @Test static func `an error is that which is expected, or of its type`() {
    func fails(at line: Int = #line, of check: () -> Void) {
      withKnownIssue {
        check()
      } matching: {
        $0.comments == ["why"] && $0.sourceLocation?.line == line
      }
    }
    fails { expect(throws: Broken.glass, "why") {} }
    fails { expect(throws: Broken.glass, "why") { throw Broken.wood } }
    fails { expect(throws: Broken.self, "why") {} }
    fails { expect(throws: Broken.self, "why") { throw CancellationError() } }
    expect(expect(throws: Broken.glass) { throw Broken.glass }, equals: .glass)
    expect(expect(throws: Broken.self) { throw Broken.wood }, equals: .wood)
  }

  @Test static func `a test ends, once recorded, where something required is missing`() throws {
    func fails(at line: Int = #line, of check: () throws -> Void) throws {
      var isOver = true
      try withKnownIssue {
        try check()
        isOver = false
      } matching: {
        $0.comments == ["why"] && $0.sourceLocation?.line == line
      }
      expect(that: isOver)
    }
    let missing: Int? = nil
    try fails { _ = try require(missing, "why") }
    try fails { try require(that: missing == 1, "why") }
    try expect(require(Optional(1)), equals: 1)
    try require(that: missing == nil)
  }
}
