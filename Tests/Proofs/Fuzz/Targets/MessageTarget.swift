internal import FixedPoint
internal import Gestures
internal import Glibc
internal import Monitor
internal import Orientation
internal import PlumbStream
internal import Sensors
internal import StreamCodec
internal import Vibration

/// A client's message for a line agrees with a plain reader's; and a client that reads all lines from a socket begins
/// with a hello, has at most as many messages as there are lines, and ends.
func checkMessages(_ bytes: [UInt8]) throws(Broken) {
  for line in bytes.split(separator: 0x0A) where line.count <= 1_000 {
    guard let text = String(validating: line, as: UTF8.self) else { continue }
    try checkMessage(text)
  }
  try checkClient(bytes)
}

private func checkMessage(_ line: String) throws(Broken) {
  let plain = PlainJSON(Array(line.utf8))
  let message: StreamMessage?
  var reader = StreamReader()
  do throws(StreamError) { message = try StreamMessage(line: line, &reader) } catch {
    try require(error.kind == .badProtocol, "\(error)")
    return
  }
  guard let plain, case .object = plain else { throw Broken(words: "no object, but accepted: \(line)") }
  guard let message else { return }
  let event = plain["event"]?.text
  func isTime(_ time: Microseconds) -> Bool {
    plain["t"]?.double.map { abs(Double(time.count) - $0 * 1e6) <= 1 + $0.magnitude * 1e-9 } ?? false
  }
  func isInstant(_ instant: Instant) -> Bool { isTime(instant - Instant(microseconds: 0)) }
  func isForce(_ force: Vector3) -> Bool {
    [("x", force.x), ("y", force.y), ("z", force.z)].allSatisfy { key, axis in
      plain[key]?.double.map { abs(Double(axis.raw) / 65_536 - $0) < 1e-4 } ?? false
    }
  }
  switch message {
  case .hello(let hello):
    try require(event == "hello" && isTime(hello.time) && hello.rateInMillihertz > 0, "a hello: \(line)")
  case .observed(let seen, _):
    if let occurrence = seen.events[0] {
      try require(isInstant(occurrence.at), "its time is \(occurrence.at): \(line)")
      try checkEvent(occurrence.event, plain, line)
    } else if let reading = seen.reading {
      try require(event == "sample" && isInstant(reading.instant) && isForce(reading.force), "a sample: \(line)")
    } else if let second = seen.vibration {
      try require(event == "vibration" && isInstant(second.instant), "vibration: \(line)")
    } else {
      try require(event == "counters", "counters: \(line)")
    }
  case .raw(let measured, let instant):
    try require(event == "raw" && isInstant(instant) && isForce(measured.force), "a raw sample: \(line)")
  case .reading(let fresh, _):
    try require(event == "reading" && isInstant(fresh.instant) && isForce(fresh.force), "a reading: \(line)")
  case .board: try require(event == "board", "a board: \(line)")
  case .missed(let count):
    try require(plain["count"]?.double.map { abs(Double(count) - $0) <= 1 + $0 * 1e-9 } ?? false, "missed: \(line)")
  case .error(let words): try require(isText(words.description, plain["detail"]?.text), "an error: \(line)")
  case .done(let command): try require(isText(command.description, plain["command"]?.text), "done: \(line)")
  case .bye(let words): try require(isText(words.description, plain["detail"]?.text), "bye: \(line)")
  case .gone: throw Broken(words: "a line says that the connection is lost: \(line)")
  }
}

/// Whether `words` are `text` as it may be displayed, or the beginning of a text longer than any of an owner's.
private func isText(_ words: String, _ text: String?) -> Bool {
  var shown = String.UnicodeScalarView()
  for scalar in (text ?? "").unicodeScalars {
    shown.append(scalar.properties.generalCategory == .control ? "?" : scalar)
  }
  let wanted = String(shown)
  return words == wanted || words.utf8.count >= 23 && wanted.utf8.starts(with: words.utf8.prefix(20))
}

private func checkEvent(_ event: Event, _ plain: PlainJSON, _ line: String) throws(Broken) {
  try require(plain["event"]?.text == "\(event.kind.name)", "another kind: \(line)")
  switch event {
  case .tap(let tap), .doubleTap(let tap):
    try require(plain["axis"]?.text == "\(tap.axis.name)" && tap.sign.magnitude <= 1, "a tap of no direction: \(line)")
  case .pose(_, let to, _):
    try require(plain["to"]?.text == "\(to.name)", "another pose: \(line)")
  default: break
  }
}

/// The listener to which a client in this process connects.
private struct Listener {
  let descriptor: Int32
  let path: String

  init() {
    // Several may run at once, in this process and in others.
    path = "/tmp/plumb-fuzz-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    unsafe unlink(path)
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    _ = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
    }
    listen(descriptor, 8)
  }

  func end() {
    close(descriptor)
    unsafe unlink(path)
  }
}

private func checkClient(_ bytes: [UInt8]) throws(Broken) {
  let listener = Listener()
  defer { listener.end() }
  var client = StreamClient(.unix(path: listener.path), reconnects: false)
  var (peer, messages): (Int32, Int) = (-1, 0)
  defer { if peer >= 0 { close(peer) } }
  var first: StreamMessage?
  do throws(StreamError) {
    // Sending, reading and ending never wait.
    for _ in 0..<(100 + bytes.count) where !client.isOver {
      while let message = try client.receive() {
        first = first ?? message
        messages += 1
      }
      if peer < 0 {
        peer = accept(listener.descriptor, nil, nil)
        guard peer >= 0 else { continue }
        _ = unsafe send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(peer, Int32(SHUT_WR))
      }
    }
  } catch {
    return
  }
  switch first {
  case nil, .hello?, .gone?: break
  default: throw Broken(words: "it begins without a hello")
  }
  try require(client.isOver, "the client does not end")
  let lines = bytes.count { $0 == 0x0A } + 2
  try require(messages <= lines, "\(messages) messages of \(lines) lines")
}
