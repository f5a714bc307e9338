/// What is drawn of a sample or of several: one number of each kind of line.
enum PlotTrace: Int, CaseIterable {
  case x, y, z, device, pitch, roll, inclination, steering

  /// Whether +180 and -180 are the same, so that a line may leave at the top and come back at the bottom.
  var wraps: Bool { self == .device || self == .roll }

  /// Where the extremes below zero of a line that wraps are kept, apart from those above.
  var negativeSpan: Int { self == .device ? Self.allCases.count : Self.allCases.count + 1 }

  /// How many pairs of extremes a column has.
  static let spanCount = 10
}

/// All samples of a span of time, by what must be seen of them: the extremes of every line, and every pose.
struct PlotColumn {
  /// Microseconds since the first sample: the earliest and the latest here.
  var first: Int64 = .max
  var last: Int64 = .min
  var count = 0
  /// The extremes; `low` is the greater where there is no value.
  var low = InlineArray<10, Int32>(repeating: .max)
  var high = InlineArray<10, Int32>(repeating: .min)
  /// The values of the earliest and the latest sample; nil where undefined.
  var begin = InlineArray<8, Int32?>(repeating: nil)
  var end = InlineArray<8, Int32?>(repeating: nil)
  /// What was known of the pose after any of the samples: a bit each, `PlotState.index`.
  var states: UInt16 = 0
  /// The same after the latest.
  var lastState: UInt8 = 0
  /// What happened: a bit each, `PlotMark`.
  var marks: UInt8 = 0

  /// Takes in what another column, or a single sample, holds.
  mutating func merge(_ other: PlotColumn) {
    guard other.count > 0 else { return }
    if other.first < first { (first, begin) = (other.first, other.begin) }
    if other.last >= last { (last, end, lastState) = (other.last, other.end, other.lastState) }
    count += other.count
    for index in 0..<PlotTrace.spanCount {
      low[index] = min(low[index], other.low[index])
      high[index] = max(high[index], other.high[index])
    }
    states |= other.states
    marks |= other.marks
  }
}

/// Something to mark in a picture.
enum PlotMark: UInt8, CaseIterable {
  case pose, shake, trouble, backwards

  var bit: UInt8 { 1 << rawValue }
}

/// A recording of any length in columns of equal widths, at most `capacity` of them: when the recording grows beyond them,
/// columns are joined in pairs. So memory does not grow, and no extreme is lost.
struct PlotColumns {
  let capacity: Int
  /// Of each column, in microseconds: a power of two.
  private(set) var width: Int64 = 1
  private var storage: [PlotColumn] = []
  /// Which column of time the first one is.
  private var base: Int64 = 0

  /// So many are made at once before the first, so that times that run backwards cost no more than others.
  private static let spare = 256

  init(capacity: Int) { self.capacity = capacity }

  /// The columns that hold anything, in order of time.
  var filled: [PlotColumn] { storage.filter { $0.count > 0 } }

  /// Takes in one sample.
  mutating func take(_ sample: PlotColumn) {
    if storage.isEmpty {
      base = sample.first >> Int64(width.trailingZeroBitCount)
      storage = [sample]
      return
    }
    var index = place(sample.first)
    while (index < 0 ? Int64(storage.count) - index : index + 1) > Int64(capacity) {
      widen()
      index = place(sample.first)
    }
    if index < 0 {
      let count = max(-Int(index), min(Self.spare, capacity - storage.count))
      storage.insert(contentsOf: [PlotColumn](repeating: PlotColumn(), count: count), at: 0)
      base -= Int64(count)
      index += Int64(count)
    }
    while storage.count <= Int(index) { storage.append(PlotColumn()) }
    storage[Int(index)].merge(sample)
  }

  /// The same in at most `limit` columns.
  func reduced(to limit: Int) -> PlotColumns {
    var copy = self
    copy.trim()
    while copy.storage.count > limit { copy.widen() }
    return copy
  }

  private func place(_ time: Int64) -> Int64 { (time >> Int64(width.trailingZeroBitCount)) - base }

  private mutating func trim() {
    while storage.last?.count == 0 { storage.removeLast() }
    let empty = storage.firstIndex { $0.count > 0 } ?? 0
    storage.removeFirst(empty)
    base += Int64(empty)
  }

  private mutating func widen() {
    let newBase = base >> 1
    var joined: [PlotColumn] = []
    joined.reserveCapacity(capacity)
    for (offset, column) in storage.enumerated() {
      let index = Int(((base + Int64(offset)) >> 1) - newBase)
      if index < joined.count { joined[index].merge(column) } else { joined.append(column) }
    }
    (storage, base, width) = (joined, newBase, width << 1)
  }
}
