package import FixedPoint
package import Monitor
internal import Orientation
package import Sensors

/// A recording's data for a plot, in columns, which take no more space for an hour than for a minute.
package struct PlotData {
  /// The counters after the last sample.
  package var counters = Counters()
  private(set) var columns: PlotColumns
  /// The times of the samples, with the gaps between them.
  package private(set) var times = SampleTimes()
  /// The earliest and the latest time, in microseconds since the first sample.
  private(set) var earliest: Int64 = 0
  private(set) var latest: Int64 = 0
  /// How many samples have a component beyond the 256 g that the filters accept.
  private(set) var beyond = 0

  private var start: Instant?
  /// How many samples were late until now.
  private var lateSamples: UInt64 = 0

  /// Data without samples, with room for `capacity` columns.
  package init(capacity: Int) { columns = PlotColumns(capacity: capacity) }

  /// Adds the result of the step for `sample`, measured at `time`.
  ///
  /// `wasLost`: whether samples before it were lost on the way from the sensor's owner.
  package mutating func take(
    _ seen: Observation, of sample: Measurement, at time: Instant, wasLost: Bool = false
  ) {
    let start = start ?? time
    self.start = start
    guard let reading = seen.reading else { return }
    var column = PlotColumn(reading, sample.rotation, at: (time - start).count)
    column.marks = seen.marks
    let late = seen.snapshot.counters.lateSamples
    column.gap = seen.hasRecovered ? .fault : wasLost ? .lost : late > lateSamples ? .late : .unexplained
    lateSamples = late
    if let interval = times.take(time), interval < 0 { column.marks |= PlotMark.backwards.bit }
    if reading.force != sample.force { beyond += 1 }
    earliest = min(earliest, column.first)
    latest = max(latest, column.first)
    columns.take(column)
  }

  /// The number of samples.
  package var samples: Int { Int(clamping: times.samples) }

  /// The time from the earliest to the latest sample, in microseconds.
  package var span: Int64 { latest - earliest }
}

extension PlotColumn {
  /// The column of a single sample.
  fileprivate init(_ reading: Reading, _ rotation: Vector3?, at time: Int64) {
    (first, last, count) = (time, time, 1)
    let force = reading.force
    set(.x, force.x)
    set(.y, force.y)
    set(.z, force.z)
    if reading.angles.hasDevice { set(.device, reading.angles.device.degrees) }
    set(.pitch, reading.angles.pitch.degrees)
    if reading.angles.hasRoll { set(.roll, reading.angles.roll.degrees) }
    set(.inclination, reading.angles.inclination.degrees)
    set(.steering, reading.angles.steering.degrees)
    if let rotation {
      set(.rotationX, rotation.x)
      set(.rotationY, rotation.y)
      set(.rotationZ, rotation.z)
    }
    lastState = reading.state.plotIndex
    states = 1 << UInt16(lastState)
  }

  private mutating func set(_ trace: PlotTrace, _ value: Q16) {
    let span = trace.wraps && value.raw < 0 ? trace.negativeSpan : trace.span
    (low[span], high[span]) = (value.raw, value.raw)
    begin[trace.rawValue] = value.raw
    end[trace.rawValue] = value.raw
  }
}

extension PoseState {
  /// Its index in the list of the six poses followed by the six reasons for an unknown one.
  fileprivate var plotIndex: UInt8 {
    switch self {
    case .known(let pose): pose.rawValue
    case .unknown(let reason): UInt8(Pose.count) + reason.rawValue
    }
  }
}

extension Observation {
  /// Whether a fault of the sensor has ended.
  fileprivate var hasRecovered: Bool {
    (0..<events.count).contains { if case .recovered = events[$0]?.event { true } else { false } }
  }

  /// The marks for its events.
  fileprivate var marks: UInt8 {
    var marks: UInt8 = 0
    for index in 0..<events.count {
      switch events[index]?.event {
      case .pose: marks |= PlotMark.pose.bit
      case .shake: marks |= PlotMark.shake.bit
      case .trouble: marks |= PlotMark.trouble.bit
      default: break
      }
    }
    return marks
  }
}

/// A line of the plot.
enum PlotTrace: Int, CaseIterable {
  case x, y, z, device, pitch, roll, inclination, steering
  case rotationX, rotationY, rotationZ

  /// Whether +180° and -180° are equal, so that a line may leave at the top and return at the bottom.
  var wraps: Bool { self == .device || self == .roll }

  /// The unit of its values.
  var unit: String {
    switch self {
    case .x, .y, .z: "g"
    case .device, .pitch, .roll, .inclination, .steering: "°"
    case .rotationX, .rotationY, .rotationZ: "°/s"
    }
  }

  /// The index of its extremes; for a line that wraps, of the positive ones. Those of rotation come last, so that the
  /// columns of a recording without it end before them.
  var span: Int { rawValue < Self.rotationX.rawValue ? rawValue : rawValue + 2 }

  /// The index of the negative extremes of a line that wraps.
  var negativeSpan: Int { self == .device ? 8 : 9 }

  /// The indices of all its extremes.
  var spans: [Int] { wraps ? [span, negativeSpan] : [span] }

  /// The number of pairs of extremes per column.
  static func spanCount(withRotation hasRotation: Bool) -> Int { hasRotation ? 13 : 10 }
}

/// All samples of a period, reduced to what must stay visible: the extremes of every line, and every pose.
struct PlotColumn {
  /// The earliest and the latest time in the column, in microseconds since the first sample.
  var first: Int64 = .max
  var last: Int64 = .min
  var count = 0
  /// The extremes; `low` is above `high` if there is no value.
  var low = InlineArray<13, Int32>(repeating: .max)
  var high = InlineArray<13, Int32>(repeating: .min)
  /// The values of the earliest and the latest sample; nil if undefined.
  var begin = InlineArray<11, Int32?>(repeating: nil)
  var end = InlineArray<11, Int32?>(repeating: nil)
  /// The pose states after the samples, one bit each: `PoseState.plotIndex`.
  var states: UInt16 = 0
  /// The pose state after the latest sample.
  var lastState: UInt8 = 0
  /// The events, one bit each: `PlotMark`.
  var marks: UInt8 = 0
  /// Why samples are missing before the earliest, if any are.
  var gap = PlotGap.unexplained

  /// Whether there are rotation rates, which are never undefined.
  var hasRotation: Bool { low[PlotTrace.rotationX.span] <= high[PlotTrace.rotationX.span] }

  /// Merges another column into this one.
  mutating func merge(_ other: PlotColumn) {
    guard other.count > 0 else { return }
    if other.first < first { (first, begin, gap) = (other.first, other.begin, other.gap) }
    if other.last >= last { (last, end, lastState) = (other.last, other.end, other.lastState) }
    count += other.count
    for index in 0..<PlotTrace.spanCount(withRotation: other.hasRotation) {
      low[index] = min(low[index], other.low[index])
      high[index] = max(high[index], other.high[index])
    }
    states |= other.states
    marks |= other.marks
  }
}

/// Why samples are missing, as far as it is known: a recording has samples alone, an owner says more.
enum PlotGap: UInt8, CaseIterable {
  case unexplained, fault, late, lost

  /// For the strip, the longer one where it fits.
  var names: [String] {
    switch self {
    case .unexplained: ["no samples", "gap"]
    case .fault: ["sensor fault", "fault"]
    case .late: ["samples late", "late"]
    case .lost: ["samples lost", "lost"]
    }
  }
}

/// An event to mark in a picture.
enum PlotMark: UInt8, CaseIterable {
  case pose, shake, trouble, backwards

  var bit: UInt8 { 1 << rawValue }
}

/// A recording of any length in at most `capacity` columns of equal width. When it outgrows them, pairs of columns are
/// merged, so that memory does not grow and no extreme is lost.
struct PlotColumns {
  let capacity: Int
  /// The width of a column, in microseconds: a power of two.
  private(set) var width: Int64 = 1
  private var storage: [PlotColumn] = []
  /// The number of the first column, counted from time 0.
  private var base: Int64 = 0

  /// How many columns are inserted at once before the first, so that time running backwards costs no more.
  private static let spare = 256

  init(capacity: Int) { self.capacity = capacity }

  /// The columns that are not empty, in order of time.
  var filled: [PlotColumn] { storage.filter { $0.count > 0 } }

  /// Adds one sample.
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

  /// The same data in at most `limit` columns.
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
