internal import JSON
internal import Text

/// A message for the broker: a topic and a payload. Always with QoS 1.
package struct Publication: Equatable, Sendable {
  /// The name of the topic.
  package var topic: Topic.Name
  /// The payload.
  package var payload: [UInt8]
  /// Whether the broker keeps it for later subscribers.
  package var isRetained: Bool
  /// Identifies its delivery.
  package var token: UInt16

  /// A publication of `payload`.
  package init(on topic: Topic.Name, _ payload: [UInt8], isRetained: Bool, token: UInt16) {
    (self.topic, self.payload, self.isRetained, self.token) = (topic, payload, isRetained, token)
  }

  /// The publications that remove a device from the broker: an empty one on each topic with a retained message.
  package static func forgetting(_ topics: Topics) -> [Publication] {
    var all: [Publication] = []
    // Discovery goes before the topics to which it refers.
    for topic in Topic.allCases.reversed() where topic.use == .retained {
      let token = UInt16(truncatingIfNeeded: all.count &+ 1)
      all.append(Publication(on: topics[topic], [], isRetained: true, token: token))
    }
    return all
  }
}

/// The JSON that `body` writes, at most `limit` bytes; nil if it is longer.
func json(atMost limit: Int, _ body: (inout JSONWriter) -> Void) -> [UInt8]? {
  var isCut = false
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
    var writer = unsafe JSONWriter(buffer)
    body(&writer)
    (count, isCut) = (writer.count, writer.isCut)
  }
  return isCut ? nil : bytes
}

/// The JSON that `body` writes. `body` must write the same each time, and parts of limited size.
func json(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
  var limit = 1_024
  while true {
    if let bytes = json(atMost: limit, body) { return bytes }
    limit &*= 2
  }
}

extension JSONWriter {
  /// Writes a number, or null.
  mutating func field(_ key: StaticString, count: UInt64?) {
    guard let count else { return nullField(key) }
    field(key, count)
  }
}
