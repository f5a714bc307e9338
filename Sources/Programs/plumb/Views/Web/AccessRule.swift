package import FixedPoint
package import Stream

/// Decides which requests are allowed, and what each gets.
package struct AccessRule: Sendable {
  /// The host names that a request may use; nil if other computers may connect.
  private let names: [String]?
  private let token: [UInt8]?

  /// The answer to a request.
  package enum Decision: Equatable, Sendable {
    case page
    case state
    case metrics
    case health
    /// The stream of events, from the one after that event on; nil for the last few and all that follow.
    case events(after: EventID?)
    case refused(Status)
  }

  /// The rule for a server that listens at `address`. On a loopback address, a request must use one of that address's
  /// own names; on any other, it must carry the `token`.
  ///
  /// Without the check of names, any web page could point its own host name here and read the answers (DNS rebinding).
  /// The port is not checked: behind `ssh -L` it differs, and no page can choose one of these names.
  package init(_ address: ListenAddress, token: String?) {
    names = address.isLoopback ? ["localhost", "127.0.0.1", "[::1]", address.urlHost] : nil
    self.token = token.map { Array($0.utf8) }
  }

  /// The answer to a request.
  ///
  /// A request made by another site's page is refused first, so that no page can use up the attempts at a token, or
  /// find out from the time or the size of an answer that there is one.
  ///
  /// - Source: Fetch Metadata Request Headers (W3C), 2.3: `Sec-Fetch-Site`. Browsers send it to loopback addresses and
  ///   over HTTPS; a page cannot set it.
  package func decision(for request: HTTPRequest) -> Decision {
    guard !request.isCrossSite else { return .refused(.crossSite) }
    if let names {
      guard let name = Self.name(request.host), names.contains(name) else { return .refused(.forbidden) }
    }
    guard hasToken(request) else { return .refused(.unauthorized) }
    let decision: Decision
    switch request.path {
    case "/": decision = .page
    case "/state.json": decision = .state
    case "/metrics": decision = .metrics
    case "/healthz": decision = .health
    case "/events": decision = .events(after: (request.lastEventID ?? request.field("after")).flatMap(EventID.init))
    default: return .refused(.notFound)
    }
    return request.method == "GET" || request.method == "HEAD" ? decision : .refused(.methodNotAllowed)
  }

  /// The name in a `Host` field, in lower case and without its port; nil if there is none.
  private static func name(_ host: String) -> String? {
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
    let name = host[..<(end ?? host.endIndex)]
    let port = host[name.endIndex...]
    guard port.isEmpty || (port.first == ":" && port.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }) else {
      return nil
    }
    return name.lowercased()
  }

  private func hasToken(_ request: HTTPRequest) -> Bool {
    guard let token else { return true }
    guard let given = Self.token(of: request) else { return false }
    return Self.isEqual(token, Array(given.utf8))
  }

  /// Whether a request tries a token, if one is needed.
  fileprivate func isAttempt(_ request: HTTPRequest) -> Bool { token != nil && Self.token(of: request) != nil }

  /// The token that a request carries; nil for none.
  private static func token(of request: HTTPRequest) -> String? {
    let scheme = "bearer "
    let bearer = request.authorization.flatMap { text in
      text.lowercased().hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : nil
    }
    return bearer ?? request.field("token")
  }

  /// Whether two texts are equal. The time does not depend on where they differ.
  package static func isEqual(_ secret: [UInt8], _ given: [UInt8]) -> Bool {
    guard !secret.isEmpty && !given.isEmpty else { return secret.isEmpty && given.isEmpty }
    var difference = UInt64(truncatingIfNeeded: secret.count ^ given.count)
    for index in given.indices { difference |= UInt64(secret[index % secret.count] ^ given[index]) }
    return difference == 0
  }
}

extension AttemptLimit {
  /// The answer to a request at `now`.
  package mutating func decision(
    of rule: AccessRule, for request: HTTPRequest, at now: Instant
  ) -> AccessRule.Decision {
    guard rule.isAttempt(request) else { return rule.decision(for: request) }
    guard allows(at: now) else { return .refused(.tooManyAttempts) }
    let decision = rule.decision(for: request)
    if decision == .refused(.unauthorized) { noteWrong() }
    return decision
  }
}

/// The secret that viewers on other computers need.
package enum AccessToken {
  /// 48 random bits from the system's generator as four words such as `kanu`: easy to type, and safe with
  /// `AttemptLimit`.
  ///
  /// Each word is twice a consonant out of 16 and a vowel out of 4. The letters c, l, o, q, x and y, which look or
  /// sound like others, are not used.
  package static func words() -> String {
    var generator = SystemRandomNumberGenerator()
    var bits = generator.next() as UInt64
    let (consonants, vowels) = (Array("bdfghjkmnprstvwz"), Array("aeiu"))
    let words = (0..<4).map { _ in
      var word = ""
      for _ in 0..<2 {
        word.append(consonants[Int(bits & 15)])
        word.append(vowels[Int(bits >> 4 & 3)])
        bits >>= 6
      }
      return word
    }
    return words.joined(separator: "-")
  }

  /// 128 random bits, as 32 hexadecimal digits.
  package static func random() -> String { hexadecimal() + hexadecimal() }

  /// 64 random bits.
  package static func hexadecimal() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = String(generator.next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The token in a file: 16 to 128 letters, digits, hyphens and underscores, ignoring surrounding white space; nil if
  /// there is none.
  package static func read(_ bytes: [UInt8]) -> String? {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let token = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    let isFit = token.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
    return isFit && (16...128).contains(token.count) ? String(decoding: token, as: UTF8.self) : nil
  }
}
