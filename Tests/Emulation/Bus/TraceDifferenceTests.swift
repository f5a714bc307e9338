import Emulation
import FixedPoint
import HAL
import Testing

@Suite struct TraceDifferenceTests {
  private static func write(_ bytes: [UInt8], _ microseconds: Int64 = 0, _ fault: I2CFault? = nil) -> BusTrace.Entry {
    BusTrace.Entry(.write(bytes, to: address(0x53)), at: Instant(microseconds: microseconds), fault: fault)
  }

  /// Writes of one byte each, `spacing` µs apart.
  private static func writes(_ bytes: [UInt8], from start: Int64 = 0, spacing: Int64 = 0) -> BusTrace {
    BusTrace(bytes.enumerated().map { write([$1], start + Int64($0) * spacing) })
  }

  @Test func `equal traces do not differ, whenever they were taken`() {
    let trace = Self.writes([1, 2, 3], from: 77, spacing: 10_000)
    #expect(trace.difference(from: trace) == nil)
    #expect(Self.writes([1, 2, 3]).difference(from: trace) == nil)
    let later = Self.writes([1, 2, 3], from: 987_654_321, spacing: 10_000)
    #expect(later.difference(from: trace, times: .within(.zero)) == nil)
    #expect(BusTrace().difference(from: BusTrace(), times: .within(.zero)) == nil)
  }

  @Test func `a byte that differs is marked`() {
    let address = address(0x53)
    let identity = BusTrace.Entry(.writeRead([0], reply: [0xE5], at: address), at: Instant(microseconds: 0))
    let expected = BusTrace([identity, Self.write([0x2D, 0x08]), Self.write([0x31, 0x0B])])
    let found = BusTrace([identity, Self.write([0x2D, 0x00]), Self.write([0x31, 0x0B])])
    #expect(
      found.difference(from: expected) == """
        first difference at entry 1; 3 entries expected, 3 found
            0   S | 53+W | 00 | Sr | 53+R | E5 | P
            1 - S | 53+W | 2D 08 | P
            1 + S | 53+W | 2D 00 | P
                              ^ first difference
            2   S | 53+W | 31 0B | P
        """)
  }

  @Test func `entries that are missing or too many are shown as just that`() {
    #expect(
      Self.writes([1, 2, 4, 9, 5]).difference(from: Self.writes([1, 2, 3, 4, 5])) == """
        first difference at entry 2; 5 entries expected, 5 found
            0   S | 53+W | 01 | P
            1   S | 53+W | 02 | P
            2 - S | 53+W | 03 | P
                ^ first difference
            3   S | 53+W | 04 | P
            3 + S | 53+W | 09 | P
            4   S | 53+W | 05 | P
        """)
    #expect(
      Self.writes([1]).difference(from: BusTrace()) == """
        first difference at entry 0; 0 entries expected, 1 found
            0 + S | 53+W | 01 | P
                ^ first difference
        """)
    #expect(
      BusTrace().difference(from: Self.writes([1, 2])) == """
        first difference at entry 0; 2 entries expected, 0 found
            0 - S | 53+W | 01 | P
                ^ first difference
            1 - S | 53+W | 02 | P
        """)
  }

  @Test func `a fault is a difference too`() {
    let found = BusTrace([Self.write([0x2D, 0x08], 0, .timedOut)])
    #expect(
      found.difference(from: BusTrace([Self.write([0x2D, 0x08], 0, .noAcknowledge)])) == """
        first difference at entry 0; 1 entry expected, 1 found
            0 - S | 53+W | 2D 08 | ! noAcknowledge
            0 + S | 53+W | 2D 08 | ! timedOut
                                     ^ first difference
        """)
  }

  @Test func `what is alike and far from any difference is left out`() {
    let bytes = [UInt8](0..<40)
    var changed = bytes
    changed[20] = 0xFF
    changed[30] = 0xEE
    #expect(
      Self.writes(changed).difference(from: Self.writes(bytes)) == """
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

  @Test func `times count when they are asked for, with a tolerance`() {
    let expected = Self.writes([1, 2, 3], from: 5_000_000, spacing: 10_000)
    var found = Self.writes([1, 2, 3], spacing: 10_000)
    found.entries[1].instant = Instant(microseconds: 10_250)
    #expect(found.difference(from: expected) == nil)
    #expect(found.difference(from: expected, times: .within(Microseconds(250))) == nil)
    #expect(
      found.difference(from: expected, times: .within(Microseconds(249))) == """
        first difference at entry 1; 3 entries expected, 3 found
            0       0.000000  S | 53+W | 01 | P
            1 -     0.010000  S | 53+W | 02 | P
            1 +     0.010250  S | 53+W | 02 | P
                         ^ first difference
            2       0.020000  S | 53+W | 03 | P
        """)
    // A negative tolerance is none.
    #expect(found.difference(from: found, times: .within(Microseconds(-1))) == nil)
  }

  @Test func `a byte that differs is marked beside times that may`() {
    var found = Self.writes([1, 2], spacing: 10_000)
    found.entries[1] = Self.write([7], 10_001)
    #expect(
      found.difference(from: Self.writes([1, 2], spacing: 10_000), times: .within(Microseconds(5))) == """
        first difference at entry 1; 2 entries expected, 2 found
            0       0.000000  S | 53+W | 01 | P
            1 -     0.010000  S | 53+W | 02 | P
            1 +     0.010001  S | 53+W | 07 | P
                                         ^ first difference
        """)
  }

  @Test func `a difference tells all that is missing and all that is too many, and nothing else`() {
    var dice = TraceDice(state: 5)
    for _ in 0..<400 {
      let expected = (0..<Int.random(in: 0...12, using: &dice)).map { _ in UInt8.random(in: 0..<4, using: &dice) }
      var found = expected
      for _ in 0..<Int.random(in: 0...3, using: &dice) where !found.isEmpty {
        let place = Int.random(in: 0..<found.count, using: &dice)
        if Bool.random(using: &dice) { found.remove(at: place) } else { found.insert(3, at: place) }
      }
      let text = Self.writes(found).difference(from: Self.writes(expected))
      #expect((text == nil) == (expected == found))
      let lines = (text ?? "").split(separator: "\n").filter { $0.contains(" | ") }
      let missing = lines.filter { $0.contains(" - ") }.count
      let extra = lines.filter { $0.contains(" + ") }.count
      // Each change that was made can be told in one line.
      #expect(missing + extra <= 3 && missing - extra == expected.count - found.count)
    }
  }

  @Test func `long traces that have nothing in common are compared in bounded time and space`() throws {
    let zeros = Self.writes([UInt8](repeating: 0, count: 60_000))
    let ones = Self.writes([UInt8](repeating: 1, count: 50_000))
    let text = try #require(ones.difference(from: zeros))
    #expect(text.hasPrefix("first difference at entry 0; 60000 entries expected, 50000 found\n"))
    #expect(text.contains("\n      (59900 more)\n    0 + S | 53+W | 01 | P\n                   ^ first difference\n"))
    #expect(text.hasSuffix("\n      (49900 more)"))
    #expect(text.split(separator: "\n").count <= 210)
    // An odd one in the middle of the pairs is still told.
    var other = zeros
    for index in [10, 59_990] { other.entries[index] = Self.write([9]) }
    let found = try #require(other.difference(from: zeros))
    #expect(found.split(separator: "\n").filter { $0.hasSuffix("09 | P") }.count == 2)
    #expect(found.contains("\n59990 + S | 53+W | 09 | P\n"))
    for index in stride(from: 0, to: 60_000, by: 2) { other.entries[index] = Self.write([9]) }
    #expect(try #require(other.difference(from: zeros)).hasSuffix("\n      (and more differences)"))
  }
}
