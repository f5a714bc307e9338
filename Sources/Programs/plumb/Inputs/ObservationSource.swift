import BoardFile
import FixedPoint
import Gestures
import Monitor
import Stream

/// Where observations come from: a live board (`LiveBoard`), a recording (`RecordedBoard`), or the stream of another process
/// (`StreamSource`). What a command shows does not depend on which it is.
protocol ObservationSource: ~Copyable {
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
  /// Makes the attitude in which the board is held now the one in which angles are zero and nothing scrolls. Returns a word about it;
  /// what came of it is a remark, later.
  mutating func askForTare() -> String?
  /// Asks for each sample, or for as many as are shown, where that makes a difference.
  mutating func wantEachSample(_ isWanted: Bool)
}

extension ObservationSource where Self: ~Copyable {
  var remark: OwnerRemark? { nil }
  var error: ToolError? { nil }
  var wasStopped: Bool { false }
  mutating func close() throws(ToolError) {}
  mutating func askForTare() -> String? { "there is no board to hold" }
  mutating func wantEachSample(_ isWanted: Bool) {}
}

/// What the owner of a sensor says beside an observation: in its own words, which say more than an event can.
struct OwnerRemark {
  /// The line of the event or sample, as the owner wrote it.
  var line: String?
  /// The owner's words for the event; where the owner is gone, those of the connection.
  var detail: String?
  /// How many lines are lost, because this program was slow, or the connection was interrupted.
  var missed: UInt64 = 0
  /// What is to be shown as a note.
  var note: String?
  /// The note as an object; nil where it is for people alone.
  var object: String?

  /// What is lost, in words.
  var missedText: String { "\(missed) \(missed == 1 ? "line" : "lines") of the owner missed" }

  /// `line` with the time `t` of this program in place of the owner's; nil where the time is not its first field.
  func line(at time: String) -> String? {
    guard let line, line.hasPrefix("{\"t\":"), let comma = line.firstIndex(of: ",") else { return nil }
    return "{\"t\":" + time + line[comma...]
  }
}
