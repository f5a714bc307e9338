public import FixedPoint
public import FixedText
public import Monitor
public import Sensors

/// One line of a stream, or what became of the connection.
///
/// <doc:output> describes the objects. What a line says is of the same types that a loop on this computer gives.
public enum StreamMessage: Sendable {
  /// The first message of each connection, and the answer to a query: what the owner has, and what it knows now.
  case hello(StreamHello)
  /// What a step of the owner's loop brought: an event, with the owner's words where it has some; a sample, vibration
  /// or counters, where they were asked for.
  case observed(Observation, words: Message?)
  /// A sample in the sensor's own frame, uncalibrated, where it was asked for.
  case raw(Measurement, at: Instant)
  /// One fresh reading, with the owner's words for why there is no pose.
  case reading(FreshReading, words: Message?)
  /// How the sensor sits on the board.
  case board(StreamBoard)
  /// So many lines are lost, because this client was slow, or the connection was interrupted.
  case missed(UInt64)
  /// The owner refuses a request, in its words.
  case error(Message)
  /// The owner has done what a command asked for.
  case done(command: ShortText<24>)
  /// The owner ends, in its words; the connection is about to be closed.
  case bye(Message)
  /// The connection is lost: why, in words. Nothing that came before holds any more. A client says so; no line does.
  case gone(Message)
}
