/// `text` in lines of at most `width` characters, unless a word is longer; a command in backquotes counts as a word.
func wrapped(_ text: String, to width: Int = 80) -> [String] {
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

/// `words` behind `beginning`, in lines of at most 80 characters that all begin in the same column.
func wrapped(_ words: String, behind beginning: String) -> String {
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
