internal import BoardFile
internal import FixedPoint
internal import Glibc
internal import HAL
internal import Stream
internal import Text

/// Each line is the same request for a plain reader; and an owner that gets all of them responds in whole lines of
/// JSON, each with an event, at times that never decrease.
func checkRequests(_ bytes: [UInt8]) throws(Broken) {
  for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: true) where line.count < 512 {
    try checkRequest(Array(line))
  }
  try checkOwner(bytes)
}

private func checkRequest(_ line: [UInt8]) throws(Broken) {
  let found: Result<Request?, Request.Refusal> = unsafe line.withUnsafeBufferPointer { line in
    do throws(Request.Refusal) {
      return .success(try unsafe Request(line, token: nil))
    } catch {
      return .failure(error)
    }
  }
  guard line != [0x0D] else {
    try require(found == .success(nil), "an empty line is something")
    return
  }
  guard let plain = PlainJSON(line), case .object = plain else {
    try require(found == .failure(.syntax), "no object, but \(found)")
    return
  }
  try require(found != .failure(.syntax), "an object, but \(found)")
  if let value = plain["samples"] {
    try checkNumber(value, thousandth: 0...1_000, found, .samples, words: ["all", "raw"])
  } else if let value = plain["counters"] {
    let isZero = value.double.map { abs($0) < 0.000_4 } ?? false
    try checkNumber(value, thousandth: isZero ? 0...0 : 0.1...86_400, found, .counters, words: [])
  } else if let value = plain["vibration"] {
    let isBool = value == .word("true") || value == .word("false")
    try require(isBool == (found == .success(.vibration(value == .word("true")))), "vibration: \(found)")
  } else if let value = plain["query"] {
    let known: [String: Request] = ["read": .reading, "hello": .hello, "board": .board]
    let wanted = value.text.flatMap { known[$0] }
    try require(found == wanted.map { .success($0) } ?? .failure(.query), "query: \(found)")
  } else if let value = plain["command"] {
    let known: [String: Request.Command] = ["tare": .tare, "reload": .reload, "untare": .untare]
    let wanted = value.text.flatMap { known[$0] }
    try require(found == wanted.map { .success(.command($0)) } ?? .failure(.command), "command: \(found)")
  } else if plain["token"] != nil {
    try require(found == .success(.token(isRight: true)), "token: \(found)")
  } else {
    try require(found == .failure(.unknown), "nothing known, but \(found)")
  }
}

/// Checks that a number in `range`, or one of `words`, is accepted. Within a thousandth of an end rounding decides.
private func checkNumber(
  _ value: PlainJSON, thousandth range: ClosedRange<Double>, _ found: Result<Request?, Request.Refusal>,
  _ refusal: Request.Refusal, words: [String]
) throws(Broken) {
  if let number = value.double {
    guard [range.lowerBound, range.upperBound].allSatisfy({ abs(number - $0) > 0.001 || number == $0 }) else { return }
    try require((found != .failure(refusal)) == range.contains(number), "\(number): \(found)")
  } else {
    let isWord = value.text.map { words.contains($0) } ?? false
    try require((found != .failure(refusal)) == isWord, "\(value): \(found)")
  }
}

private func checkOwner(_ bytes: [UInt8]) throws(Broken) {
  var ends: [Int32] = [0, 0]
  let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Broken(words: "no sockets") }
  defer { close(ends[0]) }
  var answers: [UInt8] = []
  do throws(StreamOwnerError) {
    try talk(bytes, ends[0], to: ends[1], &answers)
  } catch {
    throw Broken(words: "the owner: \(error)")
  }
  try checkAnswers(answers)
}

/// Sends `bytes` to an owner in pieces whose lengths depend on them, so lines are split anywhere.
private func talk(
  _ bytes: [UInt8], _ client: Int32, to seat: Int32, _ answers: inout [UInt8]
) throws(StreamOwnerError) {
  let configuration = StreamOwner.Configuration(name: ShortText("fuzz"), allowsCommands: true, canReload: true)
  var now = Instant(microseconds: 1_000_000)
  var owner = try StreamOwner(.emulated, configuration, at: now)
  owner.admit(seat, isLocal: true, at: now)
  var rest = bytes.prefix(4_096)
  while let first = rest.first {
    let piece = Array(rest.prefix(1 + Int(first) * 4))
    rest = rest.dropFirst(piece.count)
    let sent = unsafe send(client, piece, piece.count, Int32(MSG_NOSIGNAL))
    now = now + .milliseconds(10)
    owner.serve(at: now)
    drain(client, &answers)
    // A client that sends too much is disconnected.
    if sent < 0 { break }
  }
  owner.end("over")
  drain(client, &answers)
}

private func drain(_ client: Int32, _ answers: inout [UInt8]) {
  var piece = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = unsafe recv(client, &piece, piece.count, Int32(MSG_DONTWAIT))
    guard count > 0 else { return }
    answers += piece.prefix(count)
  }
}

/// Whole lines of JSON: first the hello; each has an event, and no time before that of the last line.
private func checkAnswers(_ answers: [UInt8]) throws(Broken) {
  let lines = answers.split(separator: 0x0A, omittingEmptySubsequences: false)
  try require(lines.last?.isEmpty ?? false, "an answer without its end")
  var time = 0.0
  for (index, line) in lines.dropLast().enumerated() {
    let words = String(decoding: line, as: UTF8.self)
    guard let plain = PlainJSON(Array(line)), let event = plain["event"]?.text else {
      throw Broken(words: "an answer: \(words)")
    }
    try require(index > 0 || event == "hello", "it begins with \(words)")
    guard let now = plain["t"]?.double else { continue }
    try require(now >= time, "after \(time): \(words)")
    time = now
  }
}
