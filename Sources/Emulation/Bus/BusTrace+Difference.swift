public import FixedPoint

extension BusTrace {
  /// What the comparison of two traces makes of their times.
  public enum Times: Equatable, Sendable {
    /// Nothing.
    case ignored
    /// Counted from the first entry of each, they may differ by so much and no more.
    case within(Microseconds)
  }

  /// How this trace differs from the `expected` one, for people; nil where it does not.
  ///
  /// The two are aligned, so that an entry too many or too few is shown as just that. The first difference has a mark
  /// under it; up to three entries around each are shown. `-` is expected, `+` was found instead; entries count from 0.
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
      // Enough to read of two traces that have little in common.
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
  /// The lines of a run that both have: of a long one its ends, where there is a difference beside them.
  fileprivate func context(_ run: ArraySlice<TraceEdit>, of edits: [TraceEdit]) -> [String] {
    let before = run.startIndex == 0 ? 0 : 3
    let after = run.endIndex == edits.count ? 0 : 3
    // Not worth a line that says that one is missing.
    if run.count <= before + after + 1 { return run.map { line($0.number, " ", expected[$0.number]) } }
    return run.prefix(before).map { line($0.number, " ", expected[$0.number]) }
      + ["      (\(run.count - before - after) alike)"]
      + run.suffix(after).map { line($0.number, " ", expected[$0.number]) }
  }

  /// The lines of a run that differs, expected ones first; the mark comes under the first thing that does.
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

  /// A line for each of `numbers`, but not for more than anybody reads.
  private func lines(of numbers: [Int], _ sign: String, _ entries: [BusTrace.Entry]) -> [String] {
    let shown = numbers.prefix(100).map { line($0, sign, entries[$0]) }
    return numbers.count > shown.count ? shown + ["      (\(numbers.count - shown.count) more)"] : shown
  }

  /// A line with a mark where the two begin to differ: in the wire, or where that is alike in the time.
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
