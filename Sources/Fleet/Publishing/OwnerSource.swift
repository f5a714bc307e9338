package import JSON
package import Text

/// What comes from an owner's stream.
package enum OwnerNews {
  /// A line.
  case line(JSONObject)
  /// The connection is lost or cannot be made, in words. Another try follows by itself.
  case gone(ShortText<256>)
}

/// A connection to the stream of a sensor's owner that is made again by itself.
package protocol OwnerSource: ~Copyable {
  /// What to wait for; -1 for nothing but time.
  var descriptor: Int32 { get }
  /// Whether ``descriptor`` is also waited for to be writable.
  var waitsToWrite: Bool { get }
  /// How long to wait at most until the next ``receive()``, in milliseconds; -1 for ever.
  var milliseconds: Int32 { get }
  /// What is there already; nil for nothing at present. Never waits, but for the name of a host.
  mutating func receive() -> OwnerNews?
  /// Sends a line, without its end. Lost where there is no connection.
  mutating func request(_ line: borrowing ShortText<128>)
}
