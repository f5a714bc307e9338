internal import FixedPoint
internal import Glibc

/// A socket that never blocks, with the lines that have come over it and the bytes that wait to go.
final class StreamSocket {
  let descriptor: Int32
  private var inbox = [UInt8](repeating: 0, count: 1 << 14)
  /// What of the inbox was read from the socket and not taken yet.
  private var unread = 0..<0
  private var outbox: [UInt8] = []

  /// The most bytes of a line, with its line feed.
  static var longestLine: Int { 1_024 }
  /// The most bytes that wait to go; nothing that is asked for comes near it.
  private static var longestOutbox: Int { 1 << 14 }

  /// What reading a socket came to.
  enum Arrival {
    /// There are more bytes than before.
    case more
    /// No byte is there at present.
    case none
    /// No byte comes any more: with the system's code, or 0 where the other end has closed in order.
    case ended(Int32)
  }

  /// Takes over `descriptor`, which does not block.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether bytes wait to go.
  var waitsToWrite: Bool { !outbox.isEmpty }

  /// The next line without its line feed; nil where none is whole yet. A line that is too long is never whole: `isTooLong`.
  func line() -> ArraySlice<UInt8>? {
    guard let end = inbox[unread].firstIndex(of: 0x0A) else { return nil }
    let line = inbox[unread.lowerBound..<end]
    unread = (end + 1)..<unread.upperBound
    return line
  }

  /// Whether there are more bytes than a line has, and no line feed; or one, too late.
  var isTooLong: Bool {
    guard unread.count >= Self.longestLine else { return false }
    return !inbox[unread].prefix(Self.longestLine).contains(0x0A)
  }

  /// Reads what has come.
  func fill() -> Arrival {
    if unread.isEmpty {
      unread = 0..<0
    } else if inbox.count - unread.upperBound < Self.longestLine {
      let kept = Array(inbox[unread])
      inbox.replaceSubrange(0..<kept.count, with: kept)
      unread = 0..<kept.count
    }
    // Lines are taken before more is read, so that there is room.
    let (end, descriptor) = (unread.upperBound, descriptor)
    while true {
      let count = unsafe inbox.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        return unsafe recv(descriptor, base + end, bytes.count - end, Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        unread = unread.lowerBound..<(end + count)
        return .more
      }
      if count == 0 { return .ended(0) }
      if errno == EAGAIN || errno == EWOULDBLOCK { return .none }
      if errno != EINTR { return .ended(errno) }
    }
  }

  /// Has `line` go, and a line feed after it. False where too much waits already.
  func put(_ line: String) -> Bool {
    guard outbox.count + line.utf8.count < Self.longestOutbox else { return false }
    outbox += line.utf8
    outbox.append(0x0A)
    return flush()
  }

  /// Sends what waits, as far as it goes. An error is found by reading.
  @discardableResult
  func flush() -> Bool {
    while !outbox.isEmpty {
      let descriptor = descriptor
      let count = unsafe outbox.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count > 0 {
        outbox.removeFirst(count)
      } else if errno != EINTR {
        return true
      }
    }
    return true
  }
}

extension StreamSocket {
  /// A socket that is being connected.
  enum Connecting {
    case done(Int32)
    /// Until it can be written to.
    case under(Int32)
    /// With the system's code.
    case failed(Int32)
  }

  /// Begins to connect to the Unix socket at `path`.
  static func connect(path: String) -> Connecting {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    let bytes = Array(path.utf8)
    guard bytes.count < room else { return .failed(ENAMETOOLONG) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafeBytes(of: &address) { unsafe connect(AF_UNIX, $0) }
  }

  /// Begins to connect to an address of `family`.
  private static func connect(_ family: Int32, _ address: UnsafeRawBufferPointer) -> Connecting {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { return .failed(errno) }
    guard let base = address.baseAddress else { return .failed(EINVAL) }
    let result = unsafe Glibc.connect(
      descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
    if result == 0 { return .done(descriptor) }
    // A Unix socket whose owner has not accepted others yet says EAGAIN; another try is due then.
    let code = errno
    if code == EINPROGRESS { return .under(descriptor) }
    close(descriptor)
    return .failed(code)
  }

  /// Begins to connect to `address`.
  static func connect(_ address: HostAddress) -> Connecting {
    unsafe address.bytes.withUnsafeBytes { unsafe connect(address.family, $0) }
  }

  /// The system's code of a connection that is no longer under way; 0 where it was made.
  static func outcome(of descriptor: Int32) -> Int32 {
    var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
  }
}

/// An address of a host and its port, as the system has it.
struct HostAddress: Sendable {
  let family: Int32
  let bytes: [UInt8]

  /// The addresses of `host`; where there are none, why, in the system's words.
  static func all(of host: String, port: UInt16) -> (addresses: [HostAddress], error: String) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let first = unsafe list else {
      return ([], unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "no address")
    }
    defer { unsafe freeaddrinfo(first) }
    var (addresses, next) = unsafe ([HostAddress](), list)
    while let entry = unsafe next {
      let (address, length) = unsafe (entry.pointee.ai_addr, Int(entry.pointee.ai_addrlen))
      let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: length))
      addresses.append(HostAddress(family: unsafe entry.pointee.ai_family, bytes: bytes))
      unsafe next = entry.pointee.ai_next
    }
    return (addresses, "")
  }
}

/// The system's words for a code.
func systemText(_ code: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  unsafe strerror_r(code, &text, text.count)
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return bytes.isEmpty ? "error \(code)" : String(decoding: bytes, as: UTF8.self)
}

/// Now, by the clock that runs evenly.
func monotonicNow() -> Instant {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
}
