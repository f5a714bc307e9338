/// A serial line to one client: a UART, or a USB device.
public protocol BytePipe: ~Copyable {
  /// Whether there is a client; a UART cannot know, and says yes.
  var isConnected: Bool { get }

  /// The next byte that was received; nil for none.
  mutating func read() -> UInt8?

  /// Takes as many of `bytes` as there is room for, and returns how many; never waits.
  mutating func write(_ bytes: Span<UInt8>) -> Int

  /// Does what must be done now and then.
  mutating func poll()
}
