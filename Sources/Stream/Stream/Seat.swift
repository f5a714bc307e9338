internal import CConnect
internal import CSupport
internal import FixedPoint

/// The place of a client: its connection, what it asked for, and what it has not taken yet.
@safe
struct Seat {
  /// The connection; below 0 for a free seat.
  private(set) var descriptor: Int32 = -1
  /// Its lines.
  var outbox: Outbox
  /// Whether the client is on a Unix socket.
  private(set) var isLocal = false
  /// When the client must have sent the token; nil once it has, and where none is needed.
  private(set) var tokenDue: Instant?
  /// The number of its client among all that have come.
  private(set) var arrival: UInt64 = 0
  /// Whether the client was sent that a token is needed.
  var isReminded = false
  /// When something came of the client last.
  private var lastHeard = Instant(microseconds: 0)
  /// Which samples it wants.
  private(set) var samples = SampleWish.none
  /// How often it wants the counters; zero for never.
  private(set) var countersInterval = Microseconds.zero
  /// Whether it wants the vibration of each second.
  var wantsVibration = false
  /// How many fresh readings it waits for.
  var readings: UInt8 = 0
  /// The commands that it waits for, a bit each.
  var commands: UInt8 = 0

  private var thinning = Thinning()
  private var nextCounters = Instant(microseconds: 0)

  /// The set in which the connection is waited for.
  private let set: Int32
  /// What the set returns of the connection: the place of this seat, and above it how many clients it has had.
  private(set) var mark: UInt32
  /// What has come of requests that are not complete or not handled yet.
  private let inbox: UnsafeMutableBufferPointer<UInt8>
  private var received = 0
  /// Whether the rest of a line is to be passed over.
  private var skipsLine = false
  /// Whether the client sends no more.
  private(set) var isDeaf = false
  /// Whether the connection takes no more for now.
  private var isBlocked = false
  /// How often the client may still be heard until ``renew()``: once for what is received, once for each request.
  private var patience = Seat.usualPatience
  /// What is waited for.
  private var wanted: Int32 = 0

  /// How often a client is heard between two samples. All of them together must not make one late.
  private static var usualPatience: UInt8 { 8 }
  /// A client that wants nothing, or takes nothing, may be silent for so long before it makes room for another.
  static var silence: Microseconds { .seconds(10) }

  /// A free seat.
  init(
    _ place: Int, in set: Int32, inbox: UnsafeMutableBufferPointer<UInt8>, outbox: UnsafeMutableBufferPointer<UInt8>
  ) {
    mark = UInt32(truncatingIfNeeded: place)
    self.set = set
    unsafe self.inbox = inbox
    self.outbox = unsafe Outbox(outbox)
    unsafe outboxMemory = outbox
  }

  private let outboxMemory: UnsafeMutableBufferPointer<UInt8>

  var isTaken: Bool { descriptor >= 0 }

  /// Whether it has a client that gets the stream.
  var isOpen: Bool { descriptor >= 0 && tokenDue == nil }

  /// Gives the seat at `now` to `descriptor`, the `arrival`th client; false where it cannot be waited for.
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

  /// For how long nothing has come of a client that wants nothing or takes nothing, where that is long enough to make
  /// room for another; nil for any other client, and one that has not sent the token.
  func silence(at now: Instant) -> Microseconds? {
    let wantsNothing =
      samples == .none && countersInterval == .zero && !wantsVibration && readings == 0 && commands == 0
    let length = now - lastHeard
    return isOpen && (wantsNothing || isBlocked) && length >= Self.silence ? length : nil
  }

  /// Ends the connection.
  mutating func leave() {
    if descriptor >= 0 { csupport_socket_close(descriptor) }
    clear()
  }

  private mutating func clear() {
    descriptor = -1
    outbox = unsafe Outbox(outboxMemory)
    (isLocal, tokenDue, isReminded, samples, countersInterval) = (false, nil, false, .none, .zero)
    (wantsVibration, readings, commands, thinning) = (false, 0, 0, Thinning())
    (received, skipsLine, isDeaf, isBlocked, patience) = (0, false, false, false, Self.usualPatience)
  }

  /// The token was right.
  mutating func admit() { tokenDue = nil }

  /// It waits for one more fresh reading.
  mutating func awaitReading() { readings = min(readings, UInt8.max &- 1) &+ 1 }

  /// Which samples it wants from now on.
  mutating func ask(for samples: SampleWish) {
    self.samples = samples
    thinning = Thinning()
  }

  /// How often it wants the counters from `now` on.
  mutating func askForCounters(every interval: Microseconds, at now: Instant) {
    countersInterval = interval
    nextCounters = now + interval
  }

  /// Whether it wants the sample at `now`, one of every `period`.
  mutating func wantsSample(at now: Instant, period: Microseconds) -> Bool {
    switch samples {
    case .none: false
    case .all, .raw: true
    case .every(let interval): thinning.chooses(now, every: interval, period: period)
    }
  }

  /// Whether it is time for the counters.
  mutating func wantsCounters(at now: Instant) -> Bool {
    guard countersInterval > .zero, now >= nextCounters else { return false }
    nextCounters = max(nextCounters, now - countersInterval) + countersInterval
    return true
  }
}

// Sending.
extension Seat {
  /// Sends what there is, in one system call, unless the connection takes no more; false if the client is gone.
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

  /// The connection takes more.
  mutating func unblock() -> Bool {
    isBlocked = false
    return flush() && adjust()
  }

  /// Waits for what matters now; false if that cannot be done.
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
  /// What came of a look for a request.
  enum Heard {
    /// A line of so many bytes, its end not counted: see ``line(_:)``.
    case line(Int)
    /// A line that is too long for the inbox.
    case tooLong
    /// Nothing more for now.
    case nothing
  }

  /// Whether lines were left because the client was heard often enough.
  var isImpatient: Bool { isTaken && patience == 0 }

  /// Hears the client again, as often as usual; false if the client is gone.
  mutating func renew() -> Bool {
    guard patience < Self.usualPatience else { return true }
    patience = Self.usualPatience
    return adjust()
  }

  /// Receives once, at `now`; false if the client is gone.
  mutating func receive(at now: Instant) -> Bool {
    guard patience > 0, !isDeaf else { return adjust() }
    let free = unsafe inbox.count &- received
    guard free > 0, let base = unsafe inbox.baseAddress else { return true }
    patience &-= 1
    let count = unsafe csupport_socket_receive(descriptor, base + received, free)
    if count > 0 {
      received = min(unsafe inbox.count, received &+ Int(truncatingIfNeeded: count))
      lastHeard = now
    }
    guard count >= 0 || csupport_socket_is_blocked(0 &- count) else { return false }
    // It may still listen, as one that got its only request from a pipe.
    if count == 0 { endLine() }
    return adjust()
  }

  /// The client sends no more: what it sent last is a line.
  private mutating func endLine() {
    isDeaf = true
    guard received > 0, unsafe received < inbox.count else { return }
    unsafe inbox[received] = 0x0A
    received &+= 1
  }

  /// The next line; call ``dropLine(_:)`` when it was handled.
  mutating func nextLine() -> Heard {
    var length = 0
    while length < received {
      guard unsafe inbox[length] == 0x0A else {
        length &+= 1
        continue
      }
      if skipsLine {
        skipsLine = false
        drop(length &+ 1)
        length = 0
        continue
      }
      guard patience > 0 else { return .nothing }
      return .line(length)
    }
    guard unsafe skipsLine || received == inbox.count else { return .nothing }
    // Nothing of it is kept.
    received = 0
    defer { skipsLine = true }
    return skipsLine ? .nothing : .tooLong
  }

  /// The line of `length` bytes, until anything else is received.
  func line(_ length: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: inbox[0..<max(0, min(received, length))])
  }

  /// The line of `length` bytes is done with; false if the client is gone.
  mutating func dropLine(_ length: Int) -> Bool {
    drop(length &+ 1)
    patience = patience == 0 ? 0 : patience &- 1
    return adjust()
  }

  private mutating func drop(_ count: Int) {
    for index in count..<max(count, received) { unsafe inbox[index &- count] = unsafe inbox[index] }
    received = max(0, received &- count)
  }
}
