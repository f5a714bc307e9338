public import FixedPoint
public import FixedText
public import Monitor
public import Sensors

/// One line of a stream, or the loss of the connection.
///
/// <doc:output> describes the objects. A line yields the same types as a loop on this computer.
public enum StreamMessage: Sendable {
  /// The first message of each connection, and the answer to a query: what the owner is, and what it knows now.
  case hello(StreamHello)
  /// The result of a step of the owner's loop: an event, with the owner's words if it has any; samples, vibration or
  /// counters, if requested.
  case observed(Observation, words: Message?)
  /// An uncalibrated sample in the sensor frame, if requested.
  case raw(Measurement, at: Instant)
  /// A fresh reading, with the owner's words for why there is no pose.
  case reading(FreshReading, words: Message?)
  /// The sensor's mounting and calibration.
  case board(StreamBoard)
  /// This many lines are lost, because this client was slow or the connection was interrupted.
  case missed(UInt64)
  /// The owner refuses a request, for this reason.
  case error(Message)
  /// The owner has carried out a command.
  case done(command: ShortText<24>)
  /// The owner ends, for this reason, and is about to close the connection.
  case bye(Message)
  /// The connection is lost, for this reason. Nothing received before applies any more. It comes from a client, not
  /// from a line.
  case gone(Message)
}
