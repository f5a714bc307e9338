import PlumbViews
import TestSupport
import Testing

struct RequestReaderTests {
  private func outcome(_ text: String, piece: Int = .max) -> RequestReader.Outcome {
    var reader = RequestReader()
    var outcome = RequestReader.Outcome.more
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      outcome = reader.take(rest.prefix(piece))
      rest = rest.dropFirst(piece)
    }
    return outcome
  }

  private let good = "GET /a?b=c&d=e HTTP/1.1\r\nHost: h:1\r\nAUTHORIZATION:\t Bearer x \r\nLast-Event-ID: r-7\r\n\r\n"

  @Test(arguments: [1, 2, 7, Int.max])
  func `a request is the same in any pieces`(piece: Int) {
    let wanted = HTTPRequest(
      "GET", "/a", query: "b=c&d=e", host: "h:1", authorization: "Bearer x", lastEventID: "r-7")
    expect(outcome(good, piece: piece), equals: .request(wanted))
  }

  @Test func `a list in several fields is one list`() {
    let text = "GET / HTTP/1.1\r\nHost: h\r\nAccept: text/plain;q=0.5\r\nX: y\r\naccept: a/b,  c/d\r\n\r\n"
    expect(outcome(text), equals: .request(HTTPRequest("GET", "/", host: "h", accept: "text/plain;q=0.5, a/b,  c/d")))
    expect(
      outcome("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), equals: .request(HTTPRequest("GET", "/", host: "h", accept: nil)))
  }

  @Test func `nothing is decided before the blank line`() {
    for count in 0..<good.utf8.count {
      expect(outcome(String(decoding: Array(good.utf8).prefix(count), as: UTF8.self)), equals: .more)
    }
  }

  @Test func `bytes after the blank line change nothing`() {
    expect(outcome(good + "garbage\r\n\r\n"), equals: outcome(good))
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\u{7F}\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "GET /\r\nHost: a\r\n\r\n", "/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / FTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\n: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
  ])
  func `an invalid request is rejected`(text: String) {
    expect(outcome(text), equals: .refused(.badRequest))
  }

  @Test func `another protocol is rejected at its first byte`() {
    for byte in [0x00, 0x16, 0x20, 0x3A, 0x7F, 0x80, 0xFF] as [UInt8] {
      var reader = RequestReader()
      expect(reader.take([byte]), equals: .refused(.badRequest))
    }
  }

  @Test func `other versions are distinguished from garbage`() {
    for version in ["HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "HTTP/"] {
      expect(outcome("GET / \(version)\r\nHost: a\r\n\r\n"), equals: .refused(.versionNotSupported))
    }
    expect(outcome("GET / HTTP/1.0\r\nHost: a\r\n\r\n"), equals: .request(HTTPRequest("GET", "/", host: "a")))
  }

  @Test func `a browser's mark of a cross-site request is read, and no other value of it`() {
    func isCrossSite(_ lines: String) -> Bool? {
      guard case .request(let request) = outcome("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n") else { return nil }
      return request.isCrossSite
    }
    for lines in ["Sec-Fetch-Site: cross-site\r\n", "sec-fetch-site:cross-site \r\nSec-Fetch-Site: none\r\n"] {
      expect(isCrossSite(lines), equals: true)
    }
    for value in ["none", "same-origin", "same-site", "", "cross", "cross-site-not"] {
      expect(isCrossSite("Sec-Fetch-Site: \(value)\r\n"), equals: false)
    }
    expect(isCrossSite(""), equals: false)
    expect(isCrossSite("X-Sec-Fetch-Site: cross-site\r\n"), equals: false)
  }

  @Test func `a head may have 8192 bytes and no more`() {
    let (begin, end) = ("GET / HTTP/1.1\r\nHost: a\r\nX: ", "\r\n\r\n")
    let room = 8_192 - begin.utf8.count - end.utf8.count
    let fitting = begin + String(repeating: "x", count: room) + end
    expect(fitting.utf8.count, equals: 8_192)
    expect(outcome(fitting), equals: .request(HTTPRequest("GET", "/", host: "a")))
    expect(outcome(begin + String(repeating: "x", count: room + 1) + end), equals: .refused(.headTooLong))
    expect(outcome(String(repeating: "x", count: 8_191)), equals: .more)
    expect(outcome(String(repeating: "x", count: 8_192)), equals: .refused(.headTooLong))
  }

  @Test func `fields of the query are found by their whole name, the first of each`() {
    let request = HTTPRequest("GET", "/", query: "ab=1&a=2&a=3&b&c=4=5", host: "h")
    expect(request.field("a"), equals: "2")
    expect(request.field("b"), equals: nil)
    expect(request.field("c"), equals: "4=5")
    expect(request.field(""), equals: nil)
  }
}
