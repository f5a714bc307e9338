import CMQTT
import CSupport
import Foundation
import Synchronization
import TestSupport
import Testing

/// Names below .local, resolved by Avahi's daemon: here a stand-in whose answers the test writes.
struct ResolveTests {
  /// Result and address for `name` if the daemon answers `answer`, or closes the connection for nil; and the question
  /// it got.
  private static func ask(_ name: String, _ answer: String?) throws -> (code: Int32, address: String, question: String)
  {
    let found = Mutex<(Int32, String)>((0, ""))
    let hasEnded = DispatchSemaphore(value: 0)
    var question = ""
    try withShortFolder { folder in
      let path = folder + "/socket"
      let listener = try Listener(path: path)
      DispatchQueue.global().async {
        var address = [CChar](repeating: 0, count: 64)
        let code = unsafe cmqtt_resolve_local(path, name, &address, address.count)
        let text = String(decoding: address.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        found.withLock { $0 = (code, text) }
        hasEnded.signal()
      }
      do {
        let end = try listener.accept()
        while !question.hasSuffix("\n") {
          question += String(decoding: [try require(end.byte())], as: UTF8.self)
        }
        if let answer { end.send(answer) }
      }
      hasEnded.wait()
    }
    return found.withLock { ($0.0, $0.1, question) }
  }

  @Test static func `the address is that of the answer`() throws {
    let found = try ask("broker.local", "+ 2 0 broker.local 192.0.2.7\n")
    #expect(found == (0, "192.0.2.7", "RESOLVE-HOSTNAME-IPV4 broker.local\n"))
  }

  @Test static func `a missing host is not found`() throws {
    try expect(ask("broker.local", "-15 Timeout reached\n").code, equals: -ENOENT)
  }

  @Test(arguments: [
    "+ 2 0 broker.local\n", "\n", "nonsense\n", "+ 2 0 broker.local " + String(repeating: "9", count: 64) + "\n",
    String(repeating: "x", count: 600),
  ])
  static func `an invalid answer is an error`(answer: String) throws {
    try expect(ask("broker.local", answer).code, isBelow: 0)
  }

  @Test static func `a daemon that closes the connection is an error`() throws {
    try expect(ask("broker.local", nil).code, equals: -ECONNRESET)
  }

  @Test static func `a missing daemon is an error, and so is a name with a blank`() {
    var address = [CChar](repeating: 0, count: 64)
    unsafe expect(cmqtt_resolve_local("/nowhere/socket", "broker.local", &address, 64), equals: -ENOENT)
    unsafe expect(cmqtt_resolve_local("/nowhere/socket", "a b.local", &address, 64), equals: -EINVAL)
    unsafe expect(cmqtt_resolve_local("/nowhere/socket", "a\nb.local", &address, 64), equals: -EINVAL)
  }

  @Test(arguments: [
    ("broker.local", true), ("Broker.LOCAL", true), ("a.b.local", true), ("broker.local.", true), ("local", false),
    (".local", false), ("broker.localhost", false), ("broker.local.example", false), ("brokerlocal", false),
    ("", false),
  ])
  static func `names below .local are recognised`(name: String, isLocal: Bool) {
    unsafe expect(cmqtt_is_local(name), equals: isLocal)
  }
}
