internal import FixedPoint
internal import Glibc
internal import Retry

/// A client of the stream that the owner of a sensor offers: connects, reads messages, and connects again when the owner is
/// gone.
///
/// ```swift
/// var client = StreamClient(try StreamAddress("unix:/run/plumb/stream"))
/// try client.request(.samples(.perSecond(10)))
/// while let message = try client.next() {
///   if case .sample(let sample) = message { print(sample.force) }
/// }
/// ```
///
/// A program with an event loop waits for ``descriptor``, for ``waitsToWrite`` and at most ``milliseconds``, and then calls
/// ``receive()`` until it returns nil. A value for one thread at a time. Dropping it closes the connection, and ends the `ssh`
/// of an `ssh:` address.
///
/// Each connection begins with ``StreamMessage/hello(_:)``. What holds until further notice is asked for again on each
/// connection. An owner that is silent for 2 s is asked for a sign of life; after 5 s the connection counts as lost. The
/// pause before another try is 0.5 s, then doubles up to 30 s, each ± 25 % by chance.
///
/// Names of hosts are looked up while ``receive()`` waits; everything else never blocks there.
public struct StreamClient: ~Copyable {
  /// Where the owner is.
  public let address: StreamAddress
  /// Whether a lost connection is made anew.
  public var reconnects: Bool
  /// The last hello of this connection; nil while there is none.
  public private(set) var hello: StreamHello?
  /// The instant of the owner's time 0, from which the instants of messages count: 0, until it is set.
  public var start = Instant(microseconds: 0)

  private let token: String?
  private var standing: [StreamRequest] = []
  private var phase = Phase.idle
  private var socket: StreamSocket?
  private var tunnel: SSHTunnel?
  /// Addresses of the host that were not tried yet.
  private var others: [HostAddress] = []
  /// When something is due although nothing comes.
  private var due: Instant
  /// When the connection was begun.
  private var begun: Instant
  private var silence: SilenceWatch
  private var delay = StreamPatience.delay
  private var hasConnected = false
  /// What the owner said last before it closed.
  private var farewell: String?

  private enum Phase {
    /// Until the next try is due.
    case idle
    /// ssh is started, and its socket does not accept yet.
    case tunnelling
    /// The system connects.
    case connecting
    /// Connected, without a hello yet.
    case greeting
    /// Open.
    case open
    /// Ended for good.
    case over
  }

  /// How long connecting may take through a tunnel that asks for a password: as long as a person may take.
  private static var tunnelTime: Microseconds { .seconds(120) }
  /// How often the socket of a tunnel is tried.
  private static var tunnelInterval: Microseconds { .milliseconds(50) }

  /// A client of the owner at `address`. Nothing is connected before the first ``next()`` or ``receive()``.
  ///
  /// `token` is what the owner's token file holds, where it has one. With `reconnects` false the end of the first connection
  /// is the end.
  public init(_ address: StreamAddress, token: String? = nil, reconnects: Bool = true) {
    self.address = address
    self.token = token
    self.reconnects = reconnects
    due = monotonicNow()
    (begun, silence) = (due, StreamPatience.silence(at: due))
  }

  /// Asks the owner for something. What holds until further notice is remembered for every connection; anything else needs
  /// one, after its hello.
  ///
  /// Throws ``StreamError/Kind/unreachable`` where it does.
  public mutating func request(_ request: StreamRequest) throws(StreamError) {
    if request.isStanding {
      standing.removeAll { $0.isReplaced(by: request) }
      standing.append(request)
      guard phase == .open || phase == .greeting else { return }
    }
    guard phase == .open || request.isStanding, put(request.line) else {
      throw StreamError(.unreachable, "no connection to the owner at \(address)")
    }
  }

  /// Ends the connection for good: ``next()`` returns nil from now on.
  public mutating func end() {
    drop()
    phase = .over
  }

  /// The next message, once it is there; nil at the end, which comes after ``end()``, and after the first connection of a
  /// client that does not reconnect.
  ///
  /// Throws where the first connection cannot be made. Later ones are tried for ever; ``StreamMessage/gone(_:)`` says so once.
  public mutating func next() throws(StreamError) -> StreamMessage? {
    while true {
      if let message = try receive() { return message }
      if isOver { return nil }
      var wait = pollfd(fd: descriptor, events: Int16(waitsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
      unsafe poll(&wait, 1, milliseconds)
    }
  }

  /// Whether there is nothing more to come.
  public var isOver: Bool { phase == .over }

  /// What to wait for until ``receive()`` has something to do: readable, or writable where ``waitsToWrite``. -1 for nothing but
  /// time, which `poll` passes over.
  public var descriptor: Int32 { socket?.descriptor ?? -1 }

  /// Whether ``descriptor`` is also waited for to be writable.
  public var waitsToWrite: Bool { phase == .connecting || socket?.waitsToWrite ?? false }

  /// How long to wait at most until the next ``receive()``, in milliseconds; -1 for ever.
  public var milliseconds: Int32 {
    guard !isOver else { return -1 }
    return Int32(clamping: max(0, ((due - monotonicNow()).count + 999) / 1_000))
  }

  /// The next message that is there already; nil for none at present. Never waits, but for the name of a host.
  ///
  /// Throws as ``next()``.
  public mutating func receive() throws(StreamError) -> StreamMessage? {
    while let arrival = try arrive() {
      switch arrival {
      case .line(_, let message?): return message
      // Of a kind that is not known here.
      case .line: continue
      case .gone(let words): return .gone(words)
      }
    }
    return nil
  }

  /// What a stream brings.
  package enum Arrival {
    /// A line without its line feed, and what it is, where its kind is known.
    case line(String, StreamMessage?)
    /// The connection is lost: why, in words.
    case gone(String)
  }

  /// The next line that is there already, for a program that reads lines by itself; otherwise as ``receive()``.
  package mutating func arrive() throws(StreamError) -> Arrival? {
    while true {
      let step: Step
      do throws(StreamError) {
        step = try go()
      } catch {
        return try lose(error).map { .gone($0) }
      }
      switch step {
      case .line(let line, let message): return .line(line, message)
      case .wait: return nil
      case .again: continue
      }
    }
  }

  /// Has a line go to the owner, without its line feed; lost where there is no connection.
  package mutating func send(line: String) {
    if phase == .open { put(line) }
  }

  private enum Step {
    case line(String, StreamMessage?)
    case wait
    case again
  }

  /// Does what can be done without waiting. Throws where the connection is lost, or cannot be made.
  private mutating func go() throws(StreamError) -> Step {
    switch phase {
    case .over: return .wait
    case .idle:
      guard monotonicNow() >= due else { return .wait }
      try begin()
      return .again
    case .tunnelling: return try enterTunnel()
    case .connecting: return try finishConnecting()
    case .greeting, .open: return try hear()
    }
  }
}

// Connecting.
extension StreamClient {
  private mutating func begin() throws(StreamError) {
    begun = monotonicNow()
    due = begun + StreamPatience.connecting
    farewell = nil
    switch address {
    case .unix(let path): try connected(StreamSocket.connect(path: path))
    case .tcp(let host, let port):
      let (addresses, error) = HostAddress.all(of: host, port: port)
      guard !addresses.isEmpty else { throw StreamError(.unreachable, "\(printable(host)): \(error)") }
      others = addresses
      try connectToAnother(after: 0)
    case .ssh(let destination, let path):
      tunnel = try SSHTunnel(to: destination, path: path ?? StreamAddress.systemPath, asks: !hasConnected)
      phase = .tunnelling
    }
  }

  /// Takes over what became of a connection that was begun.
  private mutating func connected(_ result: StreamSocket.Connecting) throws(StreamError) {
    switch result {
    case .done(let descriptor):
      socket = StreamSocket(descriptor)
      try greet()
    case .under(let descriptor):
      socket = StreamSocket(descriptor)
      phase = .connecting
    case .failed(let code): throw error(code)
    }
  }

  private mutating func connectToAnother(after code: Int32) throws(StreamError) {
    var code = code
    while !others.isEmpty {
      switch StreamSocket.connect(others.removeFirst()) {
      case .failed(let failure): code = failure
      case let result: return try connected(result)
      }
    }
    throw error(code)
  }

  private mutating func finishConnecting() throws(StreamError) -> Step {
    guard let descriptor = socket?.descriptor else { return .wait }
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&wait, 1, 0) > 0 else {
      guard monotonicNow() < due else { throw error(ETIMEDOUT) }
      return .wait
    }
    let code = StreamSocket.outcome(of: descriptor)
    if code == 0 {
      try greet()
    } else {
      socket = nil
      try connectToAnother(after: code)
    }
    return .again
  }

  private mutating func enterTunnel() throws(StreamError) -> Step {
    let now = monotonicNow()
    if let words = tunnel?.ending() { throw StreamError(.unreachable, words) }
    guard let path = tunnel?.path else { return .wait }
    switch StreamSocket.connect(path: path) {
    case .failed(let code) where code == ENOENT || code == ECONNREFUSED || code == EAGAIN:
      guard now - begun < Self.tunnelTime else {
        throw StreamError(.unreachable, "\(address): ssh made no connection in \(Self.tunnelTime.count / 1_000_000) s")
      }
      due = now + Self.tunnelInterval
      return .wait
    case let result: try connected(result)
    }
    return .again
  }

  /// Connected: says what is to be said first.
  private mutating func greet() throws(StreamError) {
    phase = .greeting
    let now = monotonicNow()
    silence = StreamPatience.silence(at: now)
    due = now + StreamPatience.greeting
    if let token { put("{\"token\":\(quoted(token))}") }
    for request in standing { put(request.line) }
  }

  @discardableResult
  private mutating func put(_ line: String) -> Bool { socket?.put(line) ?? false }

  /// The error of a connection that the system did not make.
  private func error(_ code: Int32) -> StreamError {
    switch (address, code) {
    case (.unix(let path), ENOENT), (.unix(let path), ENOTDIR):
      StreamError(.unreachable, "no owner offers a stream at \(printable(path)): there is no such socket")
    case (.unix(let path), ECONNREFUSED):
      StreamError(.unreachable, "no owner offers a stream at \(printable(path)) any more: no program listens there")
    case (.unix(let path), EACCES), (.unix(let path), EPERM):
      StreamError(
        .noPermission,
        "no permission for the socket \(printable(path)): add yourself to its group (sudo usermod -aG plumb $USER), then log in "
          + "again")
    case (.unix(let path), EPROTOTYPE), (.unix(let path), ENOTSOCK):
      StreamError(.unreachable, "\(printable(path)) is not the socket of a stream")
    case (_, ECONNREFUSED):
      StreamError(.unreachable, "no owner offers a stream at \(address): no program listens there")
    default: StreamError(.unreachable, "no connection to the owner at \(address): \(systemText(code))")
    }
  }
}

// Listening.
extension StreamClient {
  private mutating func hear() throws(StreamError) -> Step {
    socket?.flush()
    while true {
      if let line = socket?.line() {
        silence.hear(at: monotonicNow())
        guard line.count < StreamSocket.longestLine else { throw tooLong }
        let text = String(decoding: line, as: UTF8.self)
        return .line(text, try message(text))
      }
      if socket?.isTooLong == true { throw tooLong }
      switch socket?.fill() ?? .none {
      case .more: continue
      case .none: return try waitForMore()
      case .ended(let code): throw ended(code)
      }
    }
  }

  private mutating func message(_ line: String) throws(StreamError) -> StreamMessage? {
    let isGreeting = phase == .greeting
    let message: StreamMessage?
    do throws(StreamError) { message = try StreamMessage(line: line, start: start) } catch {
      throw StreamError(
        .badProtocol,
        isGreeting
          ? "what listens at \(address) is no owner of a sensor: \(error)" : "the owner at \(address) sent \(error)")
    }
    switch message {
    case .hello(let hello):
      guard hello.protocolVersion == StreamHello.knownProtocol else { throw unknownProtocol(hello) }
      self.hello = hello
      phase = .open
      hasConnected = true
      return message
    case .error(let words) where isGreeting, .bye(let words) where isGreeting:
      throw StreamError(.refused, "the owner at \(address) refuses: \(printable(words))")
    case .bye(let words): farewell = words
    default: break
    }
    // A stream begins with a hello.
    guard !isGreeting else {
      throw StreamError(
        .badProtocol, "what listens at \(address) is no owner of a sensor: it did not begin with a hello")
    }
    return message
  }

  private func unknownProtocol(_ hello: StreamHello) -> StreamError {
    StreamError(
      .badProtocol,
      "the owner at \(address) (plumb \(printable(hello.version))) speaks protocol \(hello.protocolVersion), and this program "
        + "protocol \(StreamHello.knownProtocol): update the older of the two")
  }

  private var tooLong: StreamError {
    StreamError(.badProtocol, "the owner at \(address) sent a line of more than \(StreamSocket.longestLine) bytes")
  }

  /// Nothing has come: an owner that is silent for long is asked for a sign, and then given up.
  private mutating func waitForMore() throws(StreamError) -> Step {
    let now = monotonicNow()
    if phase == .greeting {
      guard now < due else {
        throw StreamError(.unreachable, "the owner at \(address) does not respond" + (tunnel?.heard() ?? ""))
      }
      return .wait
    }
    switch silence.check(at: now) {
    case .wait(let end): due = end
    case .ask(let end):
      due = end
      put(StreamRequest.hello.line)
    case .lost:
      let seconds = (now - silence.heard).count / 1_000_000
      throw StreamError(.unreachable, "nothing came from the owner at \(address) for \(seconds) s")
    }
    return .wait
  }

  /// The error of a connection that the other end has closed.
  private mutating func ended(_ code: Int32) -> StreamError {
    if let farewell {
      return StreamError(.unreachable, "the owner at \(address) has ended: \(printable(farewell))")
    }
    // ssh writes why it could not connect to the socket there.
    let words = (tunnel?.heard()).map { $0.isEmpty ? "" : " (ssh: \($0))" } ?? ""
    if phase == .greeting {
      return StreamError(
        .unreachable, "no owner offers a stream at \(address): the connection was closed at once\(words)")
    }
    let reason = code == 0 ? "it has closed the connection" : systemText(code)
    return StreamError(.unreachable, "the owner at \(address) is gone: \(reason)\(words)")
  }

  private mutating func drop() {
    socket = nil
    tunnel = nil
    hello = nil
    others = []
  }

  /// The connection is lost, or could not be made, for `error`: what to report, and when to try again.
  private mutating func lose(_ error: StreamError) throws(StreamError) -> String? {
    let wasOpen = phase == .open
    drop()
    let now = monotonicNow()
    guard hasConnected else {
      phase = .over
      throw error
    }
    guard reconnects else {
      phase = .over
      return wasOpen ? error.message : nil
    }
    if wasOpen && now - begun >= StreamPatience.good { delay.reset() }
    phase = .idle
    due = now + delay.next(random: UInt64.random(in: .min ... .max))
    return wasOpen ? error.message : nil
  }
}
