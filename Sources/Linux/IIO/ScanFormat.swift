internal import FixedPoint
public import Text

/// How a value is stored in a record of a buffer: what the kernel's `scan_elements/…_type` says, such as
/// `le:s12/16>>4`.
///
/// - Source: Linux, Documentation/ABI/testing/sysfs-bus-iio, "scan_elements/in_accel_x_type".
public struct ScanFormat: Equatable, Sendable {
  /// Whether the highest byte comes first.
  public let isBigEndian: Bool
  /// Whether the value has a sign, in two's complement.
  public let isSigned: Bool
  /// How many bits the value has, 1 to 64.
  public let bits: UInt8
  /// How many bits are stored, 8, 16, 32 or 64.
  public let storedBits: UInt8
  /// How far to shift what is stored to the right.
  public let shift: UInt8
  /// How many such values follow each other; only the first is used.
  public let repeats: UInt8

  /// The format that `text` names, such as `be:u14/16X2>>2`; nil for any other text, and for bits that do not fit.
  public init?<let size: Int>(_ text: ShortText<size>) {
    var position = 3
    switch (text[0], text[1], text[2]) {
    case (UInt8(ascii: "b"), UInt8(ascii: "e"), UInt8(ascii: ":")): isBigEndian = true
    case (UInt8(ascii: "l"), UInt8(ascii: "e"), UInt8(ascii: ":")): isBigEndian = false
    default: return nil
    }
    switch text[position] {
    case UInt8(ascii: "s"): isSigned = true
    case UInt8(ascii: "u"): isSigned = false
    default: return nil
    }
    position &+= 1
    guard let bits = text.small(at: &position), text.skip("/", at: &position),
      let stored = text.small(at: &position)
    else { return nil }
    var (repeats, shift): (UInt8, UInt8) = (1, 0)
    if text.skip("X", at: &position) {
      guard let number = text.small(at: &position) else { return nil }
      repeats = number
    }
    if text.skip(">>", at: &position) {
      guard let number = text.small(at: &position) else { return nil }
      shift = number
    }
    guard position == text.count, !text.isCut, stored == 8 || stored == 16 || stored == 32 || stored == 64,
      bits >= 1, bits <= stored, shift <= stored &- bits, repeats >= 1, repeats <= 16
    else { return nil }
    (self.bits, storedBits, self.shift, self.repeats) = (bits, stored, shift, repeats)
  }

  /// How many bytes are stored, which is also their alignment in a record.
  public var byteCount: Int { Int(storedBits &>> 3) &* Int(repeats) }

  /// The value at `offset` of `bytes`, clamped to 32 bits with a sign; 0 beyond the end.
  public func value(in bytes: Span<UInt8>, at offset: Int) -> Int32 {
    let wide = wide(in: bytes, at: offset)
    // Only an unsigned value of 64 bits can be beyond Int64.
    return wide < 0 && !isSigned ? Int32.max : saturated(wide)
  }

  /// The whole value at `offset` of `bytes`; 0 beyond the end. An unsigned one of 64 bits has its bits.
  func wide(in bytes: Span<UInt8>, at offset: Int) -> Int64 {
    let count = Int(storedBits &>> 3)
    guard offset >= 0, offset <= bytes.count &- count else { return 0 }
    var word: UInt64 = 0
    for index in 0..<count {
      word = word &<< 8 | Self.count(bytes[isBigEndian ? offset &+ index : offset &+ count &- 1 &- index])
    }
    let unused = Self.count(64 &- bits)
    word = (word &>> Self.count(shift)) &<< unused
    // A sign comes down with the value.
    return isSigned ? Int64(bitPattern: word) &>> Int64(bitPattern: unused) : Int64(bitPattern: word &>> unused)
  }

  private static func count(_ byte: UInt8) -> UInt64 { widened(UInt32(byte)) }
}

extension ShortText {
  /// The number of one to three digits at `position`, which moves behind it; nil for none, and above 255.
  fileprivate func small(at position: inout Int) -> UInt8? {
    var number: UInt32 = 0
    let start = position
    while (0x30...0x39).contains(self[position]) {
      guard position &- start < 3 else { return nil }
      number = number &* 10 &+ UInt32(self[position] &- 0x30)
      position &+= 1
    }
    return position > start && number <= 255 ? UInt8(truncatingIfNeeded: number) : nil
  }

  /// Whether `words` are at `position`, which then moves behind them.
  func skip(_ words: StaticString, at position: inout Int) -> Bool {
    let start = position
    let isThere = words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count where unsafe self[start &+ index] != buffer[index] { return false }
      return true
    }
    if isThere { position &+= words.utf8CodeUnitCount }
    return isThere
  }
}
