import FixedPoint
import PlumbViews
import Testing
import TestSupport

struct EscapeTests {
  private static let colours: [Colour] = [.black, .red, .green, .yellow, .blue, .magenta, .cyan, .white, .normal]

  /// A grid that differs from `base` in part.
  private static func changed(_ base: Grid, _ random: inout some RandomNumberGenerator) -> Grid {
    var grid = base
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let style = Style(
        Self.colours.randomElement(using: &random) ?? .normal, bold: .random(using: &random),
        dim: .random(using: &random), inverse: .random(using: &random))
      let scalar = Array(" ab━⣿│●".unicodeScalars).randomElement(using: &random) ?? "x"
      let (column, row) = (
        Int.random(in: 0..<grid.width, using: &random), Int.random(in: 0..<grid.height, using: &random)
      )
      grid[column, row] = Cell(scalar, style)
    }
    return grid
  }

  @Test(arguments: [true, false], [(1, 1), (7, 3), (40, 12)])
  static func `a terminal that gets one picture after another shows each, with every cell and style`(
    hasColour: Bool, size: (Int, Int)
  ) {
    var random = SplitMix64(seed: UInt64(size.0))
    let look = TextStyle(hasColour: hasColour, hasUnicode: true)
    var terminal = ToyTerminal(width: size.0, height: size.1)
    var shown: Grid?
    for step in 0..<200 {
      let next = changed(shown ?? Grid(width: size.0, height: size.1), &random)
      // Sometimes the shown picture is unknown.
      if step % 50 == 49 { shown = nil }
      terminal.feed(Escape.update(from: shown, to: next, look))
      expect(terminal.places, equals: ToyTerminal.places(of: next, hasColour: hasColour))
      expect(empty: terminal.unknown)
      expect(that: !terminal.isUpdating)
      shown = next
    }
  }

  @Test
  static func `unchanged cells are not written, and a small change costs little`() {
    let look = TextStyle(hasColour: true, hasUnicode: true)
    let first = Screen(Scenes.turned, look).drawn(width: 80, height: 24)
    expect(empty: Escape.update(from: first, to: first, look))
    var later = Scenes.turned
    later.elapsed += 0.1
    let second = Screen(later, look).drawn(width: 80, height: 24)
    let bytes = Escape.update(from: first, to: second, look)
    expect(bytes.count, isAbove: 16)
    expect(bytes.count, isBelow: 80)
  }

  @Test
  static func `a picture of another size is drawn on an empty screen`() {
    let look = TextStyle(hasColour: true, hasUnicode: true)
    let small = Screen(Scenes.turned, look).drawn(width: 80, height: 24)
    let large = Screen(Scenes.turned, look).drawn(width: 132, height: 43)
    var terminal = ToyTerminal(width: 132, height: 43)
    terminal.feed(Escape.update(from: nil, to: small, look))
    terminal.feed(Escape.update(from: small, to: large, look))
    expect(terminal.places, equals: ToyTerminal.places(of: large, hasColour: true))
    expect(terminal.updates, equals: 2)
  }

  @Test
  static func `without colour no colour is sent, and without Unicode only ASCII`() {
    for scene in [Scenes.turned, Scenes.troubled, Scenes.helpful] {
      for size in [(80, 24), (132, 43), (60, 18)] {
        let plain = TextStyle(hasColour: false, hasUnicode: false)
        let grid = Screen(scene, plain).drawn(width: size.0, height: size.1)
        let bytes = Escape.update(from: nil, to: grid, plain)
        expect(all: bytes) { $0 < 0x80 }
        var terminal = ToyTerminal(width: size.0, height: size.1)
        terminal.feed(bytes)
        expect(all: terminal.places) { $0.modes.isSubset(of: [1, 2, 7]) }
        expect(empty: terminal.unknown)
      }
    }
  }
}

struct KeyReaderTests {
  private static func keys(_ chunks: String...) -> String {
    var reader = KeyReader()
    var found = String.UnicodeScalarView()
    for chunk in chunks {
      for case .character(let letter) in chunk.utf8.compactMap({ reader.key($0) }) { found.append(letter) }
      reader.pause()
    }
    return String(found)
  }

  @Test(arguments: [
    ("q", "q"), ("csq ?", "csq ?"), ("\u{1B}[A\u{1B}[B", ""), ("\u{1B}[1;5Cq", "q"), ("\u{1B}OPs", "s"),
    ("\u{1B}[15~c", "c"), ("\u{1B}qs", "s"), ("ä€q", "q"), ("\u{1B}\u{1B}[Aq", "q"), ("\u{1B}[200~", ""),
  ])
  static func `letters are keys; letters in the codes of other keys, and non-ASCII characters, are not`(
    typed: String, expected: String
  ) {
    expect(keys(typed), equals: expected)
  }

  @Test
  static func `a single escape is a separate key, and swallows no other`() {
    expect(keys("\u{1B}", "q"), equals: "q")
    // A code in two parts stays one.
    expect(keys("\u{1B}[", "A", "q"), equals: "q")
  }

  /// What terminals send for each scroll key, in all known forms.
  private static let codes: [(code: String, key: Key?)] = [
    ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{1B}[1;2A", .up), ("\u{1B}[B", .down), ("\u{1B}OB", .down),
    ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}OD", .left), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
    ("\u{1B}[6;5~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}OH", .home), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home),
    ("\u{1B}[F", .end), ("\u{1B}OF", .end), ("\u{1B}[4~", .end), ("\u{1B}[8~", .end), ("j", .character("j")),
    ("\u{1B}[<64;10;20M", .wheelUp), ("\u{1B}[<65;1;1M", .wheelDown), ("\u{1B}[<68;223;500M", .wheelUp),
    // The old form, whose bytes look like letters; and codes that are not keys here: buttons, other wheels, other
    // keys.
    ("\u{1B}[M`qs", .wheelUp), ("\u{1B}[Maqs", .wheelDown), ("\u{1B}[M qs", nil), ("\u{1B}[<0;5;5M", nil),
    ("\u{1B}[<0;5;5m", nil), ("\u{1B}[<66;5;5M", nil), ("\u{1B}[<;M", nil), ("\u{1B}[<A", nil), ("\u{1B}[15~", nil),
    ("\u{1B}[99999999999999999999~", nil), ("\u{1B}q", nil), ("ä", nil),
    ("\u{1B}[" + String(repeating: "1;", count: 400) + "~", .home),
  ]

  @Test
  static func `each key is found among others, wherever a read splits it, and none inside another`() {
    var random = SplitMix64(seed: 11)
    for _ in 0..<2_000 {
      let typed = (0..<12).compactMap { _ in Self.codes.randomElement(using: &random) }
      var (reader, found) = (KeyReader(), [Key]())
      var bytes = typed.flatMap { Array($0.code.utf8) }[...]
      while !bytes.isEmpty {
        let chunk = bytes.prefix(Int.random(in: 1...9, using: &random))
        found += chunk.compactMap { reader.key($0) }
        bytes = bytes.dropFirst(chunk.count)
      }
      expect(found, equals: typed.compactMap(\.key), "\(typed)")
    }
  }

  @Test
  static func `no bytes block the next key for good`() {
    var random = SplitMix64(seed: 12)
    for _ in 0..<2_000 {
      var reader = KeyReader()
      let alphabet: [UInt8] = [0x1B, 0x5B, 0x4F, 0x4D, 0x3C, 0x3B, 0x36, 0x7E, 0x41, 0x00, 0x80, 0xFF]
      for _ in 0..<40 { _ = alphabet.randomElement(using: &random).flatMap { reader.key($0) } }
      reader.pause()
      let after = "~~~~qq".utf8.compactMap { reader.key($0) }
      expect(after.last, equals: .character("q"))
    }
  }
}
