internal import BoardFile
internal import Text

/// A rejected file has the line of its error, and so has the file that ends there. In an accepted one an independent
/// reader finds no error either, and comments, empty lines and removed carriage returns do not change its meaning.
func checkBoard(_ bytes: [UInt8]) throws(Broken) {
  let found = parsed(bytes)
  let broken = firstBrokenLine(of: bytes)
  switch found {
  case .success(let board):
    try require(broken == nil, "line \(broken ?? 0) is broken, but the file is accepted")
    try require(parsed(commented(bytes)) == .success(board), "comments and empty lines change what it means")
  case .failure(let error):
    let lines = bytes.count { $0 == 0x0A } + 1
    try require((0...lines).contains(Int(error.line)), "line \(error.line) of \(lines)")
    let words = error.message.description
    try require(!words.isEmpty && words.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "message: \(words)")
    if error.isOfTheLine {
      let start = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(Int(error.line))
      try require(
        parsed(Array(start.joined(separator: [0x0A]))) == found, "line \(error.line) is refused for what follows it")
    }
    switch error.cause {
    case .malformedLine, .outsideSection, .lineTooLong:
      try require(broken == Int(error.line), "line \(error.line) is refused, not \(broken ?? 0)")
    default: break
    }
  }
}

private func parsed(_ bytes: [UInt8]) -> Result<BoardDescription, BoardFileError> {
  do throws(BoardFileError) {
    return .success(try BoardDescription.parse(bytes.span))
  } catch {
    return .failure(error)
  }
}

extension BoardFileError {
  /// Whether it is found when its line is read, not at the end of the file or because of a later line.
  fileprivate var isOfTheLine: Bool {
    switch cause {
    case .notText, .lineTooLong, .malformedLine, .outsideSection, .unknownSection, .doubledSection, .unknownKey,
      .doubledKey:
      true
    default: false
    }
  }
}

/// The first line that is not a section, a key with a value, or a comment; that is too long; or a key before any
/// section.
func firstBrokenLine(of bytes: [UInt8]) -> Int? {
  let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  var hasSection = false
  for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
    let content = withoutComment(line)
    guard let first = content.first else { continue }
    let isHeader = first == 0x5B && content.firstIndex(of: 0x5D) == content.endIndex - 1
    let isKey = first != 0x5B && (content.contains(0x3D) || content.contains(0x3A)) && hasSection
    guard content.count <= 190, isHeader || isKey else { return index + 1 }
    hasSection = true
  }
  return nil
}

private func withoutComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
  var content = line.drop { blanks.contains($0) }
  let mark = content.indices.first { index in
    [0x23, 0x3B].contains(content[index]) && (index == content.startIndex || blanks.contains(content[index - 1]))
  }
  if let mark { content = content[..<mark] }
  while let last = content.last, blanks.contains(last) { content.removeLast() }
  return content
}

/// The same file with a comment after each line and an empty line after that.
func commented(_ bytes: [UInt8]) -> [UInt8] {
  let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
    (line.last == 0x0D ? line.dropLast() : line) + Array(" \t# fuzz ; [x]\n".utf8)
  }
  return Array(lines.joined(separator: [0x0A]))
}
