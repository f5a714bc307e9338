import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation

/// What one step of a board brought, wherever it comes from.
struct Observation {
  /// The events of this step, in order, and the sample where one was taken.
  let report: Monitor.Report
  /// What is known of the pose after this step.
  let state: PoseState
  /// What the lines show after this step.
  let levels: Levels
  let counters: Counters
  /// Where tilt has scrolled to.
  let position: TiltScroll.Position
  /// The steering angle, finer than that of the reading.
  let steering: BinaryAngle
  /// How the board is held, by the fusion with the gyroscope; nil without one.
  let attitude: Fusion.Attitude?
  /// Samples so far of which an axis was at the end of its range; 0 without fusion.
  let clippedSamples: UInt32
  /// The temperature of the sensor's die, °C; nil where it is not measured.
  let temperature: Q16?
  /// Bus transactions so far; nil where there is no bus.
  let transactions: UInt64?

  var reading: Reading? { report.reading }

  init(_ report: Monitor.Report, _ monitor: borrowing Monitor, transactions: UInt64? = nil) {
    self.report = report
    (state, levels, counters) = (monitor.state, monitor.levels, monitor.counters)
    (position, steering) = (monitor.movement?.position ?? .start, monitor.steeringAngle)
    attitude = monitor.attitude
    (clippedSamples, temperature) = (monitor.clippedSamples, monitor.temperature)
    self.transactions = transactions
  }

  /// Calls `body` with each event of this step, in order.
  func forEachEvent<Thrown: Error>(_ body: (Occurrence) throws(Thrown) -> Void) throws(Thrown) {
    for index in 0..<report.events.count {
      if let occurrence = report.events[index] { try body(occurrence) }
    }
  }
}

/// Where observations come from: a live board (`LiveBoard`) or a recording (`RecordedBoard`). What another process observes
/// would be a third.
protocol ObservationSource: ~Copyable {
  /// When the first observation could come; times are shown relative to it.
  var start: Instant { get }
  /// What it came to so far.
  var summary: Summary { get }

  /// The next observation, once it is there; nil at the end.
  mutating func next() throws(ToolError) -> Observation?
}
