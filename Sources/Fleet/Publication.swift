package import Text

/// A message for the broker: a topic, and what is published on it. Always with QoS 1.
package struct Publication: ~Copyable {
  /// A topic of MQTT.
  package typealias Topic = ShortText<256>

  /// The most bytes of a payload: Home Assistant's discovery with all components and the longest names.
  package static var capacity: Int { 8_192 }

  /// Where it is published.
  package var topic = Topic()
  /// Whether the broker keeps it for later subscribers.
  package var isRetained = false
  /// What tells its delivery from others'.
  package var token: UInt16 = 0
  /// How many bytes the payload has.
  package private(set) var count = 0
  private var storage = InlineArray<8_192, UInt8>(repeating: 0)

  /// An empty one.
  package init() {}

  /// Gives the payload to `body`.
  package func withPayload(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let count = count
    unsafe withUnsafeBytes(of: storage) { bytes in
      unsafe body(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[0..<count]))
    }
  }

  /// Has `body` write the payload, and takes over the length that it returns.
  package mutating func writePayload(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
    count = unsafe withUnsafeMutableBytes(of: &storage) { bytes in unsafe body(bytes.bindMemory(to: UInt8.self)) }
  }
}
