import FixedPoint
import Foundation
import JSON
import StreamService
import TestSupport
import Testing
import Text

/// A link whose clock the test sets.
private final class Client {
  private var link: OwnerLink
  /// In ms.
  var now: Int64 = 1_000_000

  /// A link to the owner that the settings name as `source`.
  init(_ source: String, token: String = "") throws {
    let address = try require(OwnerAddress(ShortText(cutting: source)))
    link = OwnerLink(address, token: ShortText(cutting: token), at: Instant(microseconds: now * 1_000))
  }

  /// The next arrival: a line's `t` or event, `gone: why`, or nil.
  func next() -> String? {
    switch link.receive(at: Instant(microseconds: now * 1_000)) {
    case .line(let object): object["event"]?.string ?? ""
    case .gone(let why): "gone: \(why)"
    case nil: nil
    }
  }

  /// Lets the longest pause pass, and tries again.
  func nextTry() -> String? {
    now += 40_000
    return next()
  }

  func request(_ line: String) { link.request(ShortText(cutting: line)) }

  /// Waits in real time until the system has connected.
  func settle(_ events: Int32) {
    var wait = pollfd(fd: link.descriptor, events: Int16(events), revents: 0)
    unsafe poll(&wait, 1, 10_000)
  }
}

/// A service's part of a connection; Tests/Stream/StreamConnection covers the connection itself.
struct OwnerLinkTests {
  private static let hello = FakeOwner.hello()

  @Test static func `a missing owner is reported once, and again after it was there`() throws {
    try withShortFolder { folder in
      let client = try Client("unix:" + folder + "/none")
      let words = "gone: no owner offers a stream at unix:\(folder)/none: there is no such socket"
      expect(client.next(), equals: words)
      for _ in 0..<20 { expect(client.nextTry(), equals: nil) }
      do {
        let listener = try Listener(path: folder + "/none")
        expect(client.nextTry(), equals: nil)
        let end = try listener.accept()
        end.send(Self.hello + "\n")
        expect(client.next(), equals: "hello")
      }
      unsafe unlink(folder + "/none")
      expect(client.next(), equals: "gone: the owner at unix:\(folder)/none is gone: it has closed the connection")
      for _ in 0..<3 { expect(client.nextTry(), equals: nil) }
    }
  }

  @Test static func `while it is gone, a rejection is reported too, once`() throws {
    try withShortFolder { folder in
      let client = try Client("unix:" + folder + "/s")
      expect(client.next(), contains: "no such socket")
      let listener = try Listener(path: folder + "/s")
      for attempt in 0..<3 {
        expect(client.nextTry(), equals: nil)
        do {
          let end = try listener.accept()
          end.send("{\"event\":\"error\",\"detail\":\"wrong token\"}\n")
        }
        let seen = client.next()
        expect(seen, equals: (attempt == 0 ? "gone: the owner at unix:\(folder)/s refuses: wrong token" : nil))
      }
    }
  }

  @Test static func `the settings name a serial device, or the only board`() throws {
    try withShortFolder { folder in
      let device = folder + "/usb-Plumb_1"
      let missing = "gone: no board at serial:\(device): is it plugged in, "
      try expect(Client("serial:" + device).next(), hasPrefix: missing)
      try Data().write(to: URL(fileURLWithPath: device))
      try expect(Client("serial:" + device).next(), equals: "gone: serial:\(device) is not a serial device")
    }
    expect(OwnerAddress("serial:auto"), equals: .serial(path: ""))
    for text: SettingsText in ["serial:", "serial:ttyACM0", "serial:Auto"] { expect(OwnerAddress(text), equals: nil) }
    expect(OwnerAddress(SettingsText(cutting: "serial:/" + String(repeating: "x", count: 192))), equals: nil)
  }

  @Test static func `requests go only to an owner that has sent hello`() throws {
    try withShortFolder { folder in
      let listener = try Listener(path: folder + "/s")
      let client = try Client("unix:" + folder + "/s")
      client.request("{\"samples\":1}")
      expect(client.next(), equals: nil)
      let end = try listener.accept()
      client.request("{\"samples\":2}")
      end.send(Self.hello + "\n")
      expect(client.next(), equals: "hello")
      expect(end.received(), equals: "")
      client.request("{\"samples\":3}")
      expect(end.received(), equals: "{\"samples\":3}\n")
    }
  }

  @Test static func `over TCP the token is the first line`() throws {
    let listener = try Listener()
    let client = try Client("tcp:localhost:\(listener.port)", token: "0123456789abcdef-_")
    expect(client.next(), equals: nil)
    let end = try listener.accept()
    client.settle(POLLOUT)
    expect(client.next(), equals: nil)
    expect(end.received(waits: true), equals: "{\"token\":\"0123456789abcdef-_\"}\n")
    end.send("garbage\n")
    client.settle(POLLIN)
    let place = "tcp:localhost:\(listener.port)"
    expect(client.next(), equals: "gone: the program at \(place) is not the owner of a sensor: it sent no JSON")
  }
}
