import BoardFile
package import FixedPoint
import Gestures
package import Monitor
import Stream
package import ToolOutput

/// Where observations come from: a live board (`LiveBoard`), a recording (`RecordedBoard`), or the stream of another
/// process (`StreamSource`). What a command shows does not depend on which it is.
package protocol ObservationSource: ~Copyable {
  /// When the first observation could come; times are shown relative to it.
  var start: Instant { get }
  /// The time of the source.
  var now: Instant { get }
  /// What it came to so far.
  var summary: Summary { get }
  /// What the owner of the sensor says beside the last observation, or this process about the data-ready line.
  var remark: OwnerRemark? { get }
  /// The error that it ended with; nil for none.
  var error: ToolError? { get }
  /// Whether a stop signal has ended it.
  var wasStopped: Bool { get }

  /// The next observation, once it is there; nil at the end.
  mutating func next() throws(ToolError) -> Observation?
  /// Leaves everything as it is to be left, after the end.
  mutating func close() throws(ToolError)
  /// Makes the attitude in which the board is held now the one in which angles are zero and nothing scrolls. Returns a
  /// word about it; what came of it is a remark, later.
  mutating func askForTare() -> String?
  /// Makes zero again what the board file says. Returns a word about it, as `askForTare()` does.
  mutating func undoTare() -> String?
  /// Whether it does both of them.
  var takesTare: Bool { get }
  /// Asks for each sample, or for as many as are shown, where that makes a difference.
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
