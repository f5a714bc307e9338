internal import CConnect
internal import CSupport
internal import FixedPoint
public import Text

/// An address on which the stream is served.
struct StreamListener {
  let descriptor: Int32
  let isLocal: Bool
  /// The path of a socket, which is removed at the end; nil for TCP.
  var path: ShortText<108>?
  /// Whether it belongs to the service manager, and stays open.
  var isInherited = false
  /// How many more connections may be accepted before the next sample.
  var patience = StreamListener.usualPatience
  /// Whether the owner waits for it.
  var isAwake = true

  /// Each connection costs half a dozen system calls.
  static var usualPatience: UInt8 { 8 }

  /// Closes the listener.
  func close() {
    if isInherited { return }
    if let path { unsafe path.withCString { unsafe csupport_share_remove($0) } }
    csupport_socket_close(descriptor)
  }
}

// The addresses on which the stream is served.
extension StreamOwner {
  /// Serves the stream on the Unix socket `path`.
  public mutating func listen(unix path: ShortText<108>) throws(StreamOwnerError) {
    guard path[0] == 0x2F, !path.isCut else { throw .badPath(path) }
    let descriptor = unsafe path.withCString { unsafe csupport_share_listen_unix($0) }
    guard descriptor >= 0 else { throw StreamOwnerError(path, code: 0 &- descriptor) }
    try add(StreamListener(descriptor: descriptor, isLocal: true, path: path))
  }

  /// Serves the stream at TCP `port` of `host`, which must be a loopback address unless a token was read before.
  public mutating func listen(tcp host: ShortText<48>, port: UInt16) throws(StreamOwnerError) {
    let (isAddress, isLoopback) = unsafe host.withCString { host in
      unsafe (csupport_share_is_address(host), csupport_share_is_loopback(host))
    }
    guard isAddress, !host.isCut else { throw .badHost(host) }
    guard isLoopback || room.token != nil else { throw .tokenNeeded(host) }
    let descriptor = unsafe host.withCString { unsafe csupport_share_listen_tcp($0, port) }
    guard descriptor >= 0 else { throw .port(host, port, code: 0 &- descriptor) }
    try add(StreamListener(descriptor: descriptor, isLocal: false))
  }

  /// Requires TCP clients to send, before anything else, the token in the first line of the file at `path`.
  public mutating func useToken(from path: ShortText<128>) throws(StreamOwnerError) {
    var code: Int32 = 0
    room.token = unsafe Token { bytes in
      code = unsafe path.withCString { path in
        unsafe csupport_file_first_line(path, bytes.baseAddress, bytes.count)
      }
      return code
    }
    if code < 0 && !csupport_file_is_too_long(0 &- code) { throw .tokenFile(path, code: 0 &- code) }
    guard room.token != nil else { throw .badToken(path) }
  }

  /// Requires TCP clients to send `token`, at least 16 bytes, before anything else.
  public mutating func useToken(_ token: ShortText<128>) throws(StreamOwnerError) {
    guard let token = Token(token) else { throw .badToken("that was made") }
    room.token = token
  }

  /// Whether the service manager has opened sockets for this process.
  public static var hasInheritedSockets: Bool { csupport_share_activated() > 0 }

  /// Serves the stream on the sockets that the service manager has opened for this process; returns how many there are.
  public mutating func adoptSockets() throws(StreamOwnerError) -> Int {
    let count = csupport_share_activated()
    for index in 0..<max(0, count) {
      let descriptor = Int32(truncatingIfNeeded: CSUPPORT_SHARE_FIRST) &+ index
      let kind = csupport_share_kind(descriptor)
      switch kind {
      case CSUPPORT_SHARE_UNIX, CSUPPORT_SHARE_LOOPBACK: break
      case CSUPPORT_SHARE_TCP:
        guard room.token != nil else { throw .tokenNeeded(ShortText("a socket of the service manager")) }
      default: throw .badActivation
      }
      let code = csupport_share_adopt(descriptor)
      guard code == 0 else { throw .system(code: 0 &- code) }
      try add(
        StreamListener(descriptor: descriptor, isLocal: kind == CSUPPORT_SHARE_UNIX, path: nil, isInherited: true))
    }
    return Int(truncatingIfNeeded: count)
  }

  mutating func add(_ listener: StreamListener) throws(StreamOwnerError) {
    for index in 0..<Self.mostListeners where room.listeners[index] == nil {
      let code = csupport_share_add(
        set, listener.descriptor, place(ofListener: index), Int32(truncatingIfNeeded: CSUPPORT_SHARE_INPUT))
      guard code == 0 else {
        listener.close()
        throw .system(code: 0 &- code)
      }
      room.listeners[index] = listener
      if listener.isLocal { room.hasLocalListener = true }
      return
    }
    listener.close()
    throw .tooMany
  }

  func place(ofListener index: Int) -> UInt32 { UInt32(truncatingIfNeeded: Self.seatCount &+ index) }

  /// Accepts connections.
  mutating func accept(_ index: Int, at now: Instant) {
    guard var listener = room.listeners[index] else { return }
    var result: Int32 = 0
    while listener.patience > 0 && result >= 0 {
      listener.patience &-= 1
      result = csupport_share_accept(listener.descriptor)
      if result >= 0 { admit(result, isLocal: listener.isLocal, at: now) }
    }
    // The same if there is no descriptor left: the connection waits until there is one.
    if listener.patience == 0 || !csupport_socket_is_blocked(0 &- result) && csupport_share_is_exhausted(0 &- result) {
      listener.patience = 0
      listener.isAwake = false
      _ = csupport_share_change(set, listener.descriptor, place(ofListener: index), 0)
    }
    room.listeners[index] = listener
  }

  mutating func renewListeners() {
    for index in 0..<Self.mostListeners {
      guard var listener = room.listeners[index], listener.patience < StreamListener.usualPatience else { continue }
      let wasAwake = listener.isAwake
      (listener.patience, listener.isAwake) = (StreamListener.usualPatience, true)
      room.listeners[index] = listener
      guard !wasAwake else { continue }
      _ = csupport_share_change(
        set, listener.descriptor, place(ofListener: index), Int32(truncatingIfNeeded: CSUPPORT_SHARE_INPUT))
    }
  }
}
