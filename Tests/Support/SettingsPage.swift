import Foundation

/// What a page of the user documentation says about the keys of a settings file, for comparison with the schema.
package struct SettingsPage {
  /// The entry of each key: `section key` to the text of its row or paragraph.
  package var entries: [String: String] = [:]

  /// The table of `page`, a Markdown file of the repository, that begins with "section". Its rows have a section in
  /// brackets, or none for the section of the row before, and keys in code.
  package init(table page: String) throws {
    let lines = try Self.text(page).split(separator: "\n", omittingEmptySubsequences: false)
    var section = ""
    for line in lines.drop(while: { !$0.hasPrefix("| section") }).dropFirst(2).prefix(while: { $0.hasPrefix("|") }) {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map(String.init)
      guard let first = cells.first else { continue }
      if let found = first.firstMatch(of: /\[([a-z0-9-]+)\]/) { section = String(found.1) }
      // The keys are in the first cell after the section, or in the second.
      let named = first.replacing(/`?\[[a-z0-9-]+\] ?/, with: "`") + (cells.count > 4 ? cells[1] : "")
      for key in named.matches(of: /([A-Za-z0-9-]+)/) { entries["\(section) \(key.1)"] = cells.joined(separator: "|") }
    }
  }

  /// What is missing for `key`: the key itself, or `words`, which describe its default; nil for nothing.
  package func missing(_ key: String, _ words: String?) -> String? {
    guard let entry = entries[key] else { return "the key" }
    guard let words else { return nil }
    let plain = entry.replacing("`", with: "").replacing("\"", with: "")
    let isThere = plain.matches(of: /[^\s|;,()]+/).map { String($0.0).trimmingSuffix(while: { $0 == "." }) }
    let wanted = words.split(separator: " ").map(String.init)
    return wanted.allSatisfy { isThere.contains($0) } ? nil : "the default \(words)"
  }

  /// Those of `sections` for which the manual `page`, a file of the repository, has no line that `scripts/manual.sh`
  /// replaces with the section's keys in the table of docs/`table`.md.
  package static func sections(_ sections: [String], withoutKeysIn page: String, from table: String) throws -> [String]
  {
    let lines = Set(try text(page).replacing("\\-", with: "-").split(separator: "\n").map(String.init))
    return sections.filter { !lines.isSuperset(of: [".SH SECTION [\($0)]", "@KEYS \(table) \($0)@"]) }
  }

  /// The text of `page`, a file of the repository.
  package static func text(_ page: String) throws -> String {
    let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    return try String(contentsOf: root.appending(path: page), encoding: .utf8)
  }
}

extension String {
  fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isCut(last) { text.removeLast() }
    return text
  }
}
