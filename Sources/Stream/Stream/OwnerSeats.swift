internal import CConnect
internal import CSupport
package import FixedPoint
internal import Monitor
internal import Text

// Which seats something concerns. They are chosen first, then served: serving one client changes no other's seat.
extension StreamOwner {
  /// The seats for which `isChosen` is true.
  @inline(__always)
  func seats(where isChosen: (Int) -> Bool) -> SeatSet {
    var chosen = SeatSet()
    for index in 0..<Self.seatCount where isChosen(index) { chosen.insert(index) }
    return chosen
  }

  /// Calls `body` with the index of each of the `chosen` seats, in order.
  @inline(__always)
  mutating func forEachSeat(_ chosen: SeatSet, _ body: (inout StreamOwner, _ index: Int) -> Void) {
    var rest = chosen
    while let index = rest.next() { body(&self, index) }
  }

  /// The seats that have a client or an unauthenticated connection.
  var taken: SeatSet { seats { room.seats[$0].isTaken } }
  /// The seats whose clients get the stream.
  var open: SeatSet { seats { room.seats[$0].isOpen } }
  /// The seats whose clients wait for a reading.
  var awaitingReading: SeatSet { seats { room.seats[$0].wishes.readings > 0 } }

  /// The seats whose clients wait for `command`.
  func awaiting(_ command: Request.Command) -> SeatSet {
    seats { room.seats[$0].wishes.awaits(command) }
  }
}

// What is sent to clients.
extension StreamOwner {
  /// Appends a line to the outboxes of the `chosen` clients.
  mutating func append(_ line: UnsafeBufferPointer<UInt8>, to chosen: SeatSet) {
    forEachSeat(chosen) { owner, index in unsafe owner.room.seats[index].outbox.append(line) }
  }

  /// Writes a line, and returns it; it is valid until the next one is written.
  func compose(_ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> UnsafeBufferPointer<UInt8> {
    let bytes = unsafe (memory + Self.roomSize).assumingMemoryBound(to: UInt8.self)
    let count = unsafe write(UnsafeMutableBufferPointer(start: bytes, count: Self.lineSize))
    return unsafe UnsafeBufferPointer(start: bytes, count: count)
  }

  /// Appends a line to the outbox of the client at `index`.
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

  /// Sends what is in the outbox of the client at `index`.
  mutating func flush(_ index: Int) {
    if !room.seats[index].flush() { leave(index) }
  }

  mutating func leave(_ index: Int) {
    guard room.seats[index].isTaken else { return }
    if room.seats[index].tokenDue == nil { clients &-= 1 } else { unauthenticated &-= 1 }
    room.seats[index].leave()
  }

  /// Ends a connection with an error.
  mutating func dismiss(_ index: Int, _ detail: StaticString) {
    sendError(to: index, detail)
    dismiss(index)
  }

  /// Ends a connection, after sending what is in its outbox.
  mutating func dismiss(_ index: Int) {
    _ = room.seats[index].flush()
    leave(index)
  }

  /// Sends an unauthenticated connection the error that a token is needed, once.
  mutating func sendTokenNeeded(to index: Int) {
    guard !room.seats[index].isReminded else { return }
    room.seats[index].isReminded = true
    unsafe send(to: index) { lines, line in unsafe lines.tokenNeeded(into: line) }
  }

  /// Sends it to those that have sent no token for a while, and disconnects them after a longer time.
  mutating func remindUnauthenticated(at now: Instant) {
    guard unauthenticated > 0 else { return }
    forEachSeat(seats { room.seats[$0].tokenDue != nil }) { owner, index in
      guard let due = owner.room.seats[index].tokenDue else { return }
      if now >= due {
        owner.dismiss(index, "no token came within 10 s: pass the owner's with --from-token FILE")
      } else if now >= due - (Self.tokenTime - Self.reminderTime) {
        owner.sendTokenNeeded(to: index)
        owner.flush(index)
      }
    }
  }

  static var fullWords: StaticString { "all 16 places for clients are taken: try again later" }

  /// Gives a connection a seat, or sends that there is none.
  package mutating func admit(_ descriptor: Int32, isLocal: Bool, at now: Instant) {
    let isUnauthenticated = !isLocal && room.token != nil
    room.arrivals &+= 1
    if isUnauthenticated { makeRoomForUnauthenticated(at: now) }
    let hasRoom = isUnauthenticated || makeRoom(isLocal: isLocal, at: now)
    var free = seats { !room.seats[$0].isTaken }
    guard hasRoom, let index = free.next(),
      room.seats[index].take(
        descriptor, room.arrivals, isLocal: isLocal, tokenDue: isUnauthenticated ? now + Self.tokenTime : nil, at: now)
    else {
      let words: StaticString = hasRoom ? "the system has no room for another client: try again later" : Self.fullWords
      let line = unsafe compose { unsafe room.lines.bye(ShortText(words), into: $0) }
      _ = unsafe csupport_socket_send(descriptor, line.baseAddress, line.count, nil, 0)
      return csupport_socket_close(descriptor)
    }
    guard !isUnauthenticated else {
      unauthenticated &+= 1
      return
    }
    clients &+= 1
    sendHello(to: index, at: now)
    flush(index)
  }

  /// The seats of TCP clients.
  var remote: SeatSet { seats { room.seats[$0].isOpen && !room.seats[$0].isLocal } }

  /// Whether there is a seat for one more client.
  func hasRoom(isLocal: Bool) -> Bool {
    let most = room.hasLocalListener ? Self.mostRemote : Self.capacity
    return clients < Self.capacity && (isLocal || remote.count < most)
  }

  /// Makes room for one more client: if seats are short, disconnects the one that has been silent for longest, for a
  /// TCP client only another TCP client. Returns false if all are in use.
  mutating func makeRoom(isLocal: Bool, at now: Instant) -> Bool {
    if hasRoom(isLocal: isLocal) { return true }
    // A client that has just gone leaves its seat now: its successor may be served first.
    forEachReady { owner, event in
      guard event.is_gone, let index = owner.seat(of: event), owner.room.seats[index].isOpen else { return }
      owner.leave(index)
    }
    if hasRoom(isLocal: isLocal) { return true }
    var (oldest, longest): (Int?, Microseconds) = (nil, .zero)
    forEachSeat(isLocal ? open : remote) { owner, index in
      guard let silence = owner.room.seats[index].silence(at: now), silence > longest else { return }
      (oldest, longest) = (index, silence)
    }
    guard let oldest else { return false }
    unsafe send(to: oldest) { lines, line in
      unsafe lines.bye("another client needs this place, and this one has been silent for longest", into: line)
    }
    dismiss(oldest)
    return true
  }

  /// Makes room for one more unauthenticated connection: ends the oldest if there are too many, unless its token has
  /// arrived by now.
  mutating func makeRoomForUnauthenticated(at now: Instant) {
    guard unauthenticated >= Self.mostUnauthenticated else { return }
    var (oldest, first): (Int?, UInt64) = (nil, .max)
    forEachSeat(seats { room.seats[$0].tokenDue != nil }) { owner, index in
      guard owner.room.seats[index].arrival < first else { return }
      (oldest, first) = (index, owner.room.seats[index].arrival)
    }
    guard let oldest else { return }
    listen(to: oldest, at: now)
    guard room.seats[oldest].tokenDue != nil else { return flush(oldest) }
    dismiss(oldest, "newer clients took this place before the token came: try again")
  }

  /// Listens again to clients that had used up their share.
  mutating func renewSeats(at now: Instant) {
    forEachSeat(taken) { owner, index in
      let isWaiting = owner.room.seats[index].isImpatient
      guard owner.room.seats[index].renew() else { return owner.leave(index) }
      if isWaiting { owner.hear(index, at: now) }
    }
  }
}
