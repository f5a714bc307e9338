package import FixedPoint
package import JSON
internal import Orientation
package import Text

/// What a device publishes: a function of what the owner of its sensor and the broker say, and of time.
///
/// It reads no clock and no socket. A publication handed out by ``next(at:)`` is in flight until it is
/// ``delivered(_:)``. If it has ``failed(_:at:)``, or is in flight when the connection breaks, it is handed out again.
/// At most 8 publications are in flight at once.
// Copyable, though never copied: for a large type that is not, Swift 6.3 takes 5 s to check what reads its fields.
package struct Publisher {
  let settings: PublisherSettings
  let identity: DeviceIdentity
  /// The topics on which it publishes.
  package let topics: Topics

  // What the owner has said.
  var link = OwnerLinkState.waiting
  var facts = OwnerFacts()
  /// What is published about the pose.
  var pose = PublishedPose.owner(.unknown(.notYetSampled))
  /// Why the pose is unknown, in words; empty for none.
  var poseDetail = ShortText<256>()
  /// Since when the pose or the reason has applied.
  var poseSince: Instant
  var means: AngleMeans
  var clock = WallClock()
  /// When the owner last said something; at first, when the program began.
  var lastHeard: Instant
  let begun: Instant
  /// Whether the wait for the first hello is over.
  var hasWaited = false
  /// Whether the board moves; nil if unknown.
  var isMoving: Bool?
  /// How many of the owner's events were seen here, by its count; nil if unknown.
  var seenEvents: UInt64?
  var lateSamples: UInt64?
  var recoveries: UInt64?
  /// In 0.01 °C.
  var temperature: Int64?
  /// The orientation to which the interface is rotating.
  var rotationTarget = ShortText<24>()

  // What to ask of the owner.
  var wantsHello = false
  var wantsSamples = false
  var wantsCounters = false
  var pending = PendingCommands()

  // What to send to the broker.
  var queue = EventQueue()
  var answers = AnswerQueue()
  var flights = Flights()
  /// How many events there have been since the program began.
  var eventNumber: UInt64 = 0
  /// How many lines or events of the owner were missed.
  var missedOfOwner: UInt64 = 0
  var random: RandomDelay
  var isConnected = false
  var needsStatus = false
  var isEnding = false
  /// Whether `offline` is in flight.
  var isLeaving = false
  /// Whether `offline` has been delivered.
  var hasLeft = false
  /// Nothing is sent before this, because something has just failed.
  var holdOff: Instant?
  /// When discovery is due next; nil for never.
  var discoveryDue: Instant?
  var lastDiscovery: Instant?
  /// When the state is repeated because of that; nil for never.
  var repetitionDue: Instant?
  /// Until then the first sample of an owner is awaited, so that the state includes angles.
  var firstSampleDue: Instant?
  /// Whether something has changed that must be published at once.
  var hasNews = true
  /// Whether a count has changed, which must be published within some seconds.
  var hasCounted = false
  var sentAngles = BoardAngles()
  var lastState: Instant?

  // What to log.
  var notices = NoticeBook()

  /// Publishes according to `settings` for the device `identity`. Sends nothing before ``connected(at:)``.
  package init(_ settings: PublisherSettings, _ identity: DeviceIdentity, random seed: UInt64, at now: Instant) {
    self.settings = settings
    self.identity = identity
    topics = Topics(settings, identity)
    poseSince = now
    means = AngleMeans(interval: settings.interval)
    (lastHeard, begun) = (now, now)
    random = RandomDelay(seed: seed)
  }

  /// What is known about the owner.
  enum OwnerLinkState: Equatable {
    /// It has not said hello yet since the program began.
    case waiting
    /// It has said hello.
    case present
    /// It is silent, but the connection still exists.
    case silent
    /// It speaks again, and has been asked for a hello.
    case returning
    /// It is gone, or speaks another protocol.
    case gone
  }

  /// Everything that was not published: dropped here, or missed from the owner.
  var missed: UInt64 { sum(queue.dropped, missedOfOwner) }
}

// Input from the owner.
extension Publisher {
  /// Takes a line of the owner's stream. `wall` is in µs since 1970; nil if the clock is not set.
  package mutating func take(_ object: JSONObject, at now: Instant, wall: Int64?) {
    clock.take(now, wall)
    update(at: now)
    guard let event = object["event"] else { return }
    lastHeard = now
    if event.isString("hello") { return takeHello(object, at: now) }
    if link == .silent { (link, wantsHello) = (.returning, true) }
    takeLine(event, object, at: now)
  }

  /// Notes that the connection to the owner is lost, or could not be made.
  package mutating func ownerIsGone(at now: Instant, wall: Int64?, why: ShortText<256>) {
    clock.take(now, wall)
    lose(at: now, why)
    link = .gone
  }

  /// The next line to send to the owner, without its end; nil for none. Call it after each line and message taken.
  /// Requests that are lost without a connection are made again on the next one.
  package mutating func nextRequest() -> ShortText<128>? {
    guard link == .present || link == .returning else { return nil }
    if wantsSamples {
      wantsSamples = false
      // Even without angles, a gyroscope shows whether the board is at rest.
      if !settings.angles.isEmpty { return "{\"samples\":10}" }
      return facts.hasGyroscope == true ? "{\"samples\":1}" : "{\"samples\":0}"
    }
    if wantsCounters {
      wantsCounters = false
      // This is also a sign of life.
      return "{\"counters\":1}"
    }
    if wantsHello {
      wantsHello = false
      return "{\"query\":\"hello\"}"
    }
    return switch pending.send() {
    case .tare: "{\"command\":\"tare\"}"
    case .query: "{\"query\":\"read\"}"
    case nil: nil
    }
  }
}

// Input from the broker.
extension Publisher {
  /// The topics to subscribe to on each connection.
  package var subscriptions: [Topic.Name] { heardTopics.map { topics[$0] } }

  private var heardTopics: [Topic] {
    Topic.allCases.filter { $0.use == .heard && ($0 != .birth || settings.has(.discovery)) }
  }

  /// Notes that the broker has accepted the connection, and that the subscriptions have been sent.
  package mutating func connected(at now: Instant) {
    // Nothing is in flight on a new connection.
    loseFlights()
    isConnected = true
    (needsStatus, hasNews, holdOff) = (true, true, nil)
    discoveryDue = settings.has(.discovery) ? now : nil
    repetitionDue = nil
    notices.isDue = true
  }

  /// Notes that the connection is lost. What was in flight is due again.
  package mutating func disconnected(at now: Instant) {
    isConnected = false
    loseFlights()
  }

  private mutating func loseFlights() {
    for flight in flights.endAll() { lose(flight.topic, flight.token) }
  }

  /// Notes that the broker has acknowledged the publication with `token`. Any other number does nothing.
  package mutating func delivered(_ token: UInt16) {
    switch flights.end(token) {
    case .event: queue.backlog.delivered(token)
    case .answer: answers.backlog.delivered(token)
    case .status: hasLeft = isLeaving
    case .state, .discovery, .command, .birth, nil: break
    }
  }

  /// Notes that the publication with `token` could not be sent. It is due again in a second.
  package mutating func failed(_ token: UInt16, at now: Instant) {
    guard let topic = flights.end(token) else { return }
    lose(topic, token)
    if topic == .discovery { discoveryDue = now }
    holdOff = now + .seconds(1)
  }

  /// Makes the publication on `topic` due again.
  private mutating func lose(_ topic: Topic, _ token: UInt16) {
    switch topic {
    case .event: queue.backlog.failed(token)
    case .answer: answers.backlog.failed(token)
    case .state: hasNews = true
    case .status: (needsStatus, isLeaving) = (true, false)
    case .discovery, .command, .birth: break
    }
  }

  /// Takes a message on a subscribed topic.
  package mutating func take(topic name: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool, at now: Instant) {
    switch heardTopics.first(where: { topics[$0].equals(name) }) {
    case .command: take(command: payload, isRetained: isRetained, at: now)
    case .birth:
      // A retained birth message is no news: discovery follows each connection anyway.
      guard !isRetained && payload.isText("online") && discoveryDue == nil else { return }
      announce(at: now + random.between(.zero, .seconds(5)))
    case .status, .state, .event, .answer, .discovery, nil: break
    }
  }
}

// Output to the broker.
extension Publisher {
  /// The next publication, if one is due now. It is then in flight.
  package mutating func next(at now: Instant) -> Publication? {
    update(at: now)
    guard isConnected, flights.count < Flights.most, isReady else { return nil }
    if let holdOff {
      guard now >= holdOff else { return nil }
      self.holdOff = nil
    }
    if isEnding { return nextOfEnd(at: now) }
    if isStateDue(at: now) { return publication(on: .state, state(at: now)) }
    if needsStatus {
      needsStatus = false
      return publication(on: .status, [UInt8]("online".utf8))
    }
    if let due = discoveryDue, now >= due, !flights.has(.discovery) {
      return publication(on: .discovery, discovery(at: now))
    }
    return nextOfQueues(at: now)
  }

  /// Sends the waiting events and answers and, once they are delivered, `offline`.
  private mutating func nextOfEnd(at now: Instant) -> Publication? {
    if let next = nextOfQueues(at: now) { return next }
    guard flights.count == 0, queue.isEmpty, answers.isEmpty, !hasLeft else { return nil }
    isLeaving = true
    return publication(on: .status, [UInt8]("offline".utf8))
  }

  private mutating func nextOfQueues(at now: Instant) -> Publication? {
    guard flights.queuedCount < Flights.mostQueued else { return nil }
    if let payload = queue.next {
      let next = publication(on: .event, payload)
      queue.backlog.send(as: next.token)
      return next
    }
    guard let payload = answers.next(at: now) else { return nil }
    let next = publication(on: .answer, payload)
    answers.send(as: next.token, at: now)
    return next
  }

  private mutating func publication(on topic: Topic, _ payload: [UInt8]) -> Publication {
    let token = flights.begin(topic)
    return Publication(on: topics[topic], payload, isRetained: topic.use == .retained, token: token)
  }

  private mutating func discovery(at now: Instant) -> [UInt8] {
    (discoveryDue, lastDiscovery) = (nil, now)
    repetitionDue = now + random.between(.milliseconds(600), .seconds(2))
    let discovery = Discovery(settings, identity, topics, facts)
    return json { writer in discovery.write(to: &writer) }
  }

  /// When ``next(at:)`` may have something even if nothing else happens; nil for never. Read it after that has returned
  /// nil.
  package var due: Instant? {
    guard isConnected, flights.count < Flights.most else { return nil }
    if let holdOff { return holdOff }
    var due = NextInstant()
    if link == .waiting && !hasWaited { return begun + Self.longestWait }
    if link == .present || link == .waiting { due.take(lastHeard + Self.longestSilence) }
    due.take(pending.deadline)
    due.take(firstSampleDue)
    guard firstSampleDue == nil else { return due.instant }
    if flights.queuedCount < Flights.mostQueued { due.take(answers.due) }
    guard !isEnding else { return due.instant }
    if !flights.has(.discovery) { due.take(discoveryDue) }
    if !flights.has(.state) { due.take(stateDue) }
    due.take(means.lastSample.map { $0 + Self.longestSilence })
    return due.instant
  }

  /// Ends the program: sends what waits, and `offline` as the last publication. ``hasEnded`` says when that is
  /// delivered.
  package mutating func end(at now: Instant) { isEnding = true }

  /// Whether there is nothing more to send after ``end(at:)``.
  package var hasEnded: Bool { isEnding && (hasLeft || !isConnected) }

  /// The next thing to log; nil for none.
  package mutating func nextNotice(at now: Instant) -> PublisherNotice? {
    notices.next(dropped: queue.dropped, missed: missedOfOwner, unanswered: answers.leftOut, at: now)
  }
}

/// The earliest of some instants.
struct NextInstant {
  private(set) var instant: Instant?

  init(_ instant: Instant? = nil) { self.instant = instant }

  mutating func take(_ other: Instant?) {
    guard let other else { return }
    instant = min(instant ?? other, other)
  }
}
