import Foundation
import PlumbViews
import TestSupport
import Testing

struct EventRingTests {
  private static func ring(_ count: Int) -> EventRing {
    var ring = EventRing(run: "r")
    for number in 0..<count { ring.append("\(number)") }
    return ring
  }

  @Test(arguments: [0, 1, 12, 13, 255, 256, 257, 511, 512, 513, 1_000])
  static func `a reader at any position gets the stored events, in order, and the number of lost ones`(count: Int) {
    let ring = ring(count)
    expect(ring.next, equals: UInt64(count))
    let kept = max(0, count - 256)..<count
    for first in Set([0, 1, count / 2, max(0, count - 257), max(0, count - 256), max(0, count - 1), count, count + 5]) {
      let (missed, events) = ring.events(from: UInt64(first))
      let wanted = kept.filter { $0 >= first }
      expect(events.map(\.json), equals: wanted.map { "\($0)" })
      expect(events.map(\.id), equals: wanted.map { EventID(run: "r", number: UInt64($0)) })
      expect(missed, equals: UInt64(max(0, kept.lowerBound - first)))
    }
  }

  @Test static func `a new reader begins with the last twelve`() {
    expect(ring(0).start(after: nil), equals: 0)
    expect(ring(5).start(after: nil), equals: 0)
    expect(ring(300).start(after: nil), equals: 288)
  }

  @Test static func `a reader that returns continues after its last event`() {
    let ring = ring(300)
    expect(ring.start(after: EventID(run: "r", number: 299)), equals: 300)
    expect(ring.start(after: EventID(run: "r", number: 7)), equals: 8)
    expect(ring.events(from: 8).missed, equals: 36)
    // With an id of another run, or an invalid one: as if new.
    for id in [EventID(run: "s", number: 7), EventID(run: "r", number: 300), EventID(run: "r", number: .max)] {
      expect(ring.start(after: id), equals: 288)
    }
  }

  @Test static func `the message about lost events has the number of the last of them`() {
    let ring = ring(300)
    expect(empty: ring.messages(from: 300))
    expect(ring.messages(from: 299), equals: "id: r-299\nevent: note\ndata: 299\n\n")
    // The oldest stored event is 44.
    for (first, gone) in [(44, 0), (43, 1), (8, 36), (0, 44)] {
      let messages = ring.messages(from: UInt64(first)).components(separatedBy: "\n\n").dropLast()
      let kept = (44..<300).map { "id: r-\($0)\nevent: note\ndata: \($0)" }
      expect(messages.suffix(256), equals: kept[...])
      expect(messages.count, equals: gone > 0 ? 257 : 256)
      guard gone > 0, let words = messages.first else { continue }
      expect(words, hasPrefix: "id: r-43\nevent: note\ndata: {\"event\":\"missed\",\"count\":\(gone),")
      expect(words, hasSuffix: "\"\(gone) \(gone == 1 ? "event was" : "events were") dropped: too many at once\"}")
    }
  }

  @Test static func `a number is read as written`() {
    let id = EventID(run: "0a", number: .max)
    expect(id.text, equals: "0a-18446744073709551615")
    expect(EventID(id.text), equals: id)
  }
}

struct AnswerTests {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test static func `an answer has its length, and with HEAD everything except its body`() {
    let whole = text(Answer.bytes(.fine, type: "text/plain", body: Array("hällo".utf8)))
    expect(whole, hasPrefix: "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n")
    expect(whole, hasSuffix: "\r\n\r\nhällo")
    let head = text(Answer.bytes(.fine, type: "text/plain", body: Array("hällo".utf8), isHead: true))
    expect(head + "hällo", equals: whole)
  }

  @Test(arguments: [
    Status.fine, .badRequest, .unauthorized, .forbidden, .crossSite, .notFound, .methodNotAllowed, .tooSlow,
    .headTooLong, .tooManyAttempts, .unavailable, .versionNotSupported,
  ])
  static func `no answer may be cached, sniffed, framed or loaded from another site`(status: Status) {
    let lines = text(Answer.refusal(status)).split(separator: "\r\n").map(String.init)
    expect(lines[0], equals: "HTTP/1.1 \(status.code) \(status.phrase)")
    for line in [
      "Connection: close", "Cache-Control: no-store", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
      "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin",
      "Content-Security-Policy: default-src 'none';frame-ancestors 'none'",
    ] {
      expect(lines, contains: line)
    }
    expect(none: lines) { $0.hasPrefix("Access-Control") }
    expect(lines.contains("Allow: GET, HEAD"), equals: status == .methodNotAllowed)
    expect(lines.contains { $0.hasPrefix("WWW-Authenticate") }, equals: status == .unauthorized)
    expect(status.words, hasSuffix: ".")
  }

  @Test static func `a stream has no length`() {
    let stream = text(Answer.stream)
    expect(stream, contains: "Content-Type: text/event-stream; charset=utf-8\r\n")
    expect(that: !stream.contains("Content-Length"))
    expect(that: stream.hasSuffix("\r\n\r\n"))
  }

  @Test static func `a message has the format that browsers read`() {
    expect(ServerSentEvent.text("a", "{}"), equals: "event: a\ndata: {}\n\n")
    expect(ServerSentEvent.text("a", "{}", id: EventID(run: "r", number: 3)), equals: "id: r-3\nevent: a\ndata: {}\n\n")
  }
}
