internal import JSON
package import Text

/// A message for the broker: a topic, and what is published on it. Always with QoS 1.
package struct Publication: ~Copyable {
  /// A topic of MQTT.
  package typealias Topic = ShortText<256>

  private typealias Largest = Payload<8_192>

  /// The most bytes of a payload: Home Assistant's discovery with all components and the longest names.
  package static var capacity: Int { Largest.capacity }

  /// Where it is published.
  package var topic = Topic()
  /// Whether the broker keeps it for later subscribers.
  package var isRetained = false
  /// What tells its delivery from others'.
  package var token: UInt16 = 0
  private var payload = Largest()

  /// An empty one.
  package init() {}

  /// How many bytes the payload has.
  package var count: Int { payload.count }

  /// Gives the payload to `body`.
  package func withPayload(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { unsafe payload.withBytes(body) }

  /// Has `body` write the payload, and takes over the length that it returns.
  package mutating func writePayload(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) { unsafe payload.fill(body) }

  /// Has `body` write the payload as JSON; false, and empty, where it does not fit.
  @discardableResult
  mutating func write(_ body: (inout JSONWriter) -> Void) -> Bool { payload.write(body) }

  /// Takes over `other`.
  mutating func copy<let size: Int>(_ other: borrowing Payload<size>) {
    unsafe other.withBytes { bytes in
      unsafe payload.fill { target in
        let count = min(bytes.count, target.count)
        for index in 0..<count { unsafe target[index] = bytes[index] }
        return count
      }
    }
  }

  /// Makes it fixed words.
  mutating func copy(_ words: StaticString) {
    unsafe payload.fill { target in
      let count = min(words.utf8CodeUnitCount, target.count)
      for index in 0..<count { unsafe target[index] = words.utf8Start[index] }
      return count
    }
  }
}

/// Bytes in place: at most `capacity`.
@safe
struct Payload<let capacity: Int>: ~Copyable {
  private(set) var count = 0
  private var storage = InlineArray<capacity, UInt8>(repeating: 0)

  func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let count = count
    unsafe withUnsafeBytes(of: storage) { bytes in
      unsafe body(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[0..<count]))
    }
  }

  mutating func fill(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
    let filled = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      unsafe body(bytes.bindMemory(to: UInt8.self))
    }
    count = max(0, min(capacity, filled))
  }

  /// Has `body` write JSON; false, and empty, where it does not fit.
  @discardableResult
  mutating func write(_ body: (inout JSONWriter) -> Void) -> Bool {
    unsafe fill { bytes in
      var writer = unsafe JSONWriter(bytes)
      body(&writer)
      return writer.isCut ? 0 : writer.count
    }
    return count > 0
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
