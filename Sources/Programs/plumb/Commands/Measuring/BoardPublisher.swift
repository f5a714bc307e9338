import FixedPoint
import Fleet
import LinuxHAL
import Publishing
import StreamService
import Synchronization
import Text
import ToolInputs
import ToolOutput

/// A device on a broker: what is published of a board, where, and how the broker is reached.
struct PublishedDevice: Sendable {
  let settings: PublisherSettings
  let identity: DeviceIdentity
  let options: BrokerClient.Options

  init(_ settings: PublisherSettings, _ identity: DeviceIdentity, _ options: BrokerClient.Options) {
    (self.settings, self.identity, self.options) = (settings, identity, options)
  }

  var topics: Topics { Topics(settings, identity) }

  /// What is published where, in words.
  var places: String {
    let discovery = settings.has(.discovery) ? "; for Home Assistant on \(topics[.discovery])" : ""
    return
      "Publishing on \(topics[.status]), \(topics[.state]) and \(topics[.event])\(discovery); broker: \(options.place)"
      + (options.hasTLS ? " with TLS" : "")
  }

  func publisher(at now: Instant) -> Publisher {
    Publisher(settings, identity, random: UInt64.random(in: .min ... .max), at: now)
  }
}

/// The publisher of a local board: a client of the board's stream, as any other publisher is, in a thread beside
/// the board's loop, which it cannot keep waiting (docs/decisions/0033-a-publisher-beside-the-loop.md).
final class BoardPublisher: Sendable {
  private let device: PublishedDevice
  private let isOver = Atomic(false)
  private let trouble = Mutex<ToolError?>(nil)
  private let worker = Mutex<WorkerThread?>(nil)

  private init(_ device: PublishedDevice) { self.device = device }

  /// Begins to publish `device`, whose board is shared at the Unix socket `path`.
  static func begin(_ device: PublishedDevice, from path: String) throws(ToolError) -> BoardPublisher {
    let publisher = BoardPublisher(device)
    let worker = try WorkerThread.begin("the publisher's thread") { _ in publisher.publish(from: path) }
    publisher.worker.withLock { $0 = worker }
    return publisher
  }

  /// The board is put away, which is no trouble: what waits is published, and then that the device is offline.
  func boardHasEnded() { isOver.store(true, ordering: .releasing) }

  /// Waits until that is done, for some seconds at most. Returns why nothing was published, if nothing was.
  func join() -> ToolError? {
    worker.withLock { $0.take() }?.join()
    return trouble.withLock { $0 }
  }

  private func publish(from path: String) {
    let now = LinuxClock().now
    let link = OwnerLink(.unix(path: ShortText(cutting: path)), token: ShortText(), at: now)
    var loop = PublishingLoop(
      owner: OwnBoardLink(link, of: self), called: "the board", broker: device.options,
      publisher: device.publisher(at: now), journal: StandardErrorJournal(), at: now)
    loop.run(until: nil)
    trouble.withLock { $0 = loop.trouble }
  }

  /// The board's stream, until the board is put away. Its last line wakes the publisher, who then need not read it.
  private struct OwnBoardLink: OwnerSource, ~Copyable {
    private var link: OwnerLink
    private let publisher: BoardPublisher

    init(_ link: consuming OwnerLink, of publisher: BoardPublisher) {
      self.link = link
      self.publisher = publisher
    }

    var hasEnded: Bool { publisher.isOver.load(ordering: .acquiring) }
    var descriptor: Int32 { link.descriptor }
    var waitsToWrite: Bool { link.waitsToWrite }
    var milliseconds: Int32 { link.milliseconds }

    mutating func receive() -> OwnerNews? { hasEnded ? nil : link.receive() }
    mutating func request(_ line: borrowing ShortText<128>) { link.request(line) }
  }
}

/// Writes messages for the person who publishes to standard error.
struct StandardErrorJournal: ServiceJournal, ~Copyable {
  var aliveInterval: Microseconds? { nil }

  func write(_ line: ConnectionLog.Line, isTrouble: Bool) {
    writeToStandardError(fitForTerminal("plumb: \(isTrouble ? "warning: " : "")\(line)\n"))
  }

  func show(status: ConnectionLog.Line) {}

  func noteAlive() {}
}

extension PublishingLoop where Owner: ~Copyable, Journal: ~Copyable {
  /// That nothing was published until the end; nil where something was, or where a signal was the end.
  var trouble: ToolError? {
    guard !hasConnected, StopSignals.received == nil else { return nil }
    return ToolError(.unavailable, "nothing was published: \(brokerStatus)")
  }
}
