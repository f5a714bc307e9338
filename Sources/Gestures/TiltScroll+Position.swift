public import FixedPoint

extension TiltScroll {
  /// A place in what is scrolled: 0 is its start, 1 its end, on each axis.
  public struct Position: Equatable, Sendable {
    /// 0…2^32 for 0…1.
    private(set) var rawX: UInt64
    private(set) var rawY: UInt64

    /// A place; beyond 0…1 the nearer end.
    public init(x: Q16, y: Q16) {
      rawX = Self.fine(x)
      rawY = Self.fine(y)
    }

    /// The place on X, 0…1, rounded to nearest.
    public var x: Q16 { Self.coarse(rawX) }
    /// The place on Y, 0…1, rounded to nearest.
    public var y: Q16 { Self.coarse(rawY) }

    /// The start on both axes.
    public static var start: Position { Position(x: .zero, y: .zero) }

    /// Which pixel of `content` the viewport begins at, rounded to nearest: 0…content - viewport on each axis.
    ///
    /// Where the content is not larger than the viewport it is 0. Sizes below 0 count as 0.
    public func offset(of content: PixelSize, in viewport: PixelSize) -> PixelOffset {
      PixelOffset(
        x: Self.pixel(rawX, content.width, viewport.width), y: Self.pixel(rawY, content.height, viewport.height))
    }

    /// Moves by `x` and `y` in 2^-32, each at most 2^32 · 2^22, as far as the ends.
    mutating func move(x: Int64, y: Int64) {
      rawX = Self.clamped(Int64(bitPattern: rawX) &+ x)
      rawY = Self.clamped(Int64(bitPattern: rawY) &+ y)
    }

    private static func clamped(_ value: Int64) -> UInt64 {
      value < 0 ? 0 : min(UInt64(bitPattern: value), 1 &<< 32)
    }

    private static func fine(_ value: Q16) -> UInt64 {
      widened(UInt32(bitPattern: min(max(value.raw, 0), 65_536))) &<< 16
    }

    private static func coarse(_ raw: UInt64) -> Q16 {
      Q16(raw: Int32(truncatingIfNeeded: (raw &+ 0x8000) &>> 16))
    }

    /// At most 2^32 · (2^31 - 1) + 2^31, so it does not overflow.
    private static func pixel(_ raw: UInt64, _ content: Int32, _ viewport: Int32) -> Int32 {
      let (content, viewport) = (max(content, 0), max(viewport, 0))
      let range = UInt32(bitPattern: max(content &- viewport, 0))
      return Int32(truncatingIfNeeded: (raw &* widened(range) &+ 0x8000_0000) &>> 32)
    }
  }

  /// A size in pixels.
  public struct PixelSize: Equatable, Sendable {
    /// From left to right.
    public var width: Int32
    /// From top to bottom.
    public var height: Int32

    /// A size.
    public init(width: Int32, height: Int32) { (self.width, self.height) = (width, height) }
  }

  /// A distance in pixels from the start of the content.
  public struct PixelOffset: Equatable, Sendable {
    /// From the left edge.
    public var x: Int32
    /// From the upper edge.
    public var y: Int32

    /// An offset.
    public init(x: Int32, y: Int32) { (self.x, self.y) = (x, y) }
  }
}
