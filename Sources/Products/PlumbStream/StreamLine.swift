internal import FixedText
internal import JSON
public import StreamCodec

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
    do throws(StreamLineError) {
      guard let message = try reader.read(object) else { return nil }
      self = message
    } catch {
      throw StreamError(error, in: line)
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
