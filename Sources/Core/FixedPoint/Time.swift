/// A length of time in whole microseconds.
///
/// Range: ±292 000 years. Arithmetic wraps, but only beyond any time that a program can measure.
public struct Microseconds: Equatable, Comparable, Sendable {
  /// The length in microseconds.
  public var count: Int64

  /// A span of `count` microseconds.
  @inlinable public init(_ count: Int64) { self.count = count }

  /// Zero.
  @inlinable public static var zero: Microseconds { Microseconds(0) }

  /// A span of `count` milliseconds.
  @inlinable public static func milliseconds(_ count: Int64) -> Microseconds { Microseconds(count &* 1_000) }

  /// A span of `count` seconds.
  @inlinable public static func seconds(_ count: Int64) -> Microseconds { Microseconds(count &* 1_000_000) }

  /// Orders spans by length.
  @inlinable public static func < (a: Microseconds, b: Microseconds) -> Bool { a.count < b.count }

  /// The wrapping sum.
  @inlinable public static func + (a: Microseconds, b: Microseconds) -> Microseconds {
    Microseconds(a.count &+ b.count)
  }

  /// The wrapping difference.
  @inlinable public static func - (a: Microseconds, b: Microseconds) -> Microseconds {
    Microseconds(a.count &- b.count)
  }

  /// The wrapping product with a whole number.
  @inlinable public static func * (a: Microseconds, factor: Int64) -> Microseconds {
    Microseconds(a.count &* factor)
  }
}

/// A point in time: whole microseconds since an origin of the caller's choice.
///
/// The core never reads a clock. Time should not run backwards; if it does, the core detects it.
public struct Instant: Equatable, Comparable, Sendable {
  /// Microseconds since the origin.
  public var microseconds: Int64

  /// The instant `microseconds` after the origin.
  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Earlier instants come first.
  @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }

  /// The instant `span` later.
  @inlinable public static func + (a: Instant, span: Microseconds) -> Instant {
    Instant(microseconds: a.microseconds &+ span.count)
  }

  /// The instant `span` earlier.
  @inlinable public static func - (a: Instant, span: Microseconds) -> Instant {
    Instant(microseconds: a.microseconds &- span.count)
  }

  /// The time from `b` to `a`; negative if `a` is earlier.
  @inlinable public static func - (a: Instant, b: Instant) -> Microseconds {
    Microseconds(a.microseconds &- b.microseconds)
  }
}
