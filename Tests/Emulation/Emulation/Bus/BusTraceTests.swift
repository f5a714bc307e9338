import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// Random numbers for the tests alone, the same on every run.
struct TraceDice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 32) | (state << 32)
  }

  static let faults: [I2CFault?] = [
    nil, nil, nil, .noAcknowledge, .arbitrationLost, .timedOut, .shortRead(expected: 6, received: 2), .unsupported,
    .notPermitted, .busy, .unavailable, .other(code: 110), .other(code: -1), .shortRead(expected: .max, received: .min),
  ]

  mutating func bytes(upTo count: Int) -> [UInt8] {
    (0..<Int.random(in: 0...count, using: &self)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }

  mutating func entry(at instant: Int64) -> BusTrace.Entry {
    let target = address(UInt8.random(in: 0x08...0x77, using: &self))
    let operations: [BusTrace.Operation] = [
      .reopen, .write(bytes(upTo: 4), to: target),
      .writeRead(bytes(upTo: 2), reply: bytes(upTo: 7).map { $0 & 7 == 0 ? nil : $0 }, at: target),
    ]
    return BusTrace.Entry(
      operations.randomElement(using: &self) ?? .reopen, at: Instant(microseconds: instant),
      fault: Self.faults.randomElement(using: &self) ?? nil)
  }

  mutating func trace(of count: Int) -> BusTrace {
    var instant = Int64.random(in: -2_000_000...2_000_000, using: &self)
    return BusTrace(
      (0..<count).map { _ in
        instant += Int64.random(in: 0...300_000, using: &self)
        return entry(at: instant)
      })
  }
}

struct BusTraceTests {
  static let text = """
        0.000000  S | 53+W | 00 | Sr | 53+R | E5 | P
        0.000000  S | 53+W | 2D 08 | P
        0.011100  S | 53+W | 32 | Sr | 53+R | ?? ?? ?? ?? ?? ?? | ! timedOut
        0.011100  S | 1D+W | P
        0.021100  S | 1D+W | Sr | 1D+R | FF 0A | P
       12.345678  reopen
     1234.000001  reopen | ! unavailable
    123456.000000  S | 53+W | 2D 08 | ! shortRead 2 of 6
       -0.000001  S | 53+W | 00 | Sr | 53+R | P
    """

  static let trace: BusTrace = {
    let (near, far) = (address(0x53), address(0x1D))
    func entry(_ operation: BusTrace.Operation, _ at: Int64, _ fault: I2CFault? = nil) -> BusTrace.Entry {
      BusTrace.Entry(operation, at: Instant(microseconds: at), fault: fault)
    }
    return BusTrace([
      entry(.writeRead([0x00], reply: [0xE5], at: near), 0), entry(.write([0x2D, 0x08], to: near), 0),
      entry(.writeRead([0x32], reply: [nil, nil, nil, nil, nil, nil], at: near), 11_100, .timedOut),
      entry(.write([], to: far), 11_100), entry(.writeRead([], reply: [0xFF, 0x0A], at: far), 21_100),
      entry(.reopen, 12_345_678), entry(.reopen, 1_234_000_001, .unavailable),
      entry(.write([0x2D, 0x08], to: near), 123_456_000_000, .shortRead(expected: 6, received: 2)),
      entry(.writeRead([0x00], reply: [], at: near), -1),
    ])
  }()

  @Test static func `a trace prints like a logic analyser, and is read back`() throws {
    expect(Self.trace.description, equals: Self.text)
    try expect(BusTrace(parsing: Self.text), equals: Self.trace)
    expect(BusTrace().description, equals: "")
    try expect(BusTrace(parsing: ""), equals: BusTrace())
  }

  @Test static func `any trace is read back unchanged`() throws {
    var dice = TraceDice(state: 1)
    for _ in 0..<300 {
      let trace = dice.trace(of: Int.random(in: 0...20, using: &dice))
      try expect(BusTrace(parsing: trace.description), equals: trace)
    }
    let extremes = [Int64.min, .min + 1, .max].map {
      BusTrace.Entry(.reopen, at: Instant(microseconds: $0))
    }
    try expect(BusTrace(parsing: BusTrace(extremes).description).entries, equals: extremes)
  }

  @Test static func `spaces, comments, empty lines, lower-case letters and short times are read too`() throws {
    let text =
      "# a recording\r\n\r\n0.5 S|53+W|P\n2\t S |1d+W|  2d   08 |Sr| 1D+R |ff ??|! other -7\n"
      + "   # and a comment\n  3.25 reopen|!busy"
    let found = try BusTrace(parsing: text).description
    expect(
      found,
      equals: """
            0.500000  S | 53+W | P
            2.000000  S | 1D+W | 2D 08 | Sr | 1D+R | FF ?? | ! other -7
            3.250000  reopen | ! busy
        """)
  }

  @Test(arguments: [
    ("x  S | 53+W | P", "expected seconds with up to 6 decimals, found \"x\""),
    ("1.  reopen", "expected seconds with up to 6 decimals, found \"1.\""),
    (".5 reopen", "expected seconds with up to 6 decimals, found \".5\""),
    ("+1 reopen", "expected seconds with up to 6 decimals, found \"+1\""),
    ("0.0000001  reopen", "expected seconds with up to 6 decimals, found \"0.0000001\""),
    ("9223372036854.775808 reopen", "expected seconds with up to 6 decimals, found \"9223372036854.775808\""),
    ("0.0", "expected \"S\" or \"reopen\", found the end of the line"),
    ("0.0 Sr | 53+W | P", "expected \"S\" or \"reopen\", found \"Sr\""),
    ("0.0 S", "expected an address, 08+W to 77+W, found the end of the line"),
    ("0.0 S | 07+W | P", "expected an address, 08+W to 77+W, found \"07+W\""),
    ("0.0 S | 78+W | P", "expected an address, 08+W to 77+W, found \"78+W\""),
    ("0.0 S | +8+W | P", "expected an address, 08+W to 77+W, found \"+8+W\""),
    ("0.0 S | 53+R | P", "expected an address, 08+W to 77+W, found \"53+R\""),
    ("0.0 S | 53+W | 2D 8 | P", "expected a byte as two hexadecimal digits, found \"8\""),
    ("0.0 S | 53+W | 2D -8 | P", "expected a byte as two hexadecimal digits, found \"-8\""),
    ("0.0 S | 53+W | ?? | P", "expected bytes that are known, found \"??\""),
    ("0.0 S | 53+W | | P", "expected bytes, \"P\" or a fault, found the end of the line"),
    ("0.0 S | 53+W | 2D", "expected \"P\" or \"!\" and a fault, found the end of the line"),
    ("0.0 S | 53+W | 2D | 08 | P", "expected \"P\" or \"!\" and a fault, found \"08\""),
    ("0.0 S | 53+W | 2D | Sr | 1D+R | 00 | P", "expected 53+R, found \"1D+R\""),
    ("0.0 S | 53+W | 2D | P | P", "expected the end of the line, found \"P\""),
    ("0.0 S | 53+W | 2D | ! timeout", "expected a fault that there is, found \"! timeout\""),
    ("0.0 S | 53+W | 2D | ! other 2147483648", "expected a fault that there is, found \"! other 2147483648\""),
    ("0.0 S | 53+W | 2D | ! shortRead 2 in 6", "expected a fault that there is, found \"! shortRead 2 in 6\""),
    ("0.0 reopen | P", "expected \"P\" or \"!\" and a fault, found \"P\""),
  ])
  static func `an invalid trace is rejected with its line, what was found and what was expected`(
    _ line: String, _ message: String
  ) {
    var found: BusTrace.ParsingError?
    do throws(BusTrace.ParsingError) { _ = try BusTrace(parsing: "0.0 reopen\n\n\(line)\n") } catch { found = error }
    expect(found?.description, equals: "line 3: \(message)")
  }

  @Test static func `damaged text is rejected or read, and never traps`() {
    var dice = TraceDice(state: 9)
    let alphabet = Array("0123456789ABCDEFabcdef+-WRSrP|?! .\n\r\t#étimedOutreopen")
    var refused = 0
    for _ in 0..<3_000 {
      var characters = Array(Self.text)
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let place = Int.random(in: 0..<characters.count, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: characters.remove(at: place)
        case 1: characters.insert(alphabet.randomElement(using: &dice) ?? " ", at: place)
        default: characters[place] = alphabet.randomElement(using: &dice) ?? " "
        }
      }
      do throws(BusTrace.ParsingError) {
        let trace = try BusTrace(parsing: String(characters))
        try expect(BusTrace(parsing: trace.description), equals: trace)
      } catch {
        refused += 1
        expect(error.line, isIn: 1...14)
      }
    }
    expect(refused, isAbove: 1_000)
  }

  @Test static func `times can be counted from the first entry`() {
    let trace = BusTrace([
      BusTrace.Entry(.reopen, at: Instant(microseconds: 5_000_000)),
      BusTrace.Entry(.reopen, at: Instant(microseconds: 5_000_007)),
    ])
    expect(trace.fromZero.entries.map(\.instant.microseconds), equals: [0, 7])
    expect(BusTrace().fromZero, equals: BusTrace())
  }
}

struct TraceDifferenceTests {
  private static func write(_ bytes: [UInt8], _ microseconds: Int64 = 0, _ fault: I2CFault? = nil) -> BusTrace.Entry {
    BusTrace.Entry(.write(bytes, to: address(0x53)), at: Instant(microseconds: microseconds), fault: fault)
  }

  /// Writes of one byte each, `spacing` µs apart.
  private static func writes(_ bytes: [UInt8], from start: Int64 = 0, spacing: Int64 = 0) -> BusTrace {
    BusTrace(bytes.enumerated().map { write([$1], start + Int64($0) * spacing) })
  }

  @Test static func `equal traces do not differ, whenever they were recorded`() {
    let trace = Self.writes([1, 2, 3], from: 77, spacing: 10_000)
    expect(trace.difference(from: trace), equals: nil)
    expect(Self.writes([1, 2, 3]).difference(from: trace), equals: nil)
    let later = Self.writes([1, 2, 3], from: 987_654_321, spacing: 10_000)
    expect(later.difference(from: trace, times: .within(.zero)), equals: nil)
    expect(BusTrace().difference(from: BusTrace(), times: .within(.zero)), equals: nil)
  }

  @Test static func `a byte that differs is marked`() {
    let address = address(0x53)
    let identity = BusTrace.Entry(.writeRead([0], reply: [0xE5], at: address), at: Instant(microseconds: 0))
    let expected = BusTrace([identity, Self.write([0x2D, 0x08]), Self.write([0x31, 0x0B])])
    let found = BusTrace([identity, Self.write([0x2D, 0x00]), Self.write([0x31, 0x0B])])
    expect(
      found.difference(from: expected),
      equals: """
        first difference at entry 1; 3 entries expected, 3 found
            0   S | 53+W | 00 | Sr | 53+R | E5 | P
            1 - S | 53+W | 2D 08 | P
            1 + S | 53+W | 2D 00 | P
                              ^ first difference
            2   S | 53+W | 31 0B | P
        """)
  }

  @Test static func `missing and extra entries are shown as such`() {
    expect(
      Self.writes([1, 2, 4, 9, 5]).difference(from: Self.writes([1, 2, 3, 4, 5])),
      equals: """
        first difference at entry 2; 5 entries expected, 5 found
            0   S | 53+W | 01 | P
            1   S | 53+W | 02 | P
            2 - S | 53+W | 03 | P
                ^ first difference
            3   S | 53+W | 04 | P
            3 + S | 53+W | 09 | P
            4   S | 53+W | 05 | P
        """)
    expect(
      Self.writes([1]).difference(from: BusTrace()),
      equals: """
        first difference at entry 0; 0 entries expected, 1 found
            0 + S | 53+W | 01 | P
                ^ first difference
        """)
    expect(
      BusTrace().difference(from: Self.writes([1, 2])),
      equals: """
        first difference at entry 0; 2 entries expected, 0 found
            0 - S | 53+W | 01 | P
                ^ first difference
            1 - S | 53+W | 02 | P
        """)
  }

  @Test static func `a fault is a difference too`() {
    let found = BusTrace([Self.write([0x2D, 0x08], 0, .timedOut)])
    expect(
      found.difference(from: BusTrace([Self.write([0x2D, 0x08], 0, .noAcknowledge)])),
      equals: """
        first difference at entry 0; 1 entry expected, 1 found
            0 - S | 53+W | 2D 08 | ! noAcknowledge
            0 + S | 53+W | 2D 08 | ! timedOut
                                     ^ first difference
        """)
  }

  @Test static func `equal entries far from any difference are left out`() {
    let bytes = [UInt8](0..<40)
    var changed = bytes
    changed[20] = 0xFF
    changed[30] = 0xEE
    expect(
      Self.writes(changed).difference(from: Self.writes(bytes)),
      equals: """
        first difference at entry 20; 40 entries expected, 40 found
              (17 alike)
           17   S | 53+W | 11 | P
           18   S | 53+W | 12 | P
           19   S | 53+W | 13 | P
           20 - S | 53+W | 14 | P
           20 + S | 53+W | FF | P
                           ^ first difference
           21   S | 53+W | 15 | P
           22   S | 53+W | 16 | P
           23   S | 53+W | 17 | P
              (3 alike)
           27   S | 53+W | 1B | P
           28   S | 53+W | 1C | P
           29   S | 53+W | 1D | P
           30 - S | 53+W | 1E | P
           30 + S | 53+W | EE | P
           31   S | 53+W | 1F | P
           32   S | 53+W | 20 | P
           33   S | 53+W | 21 | P
              (6 alike)
        """)
  }

  @Test static func `times count on request, with a tolerance`() {
    let expected = Self.writes([1, 2, 3], from: 5_000_000, spacing: 10_000)
    var found = Self.writes([1, 2, 3], spacing: 10_000)
    found.entries[1].instant = Instant(microseconds: 10_250)
    expect(found.difference(from: expected), equals: nil)
    expect(found.difference(from: expected, times: .within(Microseconds(250))), equals: nil)
    expect(
      found.difference(from: expected, times: .within(Microseconds(249))),
      equals: """
        first difference at entry 1; 3 entries expected, 3 found
            0       0.000000  S | 53+W | 01 | P
            1 -     0.010000  S | 53+W | 02 | P
            1 +     0.010250  S | 53+W | 02 | P
                         ^ first difference
            2       0.020000  S | 53+W | 03 | P
        """)
    // A negative tolerance is zero.
    expect(found.difference(from: found, times: .within(Microseconds(-1))), equals: nil)
  }

  @Test static func `a byte that differs is marked beside times within the tolerance`() {
    var found = Self.writes([1, 2], spacing: 10_000)
    found.entries[1] = Self.write([7], 10_001)
    expect(
      found.difference(from: Self.writes([1, 2], spacing: 10_000), times: .within(Microseconds(5))),
      equals: """
        first difference at entry 1; 2 entries expected, 2 found
            0       0.000000  S | 53+W | 01 | P
            1 -     0.010000  S | 53+W | 02 | P
            1 +     0.010001  S | 53+W | 07 | P
                                         ^ first difference
        """)
  }

  @Test static func `a difference shows everything missing and everything extra, and nothing else`() {
    var dice = TraceDice(state: 5)
    for _ in 0..<400 {
      let expected = (0..<Int.random(in: 0...12, using: &dice)).map { _ in UInt8.random(in: 0..<4, using: &dice) }
      var found = expected
      for _ in 0..<Int.random(in: 0...3, using: &dice) where !found.isEmpty {
        let place = Int.random(in: 0..<found.count, using: &dice)
        if Bool.random(using: &dice) { found.remove(at: place) } else { found.insert(3, at: place) }
      }
      let text = Self.writes(found).difference(from: Self.writes(expected))
      expect(text == nil, equals: expected == found)
      let lines = (text ?? "").split(separator: "\n").filter { $0.contains(" | ") }
      let missing = lines.filter { $0.contains(" - ") }.count
      let extra = lines.filter { $0.contains(" + ") }.count
      // Each change takes at most one line.
      expect(missing + extra, isAtMost: 3)
      expect(missing - extra, equals: expected.count - found.count)
    }
  }

  @Test static func `long traces with nothing in common are compared in bounded time and space`() throws {
    let zeros = Self.writes([UInt8](repeating: 0, count: 60_000))
    let ones = Self.writes([UInt8](repeating: 1, count: 50_000))
    let text = try require(ones.difference(from: zeros))
    expect(text, hasPrefix: "first difference at entry 0; 60000 entries expected, 50000 found\n")
    expect(text, contains: "\n      (59900 more)\n    0 + S | 53+W | 01 | P\n                   ^ first difference\n")
    expect(text, hasSuffix: "\n      (49900 more)")
    expect(text.split(separator: "\n").count, isAtMost: 210)
    // A single different entry in the middle of the pairs is still shown.
    var other = zeros
    for index in [10, 59_990] { other.entries[index] = Self.write([9]) }
    let found = try require(other.difference(from: zeros))
    expect(found.split(separator: "\n").filter { $0.hasSuffix("09 | P") }.count, equals: 2)
    expect(found, contains: "\n59990 + S | 53+W | 09 | P\n")
    for index in stride(from: 0, to: 60_000, by: 2) { other.entries[index] = Self.write([9]) }
    expect(other.difference(from: zeros), hasSuffix: "\n      (and more differences)")
  }
}
