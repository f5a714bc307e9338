import CConnect
import FixedPoint
import Glibc
import PlumbViews
import ToolInputs
import ToolOutput

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

  /// The socket.
  let descriptor: Int32
  private(set) var phase = Phase.asking
  private var reader = RequestReader()
  private var message: [UInt8] = []
  private var sent = 0
  /// When the phase began; of a viewer, when its message was given to it.
  private(set) var since: Instant
  /// Bytes that came and were discarded.
  private var ignored = 0
  /// Whether the other end has said all it will.
  private var isSilent = false

  init(_ descriptor: Int32, at now: Instant) {
    self.descriptor = descriptor
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
    (message, sent, since) = (bytes, 0, now)
  }

  /// Sends as much as the connection takes.
  mutating func send(at now: Instant) {
    while isWaiting {
      let count = unsafe message.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return unsafe csupport_socket_send(descriptor, rest.baseAddress, rest.count, nil, 0)
      }
      guard count >= 0 else {
        if !csupport_socket_is_blocked(-count) { end() }
        return
      }
      sent += Int(count)
    }
    guard phase == .answered else { return }
    (phase, since) = (.leaving, now)
    if shutdown(descriptor, Int32(SHUT_WR)) != 0 { end() }
  }

  /// Takes what came; returns what its request came to, once that is known.
  mutating func receive() -> RequestReader.Outcome {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe csupport_socket_receive(descriptor, bytes.baseAddress, bytes.count)
    }
    switch count {
    case 1...:
      if phase == .asking { return reader.take(bytes.prefix(Int(count))) }
      ignored += Int(count)
      // Who has been answered has nothing more to say that matters.
      if ignored > 1 << 20 { end() }
    case 0:
      // A request may be the last that a script says, and yet the answer be wanted.
      isSilent = true
      if phase != .answered { end() }
    default: if !csupport_socket_is_blocked(-count) { end() }
    }
    return .more
  }
}
