import CConnect
import FixedPoint
import Glibc
import PlumbViews
import ToolInputs
import ToolOutput

/// One connection: its phase, and what is still to be sent. It holds one message at most.
struct ServeConnection {
  enum Phase: Equatable {
    /// Waits for the request.
    case asking
    /// Sends the only answer.
    case answered
    /// Follows the board: the next event and the next slice of the history to send.
    case viewing(event: UInt64, slice: Int)
    /// Everything is sent, and what still comes is discarded: otherwise the answer could get lost on the way.
    case leaving
    case over
  }

  /// The socket.
  let descriptor: Int32
  private(set) var phase = Phase.asking
  private var reader = RequestReader()
  private var message: [UInt8] = []
  private var sent = 0
  /// When the phase began; for a viewer, when sending its latest message began.
  private(set) var since: Instant
  /// The number of bytes received and discarded.
  private var ignored = 0
  /// Whether the other end has closed its sending side.
  private var isSilent = false

  init(_ descriptor: Int32, at now: Instant) {
    self.descriptor = descriptor
    since = now
  }

  var isViewer: Bool { if case .viewing = phase { true } else { false } }
  var isWaiting: Bool { sent < message.count }

  /// The events that `poll` is to wait for.
  var wanted: Int16 { (isSilent ? 0 : Int16(POLLIN)) | (isWaiting ? Int16(POLLOUT) : 0) }

  /// The longest that each phase may last; for a viewer, the longest it may take to read a message.
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

  /// Sends the last message of this connection.
  mutating func answer(_ bytes: [UInt8], at now: Instant) {
    give(bytes, at: now)
    phase = .answered
    send(at: now)
  }

  /// Makes it a viewer and sends `bytes` first.
  mutating func show(_ bytes: [UInt8], event: UInt64, slice: Int, at now: Instant) {
    give(bytes, at: now)
    phase = .viewing(event: event, slice: slice)
    send(at: now)
  }

  /// Sends a viewer its next message, after which it needs `event` and `slice`. Must not be called while `isWaiting`.
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

  /// Takes what has arrived; returns the outcome of the request once it is known.
  mutating func receive() -> RequestReader.Outcome {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe csupport_socket_receive(descriptor, bytes.baseAddress, bytes.count)
    }
    switch count {
    case 1...:
      if phase == .asking { return reader.take(bytes.prefix(Int(count))) }
      ignored += Int(count)
      // After the answer, nothing that arrives matters.
      if ignored > 1 << 20 { end() }
    case 0:
      // A script may close its sending side after the request and still want the answer.
      isSilent = true
      if phase != .answered { end() }
    default: if !csupport_socket_is_blocked(-count) { end() }
    }
    return .more
  }
}
