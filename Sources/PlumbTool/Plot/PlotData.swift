import FixedPoint
import Monitor
import Orientation

/// What a recording has to show: the same pipeline as in `plumb replay`, in columns.
struct PlotData {
  private(set) var columns: PlotColumns
  private(set) var counters = Counters()
  private(set) var samples = 0
  /// Microseconds since the first sample: the earliest and the latest time.
  private(set) var earliest: Int64 = 0
  private(set) var latest: Int64 = 0
  /// How often the time ran backwards from one sample to the next.
  private(set) var backwards = 0
  /// How many samples have a component beyond the 256 g that can be worked with.
  private(set) var beyond = 0
  /// Intervals between samples by their number of bits, how many and how long together.
  private var intervals = [(count: Int, total: Int64)](repeating: (0, 0), count: 64)

  /// Takes in what was recorded, telling how far it is.
  init(_ recorded: [Recording.Sample], capacity: Int, telling progress: inout Progress) {
    columns = PlotColumns(capacity: capacity)
    guard let start = recorded.first?.time else { return }
    var configuration = Monitor.Configuration.recording
    configuration.movement = Movement.Configuration()
    var monitor = Monitor(configuration, at: start)
    var last = start
    for sample in recorded {
      let report = monitor.sampled(sample.force, at: sample.time)
      guard let reading = report.reading else { continue }
      var column = PlotColumn(reading, at: (sample.time - start).count)
      column.marks = report.marks
      if samples > 0 { note((sample.time - last).count, &column) }
      if reading.force != sample.force { beyond += 1 }
      last = sample.time
      samples += 1
      earliest = min(earliest, column.first)
      latest = max(latest, column.first)
      columns.take(column)
      if samples & 0xFFF == 0 && progress.isDue() {
        progress.show("Drawing: \(samples * 100 / recorded.count) % of \(recorded.count) samples …")
      }
    }
    counters = monitor.counters
  }

  private mutating func note(_ interval: Int64, _ column: inout PlotColumn) {
    guard interval >= 0 else {
      backwards += 1
      column.marks |= PlotMark.backwards.bit
      return
    }
    let bits = 64 - interval.leadingZeroBitCount
    intervals[bits].count += 1
    intervals[bits].total += interval
  }

  /// From the earliest sample to the latest, in microseconds.
  var span: Int64 { latest - earliest }

  /// The number of bits of the interval that half of all do not exceed.
  private var usualBits: Int {
    let half = (intervals.reduce(0) { $0 + $1.count } + 1) / 2
    var seen = 0
    return intervals.firstIndex { interval in
      seen += interval.count
      return seen >= half
    } ?? 0
  }

  /// A pause of so many microseconds, four to eight times the usual one, is a gap.
  var gapLimit: Int64 { usualBits > 58 ? .max : 1 << Int64(usualBits + 2) }

  /// How many gaps there are, and how long they are together.
  var gaps: (count: Int, total: Int64) {
    guard gapLimit < .max else { return (0, 0) }
    return intervals[(usualBits + 3)...].reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.total) }
  }
}

extension PlotColumn {
  /// What is drawn of one sample.
  fileprivate init(_ reading: Reading, at time: Int64) {
    (first, last, count) = (time, time, 1)
    let force = reading.force
    // As in a table: an angle in the plane of two components is nothing but noise where both are small.
    let limit = Q16(1, over: 10).raw
    let isTurned = magnitude(force.x.raw, force.y.raw) >= limit
    let isRolled = magnitude(force.x.raw, force.z.raw) >= limit
    set(.x, force.x)
    set(.y, force.y)
    set(.z, force.z)
    if isTurned { set(.device, reading.angles.device.degrees) }
    set(.pitch, reading.angles.pitch.degrees)
    if isRolled { set(.roll, reading.angles.roll.degrees) }
    set(.inclination, reading.angles.inclination.degrees)
    set(.steering, reading.angles.steering.degrees)
    lastState = reading.state.plotIndex
    states = 1 << UInt16(lastState)
  }

  private mutating func set(_ trace: PlotTrace, _ value: Q16) {
    let span = trace.wraps && value.raw < 0 ? trace.negativeSpan : trace.rawValue
    (low[span], high[span]) = (value.raw, value.raw)
    begin[trace.rawValue] = value.raw
    end[trace.rawValue] = value.raw
  }
}

extension PoseState {
  /// Its place in a list of the six poses and then the six reasons for not knowing.
  var plotIndex: UInt8 {
    switch self {
    case .known(let pose): pose.rawValue
    case .unknown(let reason): UInt8(Pose.count) + reason.rawValue
    }
  }
}

extension Monitor.Report {
  /// What of its events is marked.
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
