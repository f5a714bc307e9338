import TestSupport
import Testing
import Text

struct FigureTests {
  @Test(
    arguments: [
      (0, "0"), (9, "9"), (10, "10"), (1_000_000, "1000000"), (UInt64.max, "18446744073709551615"),
      (10_000_000_000_000_000_000, "10000000000000000000"),
    ] as [(UInt64, String)])
  static func `numbers of 64 bits are written out`(number: UInt64, text: String) {
    var message = Message()
    message.append(decimal: number)
    expect(message.description, equals: text)
  }

  @Test(
    arguments: [
      (0, 1, 3, "0"), (1, 3, 3, "0.333"), (2, 3, 3, "0.667"), (1, 2, 0, "1"), (1, 2, 3, "0.5"),
      (999_999, 1_000_000, 2, "1"),
      (1_004_999, 1_000_000, 2, "1"), (1_005_000, 1_000_000, 2, "1.01"), (12_345, 1_000, 1, "12.3"),
      (1_000_000, 40_000, 3, "25"), (1_000_000, 16_000, 3, "62.5"), (1_000_000, 1_250, 3, "800"),
      (100, 1_000, 3, "0.1"), (1, 1_000, 3, "0.001"), (1, 1_000, 9, "0.001"), (7, 0, 3, "7"),
    ] as [(UInt64, UInt64, Int, String)])
  static func `ratios are rounded to nearest, without trailing zeros or a trailing point`(
    number: UInt64, denominator: UInt64, places: Int, text: String
  ) {
    var message = Message()
    message.append(number, over: denominator, places: places)
    expect(message.description, equals: text)
  }

  @Test
  static func `bytes have two digits in capitals`() {
    for (byte, text) in [(0, "0x00"), (0x0A, "0x0A"), (0xFF, "0xFF")] as [(UInt8, String)] {
      var message = Message()
      message.append(hex: byte)
      expect(message.description, equals: text)
    }
  }

  @Test
  static func `a message that does not fit is cut, and marked as such`() {
    var message = Message()
    for _ in 0..<383 { message.append(byte: 0x61) }
    expect(that: !message.isCut)
    message.append(decimal: 1 as UInt64)
    expect(that: message.isCut)
    expect(message.description, equals: String(repeating: "a", count: 383))
  }
}
