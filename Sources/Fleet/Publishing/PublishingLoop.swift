internal import CSupport
package import FixedPoint
package import Fleet
internal import Retry
package import StreamService
package import Text

/// Publishes what the owner of a sensor says until asked to stop, with one wait for the owner, the broker, signals and
/// time.
///
/// It retries a connection to the broker that is lost or cannot be made. After one that the broker had accepted, it
/// does so at a random time within the `spread` of the settings, so that not all clients of a broker come back at once;
/// after that in 1 s, doubling up to 60 s, each ± 50 %.
package struct PublishingLoop<Owner: OwnerSource & ~Copyable, Journal: ServiceJournal & ~Copyable>: ~Copyable {
  private enum Phase {
    /// Waits until the next try is due.
    case away
    case connecting
    case connected(since: Instant)
  }

  private var service: OwnerService<Owner, Journal>
  private var broker: BrokerClient
  private var publisher: Publisher

  private var phase = Phase.away
  private var retry: Instant
  private var delay = RetryDelay(first: .seconds(1), longest: .seconds(60), jitter: 50)
  private var takeOver = TakeOverWatch()
  /// Whether it subscribes: not after a message that is too long, which is retained and would end every connection.
  private var isSubscribing = true
  /// Whether the broker has ever accepted this client.
  package private(set) var hasConnected = false
  private let clientID: ShortText<128>
  private let spread: Microseconds

  private var brokerLog: ConnectionLog
  private var messageLog = MessageLog()

  private typealias Service = OwnerService<Owner, Journal>
  /// How long the last publications may take when the program ends.
  private static var leaveTime: Microseconds { .seconds(3) }

  /// A loop that is not connected to anything yet; its log calls the owner `name`. Signals end its waits if they are
  /// installed (csupport_signals.h).
  package init(
    owner: consuming Owner, called name: ShortText<280> = "the owner of the sensor",
    broker options: borrowing BrokerClient.Options, publisher: consuming Publisher,
    journal: consuming Journal, at now: Instant
  ) {
    service = OwnerService(owner: owner, called: name, journal: journal, at: now)
    self.publisher = publisher
    broker = BrokerClient(options)
    clientID = options.clientID
    spread = .seconds(widened(Int32(truncatingIfNeeded: options.spread)))
    brokerLog = ConnectionLog("the broker at \(options.place)")
    retry = now
  }

  /// The broker connection's status in a few words.
  package var brokerStatus: ConnectionLog.Line { brokerLog.status }

  /// Runs until a signal asks it to stop, until the owner has ended for good, or until `end`; then publishes that the
  /// device is offline, and disconnects.
  package mutating func run(until end: Instant?) {
    service.show(status: brokerLog.status)
    while true {
      let now = Self.now
      turn(at: now)
      guard service.goesOn(after: Service.requests(), at: now, until: end) else { break }
      if !broker.hasNews { service.wait(for: broker.descriptor, until: deadlines(end)) }
    }
    finish()
  }

  private static var now: Instant { Service.now }
  private static var wall: Int64? {
    let wall = csupport_clock_wall()
    return wall < 0 ? nil : wall
  }

  /// Takes what has arrived, and sends what is due.
  private mutating func turn(at now: Instant) {
    takeOwner(at: now)
    takeBroker(at: now)
    if case .away = phase, now >= retry {
      phase = .connecting
      broker.connect()
    }
    if case .connected(let since) = phase {
      if takeOver.isContested && now - since >= TakeOverWatch.good {
        takeOver.lasts()
        report(brokerLog.connected(), isTrouble: false)
      }
      publish(at: now)
    }
    report(brokerLog.reminder(at: now), isTrouble: true)
    report(messageLog.line(at: now), isTrouble: true)
    while let notice = publisher.nextNotice(at: now) { report("\(notice.message)", isTrouble: true) }
  }

  private mutating func report(_ line: ConnectionLog.Line?, isTrouble: Bool) {
    service.report(line, isTrouble: isTrouble)
  }

  private func deadlines(_ end: Instant?) -> InlineArray<5, Instant?> {
    let (due, good): (Instant?, Instant?) =
      switch phase {
      case .away: (retry, nil)
      case .connecting: (nil, nil)
      case .connected(let since): (publisher.due, takeOver.isContested ? since + TakeOverWatch.good : nil)
      }
    return [end, due, good, brokerLog.due, messageLog.due]
  }
}

// The owner's side.
extension PublishingLoop where Owner: ~Copyable, Journal: ~Copyable {
  private mutating func takeOwner(at now: Instant) {
    let wall = Self.wall
    for _ in 0..<Service.mostNews {
      guard let news = service.receive(at: now) else { return }
      switch news {
      case .line(let object): publisher.take(object, at: now, wall: wall)
      case .gone(let why): publisher.ownerIsGone(at: now, wall: wall, why: why)
      }
      request()
    }
  }

  private mutating func request() {
    while let line = publisher.nextRequest() { service.request(line) }
  }
}

// The broker's side.
extension PublishingLoop where Owner: ~Copyable, Journal: ~Copyable {
  private mutating func takeBroker(at now: Instant) {
    for _ in 0..<Service.mostNews {
      guard let news = broker.next() else { return }
      switch news {
      case .connected: begin(at: now)
      case .refused(let trouble):
        phase = .away
        retry = now + delay.next(random: csupport_random())
        noteFailure(trouble, at: now)
      case .lost(let trouble): lose(trouble, at: now)
      case .delivered(let token): publisher.delivered(token)
      case .failed(let token): publisher.failed(token, at: now)
      case .subscriptionRefused: messageLog.noteRefusedSubscription()
      case .message(let isRetained, let dropped):
        messageLog.note(dropped: dropped)
        Self.hand(broker, to: &publisher, isRetained: isRetained, at: now)
        request()
      case .longMessage: messageLog.note(dropped: 1)
      }
    }
  }

  private static func hand(
    _ broker: borrowing BrokerClient, to publisher: inout Publisher, isRetained: Bool, at now: Instant
  ) {
    broker.withMessage { topic, payload in
      publisher.take(topic: topic, payload: payload, isRetained: isRetained, at: now)
    }
  }

  private mutating func begin(at now: Instant) {
    phase = .connected(since: now)
    hasConnected = true
    // The broker's answer, or the loss of the connection, will tell.
    if isSubscribing { for topic in publisher.subscriptions { _ = broker.subscribe(topic) } }
    publisher.connected(at: now)
    guard !takeOver.isContested else { return }
    report(brokerLog.connected(), isTrouble: false)
    service.show(status: brokerLog.status)
  }

  private mutating func lose(_ trouble: BrokerTrouble, at now: Instant) {
    guard case .connected(let since) = phase else { return }
    phase = .away
    if trouble.kind == .tooLong { isSubscribing = false }
    publisher.disconnected(at: now)
    // However short it was: a broker that restarts twice within a minute also has a hundred clients to take back.
    let chance = csupport_random() % (UInt64(bitPattern: spread.count) &+ 1)
    retry = now + Microseconds(Int64(bitPattern: chance))
    if takeOver.lost(after: now - since) { delay.reset() }
    if takeOver.isContested { retry = max(retry, now + delay.next(random: csupport_random())) }
    noteFailure(trouble, at: now)
  }

  private mutating func noteFailure(_ trouble: BrokerTrouble, at now: Instant) {
    let why: ShortText<256> =
      trouble.kind == .tooLong
      ? "\(trouble.message): commands and the status of Home Assistant are ignored until a restart"
      : takeOver.isContested
        ? "lost three times within 30 s of connecting; another client may use the same client id, \(clientID)"
        : trouble.message
    report(brokerLog.failed(why, at: now), isTrouble: true)
    service.show(status: brokerLog.status)
  }

  private mutating func publish(at now: Instant) {
    while let publication = publisher.next(at: now) {
      guard broker.publish(publication) else { return publisher.failed(publication.token, at: now) }
    }
  }

  /// Delivers the last publications, and disconnects.
  private mutating func finish() {
    let end = Self.now + Self.leaveTime
    publisher.end(at: Self.now)
    while case .connected = phase, Self.now < end {
      takeBroker(at: Self.now)
      guard case .connected = phase else { break }
      publish(at: Self.now)
      if publisher.hasEnded { break }
      awaitBroker(until: end)
    }
    broker.close(patience: max(end - Self.now, .seconds(1)))
  }

  /// Waits for the broker, but not for a signal, which would end every wait from now on.
  private func awaitBroker(until end: Instant) {
    var descriptor = csupport_wait_descriptor(descriptor: broker.descriptor, is_written_to: false, is_ready: false)
    _ = unsafe csupport_wait_for(&descriptor, 1, end.microseconds)
  }
}
