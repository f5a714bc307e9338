import ToolInputs
import ToolOutput

/// The text of a board file in which keys are set; every other byte stays as it is.
///
/// It recognizes lines, comments and keys as the reader of board files does (`CSupport/ini.c`).
struct BoardText: Equatable {
  /// The text.
  private(set) var bytes: [UInt8]

  /// A key and its new value.
  struct Entry {
    var key: String
    var value: String
  }

  /// The text of a file.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Sets `entries` in `[section]`; returns false, and changes nothing, if there is no such section.
  ///
  /// If a key exists, only its value is replaced: blanks, a comment after it and the line end stay. New keys are added
  /// after the section's last key, on lines with the same line end, below a line with `comment`.
  mutating func set(_ entries: [Entry], in section: String, comment: String) -> Bool {
    guard isThere(section) else { return false }
    var missing: [Entry] = []
    for entry in entries {
      if let value = valueRange(of: entry.key, in: section) {
        bytes.replaceSubrange(value, with: entry.value.utf8)
      } else {
        missing.append(entry)
      }
    }
    guard !missing.isEmpty, let last = lastLine(of: section) else { return missing.isEmpty }
    let end = lineEnd(of: last)
    var added: [UInt8] = []
    // A blank line first, so that the comment does not seem to be about the key above it.
    for line in ["", "# " + comment] + missing.map({ "\($0.key) = \($0.value)" }) { added += end + Array(line.utf8) }
    bytes.insert(contentsOf: added, at: last.text.upperBound)
    return true
  }

  /// Appends the section `[section]` with `comment` and `entries` to the text.
  mutating func append(_ entries: [Entry], as section: String, comment: String) {
    let first = line(from: 0)
    let end = lineEnd(of: first)
    if bytes.last.map({ $0 != Self.lineFeed }) ?? false { bytes += end }
    let lines = ["", "[\(section)]", "# " + comment] + entries.map { "\($0.key) = \($0.value)" }
    for line in lines { bytes += Array(line.utf8) + end }
  }

  /// Removes the line of `key` from `[section]`, and the line with `comment` above it; also the section and a blank
  /// line above it, if nothing else is left in it. This undoes ``append(_:as:comment:)`` without a trace.
  mutating func remove(_ key: String, from section: String, comment: String) {
    guard let value = valueRange(of: key, in: section) else { return }
    var lines: [Line] = []
    forEachLine(of: section) { lines.append($0) }
    guard
      let index = lines.firstIndex(where: {
        $0.text.contains(value.lowerBound) || $0.text.upperBound == value.lowerBound
      })
    else { return }
    var first = index
    if index > 1, bytes[lines[index - 1].text].elementsEqual("# \(comment)".utf8) { first = index - 1 }
    let isLast = lines.enumerated().allSatisfy { place, line in
      place == 0 || (first...index).contains(place) || line.text.allSatisfy { isBlank($0) }
    }
    var start = lines[first].text.lowerBound
    if isLast {
      start = lines[0].text.lowerBound
      // The blank line above.
      let end = lineEnd(of: lines[0]).count
      if start >= 2 * end, bytes[start - 1] == Self.lineFeed, bytes[start - end - 1] == Self.lineFeed { start -= end }
    }
    bytes.removeSubrange(start..<lines[index].next)
  }

  /// A line and its end.
  private struct Line {
    /// The line without its end.
    var text: Range<Int>
    /// The text without its comment and the blanks around it.
    var content: Range<Int>
    /// Where the next line begins.
    var next: Int
  }

  private func line(from start: Int) -> Line {
    let next = bytes[start...].firstIndex(of: Self.lineFeed).map { $0 + 1 } ?? bytes.count
    var end = next > start && bytes[next - 1] == Self.lineFeed ? next - 1 : next
    if end > start && bytes[end - 1] == Self.carriageReturn { end -= 1 }
    // Some editors begin UTF-8 with this mark.
    var first = start == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : start
    while first < end && isBlank(first) { first += 1 }
    var last = first
    while last < end && !(isCommentMark(last) && (last == first || isBlank(last - 1))) { last += 1 }
    while last > first && isBlank(last - 1) { last -= 1 }
    return Line(text: start..<end, content: first..<last, next: next)
  }

  /// Calls `body` with each line of `section`, beginning with its header.
  private func forEachLine(of section: String, _ body: (Line) -> Void) {
    let header = Array("[\(section)]".utf8)
    var (start, isInside) = (0, false)
    while start < bytes.count {
      let line = line(from: start)
      let content = bytes[line.content]
      if content.first == UInt8(ascii: "[") { isInside = content.elementsEqual(header) }
      if isInside { body(line) }
      start = line.next
    }
  }

  func isThere(_ section: String) -> Bool { lastLine(of: section) != nil }

  /// The last line of `section` with a key, or its header.
  private func lastLine(of section: String) -> Line? {
    var last: Line?
    forEachLine(of: section) { if !$0.content.isEmpty { last = $0 } }
    return last
  }

  /// The range of the value of `key`; nil if the section does not have it.
  private func valueRange(of key: String, in section: String) -> Range<Int>? {
    var range: Range<Int>?
    forEachLine(of: section) { line in
      let content = bytes[line.content]
      guard let mark = content.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else { return }
      var end = mark
      while end > content.startIndex && isBlank(end - 1) { end -= 1 }
      guard content[..<end].elementsEqual(key.utf8) else { return }
      var start = mark + 1
      while start < content.endIndex && isBlank(start) { start += 1 }
      range = start..<content.endIndex
    }
    return range
  }

  /// What begins a line inserted after `line`: the line end that `line` has.
  private func lineEnd(of line: Line) -> [UInt8] {
    if line.next > line.text.upperBound, bytes[line.next - 1] == Self.lineFeed {
      return Array(bytes[line.text.upperBound..<line.next])
    }
    // The last line has no end; use that of the first one.
    let first = self.line(from: 0)
    return first.next > first.text.upperBound && bytes[first.next - 1] == Self.lineFeed
      ? Array(bytes[first.text.upperBound..<first.next]) : [Self.lineFeed]
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private func isBlank(_ index: Int) -> Bool { [0x20, 0x09, Self.carriageReturn].contains(bytes[index]) }

  private func isCommentMark(_ index: Int) -> Bool {
    bytes[index] == UInt8(ascii: "#") || bytes[index] == UInt8(ascii: ";")
  }
}
