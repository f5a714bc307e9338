extension BoardSection {
  /// The section that was probably meant, if one is near enough.
  init?(nearestTo text: ShortText<48>) {
    var best = 3
    var found: BoardSection?
    for index in 0..<Self.count {
      guard let section = BoardSection(index: index) else { continue }
      let distance = text.distance(to: section.name)
      if distance < best { (best, found) = (distance, section) }
    }
    guard let found else { return nil }
    self = found
  }
}

extension BoardKey {
  /// The key that was probably meant, if one is near enough, one of another section within a letter; of two equally near
  /// ones that of `section`.
  init?(nearestTo text: ShortText<48>, preferring section: BoardSection) {
    var best = 6
    var found: BoardKey?
    for index in 0..<Self.count {
      guard let key = BoardKey(index: index) else { continue }
      let letters = text.distance(to: key.name)
      guard key.section == section || letters <= 1 else { continue }
      let distance = 2 &* letters &+ (key.section == section ? 0 : 1)
      if distance < best { (best, found) = (distance, key) }
    }
    guard let found else { return nil }
    self = found
  }
}

extension ShortText {
  /// How many letters must be added, taken away, changed or swapped to come from the text to `words`, 99 for all of
  /// them or for long text. Upper and lower case are the same.
  ///
  /// - Source: optimal string alignment, three rows of the table at a time.
  func distance(to words: StaticString) -> Int { distance(to: ShortText<24>(words)) }

  /// The same to other text.
  package func distance(to wanted: ShortText<24>) -> Int {
    let length = wanted.count
    guard !wanted.isCut && !isCut && count < 24 else { return 99 }
    var twoAbove = InlineArray<24, Int>(repeating: 0)
    var above = InlineArray<24, Int>(repeating: 0)
    var row = InlineArray<24, Int>(repeating: 0)
    for column in 0...length { row[column] = column }
    for line in 0..<count {
      (twoAbove, above) = (above, row)
      row[0] = line &+ 1
      for column in 0..<length {
        let (letter, other) = (lowered(line), wanted.lowered(column))
        let changed = above[column] &+ (letter == other ? 0 : 1)
        var least = min(changed, min(above[column &+ 1], row[column]) &+ 1)
        let isSwap = line > 0 && column > 0 && letter == wanted.lowered(column &- 1) && lowered(line &- 1) == other
        if isSwap { least = min(least, twoAbove[column &- 1] &+ 1) }
        row[column &+ 1] = least
      }
    }
    return row[length] < length ? row[length] : 99
  }

  private func lowered(_ index: Int) -> UInt8 {
    let byte = self[index]
    return byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
