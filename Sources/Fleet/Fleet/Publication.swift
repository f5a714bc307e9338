internal import JSON
internal import Text

/// A message for the broker: a topic, and what is published on it. Always with QoS 1.
package struct Publication: Equatable, Sendable {
  /// The name of the topic on which it is published.
  package var topic: Topic.Name
  /// What is published.
  package var payload: [UInt8]
  /// Whether the broker keeps it for later subscribers.
  package var isRetained: Bool
  /// What tells its delivery from others'.
  package var token: UInt16

  /// A publication of `payload`.
  package init(on topic: Topic.Name, _ payload: [UInt8], isRetained: Bool, token: UInt16) {
    (self.topic, self.payload, self.isRetained, self.token) = (topic, payload, isRetained, token)
  }

  /// Those that remove a device from the broker: nothing, on each topic where something is retained.
  package static func forgetting(_ topics: Topics) -> [Publication] {
    var all: [Publication] = []
    // Discovery before what it refers to.
    for topic in Topic.allCases.reversed() where topic.use == .retained {
      let token = UInt16(truncatingIfNeeded: all.count &+ 1)
      all.append(Publication(on: topics[topic], [], isRetained: true, token: token))
    }
    return all
  }
}

/// The JSON that `body` writes, of at most `limit` bytes; nil where it has more.
func json(atMost limit: Int, _ body: (inout JSONWriter) -> Void) -> [UInt8]? {
  var isCut = false
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
    var writer = unsafe JSONWriter(buffer)
    body(&writer)
    (count, isCut) = (writer.count, writer.isCut)
  }
  return isCut ? nil : bytes
}

/// The JSON that `body` writes: each time the same, of parts of limited size.
func json(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
  var limit = 1_024
  while true {
    if let bytes = json(atMost: limit, body) { return bytes }
    limit &*= 2
  }
}

extension JSONWriter {
  /// Writes text, in place.
  mutating func field<let capacity: Int>(_ key: StaticString, _ text: ShortText<capacity>) {
    text.withSpan { bytes in field(key, bytes) }
  }

  /// Writes a number, or null.
  mutating func field(_ key: StaticString, count: UInt64?) {
    guard let count else { return nullField(key) }
    field(key, count)
  }
}
