import Desktop
import TestSupport
import Testing
import Text

/// The schema of the desktop's settings against the defaults and the user documentation.
struct DesktopSchemaTests {
  static let all = Array(DesktopKey.all)

  @Test(arguments: all)
  static func `a default is an allowed value`(_ key: DesktopKey) throws {
    guard case .value(let standard) = key.row.absence else { return }
    var settings = DesktopSettings()
    try settings.set(key, to: SettingsText(standard))
  }

  @Test static func `the user documentation has every key and its default`() throws {
    let page = try SettingsPage(table: "docs/desktop.md")
    for key in Self.all {
      var standard: String?
      if case .value(let words) = key.row.absence { standard = "\(words)" }
      let missing = page.missing("\(key.section.name) \(key.name)", standard)
      expect(missing, equals: nil, "it lacks \(missing ?? "") of \(key.name) in [\(key.section.name)]")
    }
    let sections = Set(Self.all.map { "\($0.section.name)" })
    let missing = try SettingsPage.sections(
      sections.sorted(), withoutKeysIn: "packaging/plumb-desktop/plumb-desktop.ini.5", from: "desktop")
    expect(missing, equals: [])
  }

  @Test static func `the example settings file shows every key and its default`() throws {
    let text = try SettingsPage.text("packaging/plumb-desktop/desktop.ini")
    for key in Self.all where key != .sensorProxy {
      var words = "\(key.name) = "
      if case .value(let standard) = key.row.absence { words += "\(standard)" }
      expect(text, contains: "# \(words)", "desktop.ini lacks \"# \(words)\" in [\(key.section.name)]")
    }
  }
}
