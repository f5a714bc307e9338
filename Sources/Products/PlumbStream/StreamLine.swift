internal import FixedText
internal import JSON
public import StreamCodec

extension StreamMessage {
  /// The message in `line`, the next one for `reader`; nil for an unknown kind, which a client skips.
  ///
  /// Throws ``StreamError/Kind/badProtocol`` for a line that is not an object, or lacks something that its kind has.
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
  /// The error for a line that lacks something that its kind has.
  init(_ error: StreamLineError, in line: String) {
    switch error {
    case .incomplete:
      self.init(.badProtocol, "a line that lacks something: \(printable(String(line.prefix(60))))")
    }
  }
}
