import BoardFile
package import FixedPoint
import Gestures
package import Monitor
import Stream
package import ToolOutput

/// Where observations come from: a live board (`LiveBoard`), a recording (`RecordedBoard`), or another process's stream
/// (`StreamSource`). What a command displays does not depend on which it is.
package protocol ObservationSource: ~Copyable {
  /// The earliest instant of an observation, to which displayed times are relative.
  var start: Instant { get }
  /// The present time of the source.
  var now: Instant { get }
  /// The summary so far.
  var summary: Summary { get }
  /// A remark with the last observation, from the owner of the sensor or from this process about the data-ready line.
  var remark: OwnerRemark? { get }
  /// The error with which it ended; nil for none.
  var error: ToolError? { get }
  /// Whether a stop signal ended it.
  var wasStopped: Bool { get }

  /// Waits for the next observation; nil at the end.
  mutating func next() throws(ToolError) -> Observation?
  /// Cleans up after the end.
  mutating func close() throws(ToolError)
  /// Takes the present attitude as the one in which angles are zero and nothing scrolls. Returns a message for now; the
  /// result follows as a remark.
  mutating func askForTare() -> String?
  /// Restores the zero of the board file. Returns a message, as `askForTare()` does.
  mutating func undoTare() -> String?
  /// Whether it supports both.
  var takesTare: Bool { get }
  /// Asks for every sample, or only for as many as are displayed, if that makes a difference.
  mutating func wantEachSample(_ isWanted: Bool)
}

extension ObservationSource where Self: ~Copyable {
  package var remark: OwnerRemark? { nil }
  package var error: ToolError? { nil }
  package var wasStopped: Bool { false }
  package mutating func close() throws(ToolError) {}
  package mutating func askForTare() -> String? { "there is no board to hold" }
  package mutating func undoTare() -> String? { "there is no board to hold" }
  package var takesTare: Bool { false }
  package mutating func wantEachSample(_ isWanted: Bool) {}
}
