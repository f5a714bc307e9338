import Foundation
import JSON
import TestSupport
import Testing

/// What `write` writes into `capacity` bytes; nil if it does not fit.
func written(capacity: Int = 4_096, _ write: (inout JSONWriter) -> Void) -> String? {
  unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, capacity)) { memory in
    var writer = unsafe JSONWriter(UnsafeMutableBufferPointer(rebasing: memory[..<capacity]))
    write(&writer)
    return writer.isCut ? nil : unsafe String(decoding: memory[..<writer.count], as: UTF8.self)
  }
}

/// `text` as Foundation reads it; nil if it is not JSON.
func parsed(_ text: some Sequence<UInt8>) -> Any? {
  do { return try JSONSerialization.jsonObject(with: Data(text)) } catch { return nil }
}

/// The fields that `write` writes in an object, read by Foundation.
func fields(_ write: (inout JSONWriter) -> Void) throws -> [String: Any] {
  let text = try require(
    written { writer in
      writer.beginObject()
      write(&writer)
      writer.endObject()
    })
  return try require(parsed(text.utf8) as? [String: Any], "\(text)")
}

/// The object of `bytes`, or its error.
func read(_ bytes: [UInt8]) -> Result<JSONObject, JSONError> {
  do throws(JSONError) { return .success(try JSONObject(bytes.span)) } catch { return .failure(error) }
}

/// Whether both are the same value.
func isSame(_ value: JSONValue, _ other: Any) -> Bool {
  switch other {
  case is NSNull: return value.isNull
  case let other as NSNumber where value.bool != nil: return other.boolValue == value.bool
  case let other as NSNumber:
    // Foundation reads numbers through decimal ones, which do not always give the nearest.
    guard let number = value.number else { return false }
    return value.isNumber && abs(number - other.doubleValue) <= 1e-12 * number.magnitude
  case let other as String: return value.string == other
  case let other as [Any]:
    guard let elements = value.elements, elements.count == other.count else { return false }
    return zip(elements, other).allSatisfy { isSame($0, $1) }
  case let other as [String: Any]:
    guard let fields = value.fields else { return false }
    // The last of those with the same key.
    let last = Dictionary(fields.map { ($0.key, $0.value) }) { $1 }
    return last.count == other.count && other.allSatisfy { key, field in last[key].map { isSame($0, field) } ?? false }
  default: return false
  }
}

/// Whether a number in `value` is too large for a `Double`.
func isInfinite(_ value: JSONValue) -> Bool {
  if let number = value.number { return number.isInfinite }
  return (value.elements ?? value.fields?.map(\.value) ?? []).contains(where: isInfinite)
}
