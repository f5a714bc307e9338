internal import CSupport
package import FixedPoint
internal import JSON
internal import Retry
package import Text

/// A client of the stream that the owner of a sensor offers, without a heap: whole lines, of at most 1024 bytes with their
/// end, from a connection that is made again by itself.
///
/// A connection counts as made once the owner has said hello, which is its first line. An owner that is silent for 2 s is
/// asked for a sign of life; after 5 s the connection counts as lost. The pause before another try is 0.5 s, then doubles
/// up to 30 s, each ± 25 % by chance.
///
/// Each function that has a time to keep takes the time as an argument; ``OwnerSource`` takes it from the monotonic clock.
///
/// Public, because Embedded Swift does not find the `deinit` of a type of `package` in other modules.
public struct OwnerLink: ~Copyable {
  /// Where the owner listens.
  private enum Place {
    case unix(path: ShortText<108>)
    case tcp(host: ShortText<192>, port: UInt16)
  }

  private enum Phase {
    /// Until the next try is due.
    case idle
    /// The system connects.
    case connecting
    /// Connected, without a hello yet.
    case greeting
    /// Open.
    case open
  }

  /// Why a connection is lost, or cannot be made.
  private enum Cause {
    /// It is not there, or does not respond.
    case unreachable
    /// The system does not let this user in.
    case notPermitted
    /// The owner does not.
    case refused
    /// What listens there speaks another language.
    case badProtocol
  }

  private struct Loss: Error {
    var cause: Cause
    var words: ShortText<256>

    init(_ cause: Cause, _ words: ShortText<256>) { (self.cause, self.words) = (cause, words) }
  }

  private let place: Place
  private let token: ShortText<129>
  private var phase = Phase.idle
  private var socket: Int32 = -1
  /// The addresses of a host, and which is the next to be tried.
  private var addresses = csupport_connect_addresses()
  private var nextAddress: UInt32 = 0
  /// When something is due although nothing comes.
  private var due: Instant
  /// When the connection was begun.
  private var begun: Instant
  private var silence: SilenceWatch
  private var delay = StreamPatience.delay
  /// What was reported since the last hello: a loss is reported once, and a cause that needs a person once more.
  private var reported: Cause?
  /// What the owner said last before it closed.
  private var farewell = ShortText<160>()

  private var inbox = InlineArray<4_096, UInt8>(repeating: 0)
  /// The last line, in the inbox, and what follows it there.
  private var line = 0..<0
  private var unread = 0..<0
  private var outbox = InlineArray<1_024, UInt8>(repeating: 0)
  private var unsent = 0..<0

  /// The most bytes of a line, with its end.
  private static var longestLine: Int { JSONObject.longestLine }

  /// A client of the owner at the Unix socket `path`. Nothing is connected before the first ``receive(at:)``.
  package init(path: ShortText<108>, at now: Instant) { self.init(.unix(path: path), ShortText(), now) }

  /// A client of the owner at TCP port `port` of `host`, a name or an address; `token` is what the owner asks for, empty for
  /// nothing.
  package init(host: ShortText<192>, port: UInt16, token: ShortText<129>, at now: Instant) {
    self.init(.tcp(host: host, port: port), token, now)
  }

  private init(_ place: Place, _ token: ShortText<129>, _ now: Instant) {
    (self.place, self.token) = (place, token)
    (due, begun, silence) = (now, now, StreamPatience.silence(at: now))
  }

  deinit {
    if socket >= 0 { csupport_share_close(socket) }
  }

  /// Whether the owner has said hello on this connection.
  package var isOpen: Bool { phase == .open }

  /// What is there already: ``OwnerSource/receive()`` at `now`.
  package mutating func receive(at now: Instant) -> OwnerNews? {
    while true {
      do throws(Loss) {
        switch try go(at: now) {
        case .line: return .line
        case .wait: return nil
        case .again: continue
        }
      } catch {
        return lose(error, at: now)
      }
    }
  }

  /// ``OwnerSource/milliseconds`` at `now`.
  package func milliseconds(at now: Instant) -> Int32 {
    let left = due - now
    guard left > .zero else { return 0 }
    return saturated((left.count &+ 999) / 1_000)
  }

  private enum Step {
    case line
    case wait
    case again
  }

  private mutating func go(at now: Instant) throws(Loss) -> Step {
    switch phase {
    case .idle:
      guard now >= due else { return .wait }
      try begin(at: now)
      return .again
    case .connecting: return try finishConnecting(at: now)
    case .greeting, .open: return try hear(at: now)
    }
  }

  private mutating func drop() {
    if socket >= 0 { csupport_share_close(socket) }
    socket = -1
    (line, unread, unsent) = (0..<0, 0..<0, 0..<0)
  }

  /// The connection is lost, or could not be made: what is to be told, and when the next try is due.
  private mutating func lose(_ loss: Loss, at now: Instant) -> OwnerNews? {
    if phase == .open && now - begun >= StreamPatience.good { delay.reset() }
    drop()
    phase = .idle
    due = now + delay.next(random: csupport_random())
    let isNews = reported == nil || (loss.cause != .unreachable && loss.cause != reported)
    guard isNews else { return nil }
    reported = loss.cause
    return .gone(loss.words)
  }
}

extension OwnerLink: OwnerSource {
  /// What to wait for; -1 for nothing but time.
  package var descriptor: Int32 { socket }

  /// Whether ``descriptor`` is also waited for to be writable.
  package var waitsToWrite: Bool { phase == .connecting || !unsent.isEmpty }

  /// How long to wait at most until the next ``receive()``, in milliseconds.
  package var milliseconds: Int32 { milliseconds(at: Self.now) }

  /// What is there already; nil for nothing at present. Never waits, but for the name of a host.
  package mutating func receive() -> OwnerNews? { receive(at: Self.now) }

  /// Gives the last line, without its end, to `body`.
  package func withLine(_ body: (Span<UInt8>) -> Void) { body(inbox.span.extracting(line)) }

  /// Sends a line, without its end. Lost where there is no connection.
  package mutating func request(_ line: borrowing ShortText<128>) {
    guard phase == .open else { return }
    put(line)
  }

  private static var now: Instant { Instant(microseconds: csupport_clock_now()) }
}

// Connecting.
extension OwnerLink {
  private mutating func begin(at now: Instant) throws(Loss) {
    (begun, due) = (now, now + StreamPatience.connecting)
    farewell = ShortText()
    switch place {
    case .unix(let path):
      try unsafe connecting(path.withCString { path in unsafe csupport_connect_unix(path) })
    case .tcp(let host, let port):
      nextAddress = 0
      let code = unsafe host.withCString { host in unsafe csupport_connect_look_up(host, port, &addresses) }
      guard code == 0 else {
        let reason = unsafe ShortText<96>(cString: csupport_connect_lookup_text(code))
        throw Loss(.unreachable, "\(name): \(reason)")
      }
      try connectToNext(after: 0)
    }
  }

  /// Takes over a connection that was begun, or the system's code.
  private mutating func connecting(_ result: Int32) throws(Loss) {
    guard result >= 0 else { throw loss(0 &- result) }
    socket = result
    phase = .connecting
  }

  /// Begins to connect to the next address of the host, or gives up with the code of the one before.
  private mutating func connectToNext(after code: Int32) throws(Loss) {
    var code = code
    while nextAddress < addresses.count {
      let result = unsafe csupport_connect_tcp(&addresses, nextAddress)
      nextAddress &+= 1
      guard result < 0 else { return try connecting(result) }
      code = 0 &- result
    }
    throw loss(code)
  }

  private mutating func finishConnecting(at now: Instant) throws(Loss) -> Step {
    let outcome = csupport_connect_outcome(socket)
    if outcome > 0 {
      guard now < due else { throw loss(csupport_connect_timed_out()) }
      return .wait
    }
    guard outcome == 0 else {
      drop()
      guard case .tcp = place else { throw loss(0 &- outcome) }
      try connectToNext(after: 0 &- outcome)
      return .again
    }
    phase = .greeting
    due = now + StreamPatience.greeting
    silence = StreamPatience.silence(at: now)
    if token.count > 0 { put(tokenLine) }
    return .again
  }

  private var tokenLine: ShortText<160> {
    var line: ShortText<160> = "{\"token\":\""
    // Letters, digits, hyphens and underscores; what is none of them is no token, and the owner says so.
    for index in 0..<token.count where token[index] > 0x20 && token[index] != 0x22 && token[index] != 0x5C {
      line.append(byte: token[index])
    }
    line.append("\"}")
    return line
  }

  /// The place, in words.
  private var name: ShortText<256> {
    switch place {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): "tcp:\(host):\(UInt32(truncatingIfNeeded: port))"
    }
  }

  /// The error of a connection that the system did not make.
  private func loss(_ code: Int32) -> Loss {
    switch csupport_connect_trouble(code) {
    case CSUPPORT_CONNECT_NO_SOCKET:
      Loss(.unreachable, "no owner offers a stream at \(name): there is no such socket")
    case CSUPPORT_CONNECT_NO_LISTENER:
      Loss(.unreachable, "no owner offers a stream at \(name): no program listens there")
    case CSUPPORT_CONNECT_NOT_PERMITTED:
      Loss(.notPermitted, "no permission for the socket \(name): add the user of this program to its group, plumb")
    case CSUPPORT_CONNECT_NOT_A_SOCKET: Loss(.badProtocol, "\(name) is not the socket of a stream")
    default: Loss(.unreachable, "no connection to the owner at \(name): \(system: code)")
    }
  }
}

// Listening.
extension OwnerLink {
  private mutating func hear(at now: Instant) throws(Loss) -> Step {
    flush()
    while true {
      if try nextLine() {
        silence.hear(at: now)
        try check()
        return .line
      }
      switch fill() {
      case .more: continue
      case .none: return try waitForMore(at: now)
      case .ended(let code): throw ended(code)
      }
    }
  }

  /// Goes on to the next line; false where none is whole yet.
  private mutating func nextLine() throws(Loss) -> Bool {
    let limit = min(unread.upperBound, unread.lowerBound &+ Self.longestLine)
    for index in unread.lowerBound..<limit where inbox[index] == 0x0A {
      line = unread.lowerBound..<index
      unread = (index &+ 1)..<unread.upperBound
      return true
    }
    guard unread.count < Self.longestLine else {
      throw Loss(.badProtocol, "the owner at \(name) sent a line of more than \(UInt32(1_024)) bytes")
    }
    return false
  }

  private enum Arrival {
    case more
    case none
    /// No byte comes any more: with the system's code, or 0 where the other end has closed in order.
    case ended(Int32)
  }

  /// Receives what has come, into room that is always there: less than a line is unread.
  private mutating func fill() -> Arrival {
    line = 0..<0
    for index in 0..<unread.count { inbox[index] = inbox[unread.lowerBound &+ index] }
    unread = 0..<unread.count
    let (socket, start) = (socket, unread.count)
    var bytes = inbox.mutableSpan
    let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 as Int32 }
      return unsafe csupport_share_receive(socket, base + start, buffer.count &- start)
    }
    if count > 0 {
      unread = 0..<(start &+ Int(truncatingIfNeeded: count))
      return .more
    }
    return csupport_share_is_blocked(0 &- count) ? .none : .ended(0 &- count)
  }

  /// Reads of the line what matters to the connection.
  private mutating func check() throws(Loss) {
    let object: JSONObject
    do throws(JSONError) { object = try JSONObject(inbox.span.extracting(line)) } catch {
      throw isOpen
        ? Loss(.badProtocol, "the owner at \(name) sent a line that is not JSON") : stranger("it sent no JSON")
    }
    let event = object["event"]
    if event?.isString("hello") == true {
      guard object["protocol"]?.count == 1 else {
        throw Loss(.badProtocol, "the owner at \(name) speaks another protocol than 1: update the older of the two")
      }
      phase = .open
      reported = nil
      return
    }
    let isFarewell = event?.isString("bye") == true
    if isFarewell || !isOpen { farewell = Self.detail(of: object) }
    guard !isOpen else { return }
    if isFarewell || event?.isString("error") == true {
      throw Loss(.refused, "the owner at \(name) refuses: \(farewell)")
    }
    throw stranger("it did not begin with a hello")
  }

  private func stranger(_ words: StaticString) -> Loss {
    Loss(.badProtocol, "what listens at \(name) is no owner of a sensor: \(words)")
  }

  /// The words of the owner, fit for one line.
  private static func detail(of object: borrowing JSONObject) -> ShortText<160> {
    var text = ShortText<160>()
    object["detail"]?.forEachByte { byte in text.append(byte: byte < 0x20 || byte == 0x7F ? 0x3F : byte) }
    return text
  }

  /// Nothing has come: an owner that is silent for long is asked for a sign, and then given up.
  private mutating func waitForMore(at now: Instant) throws(Loss) -> Step {
    guard isOpen else {
      guard now < due else { throw Loss(.unreachable, "the owner at \(name) does not respond") }
      return .wait
    }
    switch silence.check(at: now) {
    case .wait(let end): due = end
    case .ask(let end):
      due = end
      put("{\"query\":\"hello\"}" as ShortText<128>)
    case .lost:
      let seconds = UInt64(bitPattern: (now - silence.heard).count / 1_000_000)
      throw Loss(.unreachable, "nothing came from the owner at \(name) for \(seconds) s")
    }
    return .wait
  }

  /// The error of a connection that the other end has closed.
  private func ended(_ code: Int32) -> Loss {
    if farewell.count > 0 { return Loss(.unreachable, "the owner at \(name) has ended: \(farewell)") }
    guard isOpen else {
      return Loss(.unreachable, "no owner offers a stream at \(name): the connection was closed at once")
    }
    guard code == 0 else { return Loss(.unreachable, "the owner at \(name) is gone: \(system: code)") }
    return Loss(.unreachable, "the owner at \(name) is gone: it has closed the connection")
  }
}

// Speaking.
extension OwnerLink {
  /// Has `line` go, and its end. Not where too much waits already, which nothing that is asked for comes near.
  private mutating func put<let capacity: Int>(_ line: borrowing ShortText<capacity>) {
    let start = unsent.count
    for index in 0..<start { outbox[index] = outbox[unsent.lowerBound &+ index] }
    unsent = 0..<start
    guard start &+ line.count < 1_024 else { return }
    for index in 0..<line.count { outbox[start &+ index] = line[index] }
    outbox[start &+ line.count] = 0x0A
    unsent = 0..<(start &+ line.count &+ 1)
    flush()
  }

  /// Sends what waits, as far as it goes. An error is found by receiving.
  private mutating func flush() {
    while !unsent.isEmpty {
      let bytes = outbox.span.extracting(unsent)
      let (socket, waiting) = (socket, unsent)
      let count = unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe csupport_share_send(socket, buffer.baseAddress, buffer.count, nil, 0)
      }
      guard count > 0 else { return }
      unsent = (waiting.lowerBound &+ Int(truncatingIfNeeded: count))..<waiting.upperBound
    }
  }
}
