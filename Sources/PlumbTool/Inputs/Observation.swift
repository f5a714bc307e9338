import FixedPoint
import Stream

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
