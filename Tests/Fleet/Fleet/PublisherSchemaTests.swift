import Fleet
import TestSupport
import Testing
import Text

/// The schema of the publisher's settings against the defaults and the user documentation.
struct PublisherSchemaTests {
  static let all = Array(PublisherKey.all)

  @Test static func `a table by key has room for all keys`() {
    expect(Self.all.count, isAtMost: SettingsTable<PublisherKey, Int32>.capacity)
  }

  @Test(arguments: all)
  static func `a default is an allowed value`(_ key: PublisherKey) throws {
    guard case .value(let standard) = key.row.absence else { return }
    var settings = PublisherSettings()
    try settings.set(key, to: SettingsText(standard))
  }

  @Test static func `the user documentation has every key and its default`() throws {
    let page = try SettingsPage(table: "docs/fleet.md")
    for key in Self.all {
      var standard: String?
      if case .value(let words) = key.row.absence { standard = "\(words)" }
      let missing = page.missing("\(key.section.name) \(key.name)", standard)
      expect(missing, equals: nil, "it lacks \(missing ?? "") of \(key.name) in [\(key.section.name)]")
    }
    let sections = Set(Self.all.map { "\($0.section.name)" })
    let missing = try SettingsPage.sections(
      sections.sorted(), withoutKeysIn: "packaging/plumb-mqtt/plumb-mqtt.ini.5", from: "fleet")
    expect(missing, equals: [])
  }

  @Test static func `the example settings file shows every key and its default`() throws {
    let text = try SettingsPage.text("packaging/plumb-mqtt/mqtt.ini")
    for key in Self.all where key != .host {
      var words = "\(key.name) = "
      if case .value(let standard) = key.row.absence, key != .tls, key != .allow { words += "\(standard)" }
      expect(text, contains: "# \(words)", "mqtt.ini lacks \"# \(words)\" in [\(key.section.name)]")
    }
  }
}
