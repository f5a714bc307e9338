import PlumbViews
import Testing

@Suite struct AccessRuleTests {
  private func address(_ text: String) throws -> ListenAddress { try #require(ListenAddress(text)) }

  private func decision(
    _ rule: AccessRule, _ path: String = "/", query: String = "", host: String = "localhost", method: String = "GET",
    authorization: String? = nil, last: String? = nil
  ) -> AccessRule.Decision {
    rule.decision(
      for: Request(method, path, query: query, host: host, authorization: authorization, lastEventID: last))
  }

  @Test func `each path leads to one thing, and others nowhere`() throws {
    let rule = AccessRule(try address("127.0.0.1:80"), token: nil)
    #expect(decision(rule, "/") == .page)
    #expect(decision(rule, "/state.json") == .state)
    #expect(decision(rule, "/events") == .events(after: nil))
    for path in ["", "//", "/index.html", "/state.json/", "/Events", "/%2e", "/events/.."] {
      #expect(decision(rule, path) == .refused(.notFound))
    }
  }

  @Test func `the last event is known by its field before the query, and nonsense is none`() throws {
    let rule = AccessRule(try address("8080"), token: nil)
    let id = EventID(run: "ab", number: 7)
    #expect(decision(rule, "/events", query: "after=cd-1", last: "ab-7") == .events(after: id))
    #expect(decision(rule, "/events", query: "after=ab-7") == .events(after: id))
    for text in [
      "", "7", "-7", "ab-", "ab--7", "ab-7-8", "ab-99999999999999999999999", String(repeating: "a", count: 33) + "-1",
    ] {
      #expect(decision(rule, "/events", query: "after=\(text)") == .events(after: nil))
    }
  }

  @Test func `only looking is allowed`() throws {
    let rule = AccessRule(try address("8080"), token: nil)
    #expect(decision(rule, method: "HEAD") == .page)
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get", "TRACE"] {
      #expect(decision(rule, method: method) == .refused(.methodNotAllowed))
    }
  }

  @Test(arguments: ["127.0.0.1:1", "[::1]:1", "127.9.9.9:1"])
  func `a loopback address answers to its own names only, whatever the port`(text: String) throws {
    let address = try address(text)
    let rule = AccessRule(address, token: nil)
    for host in ["localhost", "LocalHost:9", "127.0.0.1", "127.0.0.1:9000", "[::1]", "[::1]:7586", address.urlHost] {
      #expect(decision(rule, host: host) == .page, "\(host)")
    }
    for host in [
      "", ":80", "evil.example", "localhost.evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1",
      "[::1]x", "[::1]:x", "::1", "localhost:80:80", "localhost:-1", "user@localhost", "10.0.0.1", "0.0.0.0",
    ] {
      #expect(decision(rule, host: host) == .refused(.forbidden), "\(host)")
    }
  }

  @Test func `another address answers to any name, but only with the token`() throws {
    let token = "0123456789abcdef"
    let rule = AccessRule(try address("0.0.0.0:1"), token: token)
    #expect(decision(rule, query: "token=\(token)", host: "anything") == .page)
    #expect(decision(rule, "/state.json", authorization: "Bearer \(token)") == .state)
    #expect(decision(rule, "/state.json", authorization: "bearer \(token)") == .state)
    for given in ["", "0", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF", token + token] {
      #expect(decision(rule, query: "token=\(given)") == .refused(.unauthorized), "\(given)")
      #expect(decision(rule, authorization: "Bearer \(given)") == .refused(.unauthorized), "\(given)")
    }
    #expect(decision(rule, authorization: token) == .refused(.unauthorized))
    #expect(decision(rule, query: "t=\(token)") == .refused(.unauthorized))
    // Without the token, nothing is revealed about what exists.
    #expect(decision(rule, "/nix", method: "PUT") == .refused(.unauthorized))
  }

  @Test func `the comparison of tokens is that of the texts`() {
    let texts = ["", "a", "b", "ab", "aa", "ba", "abc", "abd", "abcabc"].map { Array($0.utf8) }
    for secret in texts {
      for given in texts { #expect(AccessRule.isEqual(secret, given) == (secret == given)) }
    }
  }
}

@Suite struct TokenTests {
  @Test func `a random token has 32 hexadecimal digits and comes once`() {
    let tokens = (0..<200).map { _ in Token.random() }
    #expect(Set(tokens).count == 200)
    #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
    #expect(Token.read(Array(tokens[0].utf8)) == tokens[0])
  }

  @Test func `a file's token is 16 to 128 letters, digits, hyphens and underscores`() {
    let fit = "Az09-_Az09-_Az09"
    for text in [fit, " \t\(fit)\r\n", String(repeating: "a", count: 128)] {
      #expect(Token.read(Array(text.utf8)) == text.trimmed)
    }
    for text in [
      "", "   ", "123456789012345", String(repeating: "a", count: 129), fit + " " + fit, fit + "é", fit + "&",
      fit + "\u{0}",
    ] {
      #expect(Token.read(Array(text.utf8)) == nil)
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(split { " \t\r\n".contains($0) || $0 == "\r\n" }.first ?? "") }
}
