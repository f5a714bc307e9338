import Foundation

/// What a page of the user documentation says about the keys of a settings file, for comparison with the schema.
package struct SettingsPage {
  /// The entry of each key: `section key` to the text of its row or paragraph.
  package var entries: [String: String] = [:]

  /// The table of `page`, a Markdown file of the repository. Its rows have a section in brackets, or none for the
  /// section of the row before, and keys in code.
  package init(table page: String) throws {
    var section = ""
    for line in try Self.text(page).split(separator: "\n") where line.hasPrefix("|") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map(String.init)
      guard let first = cells.first else { continue }
      if let found = first.firstMatch(of: /\[([a-z0-9-]+)\]/) { section = String(found.1) }
      // The keys are in the first cell after the section, or in the second.
      let named = first.replacing(/`?\[[a-z0-9-]+\] ?/, with: "`") + (cells.count > 4 ? cells[1] : "")
      for key in named.matches(of: /([A-Za-z0-9-]+)/) { entries["\(section) \(key.1)"] = cells.joined(separator: "|") }
    }
  }

  /// The manual page `page`, a file of the repository with a section `.SH SECTION [name]` for each section, and in it
  /// `.TP` and the keys in bold.
  package init(manual page: String) throws {
    var (section, keys, isTag) = ("", [String](), false)
    for line in try Self.text(page).replacing("\\-", with: "-").split(separator: "\n") {
      if line.hasPrefix(".SH") {
        section = line.firstMatch(of: /\[([a-z0-9-]+)\]/).map { String($0.1) } ?? ""
        keys = []
      } else if line == ".TP" {
        isTag = true
      } else if isTag {
        isTag = false
        keys = line.matches(of: /([A-Za-z0-9-]+)/).map { String($0.1) }.filter { $0 != "B" && $0 != "BR" }
        for key in keys { entries["\(section) \(key)"] = "" }
      } else {
        for key in keys { entries["\(section) \(key)", default: ""] += line + "\n" }
      }
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
