package import Monitor
package import ToolOutput

/// Where observations come from: a live board (`LiveBoard`), a recording (`RecordedBoard`), or another process's stream
/// (`StreamSource`). What a command displays does not depend on which it is.
package protocol ObservationSource: ~Copyable {
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
}

extension ObservationSource where Self: ~Copyable {
  package var remark: OwnerRemark? { nil }
  package var error: ToolError? { nil }
  package var wasStopped: Bool { false }
  package mutating func close() throws(ToolError) {}
}
