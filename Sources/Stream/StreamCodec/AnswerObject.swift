package import FixedText
package import JSON

// The objects about the stream itself: lost lines, the owner's messages, and the confirmation of a command.
extension JSONWriter {
  /// Writes how many lines are lost.
  package mutating func fields(missed count: UInt64) { field("count", count) }

  /// Writes the owner's message, why it refuses a request or ends, cut to `length` bytes.
  package mutating func fields(words: Message, atMost length: Int) { field("detail", words, atMost: length) }

  /// Writes which command was carried out.
  package mutating func fields(done command: StaticString) { field("command", command) }
}

extension StreamMessage {
  /// The message of an object about the stream itself, whose kind is `event`; nil for any other kind.
  static func answer(_ event: JSONValue, _ object: JSONObject) throws(StreamLineError) -> StreamMessage? {
    if event.isString("missed") {
      guard let count = object["count"]?.count else { throw .incomplete }
      return .missed(count)
    }
    if event.isString("error") { return .error(Message(object["detail"])) }
    if event.isString("bye") { return .bye(Message(object["detail"])) }
    if event.isString("done") { return .done(command: ShortText(object["command"])) }
    return nil
  }
}
