import PlumbViews
import TestSupport
import Testing

struct ListenAddressTests {
  struct Case: Sendable {
    var text: String
    var host: String
    var port: UInt16
    var isLoopback: Bool
  }

  @Test(arguments: [
    Case(text: "127.0.0.1:8080", host: "127.0.0.1", port: 8_080, isLoopback: true),
    Case(text: "8080", host: "127.0.0.1", port: 8_080, isLoopback: true),
    Case(text: "0", host: "127.0.0.1", port: 0, isLoopback: true),
    Case(text: ":9", host: "127.0.0.1", port: 9, isLoopback: true),
    Case(text: "localhost:65535", host: "127.0.0.1", port: 65_535, isLoopback: true),
    Case(text: "localhost", host: "127.0.0.1", port: 7_586, isLoopback: true),
    Case(text: "127.1.2.3", host: "127.1.2.3", port: 7_586, isLoopback: true),
    Case(text: "[::1]:80", host: "::1", port: 80, isLoopback: true),
    Case(text: "[0:0::1]", host: "::1", port: 7_586, isLoopback: true),
    Case(text: "0.0.0.0:80", host: "0.0.0.0", port: 80, isLoopback: false),
    Case(text: "[::]:80", host: "::", port: 80, isLoopback: false),
    Case(text: "192.168.1.5", host: "192.168.1.5", port: 7_586, isLoopback: false),
    Case(text: "[FE80::A]:1", host: "fe80::a", port: 1, isLoopback: false),
    // Another computer may reach it, despite its looks.
    Case(text: "[::ffff:127.0.0.1]:1", host: "::ffff:127.0.0.1", port: 1, isLoopback: false),
  ])
  static func `an address and a port are read in each common notation`(example: Case) throws {
    let address = try require(ListenAddress(example.text))
    expect(address.host, equals: example.host)
    expect(address.port, equals: example.port)
    expect(address.isLoopback, equals: example.isLoopback)
    expect(address.isAny, equals: example.host == "0.0.0.0" || example.host == "::")
    expect(address.urlHost, equals: example.host.contains(":") ? "[\(example.host)]" : example.host)
  }

  @Test(arguments: [
    "", ":", "localhost:", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:1:2", "::1",
    "::1:80",
    "[::1", "[::1]80", "[::1]:", "[::1]:x", "[127.0.0.1]:80", "256.0.0.1:80", "1.2.3:80", "example.org:80", "65536",
    "127.0.0.1 :80", "[]:80", "[fe80::1%eth0]:80", "٣",
  ])
  static func `any other text is rejected`(text: String) {
    expect(ListenAddress(text), equals: nil)
  }
}
