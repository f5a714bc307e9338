import FixedPoint
import Foundation
import JSON
import Testing
import TestSupport

struct ReaderTests {
  @Test static func `values are found by key and by position`() throws {
    let line = try JSONObject(
      #" { "event" : "hello" ,"lines":[0,1,[true,{"a":null}]],"t":-12.34,"counters":{"faults":7,"x":{"y":[]}},"on":false} "#
        + "\r\n")
    #expect(line["event"] == "hello")
    expect(that: !(line["event"] == "hell"))
    expect(that: !(line["event"] == "hello!"))
    expect(that: !(line["t"] == "-12.34"))
    expect(line["event"]?.string, equals: "hello")
    expect(line["lines"]?[0]?.count, equals: 0)
    expect(line["lines"]?[1]?.decimal(places: 0), equals: 1)
    expect(line["lines"]?[2]?[0]?.bool, equals: true)
    expect(line["lines"]?[2]?[1]?["a"]?.isNull, equals: true)
    #expect(line["lines"]?[3] == nil && line["lines"]?[-1] == nil && line["lines"]?[2]?[2] == nil)
    expect(line["t"]?.decimal(places: 6), equals: -12_340_000)
    expect(line["t"]?.number, equals: -12.34)
    expect(line["counters"]?["faults"]?.count, equals: 7)
    expect(line["counters"]?["x"]?["y"]?.elements?.isEmpty, equals: true)
    expect(line["on"]?.bool, equals: false)
    #expect(line["y"] == nil && line["a"] == nil && line["counters"]?["event"] == nil && line["event"]?["a"] == nil)
    expect(line.value.fields?.map(\.key), equals: ["event", "lines", "t", "counters", "on"])
  }

  @Test static func `a value of another kind is nil`() throws {
    let line = try JSONObject(#"{"s":"1","n":1,"b":true,"0":null,"a":[],"o":{}}"#)
    let values = ["s", "n", "b", "0", "a", "o"].compactMap { key in line.value.fields?.first { $0.key == key }?.value }
    expect(values.map(\.isString), equals: [true, false, false, false, false, false])
    expect(values.map(\.isNumber), equals: [false, true, false, false, false, false])
    expect(values.map { $0.bool != nil }, equals: [false, false, true, false, false, false])
    expect(values.map(\.isNull), equals: [false, false, false, true, false, false])
    expect(values.map(\.isArray), equals: [false, false, false, false, true, false])
    expect(values.map(\.isObject), equals: [false, false, false, false, false, true])
    expect(values.map { $0.string != nil }, equals: values.map(\.isString))
    expect(values.map { $0.decimal(places: 0) != nil }, equals: values.map(\.isNumber))
    expect(values.map { $0.count != nil }, equals: values.map(\.isNumber))
    expect(values.map { $0.number != nil }, equals: values.map(\.isNumber))
    expect(values.map { $0.elements != nil }, equals: values.map(\.isArray))
    expect(values.map { $0.fields != nil }, equals: values.map(\.isObject))
    expect(values.map { $0.forEachByte { _ in } }, equals: values.map(\.isString))
  }

  @Test static func `the last of two values with the same key counts`() throws {
    let line = try JSONObject(#"{"a":1,"b":{"a":2},"\u0061":3,"c":4}"#)
    expect(line["a"]?.count, equals: 3)
    expect(line["b"]?["a"]?.count, equals: 2)
  }

  @Test static func `an escaped string is unescaped`() throws {
    let line = try JSONObject(#"{"s":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00\u0000é€😀"}"#)
    let text = "\"\\/\u{8}\u{c}\n\r\tAé€😀\u{0}é€😀"
    expect(line["s"]?.string, equals: text)
    #expect(line["s"] == "\"\\/\u{8}\u{c}\n\r\tAé€😀\u{0}é€😀")
    expect(that: !(line["s"] == "\"\\/\u{8}\u{c}\n\r\tAé€😀\u{0}é€😁"))
  }

  /// The same number by Foundation, in units of 10^-places.
  private static func model(_ text: String, places: Int) -> Int64? {
    guard let exact = Decimal(string: text) else { return nil }
    var (scaled, rounded) = (exact * pow(Decimal(10), places), Decimal())
    unsafe NSDecimalRound(&rounded, &scaled, 0, .plain)
    return Int64("\(rounded)")
  }

  @Test static func `numbers are exact, for any exponent`() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<20_000 {
      var text = "\(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 14..<64, using: &random))"
      if Bool.random(using: &random) {
        text += "."
        for _ in 0..<Int.random(in: 1...9, using: &random) { text += "\(Int.random(in: 0...9, using: &random))" }
      }
      if Bool.random(using: &random) { text += "eE".randomElement(using: &random).map { "\($0)" } ?? "" + "" }
      if text.hasSuffix("e") || text.hasSuffix("E") {
        text += ["", "+", "-"][Int.random(in: 0...2, using: &random)] + "\(Int.random(in: 0...12, using: &random))"
      }
      let places = Int.random(in: 0...9, using: &random)
      let value = try JSONObject("{\"n\":\(text)}")["n"]
      expect(value?.decimal(places: places), equals: model(text, places: places), "\(text), \(places) places")
      expect(value?.number, equals: Double(text), "\(text)")
    }
  }

  @Test(arguments: [
    ("9223372036854775807", 9_223_372_036_854_775_807), ("-9223372036854775808", -9_223_372_036_854_775_808),
    ("9223372036854775808", nil), ("-9223372036854775809", nil), ("9223372036854775807.4", 9_223_372_036_854_775_807),
    ("9223372036854775807.5", nil), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
    ("-1e99999999999999999999", nil),
    ("0e99999999999999999999", 0), ("-0", 0), ("-0.0e5", 0), ("1e-99999999999999999999", 0), ("0.5", 1), ("-0.5", -1),
    ("0.05e1", 1), ("0.49999999999999999999", 0), ("5e-1", 1), ("49e-2", 0), ("0.00000000000000000000001e23", 1),
    ("12345e-2", 123), ("12350e-2", 124),
  ])
  static func `a number out of the range of 64 bits is nil, and any other is rounded`(text: String, whole: Int64?)
    throws
  {
    try expect(JSONObject("{\"n\":\(text)}")["n"]?.decimal(places: 0), equals: whole)
  }

  @Test static func `counts have 64 bits`() throws {
    let line = try JSONObject(
      #"{"a":18446744073709551615,"b":18446744073709551616,"c":-1,"d":18446744073709551615.5,"e":2.5}"#)
    expect(line["a"]?.count, equals: .max)
    expect(line["b"]?.count, equals: nil)
    expect(line["c"]?.count, equals: nil)
    expect(line["d"]?.count, equals: nil)
    expect(line["e"]?.count, equals: 3)
  }

  @Test static func `a number with a thousand digits is read`() throws {
    let zeros = String(repeating: "0", count: 900)
    try expect(JSONObject("{\"n\":0.\(zeros)7e901}")["n"]?.count, equals: 7)
    try expect(JSONObject("{\"n\":7\(zeros)e-899}")["n"]?.count, equals: 70)
    try expect(JSONObject("{\"n\":7\(zeros)}")["n"]?.decimal(places: -900), equals: 7)
  }

  // From the cases of https://github.com/nst/JSONTestSuite, in an object.
  @Test(arguments: [
    "0", "-0", "-0.0", "0e1", "0e+1", "0E-1", "1.5e300", "123.456", "-1", "[]", "[ ]", "{}", "{ }", "[null]", "[1,2]",
    "\"\"",
    #""\u0000""#, #""\uFFFF""#, #""\uDBFF\uDFFF""#, #""\u200b""#, "\"\u{7F}\"", "\"\u{2028}\"", "true",
    #"{"":0}"#, #"{"a":"b","a":"c"}"#, "\t1\r\n", "[[[[[[]]]]]]",
  ])
  static func `this is JSON`(value: String) throws {
    let bytes = Array("{\"v\":\(value)}".utf8)
    guard case .success(let object) = read(bytes) else { return #expect(Bool(false), "\(value) is refused") }
    let other = try require(parsed(bytes))
    expect(that: isSame(object.value, other))
  }

  @Test(arguments: [
    "", "+1", "01", "-01", "1.", ".5", "-", "-.5", "1e", "1e+", "1.e1", "0x1", "1 2", "NaN", "Infinity", "-Infinity",
    "nul",
    "nulls", "True", "tru", "TRUE", "fals e", "[1,]", "[,1]", "[1 2]", "[1", "]", "{,}", #"{"a"}"#, #"{"a":}"#,
    #"{"a":1,}"#,
    "{a:1}", "{1:1}", "{'a':1}", #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{"a":1"#, "'a'", #"""#, #""\"#, #""\x""#, #""\u12""#,
    #""\u12G4""#, #""\U0041""#, "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1F}\"", "1,", "1}", "/*c*/1", "1//c", "\u{A0}1",
    "\u{0B}1",
    "\u{0C}1", "\u{FEFF}1", "1\u{0}", "--1", "1-2", "1+", "2e3.5", "e5", "１",
  ])
  static func `this is not JSON`(value: String) {
    let bytes = Array("{\"v\":\(value)}".utf8)
    guard case .failure(.syntax(let place)) = read(bytes) else { return #expect(Bool(false), "\(value) is read") }
    expect(place, isIn: 5...bytes.count)
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    ] as [[UInt8]])
  static func `a string that is not UTF-8 is rejected, also as a key`(text: [UInt8]) {
    let value = Array("{\"v\":\"a".utf8) + text + Array("\"}".utf8)
    expect(read(value).failure, equals: .encoding(at: 7))
    expect(read(Array("{\"".utf8) + text + Array("\":1}".utf8)).failure, equals: .encoding(at: 2))
  }

  @Test(arguments: [
    #"\ud800"#, #"\ud800\u0041"#, #"\udc00"#, #"\ud800\ud800"#, #"\udc00\ud800"#, #"\uD800x"#, #"\ud800\n"#,
  ])
  static func `half a surrogate pair is rejected`(escape: String) {
    expect(read(Array("{\"v\":\"\(escape)\"}".utf8)).failure, equals: .encoding(at: 6))
  }

  @Test static func `a line is an object and nothing else`() {
    for text in ["[]", "[{}]", "1", "\"a\"", "null", "true"] {
      expect(read(Array(text.utf8)).failure, equals: .notAnObject, "\(text)")
    }
    for (text, place) in [("", 0), (" \n", 2), ("{}{}", 2), ("{} x", 3), ("{}\n{}", 3), ("\u{FEFF}{}", 0), ("{", 1)] {
      expect(read(Array(text.utf8)).failure, equals: .syntax(at: place), "\(text)")
    }
  }

  @Test static func `a line may have 1024 bytes, and not one more`() {
    func line(_ count: Int) -> [UInt8] {
      Array("{\"v\":\"".utf8) + Array(repeating: 0x61, count: count - 8) + Array("\"}".utf8)
    }
    guard case .success(let object) = read(line(1_024)) else { return #expect(Bool(false)) }
    expect(object["v"]?.string?.count, equals: 1_016)
    expect(read(line(1_025)).failure, equals: .tooLong)
    expect(read(Array("{}".utf8) + Array(repeating: 0x20, count: 1_023)).failure, equals: .tooLong)
    // Cut anywhere, it is not read, nor is anything after it.
    for count in 0..<1_024 { expect(read(Array(line(1_024)[..<count])).failure, equals: .syntax(at: count)) }
  }

  @Test static func `eight levels are read, and a ninth is not`() {
    func line(_ levels: Int) -> [UInt8] {
      Array("{\"v\":".utf8) + Array(repeating: 0x5B, count: levels - 1) + Array(repeating: 0x5D, count: levels - 1) + [
        0x7D
      ]
    }
    expect(read(line(8)).failure, equals: nil)
    expect(read(line(9)).failure, equals: .tooDeep(at: 12))
    expect(read(line(500)).failure, equals: .tooDeep(at: 12))
    expect(read(Array(repeating: 0x5B, count: 1_024)).failure, equals: .tooDeep(at: 8))
    expect(read(Array(String(repeating: "{\"\":", count: 200).utf8)).failure, equals: .tooDeep(at: 32))
  }

  @Test static func `random objects are read as by Foundation, and broken ones rejected like there`() throws {
    var random = SplitMix64(seed: 11)
    var (read, refused) = (0, 0)
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      RandomJSON.object(&bytes, depth: 1, &random)
      if bytes.count > 1_024 { continue }
      if Bool.random(using: &random) { RandomJSON.damage(&bytes, &random) }
      guard bytes.count <= 1_024, !RandomJSON.isDisputed(bytes) else { continue }
      let expected = parsed(bytes) as? [String: Any]
      switch JSONTests.read(bytes) {
      case .success(let object):
        // Foundation rejects numbers too large for a `Double`.
        if expected == nil && isInfinite(object.value) { continue }
        let other = try require(expected, "\(String(decoding: bytes, as: UTF8.self)) is read")
        expect(that: isSame(object.value, other), "\(String(decoding: bytes, as: UTF8.self))")
        read += 1
      case .failure(let error):
        if isTrailingComma(error, bytes) { continue }
        expect(absent: expected, "\(String(decoding: bytes, as: UTF8.self)) is refused: \(error)")
        refused += 1
      }
    }
    #expect(read > 5_000 && refused > 2_000, "\(read) read, \(refused) refused")
  }

  @Test static func `random bytes do not trap`() {
    var random = SplitMix64(seed: 12)
    let alphabet = Array("{}[]\":,.-+eE0123456789truefalsn \\u\u{1}\u{7F}é".utf8) + [0xFF, 0xC0, 0x80]
    for _ in 0..<50_000 {
      var bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      if Bool.random(using: &random) { bytes = Array("{\"a\":".utf8) + bytes + [0x7D] }
      guard case .success(let object) = read(bytes) else { continue }
      expect(that: parsed(bytes) is [String: Any], "\(String(decoding: bytes, as: UTF8.self))")
      _ = (object["a"]?.decimal(places: 6), object["a"]?.string, object.value.fields, object["a"]?.elements)
    }
  }

  @Test static func `written values are read back`() throws {
    let text = try require(
      written { writer in
        writer.beginObject()
        writer.field("t", decimal: -1_234_567, over: 1_000_000, places: 6)
        writer.field("text", "a \"b\" \\ \u{2028} ö\u{1}" + "")
        writer.beginArray("a")
        writer.element(UInt64.max)
        writer.nullElement()
        writer.endArray()
        writer.endObject()
        writer.endLine()
      })
    let object = try JSONObject(text)
    expect(object["t"]?.decimal(places: 6), equals: -1_234_567)
    expect(object["text"]?.string, equals: "a \"b\" \\ \u{2028} ö\u{1}")
    expect(object["a"]?[0]?.count, equals: .max)
    expect(object["a"]?[1]?.isNull, equals: true)
  }
}

/// Whether `error` is a comma before a bracket, which Foundation accepts and RFC 8259 does not.
private func isTrailingComma(_ error: JSONError, _ bytes: [UInt8]) -> Bool {
  guard case .syntax(let place) = error, place < bytes.count, bytes[place] == 0x7D || bytes[place] == 0x5D else {
    return false
  }
  return bytes[..<place].last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x2C
}

extension Result {
  /// The error, if any.
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// Random objects, and damage to them.
private enum RandomJSON {
  static func object(_ out: inout [UInt8], depth: Int, _ random: inout SplitMix64) {
    items(&out, "{", "}", &random) { out, random in
      string(&out, &random)
      blank(&out, &random)
      out.append(0x3A)
      value(&out, depth: depth + 1, &random)
    }
  }

  private static func items(
    _ out: inout [UInt8], _ begin: String, _ end: String, _ random: inout SplitMix64,
    _ item: (inout [UInt8], inout SplitMix64) -> Void
  ) {
    blank(&out, &random)
    out += Array(begin.utf8)
    for index in 0..<Int.random(in: 0...4, using: &random) {
      if index > 0 { out.append(0x2C) }
      blank(&out, &random)
      item(&out, &random)
      blank(&out, &random)
    }
    out += Array(end.utf8)
    blank(&out, &random)
  }

  private static func value(_ out: inout [UInt8], depth: Int, _ random: inout SplitMix64) {
    blank(&out, &random)
    switch Int.random(in: 0...(depth < 8 ? 7 : 5), using: &random) {
    case 0: out += Array("null".utf8)
    case 1: out += Array((Bool.random(using: &random) ? "true" : "false").utf8)
    case 2: out += Array("\(Int32(truncatingIfNeeded: random.next()))".utf8)
    case 3: out += Array("\(Double(Int32(truncatingIfNeeded: random.next())) / 65_536)".utf8)
    case 4, 5: string(&out, &random)
    case 6: object(&out, depth: depth, &random)
    default: items(&out, "[", "]", &random) { out, random in value(&out, depth: depth + 1, &random) }
    }
    blank(&out, &random)
  }

  private static func string(_ out: inout [UInt8], _ random: inout SplitMix64) {
    let pieces = [
      "a", "b", "event", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", " ", "{", "]", ",",
    ]
    out.append(0x22)
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      out += Array(pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8)
    }
    out.append(0x22)
  }

  private static func blank(_ out: inout [UInt8], _ random: inout SplitMix64) {
    if Int.random(in: 0...5, using: &random) == 0 {
      out.append([0x20, 0x09, 0x0A, 0x0D][Int.random(in: 0...3, using: &random)])
    }
  }

  /// Changes, removes, doubles or adds a byte.
  static func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let index = Int.random(in: 0..<bytes.count, using: &random)
    let alphabet = Array("{}[]\":,.-+eE01tfn \\u".utf8) + [0x00, 0x1F, 0x80, 0xC3, 0xFF]
    let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
    switch Int.random(in: 0...3, using: &random) {
    case 0: bytes[index] = byte
    case 1: bytes.remove(at: index)
    case 2: bytes.insert(bytes[index], at: index)
    default: bytes.insert(byte, at: index)
    }
  }

  /// Whether Foundation takes these bytes for an encoding other than UTF-8, or rejects what RFC 8259 allows.
  static func isDisputed(_ bytes: [UInt8]) -> Bool { bytes.prefix(4).contains(0) }
}
