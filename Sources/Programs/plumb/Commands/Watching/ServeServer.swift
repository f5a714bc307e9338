import CConnect
import CSupport
import FixedPoint
import Glibc
import LinuxHAL
import PlumbViews
import Stream
import Synchronization
import ToolInputs
import ToolOutput

/// Serves all viewers in one thread, which never waits for any of them: each gets as much as it takes, and is dropped
/// if it takes nothing for a long time.
struct ServeServer {
  private let listener: ServeListener
  private let rule: AccessRule
  private let page = WebPage()
  private var content: ServeContent
  private var attempts: AttemptLimit
  /// The number of connections accepted so far.
  private var accepted: UInt64 = 0
  private var connections: [ServeConnection] = []
  /// Until when no connection is accepted because the system has run out of descriptors.
  private var rest: Instant

  /// Twenty frames a second.
  private static let interval = Microseconds.milliseconds(50)
  /// The most viewers at a time.
  private static let viewers = 100
  /// The most connections at a time; beyond that, the oldest one that is not a viewer is closed.
  private static let capacity = 160

  init(_ listener: ServeListener, _ rule: AccessRule, _ content: ServeContent) {
    self.listener = listener
    self.rule = rule
    self.content = content
    rest = LinuxClock().now
    attempts = AttemptLimit(at: rest)
  }

  /// Serves until `isOver`; then sends the viewers the last message and closes all connections.
  mutating func run(until isOver: () -> Bool) {
    var next = LinuxClock().now
    while !isOver() {
      let now = LinuxClock().now
      if now >= next {
        next = max(next + Self.interval, now)
        content.update(at: now)
        for index in connections.indices { go(on: index, at: now) }
      }
      sweep(at: now)
      wait(until: next)
    }
    let now = LinuxClock().now
    let last = Array(ServerSentEvent.text("bye", "{}").utf8)
    for index in connections.indices {
      if connections[index].isViewer && !connections[index].isWaiting { connections[index].answer(last, at: now) }
      close(connections[index])
    }
    connections = []
    csupport_socket_close(listener.descriptor)
  }

  /// Waits for something to do and does it.
  private mutating func wait(until next: Instant) {
    let now = LinuxClock().now
    var waits = connections.map { pollfd(fd: $0.descriptor, events: $0.wanted, revents: 0) }
    waits.append(pollfd(fd: now < rest ? -1 : listener.descriptor, events: Int16(POLLIN), revents: 0))
    waits.append(pollfd(fd: csupport_signals_descriptor(), events: Int16(POLLIN), revents: 0))
    let left = max(0, (next - now).count / 1_000 + 1)
    // A signal ends the wait, too, which does no harm.
    guard unsafe poll(&waits, nfds_t(waits.count), Int32(left)) > 0 else { return }
    let then = LinuxClock().now
    for index in connections.indices where waits[index].revents != 0 {
      if waits[index].revents & Int16(POLLOUT) != 0 { connections[index].send(at: then) }
      if waits[index].revents & ~Int16(POLLOUT) != 0 { hear(index, at: then) }
    }
    if waits[waits.count - 2].revents != 0 { accept(at: then) }
    // After a stop signal, the loop will soon say that it is over.
    if waits[waits.count - 1].revents != 0 { usleep(2_000) }
  }

  private mutating func accept(at now: Instant) {
    // Not forever: others are waiting, too.
    for _ in 0..<16 {
      let descriptor = csupport_share_accept(listener.descriptor)
      guard descriptor >= 0 else {
        // Either the connection is already gone or no descriptor is left. The latter will not change at once.
        if !csupport_socket_is_blocked(-descriptor) { rest = now + .milliseconds(100) }
        return
      }
      if connections.count >= Self.capacity { dropOldest() }
      connections.append(ServeConnection(descriptor, at: now))
      accepted += 1
    }
  }

  private mutating func dropOldest() {
    let others = connections.indices.filter { !connections[$0].isViewer }
    guard let oldest = others.min(by: { connections[$0].since < connections[$1].since }) else { return }
    close(connections[oldest])
    connections.remove(at: oldest)
  }

  private mutating func hear(_ index: Int, at now: Instant) {
    switch connections[index].receive() {
    case .more: return
    case .refused(let status): connections[index].answer(Answer.refusal(status), at: now)
    case .request(let request): answer(request, index, at: now)
    }
  }

  private mutating func answer(_ request: HTTPRequest, _ index: Int, at now: Instant) {
    let isHead = request.method == "HEAD"
    switch attempts.decision(of: rule, for: request, at: now) {
    case .page:
      let (body, policy) = page.bytes(nonce: AccessToken.random())
      let answer = Answer.bytes(.fine, type: "text/html", body: body, policy: policy, isHead: isHead)
      connections[index].answer(answer, at: now)
    case .state:
      content.update(at: now)
      let answer = Answer.bytes(.fine, type: "application/json", body: Array(content.state.utf8), isHead: isHead)
      connections[index].answer(answer, at: now)
    case .metrics:
      content.update(at: now)
      let metrics = content.metrics(viewers: connections.count(where: \.isViewer), connections: accepted, at: now)
      let format = MetricsFormat(accept: request.accept)
      let answer = Answer.bytes(
        .fine, type: format.type, body: metrics.bytes(format), isHead: isHead, isNegotiated: true)
      connections[index].answer(answer, at: now)
    case .health:
      content.update(at: now)
      let (status, words): (Status, String) =
        switch content.health(at: now) {
        case .read: (.fine, "ok")
        case .notRead(let reason): (.unavailable, reason)
        }
      let answer = Answer.bytes(status, type: "text/plain", body: Array((words + "\n").utf8), isHead: isHead)
      connections[index].answer(answer, at: now)
    case .events where isHead: connections[index].answer(Answer.stream, at: now)
    case .events(let last):
      guard connections.count(where: \.isViewer) < Self.viewers else {
        return connections[index].answer(Answer.refusal(.unavailable), at: now)
      }
      let first = content.events.start(after: last)
      let greeting = Answer.stream + Array((content.greeting + content.events.messages(from: first)).utf8)
      connections[index].show(greeting, event: content.events.next, slice: content.history.last, at: now)
    case .refused(let status):
      let answer = Answer.refusal(status, isHead: isHead, wantsPage: request.wantsPage)
      connections[index].answer(answer, at: now)
    }
  }

  /// Sends a viewer what is new if it has read everything sent before.
  private mutating func go(on index: Int, at now: Instant) {
    let connection = connections[index]
    guard case .viewing(let event, let slice) = connection.phase, !connection.isWaiting else { return }
    var message = content.frame(from: slice)
    if event < content.events.next { message = Array(content.events.messages(from: event).utf8) + message }
    connections[index].go(on: message, event: content.events.next, slice: content.history.last, at: now)
  }

  /// Closes connections that are late or gone.
  private mutating func sweep(at now: Instant) {
    for index in connections.indices.reversed() {
      if connections[index].phase == .asking && connections[index].isLate(at: now) {
        connections[index].answer(Answer.refusal(.tooSlow), at: now)
      } else if connections[index].phase == .over || connections[index].isLate(at: now) {
        close(connections[index])
        connections.remove(at: index)
      }
    }
  }

  private func close(_ connection: ServeConnection) { csupport_socket_close(connection.descriptor) }
}

/// The thread that serves until it is ended, within the time of a frame.
final class ServeThread: Sendable {
  private let server: Mutex<ServeServer?>

  private init(_ server: consuming sending ServeServer) { self.server = Mutex(server) }

  static func begin(_ server: consuming sending ServeServer) throws(ToolError) -> WorkerThread {
    let serving = ServeThread(server)
    return try WorkerThread.begin("the server thread") { isOver in
      serving.server.withLock { server in server?.run(until: isOver) }
    }
  }
}
