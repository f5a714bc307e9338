/// What the output can display: colour, and more than ASCII.
package struct TextStyle: Equatable, Sendable {
  package var hasColour: Bool
  /// Whether it displays more than ASCII, such as box lines and braille.
  package var hasUnicode: Bool

  package init(hasColour: Bool, hasUnicode: Bool) {
    self.hasColour = hasColour
    self.hasUnicode = hasUnicode
  }

  /// Neither colour nor non-ASCII characters.
  package static let plain = TextStyle(hasColour: false, hasUnicode: false)

  /// `text` in a colour of the terminal's palette; 1 stands for bold.
  package func coloured(_ text: String, _ colour: Int) -> String {
    hasColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
  }

  /// The first if it can be displayed, otherwise the second.
  package func mark(_ unicode: String, _ ascii: String) -> String { hasUnicode ? unicode : ascii }
}

/// `text` in lines of at most `width` characters, unless a word is longer; a command in backquotes counts as one word.
package func wrapped(_ text: String, to width: Int = 80) -> [String] {
  var lines = [""]
  for word in words(of: text) {
    let last = lines[lines.count - 1]
    if last.isEmpty {
      lines[lines.count - 1] = word
    } else if last.count + 1 + word.count <= width {
      lines[lines.count - 1] = "\(last) \(word)"
    } else {
      lines.append(word)
    }
  }
  return lines
}

/// `words` after `beginning`, in lines of at most 80 characters whose words all start in the same column.
package func wrapped(_ words: String, behind beginning: String) -> String {
  let indentation = String(repeating: " ", count: beginning.count)
  return beginning + wrapped(words, to: max(20, 80 - beginning.count)).joined(separator: "\n" + indentation)
}

private func words(of text: String) -> [String] {
  var words: [String] = []
  var isInside = false
  for part in text.split(separator: " ") {
    if isInside { words[words.count - 1] += " \(part)" } else { words.append(String(part)) }
    if part.count(where: { $0 == "`" }) % 2 == 1 { isInside.toggle() }
  }
  return words
}

extension String {
  /// The text, padded with blanks on the right to `width` characters.
  package func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

  /// The text, padded with blanks on the left to `width` characters.
  package func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }

  /// The text with its first letter capitalised.
  package var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
