internal import CConnect
internal import CSupport
internal import FixedPoint

/// A client's seat: its connection, what it asked for, and what it has not yet received.
@safe
struct Seat {
  /// The connection; below 0 for a free seat.
  private(set) var descriptor: Int32 = -1
  /// The lines to send.
  var outbox: Outbox
  /// Whether the client is on a Unix socket.
  private(set) var isLocal = false
  /// When the client must have sent the token; nil once it has, or if none is needed.
  private(set) var tokenDue: Instant?
  /// The client's number, in order of arrival.
  private(set) var arrival: UInt64 = 0
  /// Whether the owner has asked the client for the token.
  var isReminded = false
  /// When something last arrived from the client.
  private var lastHeard = Instant(microseconds: 0)
  /// What it asked for.
  var wishes = ClientWishes()

  /// The set in which the owner waits for the connection.
  private let set: Int32
  /// What the set returns for the connection: the index of this seat, and above it how many clients it has had.
  private(set) var mark: UInt32
  /// The received bytes of requests that are incomplete or not handled yet.
  private var inbox: Inbox
  /// Whether the client sends no more.
  private(set) var isDeaf = false
  /// Whether the connection takes no more for now.
  private var isBlocked = false
  /// How often the owner listens to the client until ``renew()``: once per receive, once per request.
  private var patience = Seat.usualPatience
  /// The events that the owner waits for.
  private var wanted: Int32 = 0

  /// How often the owner listens to a client between two samples. All clients together must not make a sample late.
  private static var usualPatience: UInt8 { 8 }
  /// How long a client that wants or takes nothing may be silent before it makes room for another.
  static var silence: Microseconds { .seconds(10) }

  /// A free seat.
  init(
    _ place: Int, in set: Int32, inbox: UnsafeMutableBufferPointer<UInt8>, outbox: UnsafeMutableBufferPointer<UInt8>
  ) {
    mark = UInt32(truncatingIfNeeded: place)
    self.set = set
    self.inbox = unsafe Inbox(inbox)
    self.outbox = unsafe Outbox(outbox)
    unsafe outboxMemory = outbox
  }

  private let outboxMemory: UnsafeMutableBufferPointer<UInt8>

  var isTaken: Bool { descriptor >= 0 }

  /// Whether it has a client that gets the stream.
  var isOpen: Bool { descriptor >= 0 && tokenDue == nil }

  /// Gives the seat to `descriptor`, the `arrival`th client, at `now`; returns false if it cannot be waited for.
  mutating func take(_ descriptor: Int32, _ arrival: UInt64, isLocal: Bool, tokenDue: Instant?, at now: Instant) -> Bool
  {
    clear()
    self.arrival = arrival
    wanted = Int32(truncatingIfNeeded: CSUPPORT_SHARE_INPUT)
    mark = mark &+ 0x100
    guard csupport_share_add(set, descriptor, mark, wanted) == 0 else { return false }
    (self.descriptor, self.isLocal, self.tokenDue, lastHeard) = (descriptor, isLocal, tokenDue, now)
    return true
  }

  /// How long a client that wants or takes nothing has been silent, if that is long enough to make room for another;
  /// nil for any other client, and for an unauthenticated connection.
  func silence(at now: Instant) -> Microseconds? {
    let length = now - lastHeard
    return isOpen && (wishes.isEmpty || isBlocked) && length >= Self.silence ? length : nil
  }

  /// Ends the connection.
  mutating func leave() {
    if descriptor >= 0 { csupport_socket_close(descriptor) }
    clear()
  }

  private mutating func clear() {
    descriptor = -1
    outbox = unsafe Outbox(outboxMemory)
    (isLocal, tokenDue, isReminded, wishes) = (false, nil, false, ClientWishes())
    (isDeaf, isBlocked, patience) = (false, false, Self.usualPatience)
    inbox.clear()
  }

  /// Turns an unauthenticated connection with the right token into a client.
  mutating func admit() { tokenDue = nil }
}

// Sending.
extension Seat {
  /// Sends what is in the outbox in one system call, unless the connection takes no more; returns false if the client
  /// is gone.
  mutating func flush() -> Bool {
    guard isTaken, !isBlocked, !outbox.isEmpty else { return true }
    let connection = descriptor
    let sent = unsafe outbox.flush { first, second in
      unsafe csupport_socket_send(connection, first.baseAddress, first.count, second.baseAddress, second.count)
    }
    guard sent >= 0 || csupport_socket_is_blocked(0 &- sent) else { return false }
    isBlocked = !outbox.isEmpty
    return adjust()
  }

  /// Sends again, now that the connection takes more.
  mutating func unblock() -> Bool {
    isBlocked = false
    return flush() && adjust()
  }

  /// Waits for what matters now; returns false if that fails.
  private mutating func adjust() -> Bool {
    let input = isDeaf || patience == 0 ? 0 : CSUPPORT_SHARE_INPUT
    let next = Int32(truncatingIfNeeded: input | (isBlocked ? CSUPPORT_SHARE_ROOM : 0))
    guard next != wanted else { return true }
    wanted = next
    return csupport_share_change(set, descriptor, mark, next) == 0
  }
}

// Receiving.
extension Seat {
  /// Whether lines were left because the client had used up its share.
  var isImpatient: Bool { isTaken && patience == 0 }

  /// Listens to the client again, as often as usual; returns false if the client is gone.
  mutating func renew() -> Bool {
    guard patience < Self.usualPatience else { return true }
    patience = Self.usualPatience
    return adjust()
  }

  /// Receives once, at `now`; returns false if the client is gone.
  mutating func receive(at now: Instant) -> Bool {
    guard patience > 0, !isDeaf else { return adjust() }
    guard inbox.hasRoom else { return true }
    patience &-= 1
    let connection = descriptor
    let count = unsafe inbox.fill { unsafe csupport_socket_receive(connection, $0.baseAddress, $0.count) }
    if count > 0 { lastHeard = now }
    guard count >= 0 || csupport_socket_is_blocked(0 &- count) else { return false }
    // It may still listen, as a client does whose only request came from a pipe.
    if count == 0 {
      isDeaf = true
      inbox.endLine()
    }
    return adjust()
  }

  /// The next line; call ``dropLine(_:)`` once it has been handled.
  mutating func nextLine() -> Inbox.Heard { inbox.nextLine(mayReturn: patience > 0) }

  /// The line of `length` bytes, valid until more is received.
  func line(_ length: Int) -> UnsafeBufferPointer<UInt8> { unsafe inbox.line(length) }

  /// Removes the line of `length` bytes; returns false if the client is gone.
  mutating func dropLine(_ length: Int) -> Bool {
    inbox.dropLine(length)
    patience = patience == 0 ? 0 : patience &- 1
    return adjust()
  }
}
