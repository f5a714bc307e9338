import CConnect
import CSupport
import Glibc
import JSON
import LinuxHAL
import PlumbViews
import Stream
import Text
import ToolInputs
import ToolOutput

/// The socket that viewers connect to.
struct ServeListener {
  let descriptor: Int32
  /// The address on which it listens; its port is a free one if port 0 was requested.
  let address: ListenAddress

  init(_ wanted: ListenAddress) throws(ToolError) {
    let descriptor = unsafe csupport_share_listen_tcp(wanted.urlHost, wanted.port)
    guard descriptor >= 0 else { throw Self.error(-descriptor, wanted) }
    // Accepted connections inherit it: only a few messages queue up for a slow viewer.
    var size: Int32 = 32_768
    let port =
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size))) == 0
      ? csupport_share_port(descriptor) : -errno
    guard port >= 0 else {
      csupport_socket_close(descriptor)
      throw Self.error(-port, wanted)
    }
    var address = wanted
    address.port = UInt16(truncatingIfNeeded: port)
    (self.descriptor, self.address) = (descriptor, address)
  }

  private static func error(_ code: Int32, _ wanted: ListenAddress) -> ToolError {
    ToolError(StreamOwnerError.port(ShortText(cutting: wanted.urlHost), wanted.port, code: code))
  }
}

/// The address of the page, as printed at the start.
struct ServeAnnouncement {
  private let address: ListenAddress
  private let token: String?

  init(_ address: ListenAddress, token: String?) { (self.address, self.token) = (address, token) }

  /// The address of the page; if it has several, one that others can reach.
  var url: String { url(of: hosts.first ?? address.urlHost) }

  var json: String { JSONText.object("serving") { $0.field("url", url) } }

  /// The lines for standard output, of at most 80 characters if addresses and names allow; `title` is what is shown. On
  /// a terminal, an address that others can reach is also shown as a QR code, for the camera of a phone.
  func lines(_ title: String) -> [String] {
    var lines = wrapped("Serving \(title).") + ["", "  \(url)"]
    for host in hosts.dropFirst().prefix(3) { lines.append("  \(url(of: host))") }
    lines.append("")
    let style = TextStyle.ofStandardOutput
    if !address.isLoopback, isatty(STDOUT_FILENO) == 1, style.hasUnicode, let code = QRCode(url) {
      lines += code.lines(style) + [""]
    }
    if address.isLoopback {
      lines.append("Only this computer can open the page. To open it on another one, run there")
      lines.append("")
      lines.append("  ssh -N -L \(address.port):\(address.urlHost):\(address.port) \(user)@\(ThisMachine.name)")
      lines.append("")
      lines.append("and open")
      lines.append("")
      lines.append("  \(url(of: "localhost"))")
      lines.append("")
    } else {
      lines += wrapped(
        "Anyone with this address can watch, but cannot change anything. The connection is not encrypted: use it only on networks you trust."
      )
    }
    return lines + ["Stop with Ctrl-C."]
  }

  private var query: String { token.map { "?token=\($0)" } ?? "" }

  private func url(of host: String) -> String { "http://\(host):\(address.port)/\(query)" }

  /// The host names of the page in URLs.
  private var hosts: [String] {
    guard address.isAny else { return [address.urlHost] }
    let addresses = ThisMachine.addresses
    return addresses.isEmpty ? [ThisMachine.name] : addresses
  }

  private var user: String { TextStyle.variable("USER") ?? "user" }
}
