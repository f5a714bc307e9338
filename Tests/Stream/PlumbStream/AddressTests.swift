import PlumbStream
import TestSupport
import Testing

struct AddressTests {
  @Test(arguments: [
    ("unix:/run/plumb/stream", StreamAddress.unix(path: "/run/plumb/stream")),
    ("unix:", .unix(path: "/run/plumb/stream")), ("unix:board.sock", .unix(path: "board.sock")),
    ("tcp:localhost:7000", .tcp(host: "localhost", port: 7_000)), ("tcp:pi", .tcp(host: "pi", port: 7_587)),
    ("tcp:[::1]:9", .tcp(host: "::1", port: 9)), ("tcp:[fe80::1]", .tcp(host: "fe80::1", port: 7_587)),
    ("ssh:zero", .ssh(destination: "zero", path: nil)),
    ("ssh:pi@zero:/tmp/s", .ssh(destination: "pi@zero", path: "/tmp/s")), ("serial:auto", .serial(path: nil)),
    ("serial:/dev/ttyACM0", .serial(path: "/dev/ttyACM0")),
  ])
  static func `an address is read, and its text gives the same address`(text: String, address: StreamAddress) throws {
    try expect(StreamAddress(text), equals: address)
    try expect(StreamAddress("\(address)"), equals: address)
  }

  @Test static func `an absolute path alone is a Unix socket`() throws {
    try expect(StreamAddress("/tmp/s"), equals: .unix(path: "/tmp/s"))
  }

  @Test(arguments: [
    "", "s", "http://pi", "tcp:", "tcp::7587", "tcp:pi:", "tcp:pi:0", "tcp:pi:65536", "tcp:pi:-1", "tcp:::1",
    "tcp:a b:1", "ssh:", "ssh:pi@", "ssh:-oProxyCommand=x", "ssh:pi:stream", "ssh:pi:", "ssh:a b",
    "serial:", "serial:ttyACM0", "serial:/dev/a\u{7}b", "serial:/" + String(repeating: "x", count: 191),
    "unix:/tmp/a\u{7}b", "unix:/" + String(repeating: "x", count: 107),
  ])
  static func `any other text is rejected with its reason`(text: String) {
    let error = expect(throws: StreamError.self) { try StreamAddress(text) }
    expect(error?.kind, equals: .badAddress)
    expect(error?.message.contains("\u{7}"), equals: false)
  }

  @Test static func `the path of a Unix socket has at most 107 bytes`() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    try expect(StreamAddress("unix:\(longest)"), equals: .unix(path: longest))
  }
}
