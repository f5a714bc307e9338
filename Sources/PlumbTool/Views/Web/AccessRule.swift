/// Which requests are allowed, and what each gets.
package struct AccessRule: Sendable {
  /// The host names that a request may use; nil where other computers may connect.
  private let names: [String]?
  private let token: [UInt8]?

  /// What a request gets.
  package enum Decision: Equatable, Sendable {
    case page
    case state
    /// The stream of events, from the one after that event on; nil for the last few and what follows.
    case events(after: EventID?)
    case refused(Status)
  }

  /// The rule for a server that listens at `address`. On a loopback address a request must use one of that address's
  /// own names; on any other it must carry the `token`.
  ///
  /// Without the check of names, any web page could point its own host name here and read the answers (DNS rebinding).
  /// The port is not checked: behind `ssh -L` it differs, and no page can choose one of these names.
  package init(_ address: ListenAddress, token: String?) {
    names = address.isLoopback ? ["localhost", "127.0.0.1", "[::1]", address.urlHost] : nil
    self.token = token.map { Array($0.utf8) }
  }

  package func decision(for request: Request) -> Decision {
    if let names {
      guard let name = Self.name(request.host), names.contains(name) else { return .refused(.forbidden) }
    }
    guard hasToken(request) else { return .refused(.unauthorized) }
    let decision: Decision
    switch request.path {
    case "/": decision = .page
    case "/state.json": decision = .state
    case "/events": decision = .events(after: (request.lastEventID ?? request.field("after")).flatMap(EventID.init))
    default: return .refused(.notFound)
    }
    return request.method == "GET" || request.method == "HEAD" ? decision : .refused(.methodNotAllowed)
  }

  /// The name in a `Host` field, in lower case and without its port; nil where there is none.
  private static func name(_ host: String) -> String? {
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
    let name = host[..<(end ?? host.endIndex)]
    let port = host[name.endIndex...]
    guard port.isEmpty || (port.first == ":" && port.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }) else {
      return nil
    }
    return name.lowercased()
  }

  private func hasToken(_ request: Request) -> Bool {
    guard let token else { return true }
    let scheme = "bearer "
    let bearer = request.authorization.flatMap { text in
      text.lowercased().hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : nil
    }
    guard let given = bearer ?? request.field("token") else { return false }
    return Self.isEqual(token, Array(given.utf8))
  }

  /// Whether two texts are equal, in a time that does not depend on where they differ.
  package static func isEqual(_ secret: [UInt8], _ given: [UInt8]) -> Bool {
    guard !secret.isEmpty && !given.isEmpty else { return secret.isEmpty && given.isEmpty }
    var difference = UInt64(truncatingIfNeeded: secret.count ^ given.count)
    for index in given.indices { difference |= UInt64(secret[index % secret.count] ^ given[index]) }
    return difference == 0
  }
}

/// The secret that a viewer on another computer needs.
package enum Token {
  /// 128 random bits of the system's generator, as 32 hexadecimal digits.
  package static func random() -> String { hexadecimal() + hexadecimal() }

  /// 64 random bits.
  package static func hexadecimal() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = String(generator.next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The token in a file: 16 to 128 letters, digits, hyphens and underscores, surrounding white space ignored; nil if
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
