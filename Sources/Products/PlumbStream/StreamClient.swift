public import FixedPoint
internal import Glibc
package import JSON
public import Monitor
public import StreamCodec
internal import StreamConnection

/// A client of the stream of a sensor's owner: connects, reads messages, and reconnects when the owner is gone.
///
/// ```swift
/// var client = StreamClient(try StreamAddress("unix:/run/plumb/stream"))
/// try client.request(.samples(.perSecond(10)))
/// while let message = try client.next() {
///   if case .observed(let seen, _) = message, let reading = seen.reading { print(reading.force) }
/// }
/// ```
///
/// A program with an event loop waits for ``descriptor`` and ``waitsToWrite``, for at most ``milliseconds``, then calls
/// ``receive()`` until it returns nil. Use a client from one thread at a time. Dropping it closes the connection, and
/// ends the `ssh` of an `ssh:` address.
///
/// Each connection begins with ``StreamCodec/StreamMessage/hello(_:)``. Lasting requests are repeated on each
/// connection. An owner that is silent for 2 s is asked for a sign of life; after 5 s the connection counts as lost.
/// The delay before a retry is 0.5 s, and doubles up to 30 s, each ± 25 % at random.
///
/// Host names are looked up within ``receive()``, which waits for that; it never blocks otherwise.
public struct StreamClient: ~Copyable {
  /// Whether a lost connection is re-established.
  public var reconnects: Bool
  /// The last hello of this connection; nil before it.
  public private(set) var hello: StreamHello?
  /// The instant at the owner's time 0, to which the instants of messages refer; 0 until it is set.
  public var start: Instant {
    get { reader.start }
    set { reader.start = newValue }
  }
  /// What is known about the board from the lines so far.
  public var snapshot: Snapshot { reader.snapshot }
  /// The line of the last message, without its line feed.
  public var line: String { connection.line }

  /// How many lines have arrived.
  package private(set) var lineCount: UInt64 = 0

  private var reader = StreamReader()
  private var connection: OwnerConnection<StreamPlace>
  private var standing: [StreamRequest] = []
  private var hasConnected = false
  /// Whether a line has arrived on this connection.
  private var isOpen = false

  /// A client of the owner at `address`. It connects with the first ``next()`` or ``receive()``.
  ///
  /// `token` is the content of the owner's token file, if it has one. Without `reconnects`, the client ends with its
  /// first connection.
  public init(_ address: StreamAddress, token: String? = nil, reconnects: Bool = true) {
    self.reconnects = reconnects
    connection = OwnerConnection(
      to: StreamPlace(address: address, token: token), random: .random(in: .min ... .max), at: monotonicNow())
  }

  /// Where the owner is.
  public var address: StreamAddress { connection.place.address }

  /// Sends a request to the owner. Lasting requests are remembered for every connection; any other needs a connection
  /// whose hello has arrived.
  ///
  /// Throws ``StreamError/Kind/unreachable`` without one.
  public mutating func request(_ request: StreamRequest) throws(StreamError) {
    if request.isStanding {
      standing.removeAll { $0.isReplaced(by: request) }
      standing.append(request)
      guard connection.isConnected else { return }
    }
    guard connection.isOpen || request.isStanding, connection.send(request.line.utf8.span) else {
      throw StreamError(.unreachable, "no connection to the owner at \(address)")
    }
  }

  /// Ends the connection for good: ``next()`` returns nil from now on.
  public mutating func end() {
    hello = nil
    connection.end()
  }

  /// Waits for the next message; nil at the end, which is after ``end()``, or after the first connection of a client
  /// that does not reconnect.
  ///
  /// Throws if the first connection cannot be made. Later ones are retried for ever, after one
  /// ``StreamCodec/StreamMessage/gone(_:)``.
  public mutating func next() throws(StreamError) -> StreamMessage? {
    while true {
      if let message = try receive() { return message }
      if isOver { return nil }
      let awaited = awaited()
      var wait = pollfd(
        fd: awaited.descriptor, events: Int16(awaited.waitsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
      unsafe poll(&wait, 1, awaited.milliseconds)
    }
  }

  /// Whether no more messages will come.
  public var isOver: Bool { connection.isOver }

  /// What to wait for until ``receive()`` has something to do: until it is readable, or also writable if
  /// ``waitsToWrite``. -1 to wait for time only, which `poll` ignores.
  public var descriptor: Int32 { connection.descriptor }

  /// Whether to wait for ``descriptor`` to become writable as well.
  public var waitsToWrite: Bool { connection.waitsToWrite }

  /// How long to wait at most before the next ``receive()``, in milliseconds; -1 for ever.
  public var milliseconds: Int32 { connection.milliseconds(at: monotonicNow()) }

  /// All three of the above, without copies of the connection.
  package mutating func awaited() -> (descriptor: Int32, waitsToWrite: Bool, milliseconds: Int32) {
    connection.awaited(at: monotonicNow())
  }

  /// The next message that has already arrived; nil for none at present. Never waits, except to look up a host name.
  ///
  /// Throws as ``next()`` does.
  public mutating func receive() throws(StreamError) -> StreamMessage? {
    while let arrival = try advance() {
      switch arrival {
      case .line(let object):
        // Nil for an unknown kind.
        if let message = try take(object) { return message }
      case .gone(let words): return .gone(ShortText(cutting: words))
      }
    }
    return nil
  }

  /// What a stream yields.
  package enum Arrival {
    /// A line; the first one of a connection is a hello.
    case line(JSONObject)
    /// The connection is lost, for this reason.
    case gone(String)
  }

  /// The next line that has already arrived, for a program that parses lines itself; otherwise like ``receive()``.
  package mutating func arrive() throws(StreamError) -> Arrival? {
    let arrival = try advance()
    if case .line = arrival { noteConnected() }
    return arrival
  }

  private mutating func noteConnected() {
    hasConnected = true
    connection.place.asks = false
  }

  private mutating func advance() throws(StreamError) -> Arrival? {
    while let arrival = connection.receive(at: monotonicNow()) {
      switch arrival {
      case .connected:
        for request in standing { _ = connection.send(request.line.utf8.span) }
      case .line(let object):
        isOpen = true
        lineCount &+= 1
        return .line(object)
      case .lost(let loss):
        if let words = try lose(StreamError(loss)) { return .gone(words) }
      }
    }
    return nil
  }

  /// Sends a line, given without its line feed, to the owner; discards it without a connection.
  package mutating func send(line: String) {
    if connection.isOpen { _ = connection.send(line.utf8.span) }
  }

  private mutating func take(_ object: JSONObject) throws(StreamError) -> StreamMessage? {
    let message: StreamMessage?
    do throws(StreamLineError) { message = try reader.read(object) } catch {
      let words = "the owner at \(address) sent \(StreamError(error, in: line).message)"
      connection.abandon(at: monotonicNow())
      return try lose(StreamError(.badProtocol, words)).map { .gone(ShortText(cutting: $0)) }
    }
    if case .hello(let hello) = message {
      self.hello = hello
      noteConnected()
    }
    return message
  }

  /// Handles a connection that is lost or could not be made because of `error`; returns what to report.
  private mutating func lose(_ error: StreamError) throws(StreamError) -> String? {
    let wasOpen = isOpen
    (hello, isOpen) = (nil, false)
    reader.forget()
    if !hasConnected || !reconnects { connection.end() }
    guard hasConnected else { throw error }
    return wasOpen ? error.message : nil
  }
}

/// The place of a ``StreamAddress``; for `ssh:` it is a tunnel, a new one for each connection.
private struct StreamPlace: OwnerPlace {
  let address: StreamAddress
  let token: String?
  /// Whether ssh may ask for a password: only for the first connection.
  var asks = true
  private var tunnel: SSHTunnel?
  /// Why there is no tunnel.
  private var trouble = ""

  init(address: StreamAddress, token: String?) { (self.address, self.token) = (address, token) }

  var port: UInt16? { if case .tcp(_, let port) = address { port } else { nil } }

  var isSerial: Bool { if case .serial = address { true } else { false } }

  func withPlace(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
    switch address {
    case .unix(let path): unsafe path.withCString { unsafe body($0) }
    case .tcp(let host, _): unsafe host.withCString { unsafe body($0) }
    case .ssh: unsafe (tunnel?.path ?? "").withCString { unsafe body($0) }
    case .serial(let path): unsafe (path ?? "").withCString { unsafe body($0) }
    }
  }

  func withToken(_ body: (Span<UInt8>) -> Void) {
    if let token { body(token.utf8.span) }
  }

  func writeTokenAdvice(to writer: inout ByteWriter) {
    writer.append("pass it with --from-token FILE")
  }

  func writeName(to writer: inout ByteWriter) { writer.append(bytes: printable("\(address)").utf8.span) }

  /// Long enough for a person to enter a password.
  var patience: Microseconds { if case .ssh = address { .seconds(120) } else { .zero } }

  mutating func prepare() -> Bool {
    guard case .ssh(let destination, let path) = address else { return true }
    if tunnel == nil {
      do throws(StreamError) {
        tunnel = try SSHTunnel(to: destination, path: path ?? StreamAddress.systemPath, asks: asks)
      } catch {
        trouble = error.message
        return false
      }
    }
    trouble = tunnel?.ending() ?? ""
    return trouble.isEmpty
  }

  mutating func release() { tunnel = nil }

  func writeTrouble(to writer: inout ByteWriter) {
    writer.append(bytes: (trouble.isEmpty ? tunnel?.heard() ?? "" : trouble).utf8.span)
  }
}

extension StreamError {
  fileprivate init(_ loss: OwnerLoss) {
    let kind: Kind =
      switch loss.cause {
      case .unreachable: .unreachable
      case .ambiguous: .badAddress
      case .notPermitted: .noPermission
      case .refused: .refused
      case .badProtocol: .badProtocol
      }
    self.init(kind, printable("\(loss)"))
  }
}

/// The system's words for a code.
func systemText(_ code: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  unsafe strerror_r(code, &text, text.count)
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return bytes.isEmpty ? "error \(code)" : String(decoding: bytes, as: UTF8.self)
}

/// The present instant of the monotonic clock.
private func monotonicNow() -> Instant {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
}
