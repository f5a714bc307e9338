public import FixedPoint
internal import FixedText
internal import JSON
public import Monitor
public import Sensors
public import StreamCodec

/// One line of a stream, or what became of the connection.
///
/// `docs/output.md` describes the objects. What a line tells is of the same types that a loop on this computer gives.
public enum StreamMessage: Sendable {
  /// The first message of each connection, and the answer to ``StreamRequest/hello``: what the owner has, and what it
  /// knows now.
  case hello(StreamHello)
  /// What a step of the owner's loop brought: an event, with the owner's words where it has some; a sample, vibration
  /// or counters, where they were asked for.
  case observed(Observation, words: String?)
  /// A sample in the sensor's own frame, uncalibrated, where ``StreamRequest/Samples/raw`` asked for it.
  case raw(Measurement, at: Instant)
  /// The answer to ``StreamRequest/read``, with the owner's words for why there is no pose.
  case reading(FreshReading, words: String?)
  /// The answer to ``StreamRequest/board``.
  case board(StreamBoard)
  /// So many lines are lost, because this client was slow, or the connection was interrupted.
  case missed(UInt64)
  /// The owner refuses a request, in its words.
  case error(String)
  /// The owner has done what a command asked for.
  case done(command: String)
  /// The owner ends, in its words; the connection is about to be closed.
  case bye(String)
  /// The connection is lost: why, in words. Nothing that came before holds any more. The client tries again.
  case gone(String)
}

extension StreamMessage {
  /// The message of `line`, the next one for `reader`; nil for one of a kind that is not known here, which a client
  /// passes over.
  ///
  /// Throws ``StreamError/Kind/badProtocol`` for a line that is no object, or lacks what its kind has.
  public init?(line: String, _ reader: inout StreamReader) throws(StreamError) {
    let object: JSONObject
    do throws(JSONError) { object = try JSONObject(line) } catch {
      throw StreamError(.badProtocol, "a line that is not JSON: \(printable(String(line.prefix(60))))")
    }
    do throws(StreamLineError) { try self.init(object, &reader) } catch { throw StreamError(error, in: line) }
  }

  /// The message of `object`, the next one for `reader`.
  init?(_ object: JSONObject, _ reader: inout StreamReader) throws(StreamLineError) {
    guard let found = try reader.read(object) else { return nil }
    self.init(found)
  }

  private init(_ object: StreamObject) {
    self =
      switch object {
      case .hello(let hello): .hello(hello)
      case .observed(let seen, let words): .observed(seen, words: words?.description)
      case .raw(let measured, let instant): .raw(measured, at: instant)
      case .reading(let fresh, let words): .reading(fresh, words: words?.description)
      case .board(let board): .board(board)
      case .missed(let count): .missed(count)
      case .error(let words): .error(words.description)
      case .done(let command): .done(command: command.description)
      case .bye(let words): .bye(words.description)
      }
  }
}

extension StreamError {
  /// The error of a line that has not what its kind has.
  init(_ error: StreamLineError, in line: String) {
    switch error {
    case .incomplete:
      self.init(.badProtocol, "a line that lacks something: \(printable(String(line.prefix(60))))")
    }
  }
}
