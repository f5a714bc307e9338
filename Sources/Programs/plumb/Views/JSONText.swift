package import JSON

/// Lines of JSON as text, of any length.
package enum JSONText {
  /// The text that `write` writes; calls it again with more room if there was too little.
  package static func line(_ write: (inout JSONWriter) -> Void) -> String {
    var capacity = 1_024
    while true {
      var isCut = false
      let text = unsafe String(unsafeUninitializedCapacity: capacity) { bytes in
        var writer = unsafe JSONWriter(bytes)
        write(&writer)
        isCut = writer.isCut
        return isCut ? 0 : writer.count
      }
      guard isCut else { return text }
      capacity *= 4
    }
  }

  /// An object with the fields that `write` writes.
  package static func object(_ write: (inout JSONWriter) -> Void) -> String {
    line { writer in
      writer.beginObject()
      write(&writer)
      writer.endObject()
    }
  }

  /// An object with a field `event`, and the fields that `write` writes.
  package static func object(_ event: StaticString, _ write: (inout JSONWriter) -> Void) -> String {
    object { writer in
      writer.field("event", event)
      write(&writer)
    }
  }

  /// `object`, followed by the fields that `write` writes.
  package static func extended(_ object: String, _ write: (inout JSONWriter) -> Void) -> String {
    object.dropLast() + "," + self.object(write).dropFirst()
  }

  /// An array of strings.
  package static func array(of strings: [String]) -> String {
    line { writer in
      writer.beginArray()
      for string in strings { writer.element(string) }
      writer.endArray()
    }
  }
}

extension JSONWriter {
  /// Writes an array of strings.
  package mutating func field(_ key: StaticString, _ strings: [String]) {
    beginArray(key)
    for string in strings { element(string) }
    endArray()
  }

  /// Writes an array of numbers with at most `places` places; null for nil.
  package mutating func field(_ key: StaticString, _ numbers: [Double]?, places: Int) {
    guard let numbers else { return nullField(key) }
    beginArray(key)
    for number in numbers { element(number, places: places) }
    endArray()
  }

  /// Writes a whole number, or null.
  package mutating func field(_ key: StaticString, _ number: Int?) {
    guard let number else { return nullField(key) }
    field(key, number)
  }
}
