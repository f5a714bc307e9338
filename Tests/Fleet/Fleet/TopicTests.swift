import Fleet
import TestSupport
import Testing
import Text

/// The table of topics against the published messages, the documentation and the access list.
struct TopicTests {
  /// The name of `topic` with these parts.
  private static func name(_ topic: Topic, base: Topic.Part, prefix: Topic.Part, id: Topic.Part) -> String {
    "\(topic.name(base: base, prefix: prefix, id: id))"
  }

  @Test static func `docs/fleet.md has a row for each topic, and no other`() throws {
    let rows = try SettingsPage.text("docs/fleet.md").matches(of: /(?m)^\| `(<[a-z]+>\/[^`]+)` \| (yes|no|in) \|/)
    let words: [Topic.Use: String] = [.retained: "yes", .passing: "no", .heard: "in"]
    let expected = Topic.allCases.map { topic in
      "\(Self.name(topic, base: "<base>", prefix: "<prefix>", id: "<id>")): \(words[topic.use] ?? "")"
    }
    expect(rows.map { "\($0.1): \($0.2)" }, equals: expected)
  }

  @Test static func `the access list lets a device use each topic as in the table, and no other`() throws {
    let lines = try SettingsPage.text("docs/examples/fleet/acl").matches(of: /(?m)^pattern (.+)$/)
    let expected = Topic.allCases.map { topic in
      (topic.use == .heard ? "read " : "write ")
        + Self.name(topic, base: "plumb", prefix: "homeassistant", id: "%u")
    }
    expect(lines.map { String($0.1) }.sorted(), equals: expected.sorted())
  }

  @Test static func `every topic but subscribed ones is published on, retained as in the table`() {
    var rig = PublisherRig("[commands]\nallow = query\n")
    rig.owner(OwnerLine.hello(), OwnerLine.sample())
    rig.connect()
    rig.command("unknown")
    rig.owner(OwnerLine.shake)
    let sent = Set(rig.take().map { "\($0.topic) \($0.isRetained)" })
    let topics = rig.publisher.topics
    let expected = Topic.allCases.filter { $0.use != .heard }.map { "\(topics[$0]) \($0.use == .retained)" }
    expect(sent, equals: Set(expected))
  }

  @Test static func `each retained topic is published again after a failure, and on each connection`() {
    var rig = PublisherRig()
    let topics = rig.publisher.topics
    let retained = Set(Topic.allCases.filter { $0.use == .retained }.map { "\(topics[$0])" })
    rig.acknowledges = false
    rig.owner(OwnerLine.hello(), OwnerLine.sample())
    rig.connect()
    let first = rig.take()
    expect(Set(first.map(\.topic)), equals: retained)
    for message in first { rig.publisher.failed(message.token, at: rig.instant) }
    rig.pass(2.5)
    expect(Set(rig.take().map(\.topic)), equals: retained, "after a failure")
    rig.disconnect()
    rig.connect()
    expect(Set(rig.take().map(\.topic)), equals: retained, "on the next connection")
  }

  @Test static func `each incoming topic is subscribed to`() {
    let rig = PublisherRig()
    let topics = rig.publisher.topics
    let subscriptions = rig.publisher.subscriptions
    expect(subscriptions, equals: Topic.allCases.filter { $0.use == .heard }.map { topics[$0] })
  }

  @Test static func `topics have different names`() {
    let topics = PublisherRig().publisher.topics
    expect(Set(Topic.allCases.map { "\(topics[$0])" }).count, equals: Topic.allCases.count)
  }
}
