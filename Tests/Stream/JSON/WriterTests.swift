import FixedPoint
import Foundation
import JSON
import TestSupport
import Testing

struct WriterTests {
  @Test static func `an object has its fields in order, with a comma between`() {
    let text = written { writer in
      writer.beginObject()
      writer.field("a", 1)
      writer.field("b", true)
      writer.nullField("c")
      writer.beginArray("d")
      writer.endArray()
      writer.beginArray("e")
      writer.element(1)
      writer.element("two")
      writer.nullElement()
      writer.beginArray()
      writer.element(-3)
      writer.endArray()
      writer.beginObject()
      writer.endObject()
      writer.beginObject()
      writer.field("f", "g")
      writer.endObject()
      writer.endArray()
      writer.beginObject("h")
      writer.endObject()
      writer.field("i", UInt64.max)
      writer.endObject()
      writer.endLine()
      writer.beginObject()
      writer.field("next", Int64.min)
      writer.endObject()
      writer.endLine()
    }
    expect(
      text,
      equals:
        #"{"a":1,"b":true,"c":null,"d":[],"e":[1,"two",null,[-3],{},{"f":"g"}],"h":{},"i":18446744073709551615}"#
        + "\n" + #"{"next":-9223372036854775808}"# + "\n")
  }

  @Test static func `each kind of value reads back as written`() throws {
    let values = try fields { writer in
      writer.field("most", Int.max)
      writer.field("least", Int64.min)
      writer.field("word", UInt32.max)
      writer.field("negative", Int32.min)
      writer.field("force", Q16(raw: Int32.min))
      writer.field("rounded", Q16(raw: Int32.max), places: 2)
      writer.field("angle", degrees: .halfTurn)
      writer.field("undefined", degrees: nil)
      writer.field("time", seconds: Microseconds(1_500_000))
      writer.field("vector", Vector3(x: .one, y: .zero, z: Q16(-1, over: 2)))
      writer.field("ratio", decimal: -1, over: 3, places: 9)
    }
    expect(values["most"] as? Int, equals: .max)
    expect(values["least"] as? Int64, equals: .min)
    expect(values["word"] as? UInt32, equals: .max)
    expect(values["negative"] as? Int32, equals: .min)
    expect(values["force"] as? Double, equals: -32_768)
    expect(values["rounded"] as? Double, equals: 32_768)
    expect(values["angle"] as? Double, equals: 180)
    expect(that: values["undefined"] is NSNull)
    expect(values["time"] as? Double, equals: 1.5)
    expect(values["vector"] as? [Double], equals: [1, 0, -0.5])
    expect(values["ratio"] as? Double, equals: -0.333333333)
  }

  @Test static func `elements are written like fields`() throws {
    let values = try fields { writer in
      writer.beginArray("a")
      writer.element(Int.min)
      writer.element(Int32.min)
      writer.element(UInt64.max)
      writer.element(Q16.one)
      writer.element(Q16(1, over: 3), places: 2)
      writer.element(decimal: 7, over: 2, places: 1)
      writer.element("\"" as StaticString)
      writer.element([0xFF, 0x41].span)
      writer.element("ö" + "\u{2028}")
      writer.element(-0.5, places: 1)
      writer.endArray()
    }
    let expected: [Any] = [
      Int.min, Int32.min, UInt64.max, 1, 0.33, 3.5, "\"", "\u{FFFD}A", "ö\u{2028}", -0.5,
    ]
    expect(values["a"] as? NSArray, equals: expected as NSArray)
  }

  /// The same number by Foundation's decimal arithmetic, which has 38 digits.
  private static func model(_ numerator: Int64, over denominator: Int64, places: Int) -> String {
    var exact = Decimal(numerator) / Decimal(denominator)
    var rounded = Decimal()
    unsafe NSDecimalRound(&rounded, &exact, places, .plain)
    return "\(rounded)"
  }

  @Test(arguments: [
    (65_536, 6), (65_536, 4), (65_536, 0), (1_000_000, 6), (1 << 30, 6), (1 << 30, 9), (3, 9), (7, 1), (1, 0),
  ])
  static func `numbers are rounded to nearest`(denominator: Int64, places: Int) {
    var random = SplitMix64(seed: 16)
    for _ in 0..<5_000 {
      // All magnitudes, which a number of 64 random bits does not have.
      let numerator = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random)
      // The model has no more digits than that.
      guard numerator.magnitude < 1 << 52 else { continue }
      let text = written { $0.element(decimal: numerator, over: denominator, places: places) }
      expect(text, equals: model(numerator, over: denominator, places: places), "\(numerator)/\(denominator)")
    }
  }

  @Test static func `a tie rounds away from zero, and nothing is minus zero`() {
    for (numerator, text) in [(1, "1"), (-1, "-1"), (3, "2"), (-3, "-2")] {
      expect(written { $0.element(decimal: Int64(numerator), over: 2, places: 0) }, equals: text)
    }
    expect(written { $0.element(decimal: -1, over: 1_000, places: 2) }, equals: "0")
    expect(written { $0.element(decimal: 999_999, over: 1_000_000, places: 3) }, equals: "1")
    expect(written { $0.element(decimal: -1_999_999, over: 1_000_000, places: 5) }, equals: "-2")
    expect(written { $0.element(decimal: Int64.min, over: 1, places: 0) }, equals: "-9223372036854775808")
    expect(written { $0.element(decimal: Int64.min, over: 1_000_000, places: 6) }, equals: "-9223372036854.775808")
    expect(written { $0.element(decimal: Int64.max, over: 1_000_000_000, places: 9) }, equals: "9223372036.854775807")
  }

  @Test static func `an argument out of range does not trap`() {
    for denominator in [0, -1, .min, .max] as [Int64] {
      for places in [-1, 0, 9, 10, .max] {
        expect(written { $0.element(decimal: .min, over: denominator, places: places) }, isNot: nil)
      }
    }
  }

  @Test static func `every force reads back to the last bit`() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      let raw = Int32(truncatingIfNeeded: random.next()) >> Int32.random(in: 0..<32, using: &random)
      let number = try require(written { $0.element(Q16(raw: raw)) }.flatMap(Double.init))
      expect(Int32(min(2_147_483_647, (number * 65_536).rounded())), equals: raw)
    }
  }

  @Test static func `any bytes are a string, with U+FFFD for invalid UTF-8`() throws {
    var random = SplitMix64(seed: 8)
    // The bytes of a decoder's branches, more often than by chance.
    let notable: [UInt8] = [
      0, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xA8, 0xA9, 0xBF, 0xC0, 0xC2, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
    ]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        Bool.random(using: &random)
          ? notable[Int.random(in: 0..<notable.count, using: &random)] : UInt8.random(in: 0...255, using: &random)
      }
      let values = try fields { $0.field("s", bytes.span) }
      expect(values["s"] as? String, equals: String(decoding: bytes, as: UTF8.self), "\(bytes)")
    }
  }

  @Test static func `every character is a string`() throws {
    for first in stride(from: 0, through: 0x10FFFF, by: 64) {
      let scalars = (first..<first + 64).compactMap { UnicodeScalar(UInt32($0)) }
      let text = String(String.UnicodeScalarView(scalars))
      let values = try fields { $0.field("s", text) }
      #expect((values["s"] as? String)?.unicodeScalars.elementsEqual(scalars) == true || scalars.isEmpty, "\(first)")
    }
  }

  @Test static func `escapes are those that JSON and JavaScript need`() {
    expect(
      written { $0.element("\"\\/\u{0}\n\u{1F} ~\u{7F}\u{80}\u{2027}\u{2028}\u{2029}\u{202A}ö😀" + "") },
      equals: "\"\\\"\\\\/\\u0000\\u000a\\u001f ~\\u007f\u{80}\u{2027}\\u2028\\u2029\u{202A}ö😀\"")
  }

  @Test static func `numbers of the host that are not finite are null`() throws {
    let values = try fields { writer in
      writer.field("pi", 3.14159, places: 3)
      writer.field("small", -0.0004, places: 3)
      writer.field("infinite", Double.infinity, places: 3)
      writer.field("none", Double.nan, places: 3)
      writer.field("huge", 1e12, places: 0)
      writer.field("missing", nil as Double?, places: 0)
      writer.field("text", nil as String?)
      writer.field(key: "a\"b", 5)
    }
    expect(values["pi"] as? Double, equals: 3.142)
    expect(values["small"] as? Double, equals: 0)
    expect(values["a\"b"] as? Int, equals: 5)
    for key in ["infinite", "none", "huge", "missing", "text"] { expect(that: values[key] is NSNull) }
  }

  @Test static func `what does not fit is left out, and nothing is written beyond the end`() throws {
    func write(_ writer: inout JSONWriter) {
      writer.beginObject()
      writer.field("t", seconds: Microseconds(12_345_678))
      writer.field("event", "sample")
      writer.field("angle_deg", degrees: BinaryAngle(degrees: -77))
      writer.field("detail", "a \"quoted\" wörd" + "")
      writer.beginArray("leds")
      for line in 0..<6 { writer.element(line) }
      writer.endArray()
      writer.field("x", Q16(raw: -12_345))
      writer.nullField("reason")
      writer.endObject()
      writer.endLine()
    }
    let whole = try require(written { write(&$0) })
    for capacity in 0...whole.utf8.count {
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { memory in
        unsafe memory.initialize(repeating: 0xAA)
        var writer = unsafe JSONWriter(UnsafeMutableBufferPointer(rebasing: memory[..<capacity]))
        write(&writer)
        expect(writer.isCut, equals: capacity < whole.utf8.count)
        expect(writer.count, isAtMost: capacity)
        unsafe expect(all: memory[writer.count...]) { $0 == 0xAA }
        if !writer.isCut { unsafe expect(String(decoding: memory[..<writer.count], as: UTF8.self), equals: whole) }
      }
    }
  }

  @Test static func `without memory everything is cut`() {
    var writer = unsafe JSONWriter(UnsafeMutableBufferPointer(start: nil, count: 0))
    writer.beginObject()
    writer.field("x", Q16.one)
    writer.field("s", "text")
    expect(that: writer.isCut)
    expect(writer.count, equals: 0)
  }
}
