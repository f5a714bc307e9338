import Fleet
import Foundation
import TestSupport
import Testing

/// Commands to a device through the broker.
struct CommandTests {
  private static let allowed = "[commands]\nallow = tare query\n"
  private static let reading =
    "{\"t\":20,\"event\":\"reading\",\"pose\":\"faceUp\",\"reason\":null,\"detail\":null,\"x\":0,\"y\":0,\"z\":1,\"angle_deg\":null}"

  @Test(arguments: ["tare", " tare\n", "{\"command\":\"tare\"}", "{\"command\":\"t\\u0061re\", \"x\": [1]}"])
  static func `a tare is requested from the owner, and its answer published`(payload: String) {
    var rig = PublisherRig.running(Self.allowed)
    rig.command(payload)
    expect(rig.requests, equals: ["{\"command\":\"tare\"}"])
    expect(empty: rig.sent)
    rig.owner("{\"event\":\"done\",\"command\":\"tare\"}")
    expect(rig.sent.map(\.topic), equals: ["plumb/pi/answer"])
    expect(rig.sent.map(\.payload), equals: ["{\"command\":\"tare\",\"result\":\"done\"}"])
    expect(all: rig.sent) { !$0.isRetained }
  }

  @Test static func `a query is answered with the owner's reading`() {
    var rig = PublisherRig.running(Self.allowed)
    rig.command("query")
    expect(rig.requests, equals: ["{\"query\":\"read\"}"])
    rig.owner(Self.reading)
    expect(
      rig.take("answer").map(\.payload),
      equals: [
        "{\"command\":\"query\",\"reading\":{\"t\":20,\"pose\":\"faceUp\",\"reason\":null,\"detail\":null,\"x\":0,\"y\":0,"
          + "\"z\":1,\"angle_deg\":null}}"
      ])
  }

  @Test static func `the longest reading fits`() throws {
    var rig = PublisherRig.running(Self.allowed)
    rig.command("query")
    let filler = String(repeating: "d", count: 1_024 - 44)
    let line = "{\"t\":20,\"event\":\"reading\",\"x\":0,\"detail\":\"\(filler)\"}"
    expect(line.utf8.count, isAtMost: 1_024)
    rig.owner(line)
    let reading = try require(rig.take("answer").last?.object["reading"] as? [String: Any])
    expect(reading["detail"] as? String, equals: filler)
  }

  @Test static func `a rejection by the owner is published in its words`() {
    var rig = PublisherRig.running(Self.allowed)
    rig.command("tare")
    rig.owner("{\"event\":\"error\",\"detail\":\"commands are not allowed: commands = yes in [share]\"}")
    expect(
      rig.take("answer").map(\.payload),
      equals: [
        "{\"command\":\"tare\",\"error\":\"commands are not allowed: commands = yes in [share]\"}"
      ])
    // Without a command.
    rig.owner("{\"event\":\"error\",\"detail\":\"x\"}", "{\"event\":\"done\",\"command\":\"tare\"}", Self.reading)
    expect(empty: rig.take("answer"))
  }

  @Test(arguments: [
    ("dance", "unknown; the commands are tare and query"), ("TARE", "unknown; the commands are tare and query"),
    ("{\"command\":\"reload\"}", "unknown; the commands are tare and query"),
    ("{\"command\":7}", "unknown; the commands are tare and query"),
    ("{", "unknown; the commands are tare and query"), ("ta\u{0}re", "unknown; the commands are tare and query"),
    ("\"tare\"", "unknown; the commands are tare and query"),
    ("tare", "not allowed; to allow it, name it in allow of [commands] in the settings"),
  ])
  static func `a command that is not allowed is rejected, with an answer`(payload: String, why: String) throws {
    var rig = PublisherRig.running("[commands]\nallow = query\n")
    rig.command(payload)
    expect(empty: rig.requests)
    let answer = try require(rig.take("answer").last)
    expect(answer["error"], equals: why)
    guard case .refused(_, let told) = rig.nextNotice() else {
      Issue.record("no notice")
      return
    }
    expect("\(told)", equals: why)
  }

  @Test static func `by default no command is allowed`() {
    var rig = PublisherRig.running()
    rig.command("tare")
    rig.pass(0.2)
    rig.command("query")
    expect(that: rig.requests.isEmpty)
    expect(rig.take("answer").count, equals: 2)
  }

  @Test static func `a retained command is not executed, and the answer says so`() {
    var rig = PublisherRig.running(Self.allowed)
    rig.command("tare", isRetained: true)
    expect(empty: rig.requests)
    expect(
      rig.take("answer").map { $0["error"] },
      equals: ["retained commands are not carried out; publish it without retain"])
  }

  @Test static func `an empty message, which removes a retained one, is ignored`() {
    var rig = PublisherRig.running(Self.allowed)
    rig.command("")
    rig.command(" \n")
    expect(that: rig.requests.isEmpty)
    expect(that: rig.sent.isEmpty)
  }

  @Test static func `without an owner, or without its answer, there is an error`() {
    var rig = PublisherRig.running(Self.allowed)
    rig.command("query")
    rig.pass(5.1) { _ in OwnerLine.sample() }
    expect(rig.take("answer").map { $0["error"] }, equals: ["the owner does not answer"])
    rig.command("query")
    rig.ownerIsGone()
    expect(rig.take("answer").map { $0["error"] }, equals: ["the owner of the sensor is gone"])
    rig.pass(1)
    rig.command("tare")
    expect(rig.take("answer").map { $0["error"] }, equals: ["the owner of the sensor is gone"])
  }

  @Test static func `a flood of commands yields at most ten answers a second, and 8 at once`() {
    var rig = PublisherRig.running(Self.allowed)
    var count = 0
    for number in 0..<10_000 {
      rig.command(number % 3 == 0 ? "tare" : "nonsense \(number)")
      if number % 10 == 0 { rig.pass(0.01) }
      if number % 1_000 == 0 { rig.owner(OwnerLine.counters()) }
      count += rig.take("answer").count
    }
    // 10 s.
    expect(count, isIn: 20...101, "\(count) answers")
    rig.pass(20)
    expect(rig.take("answer").count, isAtMost: 8 + 4)
    var notices: [PublisherNotice] = []
    while let notice = rig.nextNotice() { notices.append(notice) }
    expect(notices.count, isAtMost: 2, "\(notices)")
  }

  @Test static func `up to 8 answers wait while the broker is away`() {
    var rig = PublisherRig.running()
    rig.disconnect()
    for number in 1...20 { rig.command("c\(number)") }
    rig.connect()
    rig.pass(1.5)
    expect(rig.take("answer").map { $0["command"] }, equals: (1...8).map { "c\($0)" })
    expect(rig.nextNotice().map { "\($0)".hasPrefix("refused") }, equals: true)
    expect(rig.nextNotice(), equals: .unanswered(12))
  }

  @Test static func `a command is shown cut, escaped and without control characters`() throws {
    var rig = PublisherRig.running()
    rig.command("\"\\\u{1}\u{7F}" + String(repeating: "é", count: 100))
    let answer = try require(rig.take("answer").last)
    expect(answer["command"]?.hasPrefix("\"\\??é"), equals: true)
    expect(answer["command"]?.utf8.count ?? 999, isAtMost: 52)
  }

  @Test static func `messages on other topics are ignored`() {
    var rig = PublisherRig.running(Self.allowed)
    for topic in ["plumb/pi/command/", "plumb/pi/comman", "plumb/other/command", "", "plumb/pi/answer"] {
      rig.command("tare", topic: topic)
    }
    expect(that: rig.requests.isEmpty)
    expect(that: rig.sent.isEmpty)
  }
}
