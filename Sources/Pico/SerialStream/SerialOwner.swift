package import BoardFile
package import FixedPoint
package import FixedText
public import HAL
public import Monitor
internal import Orientation
public import Sensors
internal import StreamLines

/// The owner of a sensor whose one client is at the other end of a serial line.
///
/// Pass every observation to ``observe(_:of:)``, and call ``serve(_:)`` whenever a wait was interrupted. It never waits,
/// and has no memory but the caller's. A client that does not read loses lines, which are counted, but no sample is late.
@safe
public struct SerialOwner<Pipe: BytePipe & ~Copyable>: ~Copyable {
  private var pipe: Pipe
  private var lines: OwnerLines
  private var wishes = ClientWishes()
  private var inbox: Inbox
  private var outbox: Outbox
  private let line: UnsafeMutableBufferPointer<UInt8>
  private let outboxMemory: UnsafeMutableBufferPointer<UInt8>
  /// What is known about the board now.
  private var snapshot: Snapshot
  /// When the last sample was taken.
  private var lastSample: Instant
  /// The tare in progress; nil for none.
  private var capture: TareCapture?
  private var isConnected = false
  /// Whether the client is to get a hello. Not sent at once, so that the stack of what asked for it is free.
  private var isHelloDue = false

  private static var inboxSize: Int { 512 }

  /// The owner of `board`, which it calls `name`; its run, which begins at `now`, is `identity`. The memory holds 512
  /// bytes of requests, a line, and what is to be sent.
  package init(
    _ board: BoardDescription, _ name: ShortText<128>, identity: ShortText<48>, at now: Instant,
    over pipe: consuming Pipe, in memory: UnsafeMutableBufferPointer<UInt8>
  ) {
    self.pipe = pipe
    lines = OwnerLines(board, name, identity: identity, start: now)
    let composed = Self.inboxSize &+ ObjectWriter.longestLine
    inbox = unsafe Inbox(UnsafeMutableBufferPointer(rebasing: memory[0..<Self.inboxSize]))
    unsafe line = UnsafeMutableBufferPointer(rebasing: memory[Self.inboxSize..<composed])
    unsafe outboxMemory = UnsafeMutableBufferPointer(rebasing: memory[composed..<memory.count])
    outbox = unsafe Outbox(outboxMemory)
    snapshot = Snapshot(at: now)
    lastSample = now
  }

  /// Sends the result of a turn of `loop` to the client. `seen` is unchanged, and not copied either.
  @inline(never)
  public mutating func observe<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(
    _ seen: inout Observation, of loop: inout Loop<Sensor, Bank, Clock>
  ) {
    snapshot = seen.snapshot
    let now = seen.reading?.instant ?? loop.clock.now
    if capture.isPresent { measureTare(seen.reading, &loop, at: now) }
    guard isConnected else { return }
    sendEvents(of: &seen)
    if let reading = seen.reading {
      let period = max(.zero, min(.seconds(1), reading.instant - lastSample))
      lastSample = reading.instant
      if wishes.wantsSample(at: reading.instant, period: period) {
        if wishes.samples != .raw {
          sendSample(of: &seen)
        } else if let raw = loop.lastMeasurement {
          send(raw, at: reading.instant)
        }
      }
      if wishes.readings > 0 { answerReadings(FreshReading(reading)) }
    } else {
      refuseReadings()
    }
    sendDueCounters(at: now)
    flush()
  }

  /// Handles what the client has sent.
  @inline(never)
  public mutating func serve<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(
    _ loop: inout Loop<Sensor, Bank, Clock>
  ) {
    let now = loop.clock.now
    pipe.poll()
    greet(at: now)
    guard isConnected else { return }
    receive(at: now)
    obey(&loop, at: now)
    refuseReadings()
    // Otherwise the next sample answers. The board has not moved since it fell asleep.
    if snapshot.isAsleep, wishes.readings > 0, let force = snapshot.force {
      answerReadings(FreshReading(instant: now, force: force, state: snapshot.state))
    }
    flush()
  }

  /// Carries out the commands that the client waits for.
  @inline(never)
  private mutating func obey<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(_ loop: inout Loop<Sensor, Bank, Clock>, at now: Instant) {
    if wishes.awaits(.tare) {
      loop.monitor.wakeUp(at: now)
      if !capture.isPresent { capture = TareCapture(at: now, period: lines.board.sensor.pace) }
    }
    if wishes.awaits(.untare) {
      zero(lines.board.tare, &loop, at: now)
      answer(.untare, error: nil)
    }
    if snapshot.isAsleep { sendDueCounters(at: now) }
  }

  /// Notices that a client has come, which gets a hello, or that it has gone; nothing of the one before is left.
  private mutating func greet(at now: Instant) {
    guard pipe.isConnected != isConnected else { return }
    isConnected = pipe.isConnected
    wishes = ClientWishes()
    inbox.clear()
    outbox = unsafe Outbox(outboxMemory)
    if isConnected { sendHello(at: now) }
  }

  /// Handles the requests that have arrived.
  @inline(never)
  private mutating func receive(at now: Instant) {
    // As many as the memory holds, so that a client that sends without end gets no more than its share.
    for _ in 0..<Self.inboxSize {
      guard let byte = pipe.read() else { return }
      _ = unsafe inbox.fill { room in
        unsafe room[0] = byte
        return 1
      }
      switch inbox.nextLine() {
      case .nothing: break
      case .tooLong: refuse(.tooLong)
      case .line(let length):
        unsafe handle(inbox.line(length), at: now)
        inbox.dropLine(length)
        if isHelloDue { sendHello(at: now) }
      }
    }
  }

  @inline(never)
  private mutating func handle(_ line: UnsafeBufferPointer<UInt8>, at now: Instant) {
    do throws(Request.Refusal) {
      // A line end alone finishes what the client before has left.
      guard let request = try unsafe Request(line, token: nil) else { return }
      switch request {
      case .samples(let wish): wishes.ask(for: wish)
      case .counters(let interval): wishes.askForCounters(every: interval, at: now)
      case .vibration(let isWanted): if isWanted { sendError("a Pico does not measure vibration") }
      case .reading: wishes.awaitReading()
      case .hello: isHelloDue = true
      case .board: sendBoard(at: now)
      case .command(.reload):
        sendError("a Pico has its board file built in: build it again with make pico, and copy it")
      case .command(let command): wishes.setAwaits(command, true)
      case .token, .noToken: break
      }
    } catch {
      refuse(error)
    }
  }

  private mutating func refuse(_ refusal: Request.Refusal) { sendError(refusal.detail) }
}

// Readings and commands.
extension SerialOwner where Pipe: ~Copyable {
  @inline(never)
  private mutating func answerReadings(_ fresh: FreshReading) {
    while wishes.readings > 0 {
      wishes.readings &-= 1
      unsafe send { unsafe $0.reading(fresh, into: $1) }
    }
  }

  @inline(never)
  private mutating func refuseReadings() {
    guard let reason = snapshot.silence else { return }
    while wishes.readings > 0 {
      wishes.readings &-= 1
      sendError(reason.message)
    }
  }

  @inline(never)
  private mutating func measureTare<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(_ reading: Reading?, _ loop: inout Loop<Sensor, Bank, Clock>, at now: Instant) {
    switch capture?.step(reading?.force, at: now) {
    case nil, .measuring: return
    case .tare(let tare):
      zero(tare, &loop, at: now)
      answer(.tare, error: nil)
    case .moved: answer(.tare, error: "the tare is unchanged: the board moves; hold it still and try again")
    }
    capture = nil
  }

  @inline(never)
  private mutating func zero<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(_ tare: Tare, _ loop: inout Loop<Sensor, Bank, Clock>, at now: Instant) {
    loop.apply(tare)
    lines.tare = tare
    if isConnected { sendHello(at: now) }
  }

  @inline(never)
  private mutating func answer(_ command: Request.Command, error: StaticString?) {
    guard wishes.awaits(command) else { return }
    wishes.setAwaits(command, false)
    if let error { return sendError(error) }
    unsafe send { unsafe $0.done(command.name, into: $1) }
  }
}

// What is sent.
extension SerialOwner where Pipe: ~Copyable {
  private mutating func send(_ write: (borrowing OwnerLines, UnsafeMutableBufferPointer<UInt8>) -> Int) {
    append(unsafe write(lines, line))
  }

  /// Appends the line that has been written, of `count` bytes.
  private mutating func append(_ count: Int) {
    unsafe outbox.append(UnsafeBufferPointer(rebasing: line[0..<count]))
  }

  @inline(never)
  private mutating func sendHello(at now: Instant) {
    isHelloDue = false
    let count = unsafe lines.hello(snapshot, clients: 1, allowsCommands: true, at: now, into: line)
    append(count)
  }

  @inline(never)
  private mutating func sendBoard(at now: Instant) { unsafe send { unsafe $0.board(at: now, into: $1) } }

  @inline(never)
  private mutating func sendEvents(of seen: inout Observation) {
    for index in 0..<seen.events.count {
      if let occurrence = seen.events[index] { unsafe send { unsafe $0.wordless(occurrence, into: $1) } }
    }
  }

  @inline(never)
  private mutating func sendSample(of seen: inout Observation) {
    guard let reading = seen.reading else { return }
    append(unsafe lines.sample(reading, seen, into: line))
  }

  @inline(never)
  private mutating func send(_ raw: Measurement, at instant: Instant) {
    unsafe send { unsafe $0.raw(raw, at: instant, into: $1) }
  }

  @inline(never)
  private mutating func sendError(_ detail: StaticString) {
    unsafe send { unsafe $0.error(ShortText(detail), into: $1) }
  }

  @inline(never)
  private mutating func sendDueCounters(at now: Instant) {
    guard wishes.wantsCounters(at: now) else { return }
    let missed = outbox.missedInAll
    append(unsafe lines.counters(snapshot, clients: 1, missed: missed, at: now, into: line))
  }

  /// Gives the line as much as it takes.
  private mutating func flush() {
    guard !outbox.isEmpty else { return }
    Self.flush(&outbox, to: &pipe)
  }

  private static func flush(_ outbox: inout Outbox, to pipe: inout Pipe) {
    _ = unsafe outbox.flush { first, second in
      var count = unsafe pipe.write(first.span)
      if count == first.count { count &+= unsafe pipe.write(second.span) }
      return Int32(truncatingIfNeeded: count)
    }
  }
}
