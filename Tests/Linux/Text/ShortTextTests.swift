import TestSupport
import Testing
import Text

struct ShortTexts {
  @Test static func `holds its whole capacity except the terminator`() {
    let full = ShortText<8>("1234567")
    expect(full.count, equals: 7)
    expect(that: !full.isCut)
    expect(full, equals: "1234567")
    let cut = ShortText<8>("12345678")
    expect(cut.count, equals: 7)
    expect(that: cut.isCut)
    expect(cut.description, equals: "1234567")
    expect(full, isNot: cut)
    expect(ShortText<8>().count, equals: 0)
    expect(ShortText<8>(), equals: "")
    expect(ShortText<0>("x").count, equals: 0)
    expect(ShortText<1>("x").count, equals: 0)
  }

  @Test static func `compares by bytes`() {
    expect(ShortText<8>("abc"), equals: ShortText<8>("abc"))
    expect(ShortText<8>("abc"), isNot: ShortText<8>("abd"))
    expect(ShortText<8>("abc"), isNot: ShortText<8>("ab"))
    expect(that: !(ShortText<8>("abc") == "ab"))
    expect(that: !(ShortText<8>("abc") == "abd"))
  }

  @Test static func `is a C string for C`() {
    let text = ShortText<8>("abc")
    unsafe expect(text.withCString { unsafe String(cString: $0) }, equals: "abc")
    unsafe expect(ShortText<4>("abcdef").withCString { unsafe String(cString: $0) }, equals: "abc")
    unsafe expect(ShortText<0>().withCString { unsafe String(cString: $0) }, equals: "")
  }

  @Test static func `counts one thing, and any other number of things`() {
    for (number, words) in [
      (0, "0 recoveries"), (1, "1 recovery"), (2, "2 recoveries"), (11, "11 recoveries"), (21, "21 recoveries"),
      (.max, "18446744073709551615 recoveries"),
    ] as [(UInt64, String)] {
      let text: Message = "\(number, "recovery", "recoveries")"
      expect(text.description, equals: words)
    }
  }

  @Test static func `is zero beyond its end`() {
    let text = ShortText<4>("abc")
    expect([-1, 0, 2, 3, 4, Int.max, Int.min].map { text[$0] }, equals: [0, 0x61, 0x63, 0, 0, 0, 0])
  }
}
