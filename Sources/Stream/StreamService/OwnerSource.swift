package import JSON
package import Text

/// News from an owner's stream.
package enum OwnerNews {
  /// A line.
  case line(JSONObject)
  /// The connection is lost or cannot be made, for this reason. It is retried automatically.
  case gone(ShortText<256>)
}

/// A connection to the stream of a sensor's owner, which is re-established automatically.
package protocol OwnerSource: ~Copyable {
  /// What to wait for; -1 to wait for time only.
  var descriptor: Int32 { get }
  /// Whether to wait for ``descriptor`` to become writable as well.
  var waitsToWrite: Bool { get }
  /// Whether it has ended for good, which ends the service: its last words are then no news.
  var hasEnded: Bool { get }
  /// How long to wait at most before the next ``receive()``, in milliseconds; -1 for ever.
  var milliseconds: Int32 { get }
  /// What has arrived; nil for nothing at present. Never waits, except to look up a host name.
  mutating func receive() -> OwnerNews?
  /// Sends a line, given without its end; discards it without a connection.
  mutating func request(_ line: borrowing ShortText<128>)
}

extension OwnerSource where Self: ~Copyable {
  package var hasEnded: Bool { false }
}
