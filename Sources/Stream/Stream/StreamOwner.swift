public import BoardFile
internal import CConnect
internal import CSupport
public import FixedPoint
public import FixedText
public import HAL
public import Monitor
internal import Orientation
public import Sensors
internal import Text
internal import Vibration

/// The owner of a sensor, which shares what it observes with up to 16 clients, on Unix sockets and optionally over TCP.
/// Of these, 4 places are reserved for Unix sockets.
///
/// Pass every observation to ``observe(_:raw:at:)``, and call ``serve(_:)`` whenever a client has ended a wait. It
/// never blocks, and allocates its memory once, without a heap. No client can delay a sample: each has a bounded
/// outbox, which loses its oldest lines when it is full, and the owner listens to each only a few times between two
/// samples.
@safe
public struct StreamOwner: ~Copyable {
  /// The maximum number of clients.
  public static var capacity: Int { 16 }
  /// The maximum number of TCP clients if there is also a Unix socket, whose clients then still find a place.
  static var mostRemote: Int { 12 }
  /// The maximum number of unauthenticated connections: by TCP, without the token yet. They do not count as clients.
  static var mostUnauthenticated: Int { 4 }
  /// The number of seats for all of them.
  static var seatCount: Int { 20 }
  /// The maximum number of addresses on which the stream is served.
  static var mostListeners: Int { 4 }

  /// How long a TCP client has to send the token; the error names this time.
  static var tokenTime: Microseconds { .seconds(10) }
  /// After how long the owner asks it for the token. Not at once, so that a client with a token reads the hello first.
  static var reminderTime: Microseconds { .seconds(2) }

  static var inboxSize: Int { 512 }
  static var outboxSize: Int { 16_384 }
  /// The maximum length of a line, including its end.
  static var lineSize: Int { 1_024 }

  /// How to serve a stream.
  public struct Configuration: Sendable {
    /// The owner's name for the board: the name of its file.
    public var name: ShortText<128>
    /// Whether clients on a Unix socket may send commands.
    public var allowsCommands: Bool
    /// Whether `reload`, which reads the board file again, is one of the commands.
    public var canReload: Bool

    /// A configuration.
    public init(name: ShortText<128>, allowsCommands: Bool = false, canReload: Bool = false) {
      self.name = name
      self.allowsCommands = allowsCommands
      self.canReload = canReload
    }
  }

  /// What an owner keeps, in mapped memory, so that it is never copied onto the stack.
  struct Room {
    let configuration: Configuration
    var seats: InlineArray<20, Seat>
    var listeners = InlineArray<4, StreamListener?>(repeating: nil)
    /// Whether the stream is also served on a Unix socket.
    var hasLocalListener = false
    var token: Token?
    /// How many connections there have been so far.
    var arrivals: UInt64 = 0
    /// How many more wrong tokens may come.
    var attempts: AttemptLimit
    var lines: OwnerLines
    /// What is known about the board now, for clients that have just connected.
    var snapshot: Snapshot
    /// How many events the boards before this one had.
    var pastEvents: UInt64 = 0
    /// When the last sample was taken.
    var lastSample: Instant
    /// The tare in progress; nil for none.
    var capture: TareCapture?
  }

  /// The memory: the room, a line, and the inboxes and outboxes of all seats.
  let memory: UnsafeMutableRawPointer
  let set: Int32

  /// The number of clients.
  public internal(set) var clients = 0
  /// The number of unauthenticated connections.
  var unauthenticated = 0
  /// Whether a fresh reading was taken since the last observation.
  var hasQueried = false

  private static var pageSize: Int { 4_096 }
  /// The size of ``Room`` in whole pages.
  static var roomSize: Int { (MemoryLayout<Room>.size &+ pageSize &- 1) & ~(pageSize &- 1) }
  private static var memorySize: Int { roomSize &+ lineSize &+ seatCount &* (inboxSize &+ outboxSize) }

  var room: Room {
    @inline(__always) unsafeAddress { unsafe UnsafePointer(memory.assumingMemoryBound(to: Room.self)) }
    @inline(__always) nonmutating unsafeMutableAddress { unsafe memory.assumingMemoryBound(to: Room.self) }
  }

  /// An owner of `board` that begins at `now` and does not serve its stream anywhere yet.
  public init(_ board: BoardDescription, _ configuration: Configuration, at now: Instant) throws(StreamOwnerError) {
    let set = csupport_share_open_set()
    guard set >= 0 else { throw .system(code: 0 &- set) }
    guard let memory = unsafe csupport_memory_map(Self.memorySize) else {
      csupport_socket_close(set)
      throw .system(code: csupport_memory_none())
    }
    unsafe self.memory = memory
    self.set = set
    let inboxes = unsafe (memory + (Self.roomSize &+ Self.lineSize)).assumingMemoryBound(to: UInt8.self)
    let outboxes = unsafe inboxes + Self.seatCount &* Self.inboxSize
    unsafe memory.assumingMemoryBound(to: Room.self).initialize(
      to: Room(
        configuration: configuration,
        seats: InlineArray { index in
          unsafe Seat(
            index, in: set,
            inbox: UnsafeMutableBufferPointer(start: inboxes + index &* Self.inboxSize, count: Self.inboxSize),
            outbox: UnsafeMutableBufferPointer(start: outboxes + index &* Self.outboxSize, count: Self.outboxSize))
        },
        attempts: AttemptLimit(at: now),
        lines: OwnerLines(
          board, configuration.name,
          identity: "\(csupport_share_process())-\(UInt64(bitPattern: now.microseconds))", start: now),
        snapshot: Snapshot(of: board, at: now),
        lastSample: now))
  }

  deinit {
    var rest = taken
    while let index = rest.next() { csupport_socket_close(room.seats[index].descriptor) }
    for index in 0..<Self.mostListeners { room.listeners[index]?.close() }
    csupport_socket_close(set)
    unsafe csupport_memory_unmap(memory, Self.memorySize)
  }
}

// Observations for clients.
extension StreamOwner {
  /// Continues with another board, and sends hello to every client again.
  public mutating func replaceBoard(_ board: BoardDescription, at now: Instant) {
    room.lines.board = board
    room.pastEvents = room.snapshot.events
    room.snapshot = Snapshot(of: board, at: now)
    room.snapshot.events = room.pastEvents
    if room.capture != nil { finishCapture(error: "the owner has read its board file again: try again") }
    sendHelloToAll(at: now)
  }

  /// Sends the result of a turn of `loop`; see ``observe(_:raw:at:)``.
  public mutating func observe<
    Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable
  >(
    _ seen: Observation, of loop: inout Loop<Sensor, Bank, Clock>
  ) {
    // Reads the clock only if there was no sample, because that is a system call on ARMv6.
    observe(seen, raw: loop.lastMeasurement, at: seen.reading?.instant ?? loop.clock.now)
    if room.capture != nil { capture(seen.reading, &loop) }
  }

  /// Sends the result of one step to the clients that want it, with at most one system call for each of them.
  ///
  /// `raw` is the sample as the sensor measured it.
  public mutating func observe(_ seen: Observation, raw: Measurement?, at now: Instant) {
    room.snapshot = seen.snapshot
    room.snapshot.events &+= room.pastEvents
    hasQueried = false
    renewListeners()
    guard clients &+ unauthenticated > 0 else { return }
    seen.forEachEvent { occurrence in
      let line = unsafe compose { unsafe room.lines.event(occurrence, into: $0) }
      unsafe append(line, to: open)
    }
    if let second = seen.vibration { share(second) }
    if let reading = seen.reading { share(reading, seen, raw) }
    // Only now: a hello counts the events and the sample of this step, so it must come after them.
    renewSeats(at: now)
    answerReadings(with: seen.reading)
    remindUnauthenticated(at: now)
    sendDueCounters(at: now)
    flushAll()
  }

  /// Appends the sample to the outboxes of those who want it. It is written once.
  mutating func share(_ reading: Reading, _ seen: Observation, _ raw: Measurement?) {
    // Measured, because a sensor may keep its own time, and a recording may have any.
    let period = max(.zero, min(.seconds(1), reading.instant - room.lastSample))
    room.lastSample = reading.instant
    let chosen = seats {
      room.seats[$0].isOpen && room.seats[$0].wishes.wantsSample(at: reading.instant, period: period)
    }
    let chosenRaw = seats { room.seats[$0].isOpen && room.seats[$0].wishes.samples == .raw }
    let chosenWhole = chosen.subtracting(chosenRaw)
    if !chosenWhole.isEmpty {
      unsafe append(compose { unsafe room.lines.sample(reading, seen, into: $0) }, to: chosenWhole)
    }
    guard !chosenRaw.isEmpty, let raw else { return }
    unsafe append(compose { unsafe room.lines.raw(raw, at: reading.instant, into: $0) }, to: chosenRaw)
  }

  /// Appends the vibration of a second to the outboxes of those who want it.
  mutating func share(_ second: VibrationSecond) {
    let chosen = seats { room.seats[$0].isOpen && room.seats[$0].wishes.wantsVibration }
    guard !chosen.isEmpty else { return }
    unsafe append(compose { unsafe room.lines.vibration(second, into: $0) }, to: chosen)
  }

  /// Ends the stream: every client gets `detail` as its last line, and the sockets are removed.
  public mutating func end(_ detail: StaticString) {
    forEachSeat(taken) { owner, index in
      if owner.room.seats[index].isOpen {
        unsafe owner.send(to: index) { lines, line in unsafe lines.bye(ShortText(detail), into: line) }
      }
      _ = owner.room.seats[index].unblock()
      owner.leave(index)
    }
    for index in 0..<Self.mostListeners {
      guard let listener = room.listeners[index] else { continue }
      room.listeners[index] = nil
      listener.close()
    }
  }
}

extension Snapshot {
  /// What is known about a board before its first step.
  fileprivate init(of board: BoardDescription, at now: Instant) {
    self.init(at: now)
    if board.vibration != nil { isBusy = false }
  }
}
