import FixedPoint
import PlumbViews
import Stream
import TestSupport
import Testing

struct AccessRuleTests {
  private static func address(_ text: String) throws -> ListenAddress { try require(ListenAddress(text)) }

  private static func decision(
    _ rule: AccessRule, _ path: String = "/", query: String = "", host: String = "localhost", method: String = "GET",
    authorization: String? = nil, last: String? = nil, isCrossSite: Bool = false
  ) -> AccessRule.Decision {
    rule.decision(
      for: HTTPRequest(
        method, path, query: query, host: host, authorization: authorization, lastEventID: last,
        isCrossSite: isCrossSite))
  }

  @Test static func `each path leads to one resource, and all others to none`() throws {
    let rule = AccessRule(try address("127.0.0.1:80"), token: nil)
    expect(decision(rule, "/"), equals: .page)
    expect(decision(rule, "/state.json"), equals: .state)
    expect(decision(rule, "/events"), equals: .events(after: nil))
    expect(decision(rule, "/metrics"), equals: .metrics)
    expect(decision(rule, "/healthz", method: "HEAD"), equals: .health)
    for path in ["", "//", "/index.html", "/state.json/", "/Events", "/%2e", "/events/..", "/healthz/"] {
      expect(decision(rule, path), equals: .refused(.notFound))
    }
  }

  @Test static func `the last event comes from its field before the query, and an invalid one is none`() throws {
    let rule = AccessRule(try address("8080"), token: nil)
    let id = EventID(run: "ab", number: 7)
    expect(decision(rule, "/events", query: "after=cd-1", last: "ab-7"), equals: .events(after: id))
    expect(decision(rule, "/events", query: "after=ab-7"), equals: .events(after: id))
    for text in [
      "", "7", "-7", "ab-", "ab--7", "ab-7-8", "ab-99999999999999999999999", String(repeating: "a", count: 33) + "-1",
    ] {
      expect(decision(rule, "/events", query: "after=\(text)"), equals: .events(after: nil))
    }
  }

  @Test static func `only reading is allowed`() throws {
    let rule = AccessRule(try address("8080"), token: nil)
    expect(decision(rule, method: "HEAD"), equals: .page)
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get", "TRACE"] {
      expect(decision(rule, method: method), equals: .refused(.methodNotAllowed))
    }
  }

  @Test(arguments: ["127.0.0.1:1", "[::1]:1", "127.9.9.9:1"])
  static func `a loopback address accepts only its own names, on any port`(text: String) throws {
    let address = try address(text)
    let rule = AccessRule(address, token: nil)
    for host in ["localhost", "LocalHost:9", "127.0.0.1", "127.0.0.1:9000", "[::1]", "[::1]:7586", address.urlHost] {
      expect(decision(rule, host: host), equals: .page, "\(host)")
    }
    for host in [
      "", ":80", "evil.example", "localhost.evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1",
      "[::1]x", "[::1]:x", "::1", "localhost:80:80", "localhost:-1", "user@localhost", "10.0.0.1", "0.0.0.0",
    ] {
      expect(decision(rule, host: host), equals: .refused(.forbidden), "\(host)")
    }
  }

  @Test static func `another address accepts any name, but only with the token`() throws {
    let token = "0123456789abcdef"
    let rule = AccessRule(try address("0.0.0.0:1"), token: token)
    expect(decision(rule, query: "token=\(token)", host: "anything"), equals: .page)
    expect(decision(rule, "/state.json", authorization: "Bearer \(token)"), equals: .state)
    expect(decision(rule, "/state.json", authorization: "bearer \(token)"), equals: .state)
    for path in ["/metrics", "/healthz"] {
      expect(decision(rule, path), equals: .refused(.unauthorized))
      expect(decision(rule, path, authorization: "Bearer \(token)"), isNot: .refused(.unauthorized))
    }
    for given in ["", "0", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF", token + token] {
      expect(decision(rule, query: "token=\(given)"), equals: .refused(.unauthorized), "\(given)")
      expect(decision(rule, authorization: "Bearer \(given)"), equals: .refused(.unauthorized), "\(given)")
    }
    expect(decision(rule, authorization: token), equals: .refused(.unauthorized))
    expect(decision(rule, query: "t=\(token)"), equals: .refused(.unauthorized))
    // Without the token nothing is revealed about existing paths.
    expect(decision(rule, "/nix", method: "PUT"), equals: .refused(.unauthorized))
  }

  @Test static func `a request from another site is rejected, even with the token, before any other check`() throws {
    let token = "0123456789abcdef"
    for (rule, query) in [
      (AccessRule(try address("8080"), token: nil), ""),
      (AccessRule(try address("0.0.0.0:1"), token: token), "token=\(token)"),
      (AccessRule(try address("0.0.0.0:1"), token: token), "token=wrong"),
    ] {
      for path in ["/", "/state.json", "/events", "/nix"] {
        for method in ["GET", "HEAD", "POST"] {
          expect(decision(rule, path, query: query, method: method, isCrossSite: true), equals: .refused(.crossSite))
        }
      }
    }
    expect(Status.crossSite.code, equals: 403)
    expect(Status.crossSite.words, contains: "address bar")
  }

  @Test static func `tokens compare equal only if their texts do`() {
    let texts = ["", "a", "b", "ab", "aa", "ba", "abc", "abd", "abcabc"].map { Array($0.utf8) }
    for secret in texts {
      for given in texts { expect(AccessRule.isEqual(secret, given), equals: secret == given) }
    }
  }
}

struct TokenTests {
  @Test static func `a random token has 32 hexadecimal digits and does not repeat`() {
    let tokens = (0..<200).map { _ in AccessToken.random() }
    expect(Set(tokens).count, equals: 200)
    expect(all: tokens) { $0.utf8.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } }
    expect(AccessToken.read(Array(tokens[0].utf8)), equals: tokens[0])
  }

  @Test static func `a token of words has 48 bits, is easy to type, and fits a file`() throws {
    let tokens = (0..<2_000).map { _ in AccessToken.words() }
    expect(Set(tokens).count, equals: 2_000)
    let syllable = /[bdfghjkmnprstvwz][aeiu]/
    expect(all: tokens) { $0.wholeMatch(of: /[a-z]{4}-[a-z]{4}-[a-z]{4}-[a-z]{4}/) != nil }
    expect(all: tokens) { $0.matches(of: syllable).count == 8 }
    // All syllables occur, about equally often: 16,000 of 64 kinds, 250 each.
    var counts: [Substring: Int] = [:]
    for token in tokens { for match in token.matches(of: syllable) { counts[match.output, default: 0] += 1 } }
    expect(counts.count, equals: 64)
    expect(all: counts.values) { (150...350).contains($0) }
    expect(AccessToken.read(Array(tokens[0].utf8)), equals: tokens[0])
  }

  /// `seconds` after the clock began.
  private static func after(_ seconds: Double) -> Instant { Instant(microseconds: Int64(seconds * 1e6)) }

  @Test static func `60 wrong tokens are checked, then 60 a minute; the right one waits as long`() throws {
    let rule = AccessRule(try require(ListenAddress("0.0.0.0:1")), token: "0123456789abcdef")
    func request(_ query: String) -> HTTPRequest { HTTPRequest("GET", "/", query: query, host: "h") }
    let (right, wrong) = (request("token=0123456789abcdef"), request("token=0123456789abcdee"))
    var limit = AttemptLimit(at: after(100))
    for _ in 0..<60 { expect(limit.decision(of: rule, for: wrong, at: after(100)), equals: .refused(.unauthorized)) }
    for each in [wrong, right] {
      expect(limit.decision(of: rule, for: each, at: after(100.5)), equals: .refused(.tooManyAttempts))
    }
    // A page of another site uses up no attempts.
    var spared = AttemptLimit(at: after(100))
    var foreign = wrong
    foreign.isCrossSite = true
    for _ in 0..<100 { expect(spared.decision(of: rule, for: foreign, at: after(100)), equals: .refused(.crossSite)) }
    expect(spared.decision(of: rule, for: right, at: after(100)), equals: .page)
    // A request without a token is not a guess.
    expect(limit.decision(of: rule, for: request(""), at: after(100.5)), equals: .refused(.unauthorized))
    expect(limit.decision(of: rule, for: right, at: after(101.1)), equals: .page)
    expect(limit.decision(of: rule, for: wrong, at: after(101.1)), equals: .refused(.unauthorized))
    expect(limit.decision(of: rule, for: right, at: after(101.1)), equals: .refused(.tooManyAttempts))
    // An hour of two attempts a second: 60 a minute and the first 60.
    var looked = 0
    for step in 0..<7_200 {
      if limit.decision(of: rule, for: wrong, at: after(200 + Double(step) / 2)) == .refused(.unauthorized) {
        looked += 1
      }
    }
    expect(looked, isIn: 3_600...3_660)
    // Right tokens cost nothing, and a clock that stands still or runs backwards adds nothing.
    var other = AttemptLimit(at: after(100))
    for _ in 0..<1_000 { expect(other.decision(of: rule, for: right, at: after(99)), equals: .page) }
    // Without a required token there is no limit.
    let open = AccessRule(try require(ListenAddress("127.0.0.1:1")), token: nil)
    for _ in 0..<100 {
      let request = HTTPRequest("GET", "/", query: "token=x", host: "localhost")
      expect(other.decision(of: open, for: request, at: after(100)), equals: .page)
    }
  }

  @Test static func `a file's token is 16 to 128 letters, digits, hyphens and underscores`() {
    let fit = "Az09-_Az09-_Az09"
    for text in [fit, " \t\(fit)\r\n", String(repeating: "a", count: 128)] {
      expect(AccessToken.read(Array(text.utf8)), equals: text.trimmed)
    }
    for text in [
      "", "   ", "123456789012345", String(repeating: "a", count: 129), fit + " " + fit, fit + "é", fit + "&",
      fit + "\u{0}",
    ] {
      expect(AccessToken.read(Array(text.utf8)), equals: nil)
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(split { " \t\r\n".contains($0) || $0 == "\r\n" }.first ?? "") }
}
