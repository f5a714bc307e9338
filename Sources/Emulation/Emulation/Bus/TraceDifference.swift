public import FixedPoint

extension BusTrace {
  /// How the comparison of two traces treats their times.
  public enum Times: Equatable, Sendable {
    /// They are ignored.
    case ignored
    /// Counted from the first entry of each trace, they may differ by at most this much.
    case within(Microseconds)
  }

  /// How this trace differs from the `expected` one, for people to read; nil if it does not.
  ///
  /// The two are aligned, so that an extra or missing entry is shown as just that. The first difference is marked below
  /// its line; up to three entries around each are shown. `-` was expected, `+` was found instead; entries count from
  /// 0.
  ///
  ///     first difference at entry 1; 3 entries expected, 3 found
  ///         0   S | 53+W | 00 | Sr | 53+R | E5 | P
  ///         1 - S | 53+W | 2D 08 | P
  ///         1 + S | 53+W | 2D 00 | P
  ///                           ^ first difference
  ///         2   S | 53+W | 2D | Sr | 53+R | 08 | P
  public func difference(from expected: BusTrace, times: Times = .ignored) -> String? {
    let alignment = TraceAlignment(
      expected: expected.fromZero.entries, found: fromZero.entries, times: times)
    let edits = alignment.edits
    guard let first = edits.firstIndex(where: { !$0.isCommon }) else { return nil }
    let count = expected.entries.count
    var lines = [
      "first difference at entry \(edits[first].number); "
        + "\(count) \(count == 1 ? "entry" : "entries") expected, \(entries.count) found"
    ]
    var position = 0
    while position < edits.count {
      // Enough to read of two traces with little in common.
      if lines.count > 200 {
        lines.append("      (and more differences)")
        break
      }
      let end = edits[position...].firstIndex { $0.isCommon != edits[position].isCommon } ?? edits.count
      let run = edits[position..<end]
      lines +=
        edits[position].isCommon
        ? alignment.context(run, of: edits) : alignment.changes(run, isFirst: position == first)
      position = end
    }
    return lines.joined(separator: "\n")
  }
}

extension TraceAlignment {
  /// The lines of a run common to both: of a long one, only the ends next to a difference.
  fileprivate func context(_ run: ArraySlice<TraceEdit>, of edits: [TraceEdit]) -> [String] {
    let before = run.startIndex == 0 ? 0 : 3
    let after = run.endIndex == edits.count ? 0 : 3
    // A single entry is not replaced by a line that says that one is missing.
    if run.count <= before + after + 1 { return run.map { line($0.number, " ", expected[$0.number]) } }
    return run.prefix(before).map { line($0.number, " ", expected[$0.number]) }
      + ["      (\(run.count - before - after) alike)"]
      + run.suffix(after).map { line($0.number, " ", expected[$0.number]) }
  }

  /// The lines of a run that differs, expected ones first; the mark goes under the first line that does.
  fileprivate func changes(_ run: ArraySlice<TraceEdit>, isFirst: Bool) -> [String] {
    let removed = run.filter { if case .removed = $0 { true } else { false } }.map(\.number)
    let added = run.filter { if case .added = $0 { true } else { false } }.map(\.number)
    var removedLines = lines(of: removed, "-", expected)
    var addedLines = lines(of: added, "+", found)
    guard isFirst else { return removedLines + addedLines }
    let mark = mark(under: addedLines.first ?? removedLines.first ?? "", removed.first, added.first)
    if addedLines.isEmpty {
      removedLines.insert(mark, at: 1)
    } else {
      addedLines.insert(mark, at: 1)
    }
    return removedLines + addedLines
  }

  /// A line for each of `numbers`, at most 100.
  private func lines(of numbers: [Int], _ sign: String, _ entries: [BusTrace.Entry]) -> [String] {
    let shown = numbers.prefix(100).map { line($0, sign, entries[$0]) }
    return numbers.count > shown.count ? shown + ["      (\(numbers.count - shown.count) more)"] : shown
  }

  /// A line with a mark where the two start to differ: in the wire, or if that is equal, in the time.
  private func mark(under line: String, _ removedNumber: Int?, _ addedNumber: Int?) -> String {
    let removed = removedNumber.map { expected[$0] }
    let added = addedNumber.map { found[$0] }
    var column = line.count - ((added ?? removed)?.wire.count ?? 0)
    if let removed, let added, removed.wire == added.wire {
      column += prefix(text(removed), text(added)).count - (text(added).count - added.wire.count)
    } else if let removed, let added {
      // The whole byte or word, not its second digit.
      column += prefix(removed.wire, added.wire).reversed().drop { $0 != " " }.count
    }
    return String(repeating: " ", count: column) + "^ first difference"
  }

  private func prefix(_ first: String, _ second: String) -> [Character] {
    zip(first, second).prefix { $0 == $1 }.map(\.0)
  }

  private func text(_ entry: BusTrace.Entry) -> String { times == .ignored ? entry.wire : entry.description }

  private func line(_ number: Int, _ sign: String, _ entry: BusTrace.Entry) -> String {
    let digits = String(number)
    return String(repeating: " ", count: max(0, 5 - digits.count)) + "\(digits) \(sign) \(text(entry))"
  }
}

/// A step of the way from one trace to another, with the entries' numbers.
enum TraceEdit: Equatable {
  case common(expected: Int)
  case removed(expected: Int)
  case added(found: Int)

  var isCommon: Bool { if case .common = self { true } else { false } }

  /// The number of the entry in the trace it belongs to.
  var number: Int {
    switch self {
    case .common(let number), .removed(let number), .added(let number): number
    }
  }
}

/// Two traces side by side.
struct TraceAlignment {
  let expected: [BusTrace.Entry]
  let found: [BusTrace.Entry]
  let times: BusTrace.Times

  /// All entries of both, in order.
  var edits: [TraceEdit] {
    let shorter = min(expected.count, found.count)
    var head = 0
    while head < shorter && areAlike(head, head) { head += 1 }
    var tail = 0
    while tail < shorter - head && areAlike(expected.count - 1 - tail, found.count - 1 - tail) { tail += 1 }
    let left = head..<(expected.count - tail)
    let right = head..<(found.count - tail)
    // If the table for the longest common subsequence would be huge, entries with the same number are compared.
    let isSmall = left.count <= 4_000_000 / max(1, right.count)
    return (0..<head).map { .common(expected: $0) } + (isSmall ? aligned(left, right) : paired(left, right))
      + (left.upperBound..<expected.count).map { .common(expected: $0) }
  }

  private func areAlike(_ first: Int, _ second: Int) -> Bool {
    let (a, b) = (expected[first], found[second])
    guard a.operation == b.operation && a.fault == b.fault else { return false }
    guard case .within(let tolerance) = times else { return true }
    return (a.instant - b.instant).count.magnitude <= max(0, tolerance.count).magnitude
  }

  /// By the longest common subsequence.
  private func aligned(_ left: Range<Int>, _ right: Range<Int>) -> [TraceEdit] {
    let width = right.count + 1
    let lengths = commonLengths(left, right)
    var edits: [TraceEdit] = []
    var (row, column) = (0, 0)
    while row < left.count || column < right.count {
      let place = row * width + column
      if row < left.count && column < right.count && areAlike(left.lowerBound + row, right.lowerBound + column) {
        edits.append(.common(expected: left.lowerBound + row))
        (row, column) = (row + 1, column + 1)
      } else if row < left.count && (column == right.count || lengths[place + width] >= lengths[place + 1]) {
        edits.append(.removed(expected: left.lowerBound + row))
        row += 1
      } else {
        edits.append(.added(found: right.lowerBound + column))
        column += 1
      }
    }
    return edits
  }

  /// The length that the remainders of both have in common, for each pair of entries; a row has one element more than
  /// `right`.
  private func commonLengths(_ left: Range<Int>, _ right: Range<Int>) -> [Int32] {
    let width = right.count + 1
    var lengths = [Int32](repeating: 0, count: (left.count + 1) * width)
    for row in (0..<left.count).reversed() {
      for column in (0..<right.count).reversed() {
        let place = row * width + column
        lengths[place] =
          areAlike(left.lowerBound + row, right.lowerBound + column)
          ? lengths[place + width + 1] + 1 : max(lengths[place + width], lengths[place + 1])
      }
    }
    return lengths
  }

  private func paired(_ left: Range<Int>, _ right: Range<Int>) -> [TraceEdit] {
    var edits: [TraceEdit] = []
    for offset in 0..<max(left.count, right.count) {
      let (first, second) = (left.lowerBound + offset, right.lowerBound + offset)
      if offset < left.count && offset < right.count && areAlike(first, second) {
        edits.append(.common(expected: first))
      } else {
        if offset < left.count { edits.append(.removed(expected: first)) }
        if offset < right.count { edits.append(.added(found: second)) }
      }
    }
    return edits
  }
}
