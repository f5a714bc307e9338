/// Who is let in, and to what.
package struct Door: Sendable {
  /// Whether only this computer is listened to, and under which names; nil where others are.
  private let names: [String]?
  private let token: [UInt8]?

  /// What a request that is let in gets.
  package enum Way: Equatable, Sendable {
    case page
    case state
    /// What happens, and what has happened since the event of that number; nil for the last few.
    case events(after: EventID?)
    case refused(Status)
  }

  /// A door to what listens at `address`. A loopback address is asked for by its own names only; who has another needs
  /// the `token`.
  ///
  /// Without the names, a page of anybody's could have its own name point here, and read what it gets (DNS rebinding). The
  /// port is not looked at: it is another one behind `ssh -L`, and no page can choose a name of these.
  package init(_ address: ListenAddress, token: String?) {
    names = address.isLoopback ? ["localhost", "127.0.0.1", "[::1]", address.urlHost] : nil
    self.token = token.map { Array($0.utf8) }
  }

  package func way(for request: Request) -> Way {
    if let names {
      guard let name = Self.name(request.host), names.contains(name) else { return .refused(.forbidden) }
    }
    guard hasToken(request) else { return .refused(.unauthorized) }
    let way: Way
    switch request.path {
    case "/": way = .page
    case "/state.json": way = .state
    case "/events": way = .events(after: (request.lastEventID ?? request.field("after")).flatMap(EventID.init))
    default: return .refused(.notFound)
    }
    return request.method == "GET" || request.method == "HEAD" ? way : .refused(.methodNotAllowed)
  }

  /// The name in a field `Host`, without its port and in small letters; nil where it is none.
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

  /// Whether two texts are the same, in a time that tells nothing of where they differ.
  package static func isEqual(_ secret: [UInt8], _ given: [UInt8]) -> Bool {
    guard !secret.isEmpty && !given.isEmpty else { return secret.isEmpty && given.isEmpty }
    var difference = UInt64(truncatingIfNeeded: secret.count ^ given.count)
    for index in given.indices { difference |= UInt64(secret[index % secret.count] ^ given[index]) }
    return difference == 0
  }
}
