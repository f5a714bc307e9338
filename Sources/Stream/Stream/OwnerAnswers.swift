internal import BoardFile
internal import CSupport
public import FixedPoint
public import HAL
public import Monitor
public import Orientation
public import Sensors
public import Text

// Clients connect, ask and leave.
extension StreamOwner {
  /// Serves the clients that ended a wait, and takes a fresh reading from `loop` if one was requested.
  ///
  /// Call it when `loop.turn()` has returned nil; it does nothing if no client was the reason.
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
      // The next sample is far off. At most one transaction until then, however many clients ask and how often.
      hasQueried = true
      do throws(SensorError) {
        answerReadings(with: try loop.read())
      } catch {}
    }
    flushAll()
  }

  /// Does for clients and listeners what an observation does; without observations for a long time, each request calls
  /// it.
  mutating func renew(at now: Instant) {
    renewListeners()
    renewSeats(at: now)
    remindUnauthenticated(at: now)
  }

  /// Sends the counters to the clients for which they are due.
  mutating func sendDueCounters(at now: Instant) {
    forEachSeat(open) { owner, index in
      if owner.room.seats[index].wishes.wantsCounters(at: now) { owner.sendCounters(to: index, at: now) }
    }
  }

  /// Serves the clients that ended a wait, for a source that cannot be asked for an extra reading.
  public mutating func serve(at now: Instant) {
    forEachReady { owner, event in
      let place = Int(truncatingIfNeeded: event.place & 0xFF)
      if place >= Self.seatCount {
        owner.accept(place &- Self.seatCount, at: now)
      } else if let index = owner.seat(of: event) {
        owner.serve(index, event, at: now)
      }
    }
  }

  /// Calls `body` for each connection and listener that is ready now.
  mutating func forEachReady(_ body: (inout StreamOwner, csupport_share_ready) -> Void) {
    // As many as there are seats and listeners.
    var ready = InlineArray<24, csupport_share_ready>(
      repeating: csupport_share_ready(place: 0, has_input: false, has_room: false, is_gone: false))
    var span = ready.mutableSpan
    let set = set
    let count = unsafe span.withUnsafeMutableBufferPointer { unsafe csupport_share_take(set, $0.baseAddress) }
    for number in 0..<max(0, min(ready.count, Int(truncatingIfNeeded: count))) { body(&self, ready[number]) }
  }

  /// The seat of a connection that is ready; nil for a listener, and for the previous connection on a seat, which has
  /// just made room.
  func seat(of event: csupport_share_ready) -> Int? {
    let place = Int(truncatingIfNeeded: event.place & 0xFF)
    guard place < Self.seatCount, room.seats[place].isTaken, room.seats[place].mark == event.place else { return nil }
    return place
  }

  mutating func serve(_ index: Int, _ event: csupport_share_ready, at now: Instant) {
    var isThere = !event.is_gone
    if isThere && event.has_room { isThere = room.seats[index].unblock() }
    guard isThere else { return leave(index) }
    if event.has_input { listen(to: index, at: now) }
    flush(index)
  }

  /// Receives once from a client, and handles its requests.
  mutating func listen(to index: Int, at now: Instant) {
    let wasDeaf = room.seats[index].isDeaf
    guard room.seats[index].receive(at: now) else { return leave(index) }
    hear(index, at: now)
    guard room.seats[index].isDeaf && !wasDeaf && !room.seats[index].isLocal else { return }
    if room.seats[index].tokenDue != nil {
      // It sends no more, so no token will come.
      sendTokenNeeded(to: index)
      _ = room.seats[index].flush()
      leave(index)
    } else {
      // A client that has closed its whole connection, and not just its half, answers the next line with a reset;
      // without a line, nothing would reveal it for a minute. On a Unix socket it shows at once.
      sendHello(to: index, at: now)
    }
  }

  /// Handles the requests received from a client, as many as it may make for now.
  mutating func hear(_ index: Int, at now: Instant) {
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

  mutating func refuse(_ index: Int, _ refusal: Request.Refusal) {
    guard room.seats[index].tokenDue == nil else {
      sendTokenNeeded(to: index)
      return dismiss(index)
    }
    sendError(to: index, refusal.detail)
  }

  mutating func handle(_ line: UnsafeBufferPointer<UInt8>, of index: Int, at now: Instant) {
    let isUnauthenticated = room.seats[index].tokenDue != nil
    guard !isUnauthenticated || room.attempts.allows(at: now) else {
      return dismiss(index, "too many wrong tokens: try again in a minute")
    }
    let request: Request
    do throws(Request.Refusal) {
      guard let found = try unsafe Request(line, token: room.token) else { return }
      request = found
    } catch {
      return refuse(index, error)
    }
    guard !isUnauthenticated else { return introduce(index, by: request, at: now) }
    switch request {
    case .samples(let wish): room.seats[index].wishes.ask(for: wish)
    case .counters(let interval): room.seats[index].wishes.askForCounters(every: interval, at: now)
    case .vibration(let isWanted): askForVibration(isWanted, index)
    case .reading: room.seats[index].wishes.awaitReading()
    case .hello: sendHello(to: index, at: now)
    case .board: unsafe send(to: index) { lines, line in unsafe lines.board(at: now, into: line) }
    case .command(let command): order(command, by: index)
    case .token, .noToken: break  // not needed, or known by now
    }
  }

  /// Handles the first request of an unauthenticated connection: it becomes a client, or is disconnected.
  mutating func introduce(_ index: Int, by request: Request, at now: Instant) {
    switch request {
    case .token(isRight: true):
      guard makeRoom(isLocal: false, at: now) else {
        unsafe send(to: index) { lines, line in unsafe lines.bye(ShortText(Self.fullWords), into: line) }
        return dismiss(index)
      }
      room.seats[index].admit()
      (unauthenticated, clients) = (unauthenticated &- 1, clients &+ 1)
      sendHello(to: index, at: now)
    case .token(isRight: false):
      room.attempts.noteWrong()
      dismiss(index, "the token is wrong: compare it with the first line of the owner's token file")
    default: refuse(index, .unknown)
    }
  }

  mutating func askForVibration(_ isWanted: Bool, _ index: Int) {
    guard !isWanted || room.lines.board.vibration != nil else {
      return sendError(to: index, "vibration is not measured: add [vibration] to the board file")
    }
    room.seats[index].wishes.wantsVibration = isWanted
  }

  mutating func order(_ command: Request.Command, by index: Int) {
    guard room.seats[index].isLocal else { return sendError(to: index, "commands are accepted only on a Unix socket") }
    guard room.configuration.allowsCommands else {
      return sendError(
        to: index,
        "commands are not allowed: write commands = yes in [share] of the board file, or pass --commands to plumb run")
    }
    guard command != .reload || room.configuration.canReload else {
      return sendError(to: index, "only plumbd can read its board file again")
    }
    room.seats[index].wishes.setAwaits(command, true)
  }
}

// Readings and commands.
extension StreamOwner {
  /// If the next sample is at most this far off, it answers a query: a transaction just before it could make it late.
  static var leastTime: Microseconds { .milliseconds(50) }

  var isReadingWanted: Bool { !awaitingReading.isEmpty }

  /// Answers those waiting for a reading with the sample of a step, or with an error if the sensor delivers none.
  mutating func answerReadings(with reading: Reading?) {
    guard isReadingWanted else { return }
    if let reading { return answerReadings(with: FreshReading(reading)) }
    if let reason = room.snapshot.silence { answerReadings(error: reason) }
  }

  mutating func answerReadings(with fresh: FreshReading) {
    let line = unsafe compose { unsafe room.lines.reading(fresh, into: $0) }
    unsafe answerReadings(with: line)
  }

  mutating func answerReadings(error reason: UnknownReason) {
    let cause = room.snapshot.cause
    let line = unsafe compose { unsafe room.lines.silence(reason, cause, into: $0) }
    unsafe answerReadings(with: line)
  }

  mutating func answerReadings(with line: UnsafeBufferPointer<UInt8>) {
    forEachSeat(awaitingReading) { owner, index in
      while owner.room.seats[index].wishes.readings > 0 {
        owner.room.seats[index].wishes.readings &-= 1
        unsafe owner.room.seats[index].outbox.append(line)
      }
    }
  }

  func wants(_ command: Request.Command) -> Bool { !awaiting(command).isEmpty }

  /// Answers those waiting for `command`.
  mutating func answer(_ command: Request.Command, error: ShortText<384>?) {
    forEachSeat(awaiting(command)) { owner, index in
      owner.room.seats[index].wishes.setAwaits(command, false)
      unsafe owner.send(to: index) { lines, line in
        if let error { return unsafe lines.error(error, into: line) }
        return unsafe lines.done(command.name, into: line)
      }
    }
  }

  /// Takes a sample, or its absence, into the tare in progress.
  mutating func capture<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(_ reading: Reading?, _ loop: inout Loop<Sensor, Bank, Clock>) {
    let now = reading?.instant ?? loop.clock.now
    switch room.capture?.step(reading?.force, at: now) {
    case nil, .measuring: return
    case .tare(let tare):
      zero(tare, &loop)
      finishCapture(error: nil)
    case .moved: finishCapture(error: "the tare is unchanged: the board moves; hold it still and try again")
    }
  }

  /// Answers those waiting for a tare.
  mutating func finishCapture(error: ShortText<384>?) {
    room.capture = nil
    answer(.tare, error: error)
    flushAll()
  }

  /// Takes the attitude of `tare` as the one in which angles are zero, and sends hello to every client again.
  public mutating func zero<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(_ tare: Tare, _ loop: inout Loop<Sensor, Bank, Clock>) {
    let now = loop.clock.now
    loop.apply(tare)
    room.lines.tare = tare
    sendHelloToAll(at: now)
  }

  /// Whether a client asked for the board file to be read again. Answer with ``answerReload(error:)``.
  public var wantsReload: Bool { wants(.reload) }

  /// Answers those who asked for the board file to be read again; `error` says why it could not be.
  public mutating func answerReload(error: ShortText<384>?) {
    answer(.reload, error: error)
    flushAll()
  }

  mutating func flushAll() {
    forEachSeat(taken) { owner, index in owner.flush(index) }
  }
}
