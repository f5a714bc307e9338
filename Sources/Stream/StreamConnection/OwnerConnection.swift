internal import CConnect
package import FixedPoint
package import JSON
internal import Retry

/// What a connection to an owner yields.
package enum OwnerArrival {
  /// The connection is made, so lasting requests may be sent. The owner has not said hello yet.
  case connected
  /// A line. The first one of a connection is always a hello with the known protocol.
  case line(JSONObject)
  /// The connection is lost, or could not be made. It is retried automatically.
  case lost(OwnerLoss)
}

/// The connection of any client to the owner of a sensor: whole lines of at most 1024 bytes, including the end, over a
/// connection that is re-established automatically. Without a heap.
///
/// A connection counts as open once the owner has said hello in its first line. An owner that is silent for 2 s is
/// asked for a sign of life; after 5 s the connection counts as lost. The delay before a retry is 0.5 s, and doubles up
/// to 30 s, each ± 25 % at random (docs/stream.md).
///
/// It reads no clock: each function that needs the time takes it as an argument. Nothing waits, except for the lookup
/// of a host name.
package struct OwnerConnection<Place: OwnerPlace>: ~Copyable {
  /// The known version of the protocol.
  package static var knownProtocol: UInt64 { 1 }

  /// Where the owner is.
  package var place: Place
  private var phase = Phase.idle
  private var socket = StreamSocket()
  /// The addresses of a host, and the index of the next to try.
  private var addresses = csupport_connect_addresses()
  private var nextAddress: UInt32 = 0
  /// When something is due even if nothing arrives.
  private var due: Instant
  /// When connecting began.
  private var begun: Instant
  private var silence: SilenceWatch
  private var delay = StreamPatience.delay
  private var random: SplitMix64
  /// The owner's last words.
  private var bye: JSONObject?
  /// Whether the owner has asked for the token, which is on its way.
  private var wasReminded = false
  /// How many more lines are returned without a pause.
  private var linesLeft = Self.mostLines

  private enum Phase {
    /// Waits until the next try is due.
    case idle
    /// The place is being prepared.
    case preparing
    /// The system connects.
    case connecting
    /// Connected, without a hello yet.
    case greeting
    case open
    /// Ended for good.
    case over
  }

  /// After this many lines in a row, `receive` returns nil once, even if more have arrived: a program that takes
  /// everything available can then look at the time and at signals, whatever an owner sends.
  package static var mostLines: Int { 64 }

  /// How often the socket of a place in preparation is tried.
  private static var interval: Microseconds { .milliseconds(50) }

  /// A connection to the owner at `place`. It starts connecting with the first ``receive(at:)``.
  package init(to place: Place, random seed: UInt64, at now: Instant) {
    self.place = place
    random = SplitMix64(seed: seed)
    (due, begun, silence) = (now, now, StreamPatience.silence(at: now))
  }

  /// Whether the owner has said hello on this connection.
  package var isOpen: Bool { phase == .open }

  /// Whether the socket is connected.
  package var isConnected: Bool { phase == .open || phase == .greeting }

  /// Whether it has ended for good.
  package var isOver: Bool { phase == .over }

  /// What to wait for until ``receive(at:)`` has something to do: until it is readable, or also writable if
  /// ``waitsToWrite``. -1 to wait for time only.
  package var descriptor: Int32 { socket.descriptor }

  /// Whether to wait for ``descriptor`` to become writable as well.
  package var waitsToWrite: Bool { phase == .connecting || socket.waitsToWrite }

  /// How long to wait at most before the next ``receive(at:)``, in milliseconds; -1 for ever.
  package func milliseconds(at now: Instant) -> Int32 {
    guard !isOver else { return -1 }
    guard linesLeft > 0 else { return 0 }
    let left = due - now
    return left > .zero ? saturated((left.count &+ 999) / 1_000) : 0
  }

  /// All three of the above. Mutating, although nothing changes: the compiler would copy the whole of a merely borrowed
  /// connection onto the stack, once for each.
  package mutating func awaited(
    at now: Instant
  ) -> (descriptor: Int32, waitsToWrite: Bool, milliseconds: Int32) {
    (descriptor, waitsToWrite, milliseconds(at: now))
  }

  /// What has arrived; nil if nothing has, and now and then while lines keep arriving: see ``mostLines``.
  package mutating func receive(at now: Instant) -> OwnerArrival? {
    if linesLeft < 0 { linesLeft = Self.mostLines }
    while true {
      if linesLeft == 0 {
        linesLeft = -1
        return nil
      }
      do throws(OwnerLoss) {
        switch try go(at: now) {
        case .arrived(let arrival): return arrival
        case .wait:
          linesLeft = Self.mostLines
          return nil
        case .again: continue
        }
      } catch {
        abandon(at: now)
        return .lost(error)
      }
    }
  }

  /// Calls `body` with the bytes of the last line, without its end.
  package func withLine<Result>(_ body: (Span<UInt8>) -> Result) -> Result { socket.withLine(body) }

  /// Sends a line, given without its end, to the owner; returns false if there is no connection, or too much is unsent.
  package mutating func send(_ line: Span<UInt8>) -> Bool { isConnected && socket.put(line) }

  /// Closes the connection as lost; it is retried.
  package mutating func abandon(at now: Instant) {
    if isOpen && now - begun >= StreamPatience.good { delay.reset() }
    close()
    phase = .idle
    due = now + delay.next(random: random.next())
  }

  /// Closes the connection for good.
  package mutating func end() {
    close()
    phase = .over
  }

  private mutating func close() {
    socket.close()
    place.release()
  }

  private enum Step {
    case arrived(OwnerArrival)
    case wait
    case again
  }

  /// Does the next thing that needs no waiting.
  private mutating func go(at now: Instant) throws(OwnerLoss) -> Step {
    switch phase {
    case .over: return .wait
    case .idle:
      guard now >= due else { return .wait }
      (begun, due, bye, nextAddress) = (now, now + StreamPatience.connecting, nil, 0)
      wasReminded = false
      phase = .preparing
      return .again
    case .preparing: return try begin(at: now)
    case .connecting: return try finishConnecting(at: now)
    case .greeting, .open: return try hear(at: now)
    }
  }

  /// A sentence with the name of the place between `before` and `after`, and then what `more` writes.
  func loss(
    _ cause: OwnerLoss.Cause, _ before: StaticString, _ after: StaticString,
    _ more: (inout ByteWriter) -> Void = { _ in }
  ) -> OwnerLoss {
    OwnerLoss(cause) { writer in
      writer.append(before)
      place.writeName(to: &writer)
      writer.append(after)
      more(&writer)
    }
  }
}

// Connecting.
extension OwnerConnection {
  private mutating func begin(at now: Instant) throws(OwnerLoss) -> Step {
    guard place.prepare() else {
      let place = place
      throw OwnerLoss(.unreachable) { writer in place.writeTrouble(to: &writer) }
    }
    if place.isSerial { return try beginSerial(at: now) }
    if let port = place.port {
      let code = unsafe place.withPlace { host in unsafe csupport_connect_look_up(host, port, &addresses) }
      guard code == 0 else {
        throw loss(.unreachable, "", ": ") { writer in
          unsafe writer.append(cString: csupport_connect_lookup_text(code))
        }
      }
      return try connectToNext(after: 0)
    }
    let result = unsafe place.withPlace { path in unsafe csupport_connect_unix(path) }
    guard result < 0 else { return take(result) }
    let code = 0 &- result
    guard place.patience > .zero, csupport_connect_is_early(code) else { throw unconnected(code) }
    guard now - begun < place.patience else {
      let seconds = place.patience.count / 1_000_000
      throw loss(.unreachable, "", ": ssh made no connection in ") { writer in
        writer.append(whole: seconds)
        writer.append(" s")
      }
    }
    due = now + Self.interval
    return .wait
  }

  /// Takes over a connection in progress.
  private mutating func take(_ descriptor: Int32) -> Step {
    socket.open(descriptor)
    phase = .connecting
    return .again
  }

  /// Starts connecting to the next address of the host; if there is none, throws with the code of the last one.
  private mutating func connectToNext(after code: Int32) throws(OwnerLoss) -> Step {
    var code = code
    while nextAddress < addresses.count {
      let result = unsafe csupport_connect_tcp(&addresses, nextAddress)
      nextAddress &+= 1
      guard result < 0 else { return take(result) }
      code = 0 &- result
    }
    throw unconnected(code)
  }

  private mutating func finishConnecting(at now: Instant) throws(OwnerLoss) -> Step {
    let outcome = csupport_connect_outcome(socket.descriptor)
    if outcome > 0 {
      guard now < due else { throw unconnected(csupport_connect_timed_out()) }
      return .wait
    }
    guard outcome == 0 else {
      socket.close()
      guard place.port != nil else { throw unconnected(0 &- outcome) }
      return try connectToNext(after: 0 &- outcome)
    }
    greet(at: now)
    place.withToken { token in putToken(token) }
    // An empty token makes an owner that needs one say so at once.
    if place.port != nil && !place.hasToken { putToken(Span()) }
    return .arrived(.connected)
  }

  private mutating func greet(at now: Instant) {
    phase = .greeting
    due = now + StreamPatience.greeting
    silence = StreamPatience.silence(at: now)
  }

  /// Opens the serial line. What a program before this one asked for is ended, because without DTR the board does not
  /// notice that it has gone; so is half a line of it.
  private mutating func beginSerial(at now: Instant) throws(OwnerLoss) -> Step {
    let result = unsafe place.withPlace { path in unsafe csupport_serial_open(path) }
    guard result >= 0 else { throw unopened(0 &- result) }
    socket.open(result)
    greet(at: now)
    put("\n{\"samples\":0}\n{\"counters\":0}")
    askForHello(at: now)
    return .arrived(.connected)
  }

  private mutating func askForHello(at now: Instant) {
    put(Self.question)
    due = now + StreamPatience.asking
  }

  /// Asks for a sign of life.
  private static var question: StaticString { "{\"query\":\"hello\"}" }

  private mutating func put(_ line: StaticString) {
    _ = unsafe socket.put(Span(_unsafeStart: line.utf8Start, count: line.utf8CodeUnitCount))
  }

  private mutating func putToken(_ token: Span<UInt8>) {
    var bytes = InlineArray<512, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
      var writer = unsafe JSONWriter(buffer)
      writer.beginObject()
      writer.field("token", token)
      writer.endObject()
      return writer.count
    }
    // What does not fit is not a valid token, and the owner will say so.
    _ = socket.put(bytes.span.extracting(first: count))
  }

  /// The error for a connection that the system did not make.
  private func unconnected(_ code: Int32) -> OwnerLoss {
    switch csupport_connect_trouble(code) {
    case CSUPPORT_CONNECT_NO_SOCKET:
      loss(.unreachable, "no owner offers a stream at ", ": there is no such socket")
    case CSUPPORT_CONNECT_NO_LISTENER:
      loss(.unreachable, "no owner offers a stream at ", ": no program listens there")
    case CSUPPORT_CONNECT_NOT_PERMITTED:
      loss(
        .notPermitted, "no permission for the socket ",
        ": add the user of this program to its group (sudo usermod -aG plumb USER), then log in again")
    case CSUPPORT_CONNECT_NOT_A_SOCKET: loss(.badProtocol, "", " is not the socket of a stream")
    default: loss(.unreachable, "no connection to the owner at ", ": ") { writer in writer.append(system: code) }
    }
  }
}

// Listening.
extension OwnerConnection {
  private mutating func hear(at now: Instant) throws(OwnerLoss) -> Step {
    socket.flush()
    while true {
      switch socket.next() {
      case .line:
        silence.hear(at: now)
        linesLeft &-= 1
        if let object = try object() { return .arrived(.line(object)) }
        return try goOn(at: now)
      case .tooLong where isTuningIn:
        socket.skip()
        linesLeft &-= 1
        return try goOn(at: now)
      case .tooLong:
        throw loss(.badProtocol, "the owner at ", " sent a line of more than ") { writer in
          writer.append(whole: UInt64(bitPattern: widened(count: StreamSocket.longestLine)))
          writer.append(" bytes")
        }
      case .none: break
      }
      switch socket.fill() {
      case .more: continue
      case .none: return try waitForMore(at: now)
      case .ended(let code): throw ended(code)
      }
    }
  }

  /// Whether lines other than a hello mean nothing: a serial line begins in the middle of what was sent before.
  private var isTuningIn: Bool { place.isSerial && !isOpen }

  /// Goes on after a line that was discarded, unless the hello is overdue.
  private mutating func goOn(at now: Instant) throws(OwnerLoss) -> Step {
    if !isOpen { try awaitHello(at: now) }
    return .again
  }

  /// Throws if the hello is overdue. A board is asked for it again now and then: half a line may have hidden it, or the
  /// board may have started since.
  private mutating func awaitHello(at now: Instant) throws(OwnerLoss) {
    guard now >= due else { return }
    guard place.isSerial, now - begun < StreamPatience.greeting else { throw unanswered }
    askForHello(at: now)
  }

  /// The object in the last line, of which the connection takes what concerns it; nil for an object meant for it alone.
  private mutating func object() throws(OwnerLoss) -> JSONObject? {
    let parsed = socket.withLine { line -> JSONObject? in
      do throws(JSONError) { return try JSONObject(line) } catch { return nil }
    }
    if isTuningIn && parsed?["event"]?.isString("hello") != true { return nil }
    guard let object = parsed else {
      throw isOpen ? loss(.badProtocol, "the owner at ", " sent a line that is not JSON") : noOwner("it sent no JSON")
    }
    let event = object["event"]
    if event?.isString("hello") == true {
      guard let version = object["protocol"]?.count else { throw noOwner("its hello does not name a protocol") }
      guard version == Self.knownProtocol else { throw otherProtocol(version, object) }
      phase = .open
      return object
    }
    let isBye = event?.isString("bye") == true
    if isBye { bye = object }
    // The line stays open.
    if isBye && place.isSerial { throw ended(0) }
    guard !isOpen else { return object }
    if object["needs"]?.isString("token") == true {
      // The token may be on its way.
      if place.hasToken && !wasReminded {
        wasReminded = true
        return nil
      }
      throw loss(.refused, "the owner at ", " needs a token: ") { writer in place.writeTokenAdvice(to: &writer) }
    }
    if isBye || event?.isString("error") == true {
      guard let reason = object["detail"] else { throw loss(.refused, "the owner at ", " refuses and gives no reason") }
      throw loss(.refused, "the owner at ", " refuses: ") { writer in writer.append(text: reason) }
    }
    throw noOwner("it did not begin with a hello")
  }

  private func otherProtocol(_ version: UInt64, _ hello: JSONObject) -> OwnerLoss {
    loss(.badProtocol, "the owner at ", "") { writer in
      if let program = hello["plumb"] {
        writer.append(" (plumb ")
        writer.append(text: program)
        writer.append(")")
      }
      writer.append(" speaks protocol ")
      writer.append(whole: version)
      writer.append(", and this program protocol ")
      writer.append(whole: Self.knownProtocol)
      writer.append(": update the older of the two")
    }
  }

  private func noOwner(_ words: StaticString) -> OwnerLoss {
    loss(.badProtocol, "the program at ", " is not the owner of a sensor: ") { writer in writer.append(words) }
  }

  /// Handles silence: an owner that is silent for long is asked for a sign of life, and then given up.
  private mutating func waitForMore(at now: Instant) throws(OwnerLoss) -> Step {
    guard isOpen else {
      try awaitHello(at: now)
      return .wait
    }
    switch silence.check(at: now) {
    case .wait(let end): due = end
    case .ask(let end):
      due = end
      put(Self.question)
    case .lost:
      let seconds = (now - silence.heard).count / 1_000_000
      throw loss(.unreachable, "nothing came from the owner at ", " for ") { writer in
        writer.append(whole: seconds)
        writer.append(" s")
      }
    }
    return .wait
  }

  /// The error for a connection that the other end has closed.
  private func ended(_ code: Int32) -> OwnerLoss {
    if let bye {
      return loss(.unreachable, "the owner at ", " has ended: ") { writer in writer.append(text: bye["detail"]) }
    }
    guard !place.isSerial else { return loss(.unreachable, "the board at ", " was unplugged") }
    guard isOpen else {
      return loss(.unreachable, "no owner offers a stream at ", ": the connection was closed at once") { writer in
        writeTrouble(to: &writer)
      }
    }
    return loss(.unreachable, "the owner at ", " is gone: ") { writer in
      if code == 0 { writer.append("it has closed the connection") } else { writer.append(system: code) }
      writeTrouble(to: &writer)
    }
  }

  private var unanswered: OwnerLoss {
    place.isSerial
      ? loss(.unreachable, "nothing at ", " responds as a board with Plumb's firmware (docs/pico.md)")
      : loss(.unreachable, "the owner at ", " does not respond") { writer in writeTrouble(to: &writer) }
  }

  /// Writes what is known about the preparation of the place, in brackets.
  private func writeTrouble(to writer: inout ByteWriter) {
    let trouble = OwnerLoss(.unreachable) { writer in place.writeTrouble(to: &writer) }
    trouble.withWords { words in
      guard words.count > 0 else { return }
      writer.append(" (ssh: ")
      writer.append(bytes: words)
      writer.append(")")
    }
  }
}

#if !hasFeature(Embedded)
  extension OwnerConnection {
    /// The last line, without its end and with control characters between its values as spaces.
    package var line: String {
      withLine { bytes in
        var filter = TextFilter()
        var text: [UInt8] = []
        for index in 0..<bytes.count { filter.take(max(0x20, bytes[index])) { text.append($0) } }
        return String(decoding: text, as: UTF8.self)
      }
    }
  }

  extension OwnerLoss: CustomStringConvertible {
    /// The sentence.
    package var description: String {
      withWords { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }
    }
  }
#endif
