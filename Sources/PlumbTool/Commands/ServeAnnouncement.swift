import Glibc
import WebView

/// Where the page is to be found, for whoever has started it.
struct ServeAnnouncement {
  private let address: ListenAddress
  private let token: String?

  init(_ address: ListenAddress, token: String?) { (self.address, self.token) = (address, token) }

  /// The address of the page; of all that it has, one that others reach.
  var url: String { url(of: hosts.first ?? address.urlHost) }

  var json: String { "{\"event\":\"serving\",\"url\":\(JSONText.string(url))}" }

  /// What is said on standard output, in lines of at most 80 characters where addresses and names let them; `title` is what is
  /// shown.
  func lines(_ title: String) -> [String] {
    var lines = wrapped("Serving \(title).") + ["", "  \(url)"]
    for host in hosts.dropFirst().prefix(3) { lines.append("  \(url(of: host))") }
    lines.append("")
    if address.isLoopback {
      lines.append("Only this computer can see it. From another one:")
      lines.append("")
      lines.append("  ssh -N -L \(address.port):\(address.urlHost):\(address.port) \(user)@\(Self.machine)")
      lines.append("")
      lines.append("and open there")
      lines.append("")
      lines.append("  \(url(of: "localhost"))")
      lines.append("")
    } else {
      lines += wrapped(
        "Whoever has this address can look, but change nothing. It is not encrypted: for networks you trust.")
    }
    return lines + ["Stop with Ctrl-C."]
  }

  private var query: String { token.map { "?token=\($0)" } ?? "" }

  private func url(of host: String) -> String { "http://\(host):\(address.port)/\(query)" }

  /// The names that the page has in a URL.
  private var hosts: [String] {
    guard address.isAny else { return [address.urlHost] }
    let addresses = Self.addresses
    return addresses.isEmpty ? [Self.machine] : addresses
  }

  private var user: String { TextStyle.variable("USER") ?? "user" }

  private static var machine: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "raspberrypi" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The addresses of this machine that others can reach, those of version 4.
  private static var addresses: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var addresses: [String] = []
    var next = unsafe first
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      let flags = unsafe entry.pointee.ifa_flags
      guard let address = unsafe entry.pointee.ifa_addr, unsafe address.pointee.sa_family == sa_family_t(AF_INET),
        flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      if unsafe getnameinfo(address, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 {
        addresses.append(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
    }
    return addresses
  }
}
