import PlumbViews
import TestSupport
import Testing

/// `Tests/System/Web/qr.py` reads the drawn code back, with independent arithmetic.
struct QRCodeTests {
  @Test(arguments: [(1, 21), (17, 21), (18, 25), (32, 25), (53, 29), (54, 33), (78, 33), (79, 37), (106, 37)])
  static func `a text gets the smallest version that fits`(length: Int, size: Int) throws {
    let code = try require(QRCode(String(repeating: "a", count: length)))
    expect(code.modules.count, equals: size)
    expect(that: code.modules.allSatisfy { $0.count == size })
    let lines = code.lines(TextStyle(hasColour: false, hasUnicode: true))
    expect(lines.count, equals: (size + 9) / 2)
    expect(that: lines.allSatisfy { $0.count == size + 8 })
    // Finders in three corners, none in the fourth.
    let finder = [true, true, true, true, true, true, true]
    #expect(Array(code.modules[0].prefix(7)) == finder && Array(code.modules[0].suffix(7)) == finder)
    expect(Array(code.modules[size - 1].prefix(7)), equals: finder)
  }

  @Test static func `a text that is too long gets no code`() {
    expect(absent: QRCode(String(repeating: "a", count: 107)))
  }
}
