package import FixedPoint

/// Writes text and numbers into the caller's memory, without a heap: for lines that are written a million times.
///
/// What does not fit is left out whole, and sets ``isCut``.
@safe
package struct ByteWriter: ~Copyable {
  /// The number of bytes written.
  package private(set) var count = 0
  /// Whether something did not fit.
  package private(set) var isCut = false
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  /// The most bytes a number takes: a sign, the 20 digits of 2^64, a point and 9 places, with some to spare.
  package static var longestNumber: Int { 32 }

  /// Writes from the beginning of `bytes`.
  package init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  /// Appends a byte.
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    guard unsafe count < bytes.count else {
      isCut = true
      return
    }
    unsafe bytes[count] = byte
    count &+= 1
  }

  /// Appends `text`.
  package mutating func append(_ text: StaticString) {
    unsafe append(text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// Appends `length` bytes.
  @inline(__always)
  mutating func append(_ source: UnsafePointer<UInt8>, count length: Int) {
    guard let target = unsafe room(for: length) else { return }
    unsafe Self.copy(source, count: length, to: target)
    count &+= length
  }

  /// Copies `length` bytes, which are nearly always few: eight or four at a time, with the last ones overlapping.
  @inline(__always)
  private static func copy(
    _ source: UnsafePointer<UInt8>, count length: Int, to target: UnsafeMutablePointer<UInt8>
  ) {
    let (from, to) = unsafe (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
    if length >= 8 {
      var offset = 0
      while offset < length &- 8 {
        unsafe to.storeBytes(
          of: from.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
        offset &+= 8
      }
      unsafe to.storeBytes(
        of: from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self), toByteOffset: length &- 8, as: UInt64.self
      )
    } else if length >= 4 {
      unsafe to.storeBytes(of: from.loadUnaligned(as: UInt32.self), as: UInt32.self)
      unsafe to.storeBytes(
        of: from.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self), toByteOffset: length &- 4, as: UInt32.self
      )
    } else {
      var index = 0
      while index < length {
        unsafe target[index] = source[index]
        index &+= 1
      }
    }
  }

  /// Appends a field's key in quotation marks and a colon, after a comma if `isNext`.
  @inline(__always)
  mutating func append(key: StaticString, isNext: Bool) {
    let length = key.utf8CodeUnitCount
    guard var target = unsafe room(for: length &+ 4) else { return }
    if isNext {
      unsafe target.pointee = 0x2C
      unsafe target += 1
    }
    unsafe target.pointee = 0x22
    unsafe Self.copy(key.utf8Start, count: length, to: target + 1)
    unsafe target[length &+ 1] = 0x22
    unsafe target[length &+ 2] = 0x3A
    count &+= length &+ (isNext ? 4 : 3)
  }

  /// Where the next `length` bytes go; nil if they do not fit.
  @inline(__always)
  private mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8>? {
    guard unsafe length <= bytes.count &- count, let base = unsafe bytes.baseAddress else {
      isCut = true
      return nil
    }
    return unsafe base + count
  }

  /// Appends a whole number.
  package mutating func append(whole value: Int64) { append(decimal: value, over: 1, places: 0) }

  /// Appends a whole number.
  package mutating func append(whole value: UInt64) {
    append(isNegative: false, whole: value, rest: 0, places: 0)
  }

  /// Appends a number with at most six places: a force in g then reads back to the last bit.
  @inline(__always)
  package mutating func append(_ value: Q16) { append(decimal: widened(value.raw), over: 65_536, places: 6) }

  /// Appends `numerator / denominator` with at most `places` places, rounded to nearest (ties away from zero), without
  /// trailing zeros. The arithmetic is exact integer arithmetic, so the bytes are the same everywhere.
  ///
  /// Any numerator; the denominator must be positive and, times 10^places, below 2^63; `places` is 0…9. Other arguments
  /// give a wrong number, but no trap.
  @inline(__always)
  package mutating func append(decimal numerator: Int64, over denominator: Int64, places: Int) {
    let places = max(0, min(9, places))
    var scale: UInt64 = 1
    for _ in 0..<places { scale = scale &* 10 }
    let divisor = UInt64(bitPattern: denominator > 0 ? denominator : 1)
    let magnitude = numerator.magnitude
    var whole = magnitude / divisor
    var rest = ((magnitude &- whole &* divisor) &* scale &+ divisor / 2) / divisor
    if rest == scale { (whole, rest) = (whole &+ 1, 0) }
    append(
      isNegative: numerator < 0 && (whole > 0 || rest > 0), whole: whole, rest: UInt32(truncatingIfNeeded: rest),
      places: places)
  }

  /// Appends `whole` and, after a point, the `places` digits of `rest` without trailing zeros.
  private mutating func append(isNegative: Bool, whole: UInt64, rest: UInt32, places: Int) {
    guard unsafe bytes.count &- count >= Self.longestNumber, let base = unsafe bytes.baseAddress else {
      return appendNearEnd(isNegative, whole, rest, places)
    }
    count &+= unsafe Self.write(isNegative, whole, rest, places, to: base + count)
  }

  /// The same near the end of the memory, where the number is written elsewhere first because its length is unknown.
  @inline(never)
  private mutating func appendNearEnd(_ isNegative: Bool, _ whole: UInt64, _ rest: UInt32, _ places: Int) {
    var number = InlineArray<32, UInt8>(repeating: 0)
    var digits = number.mutableSpan
    unsafe digits.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe append(base, count: Self.write(isNegative, whole, rest, places, to: base))
    }
  }

  /// Writes a number, at most ``longestNumber`` bytes, at `target`; returns its length.
  @inline(__always)
  private static func write(
    _ isNegative: Bool, _ whole: UInt64, _ rest: UInt32, _ places: Int, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var next = unsafe target
    if isNegative {
      unsafe next.pointee = 0x2D
      unsafe next += 1
    }
    if whole < 10 {
      unsafe next.pointee = digit(UInt32(truncatingIfNeeded: whole))
      unsafe next += 1
    } else {
      unsafe next += write(whole: whole, to: next)
    }
    guard rest > 0 else { return unsafe next - target }
    unsafe next.pointee = 0x2E
    var digits = rest
    var index = places
    while index > 1 {
      let pair = digits % 100
      unsafe next[index] = digit(pair % 10)
      unsafe next[index &- 1] = digit(pair / 10)
      digits /= 100
      index &-= 2
    }
    if index == 1 { unsafe next[1] = digit(digits) }
    index = places
    while unsafe next[index] == 0x30 { index &-= 1 }
    return unsafe next - target + index + 1
  }

  /// Writes the digits of `value`; returns their number.
  private static func write(whole value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var width = 1
    var rest = value / 10
    while rest > 0 {
      rest /= 10
      width &+= 1
    }
    rest = value
    var index = width
    while index > 0 {
      index &-= 1
      unsafe target[index] = digit(UInt32(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    return width
  }

  /// The digit for `value`, 0…9.
  @inline(__always)
  private static func digit(_ value: UInt32) -> UInt8 { 0x30 &+ UInt8(truncatingIfNeeded: value) }
}
