import FixedPoint

/// A step of the way from one trace to another, with the entries' numbers.
enum TraceEdit: Equatable {
  case common(expected: Int)
  case removed(expected: Int)
  case added(found: Int)

  var isCommon: Bool { if case .common = self { true } else { false } }

  /// The number of the entry in the trace that it is of.
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
    // Where the table of the long way would be huge, entries with the same number are compared.
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

  /// How much the rests of both have in common from each pair of entries on; a row has one place more than `right`.
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
