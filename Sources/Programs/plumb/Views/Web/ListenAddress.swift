internal import Glibc

/// An address to listen at: a numeric address of this machine, and a port.
package struct ListenAddress: Equatable, Sendable {
  package enum Family: Sendable { case ip4, ip6 }

  package var family: Family
  /// Without brackets.
  package var host: String
  /// 0 for any free port.
  package var port: UInt16

  /// PLUM on a telephone keypad.
  package static let usualPort: UInt16 = 7_586
  package static let usual = ListenAddress(family: .ip4, host: "127.0.0.1", port: usualPort)

  private init(family: Family, host: String, port: UInt16) {
    (self.family, self.host, self.port) = (family, host, port)
  }

  /// Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `:8080`, `8080`, or one of the first three without a
  /// port.
  package init?(_ text: String) {
    var (host, port) = ("127.0.0.1", Self.usualPort)
    if let number = Self.port(text) {
      port = number
    } else if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":", host.contains(":") else { return nil }
      if let number = Self.port(rest.dropFirst()) { port = number } else if !rest.isEmpty { return nil }
    } else {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      if !parts[0].isEmpty { host = parts[0] == "localhost" ? "127.0.0.1" : String(parts[0]) }
      guard parts.count == 1 ? !parts[0].isEmpty : true else { return nil }
      if parts.count == 2 {
        guard let number = Self.port(parts[1]) else { return nil }
        port = number
      }
      guard !host.contains(":") else { return nil }
    }
    guard let name = Self.canonical(host) else { return nil }
    self.init(family: host.contains(":") ? .ip6 : .ip4, host: name, port: port)
  }

  private static func port(_ text: some StringProtocol) -> UInt16? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
  }

  /// The address as the system writes it; nil if it is not an address.
  private static func canonical(_ host: String) -> String? {
    let family = host.contains(":") ? AF_INET6 : AF_INET
    var address = in6_addr()
    guard unsafe inet_pton(family, host, &address) == 1 else { return nil }
    var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(family, &address, &name, socklen_t(name.count)) != nil else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether only this computer can reach it.
  package var isLoopback: Bool { family == .ip4 ? host.hasPrefix("127.") : host == "::1" }

  /// Whether it stands for all addresses of the machine.
  package var isAny: Bool { host == "0.0.0.0" || host == "::" }

  /// The address as written in a URL.
  package var urlHost: String { family == .ip6 ? "[\(host)]" : host }
}
