import FixedPoint
import JSON
import TestSupport
import Testing

/// Values of a line that are read or written unchanged.
struct CopyTests {
  /// The text that `body` writes.
  private static func written(_ body: (inout JSONWriter) -> Void) -> String {
    var bytes = [UInt8](repeating: 0, count: 2_000)
    return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var writer = unsafe JSONWriter(buffer)
      body(&writer)
      return unsafe String(decoding: buffer[0..<writer.count], as: UTF8.self)
    }
  }

  @Test(arguments: [
    "{}", "{\"a\":1}", "{\"a\":-1.50e+3,\"b\":null,\"c\":true}", "{\"a\":{\"b\":[1,2,{}]},\"\\u0041\":\"\\\"}\"}",
    "{\"ü\":\"ü \\ud83d\\ude00\",\"a\":[],\"a\":[]}",
  ])
  static func `every field of an object is copied unchanged`(text: String) throws {
    let object = try JSONObject(text)
    let copy = Self.written { writer in
      writer.beginObject()
      object.value.forEachField { key, value in writer.field(key, value) }
      writer.endObject()
    }
    expect(copy, equals: text)
  }

  @Test static func `a value is copied without the blanks around it`() throws {
    let object = try JSONObject(" { \"a\" : [ 1 , 2 ] , \"b\" : 7 } ")
    let copy = Self.written { writer in
      writer.beginObject()
      object.value.forEachField { key, value in writer.field(key, value) }
      writer.endObject()
    }
    expect(copy, equals: "{\"a\":[ 1 , 2 ],\"b\":7}")
  }

  @Test static func `a value that is not an object has no fields`() throws {
    let object = try JSONObject("{\"a\":[1],\"b\":\"x\"}")
    var count = 0
    for key in ["a", "b"] as [StaticString] { object[key]?.forEachField { _, _ in count += 1 } }
    expect(count, equals: 0)
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 65_536), ("-1", -65_536), ("0.0000076", 1), ("0.0000074", 0), ("-0.0000076", -1),
      ("32767.999985", Int32.max), ("-32768", Int32.min), ("32768", nil), ("-32768.00001", nil), ("1e300", nil),
      ("\"1\"", nil), ("null", nil),
    ] as [(String, Int32?)])
  static func `a number as Q16 is the nearest, or nil beyond its range`(text: String, raw: Int32?) throws {
    let object = try JSONObject("{\"a\":\(text)}")
    expect(object["a"]?.q16?.raw, equals: raw)
  }
}
