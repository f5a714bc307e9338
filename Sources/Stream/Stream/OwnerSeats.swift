internal import CConnect
package import FixedPoint
internal import Monitor
internal import Text

// Which seats something is for. They are chosen first, then served: what is done for one client changes no other's
// seat.
extension StreamOwner {
  /// The seats of which `isChosen` is true.
  @inline(__always)
  func seats(where isChosen: (Int) -> Bool) -> SeatSet {
    var chosen = SeatSet()
    for index in 0..<Self.capacity where isChosen(index) { chosen.insert(index) }
    return chosen
  }

  /// Calls `body` with the place of each of the `chosen` seats, in order.
  @inline(__always)
  mutating func forEachSeat(_ chosen: SeatSet, _ body: (inout StreamOwner, _ index: Int) -> Void) {
    var rest = chosen
    while let index = rest.next() { body(&self, index) }
  }

  /// The seats that have a client.
  var taken: SeatSet { seats { room.seats[$0].isTaken } }
  /// The seats that have a client that gets the stream.
  var open: SeatSet { seats { room.seats[$0].isOpen } }
  /// The seats whose clients wait for a reading.
  var awaitingReading: SeatSet { seats { room.seats[$0].readings > 0 } }

  /// The seats whose clients wait for `command`.
  func awaiting(_ command: Request.Command) -> SeatSet {
    seats { room.seats[$0].commands & 1 &<< command.rawValue != 0 }
  }
}

// What goes to the clients on seats.
extension StreamOwner {
  /// Adds a line to the outboxes of `chosen` clients.
  mutating func append(_ line: UnsafeBufferPointer<UInt8>, to chosen: SeatSet) {
    forEachSeat(chosen) { owner, index in unsafe owner.room.seats[index].outbox.append(line) }
  }

  /// Has a line written, and returns it until the next one is.
  func compose(_ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> UnsafeBufferPointer<UInt8> {
    let bytes = unsafe (memory + Self.roomSize).assumingMemoryBound(to: UInt8.self)
    let count = unsafe write(UnsafeMutableBufferPointer(start: bytes, count: Self.lineSize))
    return unsafe UnsafeBufferPointer(start: bytes, count: count)
  }

  /// Adds a line to the outbox of the client at `index`.
  mutating func send(
    to index: Int, _ write: (borrowing OwnerLines, UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    let line = unsafe compose { unsafe write(room.lines, $0) }
    unsafe room.seats[index].outbox.append(line)
  }

  mutating func sendHello(to index: Int, at now: Instant) {
    let line = unsafe compose { line in
      unsafe room.lines.hello(
        room.snapshot, clients: clients, allowsCommands: room.configuration.allowsCommands, at: now, into: line)
    }
    unsafe room.seats[index].outbox.append(line)
  }

  mutating func sendHelloToAll(at now: Instant) {
    forEachSeat(open) { owner, index in owner.sendHello(to: index, at: now) }
    flushAll()
  }

  mutating func sendCounters(to index: Int, at now: Instant) {
    let missed = room.seats[index].outbox.missedInAll
    let line = unsafe compose { line in
      unsafe room.lines.counters(room.snapshot, clients: clients, missed: missed, at: now, into: line)
    }
    unsafe room.seats[index].outbox.append(line)
  }

  mutating func sendError(to index: Int, _ detail: StaticString) {
    unsafe send(to: index) { lines, line in unsafe lines.error(ShortText(detail), into: line) }
  }

  /// Sends what there is for the client at `index`.
  mutating func flush(_ index: Int) {
    if !room.seats[index].flush() { leave(index) }
  }

  mutating func leave(_ index: Int) {
    guard room.seats[index].isTaken else { return }
    room.seats[index].leave()
    clients &-= 1
  }

  /// Ends the connection of a client that did not send the token, with an error.
  mutating func dismiss(_ index: Int, _ detail: StaticString) {
    sendError(to: index, detail)
    _ = room.seats[index].flush()
    leave(index)
  }

  /// Gives a client a seat, or says that there is none.
  package mutating func admit(_ descriptor: Int32, isLocal: Bool, at now: Instant) {
    let needsToken = !isLocal && room.token != nil
    guard let index = freeSeat(needsToken: needsToken),
      room.seats[index].take(
        descriptor, isLocal: isLocal, tokenDue: needsToken ? now + Self.tokenTime : nil)
    else {
      let words: StaticString =
        clients == Self.capacity
        ? "all 16 places for clients are taken: try again later"
        : needsToken
          ? "too many clients have not sent their token yet: try again later"
          : "the system has no room for another client: try again later"
      let line = unsafe compose { unsafe room.lines.bye(ShortText(words), into: $0) }
      _ = unsafe csupport_socket_send(descriptor, line.baseAddress, line.count, nil, 0)
      return csupport_socket_close(descriptor)
    }
    clients &+= 1
    guard !needsToken else { return }
    sendHello(to: index, at: now)
    flush(index)
  }

  func freeSeat(needsToken: Bool) -> Int? {
    let withoutToken = seats { room.seats[$0].tokenDue != nil }
    guard !needsToken || withoutToken.count < Self.mostWithoutToken else { return nil }
    var free = seats { !room.seats[$0].isTaken }
    return free.next()
  }

  /// Hears clients again that were heard often enough for the last time.
  mutating func renewSeats(at now: Instant) {
    forEachSeat(taken) { owner, index in
      let isWaiting = owner.room.seats[index].isImpatient
      guard owner.room.seats[index].renew() else { return owner.leave(index) }
      if isWaiting { owner.hear(index, at: now) }
    }
  }
}
