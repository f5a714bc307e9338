import PlumbViews
import Testing

@Suite struct KeyReaderTests {
  private func keys(_ chunks: String...) -> String {
    var reader = KeyReader()
    var found = String.UnicodeScalarView()
    for chunk in chunks {
      found.append(contentsOf: chunk.utf8.compactMap { reader.key($0) })
      reader.pause()
    }
    return String(found)
  }

  @Test(arguments: [
    ("q", "q"), ("csq ?", "csq ?"), ("\u{1B}[A\u{1B}[B", ""), ("\u{1B}[1;5Cq", "q"), ("\u{1B}OPs", "s"),
    ("\u{1B}[15~c", "c"), ("\u{1B}qs", "s"), ("ä€q", "q"), ("\u{1B}\u{1B}[Aq", "q"), ("\u{1B}[200~", ""),
  ])
  func `letters are keys; those inside the codes of other keys, and other characters than ASCII, are not`(
    typed: String, expected: String
  ) {
    #expect(keys(typed) == expected)
  }

  @Test
  func `an escape that came alone is a key of its own, and takes no other with it`() {
    #expect(keys("\u{1B}", "q") == "q")
    // A code in two parts stays one.
    #expect(keys("\u{1B}[", "A", "q") == "q")
  }
}
