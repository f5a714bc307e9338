public import Testing

// What `#expect` does, as functions: a test module compiles in a third less time, because the compiler expands and
// checks the macro anew at each of its thousands of places. A failure says what was found and what was expected; the
// macro also shows the parts of an expression, and stays where that helps.

/// Expects `found == wanted`.
public func expect<Value: Equatable>(
  _ found: Value, equals wanted: Value,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !(found == wanted) {
    Failure(found, "", wanted).record(nil, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects `found == wanted`; a failure shows the comment as well.
public func expect<Value: Equatable>(
  _ found: Value, equals wanted: Value, _ comment: @autoclosure () -> Comment,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !(found == wanted) {
    Failure(found, "", wanted).record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects `found != unwanted`.
public func expect<Value: Equatable>(
  _ found: Value, isNot unwanted: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !(found != unwanted) {
    Failure(found, "not ", unwanted).record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects `found < bound`.
public func expect<Value: Comparable>(
  _ found: Value, isBelow bound: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !(found < bound) {
    Failure(found, "less than ", bound)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects `found <= bound`.
public func expect<Value: Comparable>(
  _ found: Value, isAtMost bound: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !(found <= bound) {
    Failure(found, "at most ", bound).record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects `found > bound`.
public func expect<Value: Comparable>(
  _ found: Value, isAbove bound: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !(found > bound) {
    Failure(found, "more than ", bound)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects `found >= bound`.
public func expect<Value: Comparable>(
  _ found: Value, isAtLeast bound: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !(found >= bound) {
    Failure(found, "at least ", bound)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that a text contains another.
public func expect(
  _ found: String, contains part: String, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !found.contains(part) {
    Failure(found, "text with ", part).record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that nothing is in `found`.
public func expect(
  empty found: some Collection, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !found.isEmpty {
    Failure(found, "nothing")
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that a condition holds whose parts say nothing more than its source.
public func expect(
  that condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !condition {
    Failure(condition, "", true).record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// What an expectation that does not hold says.
struct Failure {
  private let text: String

  /// The value found, and the expected one after words of how it relates.
  init<Value>(_ found: Value, _ relation: String, _ wanted: Value) {
    self.init(found, relation + String(describingForTest: wanted))
  }

  /// The value found, and what was expected in words.
  init<Value>(_ found: Value, _ expected: String) {
    text = "found \(String(describingForTest: found)), expected \(expected)"
  }

  /// Records it as an issue of the running test.
  func record(_ comment: Comment?, fileID: String, filePath: String, line: Int, column: Int) {
    let whole = comment.map { "\(text): \($0.rawValue)" } ?? text
    Issue.record(
      Comment(rawValue: whole),
      sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
