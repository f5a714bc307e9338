public import Testing

// What `#expect` and `#require` do, as functions: a test module compiles in a third less time, because the compiler
// expands and checks the macro anew at each of its thousands of places. A failure says what was found and what was
// expected; the macro also shows the parts of an expression, and stays where that helps.

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

/// Expects `found == wanted` of two values at once.
public func expect<First: Equatable, Second: Equatable>(
  _ found: (First, Second), equals wanted: (First, Second), _ comment: @autoclosure () -> Comment? = nil,
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

/// Expects that `found` lies in a range.
public func expect<Value: Comparable>(
  _ found: Value, isIn range: some RangeExpression<Value>, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if !range.contains(found) {
    Failure(found, "in \(range)").record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that there is a text, and that it contains another.
public func expect(
  _ found: String?, contains part: String, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if found?.contains(part) != true {
    Failure(found, "text with ", part).record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that there is a text, and that it does not contain another.
public func expect(
  _ found: String?, lacks part: String, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if found?.contains(part) != false {
    Failure(found, "text without ", part)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that there is a text, and that it begins with another.
public func expect(
  _ found: String?, hasPrefix start: String, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if found?.hasPrefix(start) != true {
    Failure(found, "text that begins with ", start)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that there is a text, and that it ends with another.
public func expect(
  _ found: String?, hasSuffix end: String, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if found?.hasSuffix(end) != true {
    Failure(found, "text that ends with ", end)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that an element is among others.
public func expect<Elements: Sequence>(
  _ found: Elements, contains element: Elements.Element, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) where Elements.Element: Equatable {
  if !found.contains(element) {
    Failure(Array(found), "one of them to be ", element)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that an element is not among others.
public func expect<Elements: Sequence>(
  _ found: Elements, lacks element: Elements.Element, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) where Elements.Element: Equatable {
  if found.contains(element) {
    Failure(Array(found), "none of them to be ", element)
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
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

/// Expects that there is no value, of a type that cannot be compared.
public func expect<Value>(
  absent found: Value?, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if let found {
    Failure(found, "nil").record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that a condition holds for all elements; a failure shows the first for which it does not.
public func expect<Elements: Sequence>(
  all elements: Elements, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ condition: (Elements.Element) throws -> Bool
) rethrows {
  if let other = try elements.first(where: { try !condition($0) }) {
    Failure(other, "all to be as the condition says")
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that a condition holds for an element.
public func expect<Elements: Sequence>(
  any elements: Elements, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ condition: (Elements.Element) throws -> Bool
) rethrows {
  if try !elements.contains(where: condition) {
    Failure(Array(elements), "one of them to be as the condition says")
      .record(comment(), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Expects that a condition holds for no element; a failure shows the first for which it does.
public func expect<Elements: Sequence>(
  none elements: Elements, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ condition: (Elements.Element) throws -> Bool
) rethrows {
  if let one = try elements.first(where: condition) {
    Failure(one, "none to be as the condition says")
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

/// Expects that `body` throws `wanted`, and returns what was thrown.
@discardableResult
public func expect<Thrown: Error & Equatable, Result: ~Copyable>(
  throws wanted: Thrown, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ body: () throws -> Result
) -> Thrown? {
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return #expect(throws: wanted, comment(), sourceLocation: place, performing: { _ = try body() })
}

/// Expects that `body` throws an error of a type, and returns it.
@discardableResult
public func expect<Thrown: Error, Result: ~Copyable>(
  throws wanted: Thrown.Type, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ body: () throws -> Result
) -> Thrown? {
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return #expect(throws: wanted, comment(), sourceLocation: place, performing: { _ = try body() })
}

/// What `#require` does: the value, without which the test ends here as a failure.
public func require<Value>(
  _ value: Value?, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws -> Value {
  if let value { return value }
  // The error of the macro, because the testing library records it once.
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try #require(value, comment(), sourceLocation: place)
}

/// What `#require` does: the test ends here as a failure unless the condition holds.
public func require(
  that condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws {
  if condition { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  try #require(condition, comment(), sourceLocation: place)
}

/// What an expectation that does not hold says.
struct Failure {
  private let text: String

  /// The value found, and the expected one after words of how it relates.
  init<Found, Wanted>(_ found: Found, _ relation: String, _ wanted: Wanted) {
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
