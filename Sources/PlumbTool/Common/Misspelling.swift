import ArgumentParser
import BoardFile

/// Finds what somebody probably meant who has misspelt a word: by the same measure as in board files.
enum Misspelling {
  /// The word of `words` that is nearest to `word`: of longer ones at most two letters off, of short ones one; or the
  /// only one that begins with it. Nil where none is near, and where it is one of them.
  static func nearest(to word: String, in words: [String]) -> String? {
    guard !words.contains(word), let typed = text(word) else { return nil }
    let limit = word.utf8.count > 3 ? 2 : 1
    var (best, found) = (limit + 1, String?.none)
    for candidate in words {
      guard let wanted = text(candidate) else { continue }
      let distance = typed.distance(to: wanted)
      if distance < best { (best, found) = (distance, candidate) }
    }
    if let found { return found }
    let longer = words.filter { word.utf8.count > 1 && $0.lowercased().hasPrefix(word.lowercased()) }
    return longer.count == 1 ? longer[0] : nil
  }

  /// A question to add to a message; empty where nothing is near.
  static func question(about word: String, in words: [String]) -> String {
    nearest(to: word, in: words).map { " Did you mean '\($0)'?" } ?? ""
  }

  /// The error of a command line that `what` says, with the word that was meant or all that there are.
  static func error(_ what: String, _ word: String, _ words: [String]) -> ValidationError {
    let question = question(about: word, in: words)
    return ValidationError(what + (question.isEmpty ? "; there are \(words.joined(separator: ", "))." : "." + question))
  }

  private static func text(_ word: String) -> ShortText<24>? {
    guard !word.isEmpty, word.utf8.count < 24 else { return nil }
    var text = ShortText<24>()
    for byte in word.utf8 { text.append(byte: byte) }
    return text
  }
}
