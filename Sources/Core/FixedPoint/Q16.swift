/// A signed number in Q16.16: a 32-bit integer in units of 1/65536.
///
/// Range -32768…+32767.999985, resolution 1.53e-5. Each operation states how it rounds and overflows.
public struct Q16: Equatable, Comparable, Sendable {
  /// The number times 65536.
  public var raw: Int32

  /// The number whose representation is `raw`.
  @inlinable public init(raw: Int32) { self.raw = raw }

  /// A whole number, clamped to the range.
  @inlinable public init(whole: Int32) { raw = saturated(widened(whole) &* 65_536) }

  /// `numerator / denominator`, rounded to nearest (ties away from zero) and saturated; 0 for a denominator of 0.
  ///
  /// For constants: `Q16(4, over: 10)` is 0.4.
  @inlinable public init(_ numerator: Int32, over denominator: Int32) {
    guard denominator != 0 else {
      raw = 0
      return
    }
    let scaled = widened(numerator).magnitude &* 65_536
    let divisor = widened(denominator).magnitude
    let quotient = Int64(bitPattern: (scaled &+ divisor / 2) / divisor)
    raw = saturated((numerator < 0) != (denominator < 0) ? 0 &- quotient : quotient)
  }

  /// Zero.
  @inlinable public static var zero: Q16 { Q16(raw: 0) }

  /// One.
  @inlinable public static var one: Q16 { Q16(raw: 65_536) }

  /// Orders by value.
  @inlinable public static func < (a: Q16, b: Q16) -> Bool { a.raw < b.raw }

  /// The sum, saturating.
  @inlinable public func addingSaturating(_ other: Q16) -> Q16 {
    Q16(raw: saturated(widened(raw) &+ widened(other.raw)))
  }

  /// The difference, saturating.
  @inlinable public func subtractingSaturating(_ other: Q16) -> Q16 {
    Q16(raw: saturated(widened(raw) &- widened(other.raw)))
  }

  /// The product rounded to nearest (ties up), saturating. Error at most 0.5 LSB.
  @inlinable public func multipliedSaturating(by other: Q16) -> Q16 {
    Q16(raw: saturated((widened(raw) &* widened(other.raw) &+ 0x8000) &>> 16))
  }

  /// The negative, saturating: the negative of the smallest number is the largest.
  @inlinable public var negatedSaturating: Q16 { Q16(raw: raw == Int32.min ? Int32.max : 0 &- raw) }
}
