public import BoardFile
internal import CSupport
public import FixedPoint
public import HAL
public import Monitor
public import Orientation
public import Sensors
public import Text
internal import Vibration

/// The owner of a sensor, who shares what it observes with up to 16 clients: on Unix sockets, and over TCP where asked for.
///
/// Hand it every observation by ``observe(_:raw:at:)``, and call ``serve(_:)`` whenever a wait was ended by a
/// client. It never blocks, and allocates its memory once, without a heap. No client can delay a sample: each has a bounded
/// outbox, which loses its oldest lines when it is full, and is heard a few times between two samples at most.
@safe
public struct StreamOwner: ~Copyable {
  /// The most clients at a time.
  public static var capacity: Int { 16 }
  /// The most clients over TCP that have not sent the token yet: clients of this computer find a seat besides.
  static var mostWithoutToken: Int { 4 }
  /// The most addresses at which the stream is offered.
  static var mostListeners: Int { 4 }

  static var inboxSize: Int { 512 }
  static var outboxSize: Int { 16_384 }
  /// The longest line, with its end.
  static var lineSize: Int { 1_024 }

  /// How a stream is offered.
  public struct Configuration: Sendable {
    /// What the owner calls the board: the name of its file.
    public var name: ShortText<128>
    /// Whether clients on a Unix socket may send commands.
    public var allowsCommands: Bool
    /// Whether one of the commands is `reload`, which reads the board file again.
    public var canReload: Bool

    /// A configuration.
    public init(name: ShortText<128>, allowsCommands: Bool = false, canReload: Bool = false) {
      self.name = name
      self.allowsCommands = allowsCommands
      self.canReload = canReload
    }
  }

  /// Where the stream is offered.
  private struct Listener {
    let descriptor: Int32
    let isLocal: Bool
    /// The path of a socket that is removed at the end; nil for TCP.
    var path: ShortText<108>?
    /// Whether it is the service manager's, and stays open.
    var isInherited = false
    /// How many connections may still be accepted until the next sample.
    var patience = Listener.usualPatience
    /// Whether it is waited for.
    var isAwake = true

    /// Each costs half a dozen system calls.
    static var usualPatience: UInt8 { 8 }

    /// Ends it.
    func close() {
      if isInherited { return }
      if let path { unsafe path.withCString { unsafe csupport_share_remove($0) } }
      csupport_share_close(descriptor)
    }
  }

  /// What an owner keeps. It lies in memory of its own, so that no copy of it is ever on the stack.
  private struct Room {
    let configuration: Configuration
    var seats: InlineArray<16, Seat>
    var listeners = InlineArray<4, Listener?>(repeating: nil)
    var token: Token?
    var lines: OwnerLines
    /// What is known of the board now: what a client is shown that has just come.
    var snapshot: Snapshot
    /// How many events there were of boards before this one.
    var pastEvents: UInt64 = 0
    /// When the last sample was taken.
    var lastSample: Instant
    /// The tare that is being taken; nil for none.
    var capture: TareCapture?
  }

  /// The memory: the room, a line, and the inboxes and outboxes of all seats.
  private let memory: UnsafeMutableRawPointer
  private let set: Int32

  /// How many clients there are.
  public private(set) var clients = 0
  /// Whether a fresh reading was taken since the last observation.
  private var hasQueried = false

  /// Room for the room, in whole pages.
  private static var roomSize: Int { (MemoryLayout<Room>.size &+ 4_095) & ~4_095 }
  private static var memorySize: Int { roomSize &+ lineSize &+ capacity &* (inboxSize &+ outboxSize) }

  private var room: Room {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(memory.assumingMemoryBound(to: Room.self)) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe memory.assumingMemoryBound(to: Room.self) }
  }

  /// An owner of `board` that has begun at `now`, whose stream is offered nowhere yet.
  public init(_ board: BoardDescription, _ configuration: Configuration, at now: Instant) throws(StreamOwnerError) {
    let set = csupport_share_open_set()
    guard set >= 0 else { throw .system(code: 0 &- set) }
    guard let memory = unsafe csupport_memory_map(Self.memorySize) else {
      csupport_share_close(set)
      throw .system(code: csupport_memory_none())
    }
    unsafe self.memory = memory
    self.set = set
    let inboxes = unsafe (memory + (Self.roomSize &+ Self.lineSize)).assumingMemoryBound(to: UInt8.self)
    let outboxes = unsafe inboxes + Self.capacity &* Self.inboxSize
    unsafe memory.assumingMemoryBound(to: Room.self).initialize(
      to: Room(
        configuration: configuration,
        seats: InlineArray { index in
          unsafe Seat(
            index, in: set,
            inbox: UnsafeMutableBufferPointer(start: inboxes + index &* Self.inboxSize, count: Self.inboxSize),
            outbox: UnsafeMutableBufferPointer(start: outboxes + index &* Self.outboxSize, count: Self.outboxSize))
        },
        lines: OwnerLines(board, configuration.name, start: now), snapshot: Snapshot(of: board, at: now), lastSample: now))
  }

  deinit {
    var rest = taken
    while let index = rest.next() { csupport_share_close(room.seats[index].descriptor) }
    for index in 0..<Self.mostListeners { room.listeners[index]?.close() }
    csupport_share_close(set)
    unsafe csupport_memory_unmap(memory, Self.memorySize)
  }
}

// Which seats something is for. They are chosen first, then served: what is done for one client changes no other's seat.
extension StreamOwner {
  /// The seats of which `isChosen` is true.
  @inline(__always)
  private func seats(where isChosen: (Int) -> Bool) -> SeatSet {
    var chosen = SeatSet()
    for index in 0..<Self.capacity where isChosen(index) { chosen.insert(index) }
    return chosen
  }

  /// The seats that have a client.
  private var taken: SeatSet { seats { room.seats[$0].isTaken } }
  /// The seats that have a client that gets the stream.
  private var open: SeatSet { seats { room.seats[$0].isOpen } }
  /// The seats whose clients wait for a reading.
  private var awaitingReading: SeatSet { seats { room.seats[$0].readings > 0 } }

  /// The seats whose clients wait for `command`.
  private func awaiting(_ command: Request.Command) -> SeatSet {
    seats { room.seats[$0].commands & 1 &<< command.rawValue != 0 }
  }
}

// Where the stream is offered.
extension StreamOwner {
  /// Offers the stream on the Unix socket `path`.
  public mutating func listen(unix path: ShortText<108>) throws(StreamOwnerError) {
    guard path[0] == 0x2F, !path.isCut else { throw .badPath(path) }
    let descriptor = unsafe path.withCString { unsafe csupport_share_listen_unix($0) }
    guard descriptor >= 0 else { throw StreamOwnerError(path, code: 0 &- descriptor) }
    try add(Listener(descriptor: descriptor, isLocal: true, path: path))
  }

  /// Offers the stream at TCP `port` of `host`: of this computer alone, unless a token was read before.
  public mutating func listen(tcp host: ShortText<48>, port: UInt16) throws(StreamOwnerError) {
    let (isAddress, isLoopback) = unsafe host.withCString { host in
      unsafe (csupport_share_is_address(host), csupport_share_is_loopback(host))
    }
    guard isAddress, !host.isCut else { throw .badHost(host) }
    guard isLoopback || room.token != nil else { throw .tokenNeeded(host) }
    let descriptor = unsafe host.withCString { unsafe csupport_share_listen_tcp($0, port) }
    guard descriptor >= 0 else { throw .port(host, port, code: 0 &- descriptor) }
    try add(Listener(descriptor: descriptor, isLocal: false))
  }

  /// Has clients over TCP send the token that is the first line of the file at `path`, before anything else.
  public mutating func useToken(from path: ShortText<128>) throws(StreamOwnerError) {
    var code: Int32 = 0
    room.token = unsafe Token { bytes in
      code = unsafe path.withCString { path in
        unsafe csupport_file_first_line(path, bytes.baseAddress, bytes.count)
      }
      return code
    }
    if code < 0 && !csupport_file_is_too_long(0 &- code) { throw .tokenFile(path, code: 0 &- code) }
    guard room.token != nil else { throw .badToken(path) }
  }

  /// Whether the service manager has opened sockets for this process.
  public static var hasInheritedSockets: Bool { csupport_share_activated() > 0 }

  /// Offers the stream on the sockets that the service manager has opened for this process; returns how many there are.
  public mutating func adoptSockets() throws(StreamOwnerError) -> Int {
    let count = csupport_share_activated()
    for index in 0..<max(0, count) {
      let descriptor = Int32(truncatingIfNeeded: CSUPPORT_SHARE_FIRST) &+ index
      let kind = csupport_share_kind(descriptor)
      switch kind {
      case CSUPPORT_SHARE_UNIX, CSUPPORT_SHARE_LOOPBACK: break
      case CSUPPORT_SHARE_TCP:
        guard room.token != nil else { throw .tokenNeeded(ShortText("a socket of the service manager")) }
      default: throw .badActivation
      }
      let code = csupport_share_adopt(descriptor)
      guard code == 0 else { throw .system(code: 0 &- code) }
      try add(Listener(descriptor: descriptor, isLocal: kind == CSUPPORT_SHARE_UNIX, path: nil, isInherited: true))
    }
    return Int(truncatingIfNeeded: count)
  }

  private mutating func add(_ listener: Listener) throws(StreamOwnerError) {
    for index in 0..<Self.mostListeners where room.listeners[index] == nil {
      let code = csupport_share_add(
        set, listener.descriptor, place(ofListener: index), Int32(truncatingIfNeeded: CSUPPORT_SHARE_INPUT))
      guard code == 0 else {
        listener.close()
        throw .system(code: 0 &- code)
      }
      room.listeners[index] = listener
      return
    }
    listener.close()
    throw .tooMany
  }

  private func place(ofListener index: Int) -> UInt32 { UInt32(truncatingIfNeeded: Self.capacity &+ index) }
}

// Observations go to clients.
extension StreamOwner {
  /// Goes on with another board: each client gets hello again.
  public mutating func replaceBoard(_ board: BoardDescription, at now: Instant) {
    room.lines.board = board
    room.pastEvents = room.snapshot.events
    room.snapshot = Snapshot(of: board, at: now)
    room.snapshot.events = room.pastEvents
    if room.capture != nil { finishCapture(error: "the owner has read its board file again: try again") }
    sendHelloToAll(at: now)
  }

  /// Sends what a turn of `loop` brought; see ``observe(_:raw:at:)``.
  public mutating func observe<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(
    _ seen: Observation, of loop: inout Loop<Sensor, Bank, Clock>
  ) {
    // The clock is looked at only where there was no sample: that is a system call on ARMv6.
    observe(seen, raw: loop.lastMeasurement, at: seen.reading?.instant ?? loop.clock.now)
    if room.capture != nil { capture(seen.reading, &loop) }
  }

  /// Sends what one step of the board brought to the clients that want it: at most one system call for each of them.
  ///
  /// `raw` is the sample as the sensor measured it.
  public mutating func observe(_ seen: Observation, raw: Measurement?, at now: Instant) {
    room.snapshot = seen.snapshot
    room.snapshot.events &+= room.pastEvents
    hasQueried = false
    renewListeners()
    guard clients > 0 else { return }
    renewSeats(at: now)
    seen.forEachEvent { occurrence in
      let line = unsafe compose { unsafe room.lines.event(occurrence, with: seen.reading, into: $0) }
      unsafe append(line, to: open)
    }
    if let second = seen.vibration { share(second) }
    if let reading = seen.reading { share(reading, seen, raw) }
    answerReadings(with: seen.reading)
    var rest = taken
    while let index = rest.next() {
      if let due = room.seats[index].tokenDue, now >= due {
        dismiss(index, "no token came within 10 s: the first line must be {\"token\":\"...\"}")
      }
      if room.seats[index].isOpen && room.seats[index].wantsCounters(at: now) { sendCounters(to: index, at: now) }
      flush(index)
    }
  }

  /// Adds the sample to the outboxes of those who want it. It is written once.
  private mutating func share(_ reading: Reading, _ seen: Observation, _ raw: Measurement?) {
    // Measured, because a sensor may keep its own time, and a recording any.
    let period = max(.zero, min(.seconds(1), reading.instant - room.lastSample))
    room.lastSample = reading.instant
    var chosen = SeatSet()
    var rest = open
    while let index = rest.next() {
      if room.seats[index].wantsSample(at: reading.instant, period: period) { chosen.insert(index) }
    }
    let chosenRaw = seats { room.seats[$0].isOpen && room.seats[$0].samples == .raw }
    let chosenWhole = chosen.subtracting(chosenRaw)
    if !chosenWhole.isEmpty {
      unsafe append(compose { unsafe room.lines.sample(reading, seen, into: $0) }, to: chosenWhole)
    }
    guard !chosenRaw.isEmpty, let raw else { return }
    unsafe append(compose { unsafe room.lines.raw(raw, at: reading.instant, into: $0) }, to: chosenRaw)
  }

  /// Adds the vibration of a second to the outboxes of those who want it.
  private mutating func share(_ second: VibrationSecond) {
    let chosen = seats { room.seats[$0].isOpen && room.seats[$0].wantsVibration }
    guard !chosen.isEmpty else { return }
    unsafe append(compose { unsafe room.lines.vibration(second, into: $0) }, to: chosen)
  }

  /// Adds a line to the outboxes of `chosen` clients.
  private mutating func append(_ line: UnsafeBufferPointer<UInt8>, to chosen: SeatSet) {
    var rest = chosen
    while let index = rest.next() { unsafe room.seats[index].outbox.append(line) }
  }

  /// Has a line written, and returns it until the next one is.
  private func compose(_ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> UnsafeBufferPointer<UInt8> {
    let bytes = unsafe (memory + Self.roomSize).assumingMemoryBound(to: UInt8.self)
    let count = unsafe write(UnsafeMutableBufferPointer(start: bytes, count: Self.lineSize))
    return unsafe UnsafeBufferPointer(start: bytes, count: count)
  }

  /// Adds a line to the outbox of the client at `index`.
  private mutating func send(
    to index: Int, _ write: (borrowing OwnerLines, UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    let line = unsafe compose { unsafe write(room.lines, $0) }
    unsafe room.seats[index].outbox.append(line)
  }

  private mutating func sendHello(to index: Int, at now: Instant) {
    let (snapshot, clients, allowsCommands) = (room.snapshot, clients, room.configuration.allowsCommands)
    unsafe send(to: index) { lines, line in
      unsafe lines.hello(snapshot, clients: clients, allowsCommands: allowsCommands, at: now, into: line)
    }
  }

  private mutating func sendHelloToAll(at now: Instant) {
    var rest = open
    while let index = rest.next() { sendHello(to: index, at: now) }
    flushAll()
  }

  private mutating func sendCounters(to index: Int, at now: Instant) {
    let (snapshot, clients, missed) = (room.snapshot, clients, room.seats[index].outbox.missedInAll)
    unsafe send(to: index) { lines, line in
      unsafe lines.counters(snapshot, clients: clients, missed: missed, at: now, into: line)
    }
  }

  private mutating func sendError(to index: Int, _ detail: StaticString) {
    unsafe send(to: index) { lines, line in unsafe lines.error(ShortText(detail), into: line) }
  }

  /// Sends what there is for the client at `index`.
  private mutating func flush(_ index: Int) {
    if !room.seats[index].flush() { leave(index) }
  }

  private mutating func leave(_ index: Int) {
    guard room.seats[index].isTaken else { return }
    room.seats[index].leave()
    clients &-= 1
  }

  /// Ends the connection of a client that did not send the token, with an error.
  private mutating func dismiss(_ index: Int, _ detail: StaticString) {
    sendError(to: index, detail)
    _ = room.seats[index].flush()
    leave(index)
  }

  /// Ends the stream: each client gets `detail` as its last line, and sockets are removed.
  public mutating func end(_ detail: StaticString) {
    var rest = taken
    while let index = rest.next() {
      if room.seats[index].isOpen {
        unsafe send(to: index) { lines, line in unsafe lines.bye(ShortText(detail), into: line) }
      }
      _ = room.seats[index].unblock()
      leave(index)
    }
    for index in 0..<Self.mostListeners {
      guard let listener = room.listeners[index] else { continue }
      room.listeners[index] = nil
      listener.close()
    }
  }
}

// Clients come, ask and go.
extension StreamOwner {
  /// Serves the clients that a wait was ended by, and takes a fresh reading of `loop` if one was asked for.
  ///
  /// Call it when `loop.turn()` has returned nil; it does nothing when no client is the reason.
  public mutating func serve<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(
    _ loop: inout Loop<Sensor, Bank, Clock>
  ) {
    let now = loop.clock.now
    if loop.monitor.isAsleep { renew(at: now) }
    serve(at: now)
    if loop.monitor.isAsleep { sendDueCounters(at: now) }
    if wants(.tare) { loop.monitor.wakeUp(at: now) }
    if wants(.tare) && room.capture == nil { room.capture = TareCapture(at: now, period: room.lines.board.sensor.pace) }
    if wants(.untare) {
      zero(room.lines.board.tare, &loop)
      answer(.untare, error: nil)
    }
    guard isReadingWanted else { return flushAll() }
    if let reason = room.snapshot.silence {
      answerReadings(error: reason)
    } else if loop.monitor.isAsleep || loop.monitor.next.at - now > Self.leastTime && !hasQueried {
      // The next sample is long in coming. One transaction in its time at most, however many ask how often.
      hasQueried = true
      do throws(SensorError) {
        answerReadings(with: try loop.read())
      } catch {}
    }
    flushAll()
  }

  /// What an observation does for clients and listeners: where none comes for long, each request does.
  private mutating func renew(at now: Instant) {
    renewListeners()
    renewSeats(at: now)
  }

  /// Sends counters to those whose time for them has come.
  private mutating func sendDueCounters(at now: Instant) {
    var rest = open
    while let index = rest.next() {
      if room.seats[index].wantsCounters(at: now) { sendCounters(to: index, at: now) }
    }
  }

  /// Serves the clients that a wait was ended by, of a source that cannot be asked for a reading out of turn.
  public mutating func serve(at now: Instant) {
    var ready = InlineArray<24, csupport_share_ready>(
      repeating: csupport_share_ready(place: 0, has_input: false, has_room: false, is_gone: false))
    var span = ready.mutableSpan
    let set = set
    let count = unsafe span.withUnsafeMutableBufferPointer { unsafe csupport_share_take(set, $0.baseAddress) }
    for number in 0..<max(0, min(24, Int(truncatingIfNeeded: count))) {
      let event = ready[number]
      let place = Int(truncatingIfNeeded: event.place)
      if place >= Self.capacity {
        accept(place &- Self.capacity, at: now)
      } else if room.seats[place].isTaken {
        serve(place, event, at: now)
      }
    }
  }

  private mutating func serve(_ index: Int, _ event: csupport_share_ready, at now: Instant) {
    var isThere = !event.is_gone
    if isThere && event.has_room { isThere = room.seats[index].unblock() }
    if isThere && event.has_input { isThere = room.seats[index].receive() }
    guard isThere else { return leave(index) }
    hear(index, at: now)
    flush(index)
  }

  /// Handles the requests of a client that have come, as many as it may make for now.
  private mutating func hear(_ index: Int, at now: Instant) {
    while room.seats[index].isTaken {
      switch room.seats[index].nextLine() {
      case .nothing: return
      case .tooLong: refuse(index, .tooLong)
      case .line(let length):
        unsafe handle(room.seats[index].line(length), of: index, at: now)
        guard room.seats[index].isTaken else { return }
        if !room.seats[index].dropLine(length) { return leave(index) }
      }
    }
  }

  private mutating func refuse(_ index: Int, _ refusal: Request.Refusal) {
    if room.seats[index].tokenDue != nil {
      dismiss(index, "the token is wrong: the first line must be {\"token\":\"...\"}")
    } else {
      sendError(to: index, refusal.detail)
    }
  }

  private mutating func handle(_ line: UnsafeBufferPointer<UInt8>, of index: Int, at now: Instant) {
    let request: Request
    do throws(Request.Refusal) {
      guard let found = try unsafe Request(line, token: room.token) else { return }
      request = found
    } catch {
      return refuse(index, error)
    }
    if room.seats[index].tokenDue != nil {
      guard request == .token(isRight: true) else { return refuse(index, .unknown) }
      room.seats[index].admit()
      return sendHello(to: index, at: now)
    }
    switch request {
    case .samples(let wish): room.seats[index].ask(for: wish)
    case .counters(let interval): room.seats[index].askForCounters(every: interval, at: now)
    case .vibration(let isWanted): askForVibration(isWanted, index)
    case .reading: room.seats[index].readings = min(room.seats[index].readings, 254) &+ 1
    case .hello: sendHello(to: index, at: now)
    case .board: unsafe send(to: index) { lines, line in unsafe lines.board(at: now, into: line) }
    case .command(let command): order(command, by: index)
    case .token: break  // not needed, or known by now
    }
  }

  private mutating func askForVibration(_ isWanted: Bool, _ index: Int) {
    guard !isWanted || room.lines.board.vibration != nil else {
      return sendError(to: index, "vibration is not watched: write [vibration] in the board file")
    }
    room.seats[index].wantsVibration = isWanted
  }

  private mutating func order(_ command: Request.Command, by index: Int) {
    guard room.seats[index].isLocal else { return sendError(to: index, "commands are taken on a Unix socket only") }
    guard room.configuration.allowsCommands else {
      return sendError(to: index, "commands are not allowed: write commands = yes in [share] of the board file")
    }
    guard command != .reload || room.configuration.canReload else {
      return sendError(to: index, "only plumbd reads its board file again")
    }
    room.seats[index].commands |= 1 &<< command.rawValue
  }

  /// Accepts connections.
  private mutating func accept(_ index: Int, at now: Instant) {
    guard var listener = room.listeners[index] else { return }
    var result: Int32 = 0
    while listener.patience > 0 && result >= 0 {
      listener.patience &-= 1
      result = csupport_share_accept(listener.descriptor)
      if result >= 0 { admit(result, isLocal: listener.isLocal, at: now) }
    }
    // With no descriptor left, too: the connection waits until there is one.
    if listener.patience == 0 || !csupport_share_is_blocked(0 &- result) && csupport_share_is_exhausted(0 &- result) {
      listener.patience = 0
      listener.isAwake = false
      _ = csupport_share_change(set, listener.descriptor, place(ofListener: index), 0)
    }
    room.listeners[index] = listener
  }

  /// Gives a client a seat, or says that there is none.
  package mutating func admit(_ descriptor: Int32, isLocal: Bool, at now: Instant) {
    let needsToken = !isLocal && room.token != nil
    guard let index = freeSeat(needsToken: needsToken),
      room.seats[index].take(
        descriptor, isLocal: isLocal, tokenDue: needsToken ? now + .seconds(10) : nil)
    else {
      let words: StaticString =
        clients == Self.capacity
        ? "all 16 places for clients are taken: try again later"
        : needsToken
          ? "too many clients have not sent their token yet: try again later"
          : "the system has no room for another client: try again later"
      let line = unsafe compose { unsafe room.lines.bye(ShortText(words), into: $0) }
      _ = unsafe csupport_share_send(descriptor, line.baseAddress, line.count, nil, 0)
      return csupport_share_close(descriptor)
    }
    clients &+= 1
    guard !needsToken else { return }
    sendHello(to: index, at: now)
    flush(index)
  }

  private func freeSeat(needsToken: Bool) -> Int? {
    let withoutToken = seats { room.seats[$0].tokenDue != nil }
    guard !needsToken || withoutToken.count < Self.mostWithoutToken else { return nil }
    var free = seats { !room.seats[$0].isTaken }
    return free.next()
  }

  /// Hears clients again that were heard often enough for the last time.
  private mutating func renewSeats(at now: Instant) {
    var rest = taken
    while let index = rest.next() {
      let isWaiting = room.seats[index].isImpatient
      guard room.seats[index].renew() else {
        leave(index)
        continue
      }
      if isWaiting { hear(index, at: now) }
    }
  }

  private mutating func renewListeners() {
    for index in 0..<Self.mostListeners {
      guard var listener = room.listeners[index], listener.patience < Listener.usualPatience else { continue }
      let wasAwake = listener.isAwake
      (listener.patience, listener.isAwake) = (Listener.usualPatience, true)
      room.listeners[index] = listener
      guard !wasAwake else { continue }
      _ = csupport_share_change(
        set, listener.descriptor, place(ofListener: index), Int32(truncatingIfNeeded: CSUPPORT_SHARE_INPUT))
    }
  }
}

// Readings and commands.
extension StreamOwner {
  /// The next sample comes so soon that it answers a query: a transaction just before it could make it late.
  private static var leastTime: Microseconds { .milliseconds(50) }

  private var isReadingWanted: Bool { !awaitingReading.isEmpty }

  /// Answers those who wait for a reading by the sample of a step, or with an error where the sensor gives none.
  private mutating func answerReadings(with reading: Reading?) {
    guard isReadingWanted else { return }
    if let reading { return answerReadings(with: FreshReading(reading)) }
    if let reason = room.snapshot.silence { answerReadings(error: reason) }
  }

  private mutating func answerReadings(with fresh: FreshReading) {
    let line = unsafe compose { unsafe room.lines.reading(fresh, into: $0) }
    unsafe answerReadings(with: line)
  }

  private mutating func answerReadings(error reason: UnknownReason) {
    let cause = room.snapshot.cause
    let line = unsafe compose { unsafe room.lines.silence(reason, cause, into: $0) }
    unsafe answerReadings(with: line)
  }

  private mutating func answerReadings(with line: UnsafeBufferPointer<UInt8>) {
    var rest = awaitingReading
    while let index = rest.next() {
      while room.seats[index].readings > 0 {
        room.seats[index].readings &-= 1
        unsafe room.seats[index].outbox.append(line)
      }
    }
  }

  private func wants(_ command: Request.Command) -> Bool { !awaiting(command).isEmpty }

  /// Answers those who wait for `command`.
  private mutating func answer(_ command: Request.Command, error: ShortText<384>?) {
    var rest = awaiting(command)
    while let index = rest.next() {
      room.seats[index].commands &= ~(1 &<< command.rawValue)
      unsafe send(to: index) { lines, line in
        if let error { return unsafe lines.error(error, into: line) }
        return unsafe lines.done(command.name, into: line)
      }
    }
  }

  /// Takes a sample in for the tare that is being taken, or that there is none.
  private mutating func capture<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(_ reading: Reading?, _ loop: inout Loop<Sensor, Bank, Clock>) {
    let now = reading?.instant ?? loop.clock.now
    switch room.capture?.step(reading?.force, at: now) {
    case nil, .measuring: return
    case .tare(let tare):
      zero(tare, &loop)
      finishCapture(error: nil)
    case .moved: finishCapture(error: "the tare is as it was: the board moves; hold it still, and try again")
    }
  }

  /// Answers those who wait for a tare.
  private mutating func finishCapture(error: ShortText<384>?) {
    room.capture = nil
    answer(.tare, error: error)
    flushAll()
  }

  /// Makes the attitude of `tare` the one in which angles are zero: each client gets hello again.
  public mutating func zero<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(_ tare: Tare, _ loop: inout Loop<Sensor, Bank, Clock>) {
    let now = loop.clock.now
    loop.apply(tare)
    room.lines.tare = tare
    sendHelloToAll(at: now)
  }

  /// Whether a client asked for the board file to be read again. Answer by ``answerReload(error:)``.
  public var wantsReload: Bool { wants(.reload) }

  /// Answers those who asked for the board file to be read again; `error` is why that is not possible.
  public mutating func answerReload(error: ShortText<384>?) {
    answer(.reload, error: error)
    flushAll()
  }

  private mutating func flushAll() {
    var rest = taken
    while let index = rest.next() { flush(index) }
  }
}

extension Snapshot {
  /// What is known of a board before its first step.
  fileprivate init(of board: BoardDescription, at now: Instant) {
    self.init(at: now)
    if board.vibration != nil { isBusy = false }
  }
}
