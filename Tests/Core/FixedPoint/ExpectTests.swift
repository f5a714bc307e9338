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
    failure("found [1], expected nothing") { expect(empty: [1]) }
    failure(#"found "plumb", expected nothing: why"#) { expect(empty: "plumb", "why") }
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
    expect(empty: "", comment())
    expect(that: true, comment())
  }
}
