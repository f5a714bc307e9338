import FixedPoint
import IIO
import TestSupport
import Testing
import Text

struct ScanFormatTests {
  /// The stored bytes of `value`, with ones in all bits that do not belong to it.
  private static func stored(_ value: Int64, _ bits: Int, _ storedBits: Int, shift: Int, isBig: Bool) -> [UInt8] {
    let mask: UInt64 = bits == 64 ? .max : 1 << UInt64(bits) - 1
    let word = (UInt64(bitPattern: value) & mask) << UInt64(shift) | ~(mask << UInt64(shift))
    let bytes = (0..<(storedBits / 8)).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
    return isBig ? bytes.reversed() : bytes
  }

  @Test static func `every format of the ABI is decoded, with all its limits`() throws {
    var count = 0
    for storedBits in [8, 16, 32, 64] {
      for bits in 1...storedBits {
        for shift in 0...(storedBits - bits) {
          for (isBig, isSigned) in [(false, false), (false, true), (true, false), (true, true)] {
            let text = "\(isBig ? "be" : "le"):\(isSigned ? "s" : "u")\(bits)/\(storedBits)>>\(shift)"
            let format = try require(ScanFormat(ShortText<32>(cutting: text)), "\(text)")
            expect(format.byteCount, equals: storedBits / 8)
            // A sign takes a bit; an unsigned number of 64 bits is beyond Int64, which has a test of its own.
            let low: Int64 = isSigned ? -1 << Int64(bits - 1) : 0
            let high = Int64.max >> Int64(63 - min(63, isSigned ? bits - 1 : bits))
            for value in [low, high, low / 3, high / 3, 0] {
              let bytes = [0xA5] + stored(value, bits, storedBits, shift: shift, isBig: isBig)
              expect(format.value(in: bytes.span, at: 1), equals: Int32(clamping: value), "\(text) \(value)")
              count += 1
            }
          }
        }
      }
    }
    expect(count, isAbove: 40_000)
  }

  @Test static func `the highest bit of an unsigned number of 64 bits counts`() throws {
    let format = try require(ScanFormat(ShortText<32>("le:u64/64>>0")))
    expect(format.value(in: [UInt8](repeating: 0xFF, count: 8).span, at: 0), equals: Int32.max)
  }

  @Test static func `a repeated value is as long as all of its copies, and only the first counts`() throws {
    let format = try require(ScanFormat(ShortText<32>("be:u12/16X4>>4")))
    expect(format.byteCount, equals: 8)
    expect(format.repeats, equals: 4)
    expect(format.value(in: ([0x12, 0x3F, 1, 2, 3, 4, 5, 6] as [UInt8]).span, at: 0), equals: 0x123)
  }

  @Test static func `a format without a shift has none`() {
    expect(ScanFormat(ShortText<32>("le:s8/8"))?.shift, equals: 0)
  }

  @Test(arguments: [
    "", "le", "le:", "le:s", "xe:s16/16>>0", "le:x16/16>>0", "le:s16", "le:s16/", "le:s0/16>>0", "le:s17/16>>0",
    "le:s16/16>>1", "le:s12/16>>5", "le:s12/16>>-1", "le:s-12/16>>0", "le:s16/24>>0", "le:s16/0>>0", "le:s16/128>>0",
    "le:s16/16>>0 ", " le:s16/16>>0", "le:s16/16X0>>0", "le:s16/16X17>>0", "le:s16/16X>>0", "le:s1e1/16>>0",
    "le:s16/16>>999", "le:s9999999999/16>>0", "le:s16/16>>0\u{0}", "le:f32/32>>0", "LE:S16/16>>0",
  ])
  static func `a text that is no format is refused`(_ text: String) {
    expect(ScanFormat(ShortText<32>(cutting: text)), equals: nil)
  }

  @Test static func `a value beyond the bytes is zero`() throws {
    let format = try require(ScanFormat(ShortText<32>("le:s16/16>>0")))
    let bytes: [UInt8] = [1, 2, 3]
    expect(format.value(in: bytes.span, at: 2), equals: 0)
    expect(format.value(in: bytes.span, at: -1), equals: 0)
    expect(format.value(in: bytes.span, at: Int.max - 1), equals: 0)
  }
}
