internal import JSON

/// The reader accepts what a plain one accepts, with the same contents, and the same again after rewriting in another
/// form.
func checkJSON(_ bytes: [UInt8]) throws(Broken) {
  let plain = PlainJSON(bytes)
  switch read(bytes) {
  case .success(let object):
    guard let plain, case .object = plain else { throw Broken(words: "a plain reader refuses it") }
    guard let found = PlainJSON(object.value) else { throw Broken(words: "a value is of no kind") }
    try require(found == plain.inDoubles, "a plain reader finds \(plain), not \(found)")
    let again = plain.written
    guard again.count <= JSONObject.longestLine else { return }
    guard case .success(let second) = read(again) else { throw Broken(words: "written again it is refused") }
    try require(PlainJSON(second.value) == plain.inDoubles, "written again it is another one")
  case .failure(let error):
    switch error {
    case .tooLong: try require(bytes.count > JSONObject.longestLine, "\(bytes.count) bytes are too long")
    case .notAnObject:
      guard let plain else { throw Broken(words: "JSON to the one reader, not to the other") }
      if case .object = plain { throw Broken(words: "an object to a plain reader") }
    case .tooDeep(let at), .syntax(let at), .encoding(let at):
      try require((0...bytes.count).contains(at), "\(error) of \(bytes.count) bytes")
      try require(plain == nil, "\(error), but a plain reader finds \(String(describing: plain))")
    }
  }
}

private func read(_ bytes: [UInt8]) -> Result<JSONObject, JSONError> {
  do throws(JSONError) {
    return .success(try JSONObject(bytes.span))
  } catch {
    return .failure(error)
  }
}

extension PlainJSON {
  /// With numbers as `Double` prints them.
  fileprivate var inDoubles: PlainJSON {
    switch self {
    case .word, .string: self
    case .number(let digits): .number("\(Double(digits) ?? .nan)")
    case .array(let items): .array(items.map(\.inDoubles))
    case .object(let fields): .object(fields.map { Field(key: $0.key, value: $0.value.inDoubles) })
    }
  }

  /// A value as the module `JSON` read it.
  fileprivate init?(_ value: JSONValue) {
    if value.isNull {
      self = .word("null")
    } else if let isTrue = value.bool {
      self = .word(isTrue ? "true" : "false")
    } else if let text = value.string {
      self = .string(text)
    } else if let elements = value.elements {
      var items: [PlainJSON] = []
      for element in elements {
        guard let item = PlainJSON(element) else { return nil }
        items.append(item)
      }
      self = .array(items)
    } else if let fields = value.fields {
      var found: [Field] = []
      for field in fields {
        guard let value = PlainJSON(field.value) else { return nil }
        found.append(Field(key: field.key, value: value))
      }
      self = .object(found)
    } else if let number = value.number {
      // In thousandths, if they fit in 64 bits, exact to the last one.
      let expected = number * 1_000
      guard expected.magnitude > 9e15 || (value.decimal(places: 3).map { abs(Double($0) - expected) <= 1 } ?? false)
      else {
        return nil
      }
      self = .number("\(number)")
    } else {
      return nil
    }
  }
}
