import FixedPoint
import FlyingSocks
import FoundationEssentials
import Glibc
import PlumbViews

/// One connection: what it waits for, and what it still is to get. It keeps one message at most.
struct ServeConnection {
  enum Phase: Equatable {
    /// Its request is awaited.
    case asking
    /// It gets an answer, which ends it.
    case answered
    /// It sees what happens: the next event and the next slice of the past that it gets.
    case viewing(event: UInt64, slice: Int)
    /// It has all, and what it may still say is thrown away: otherwise the answer could be lost on the way.
    case leaving
    case over
  }

  let socket: Socket
  private(set) var phase = Phase.asking
  private var reader = RequestReader()
  private var message = Data()
  private var sent = 0
  /// When the phase began; of a viewer, when its message was given to it.
  private(set) var since: Instant
  /// Bytes that came and were discarded.
  private var ignored = 0
  /// Whether the other end has said all it will.
  private var isSilent = false

  init(_ socket: Socket, at now: Instant) {
    self.socket = socket
    since = now
  }

  var isViewer: Bool { if case .viewing = phase { true } else { false } }
  var isWaiting: Bool { sent < message.count }

  /// What `poll` is to look for.
  var wanted: Int16 { (isSilent ? 0 : Int16(POLLIN)) | (isWaiting ? Int16(POLLOUT) : 0) }

  /// The longest that each phase may last; for a viewer, until it has read a message.
  private var patience: Microseconds {
    switch phase {
    case .asking: .seconds(10)
    case .answered: .seconds(30)
    case .viewing: .seconds(10)
    case .leaving, .over: .seconds(1)
    }
  }

  func isLate(at now: Instant) -> Bool {
    guard now - since > patience else { return false }
    return isViewer ? isWaiting : true
  }

  /// Gives it the last it gets.
  mutating func answer(_ bytes: [UInt8], at now: Instant) {
    give(bytes, at: now)
    phase = .answered
    send(at: now)
  }

  /// Makes it a viewer, and sends `bytes` first.
  mutating func show(_ bytes: [UInt8], event: UInt64, slice: Int, at now: Instant) {
    give(bytes, at: now)
    phase = .viewing(event: event, slice: slice)
    send(at: now)
  }

  /// Gives a viewer the next message, after which it wants `event` and `slice`. Must not be done while it is waiting.
  mutating func go(on bytes: [UInt8], event: UInt64, slice: Int, at now: Instant) {
    show(bytes, event: event, slice: slice, at: now)
  }

  mutating func end() { phase = .over }

  private mutating func give(_ bytes: [UInt8], at now: Instant) {
    (message, sent, since) = (Data(bytes), 0, now)
  }

  /// Sends as much as the connection takes.
  mutating func send(at now: Instant) {
    do {
      while isWaiting { sent = try socket.write(message, from: sent) }
      guard phase == .answered else { return }
      (phase, since) = (.leaving, now)
      if shutdown(socket.file.rawValue, Int32(SHUT_WR)) != 0 { end() }
    } catch {
      if !Self.isPassing(error) { end() }
    }
  }

  /// Takes what came; returns what its request came to, once that is known.
  mutating func receive() -> RequestReader.Outcome {
    do {
      let bytes = try socket.read(atMost: 4_096)
      if phase == .asking { return reader.take(bytes) }
      ignored += bytes.count
      // Who has been answered has nothing more to say that matters.
      if ignored > 1 << 20 { end() }
    } catch {
      if Self.isPassing(error) { return .more }
      // A request may be the last that a script says, and yet the answer be wanted.
      isSilent = error as? SocketError == .disconnected
      if !(isSilent && phase == .answered) { end() }
    }
    return .more
  }

  /// Whether an error means no more than that nothing can be done now.
  private static func isPassing(_ error: any Error) -> Bool {
    switch error as? SocketError {
    case .blocked: true
    case .failed(_, let number, _): number == EINTR
    default: false
    }
  }
}
