public import FixedPoint

/// Scrolls by tilting the board about a rest pose: a position in [0, 1]², by the published recipe.
///
/// With a = -f, each sample makes `x = -ax` and `y = (az + 0.5) * 2` (for another rest pose see ``Rest``), and on each
/// axis, if `sign(-v) == sign(input)` then `acc = (|acc| + viscosity) * sign(acc)`; `v = -acc * input`. Every 30 ms of
/// real time `offset = clamp(offset + v, 0, 1)`. The sign of 0 is 0; v begins at 0 and acc at 0.005.
///
/// As published, acc grows with each sample, so it grows faster at a higher rate; it never falls, except that
/// ``settle()`` and a new rest pose reset it. The 30 ms run from the first sample, or the first after a pause. A tick
/// uses the velocity of the latest sample at or before it; a tick between two samples takes effect with the second.
///
/// Fixed point: inputs are Q16.16, acc Q16.32, velocity and position in 2^-32. acc stops at 2^16, where the least input
/// crosses all of [0, 1] at once, so the limit changes no position. As acc > 0, sign(-v) is the sign of the previous
/// input, which no rounding can lose. With acc accurate to 2.4e-8 of its value (default), a tick adds an error of at
/// most 2.4e-8 · min(|v|, 1) + 2^-33, and reaching an end removes all of it. In the tests' random runs the position
/// stays within 1e-6 of a `Double` model.
///
/// A sample costs ten products of words, and no division unless ticks were late. The type takes 160 bytes on
/// 64-bit targets, 80 of them for the configuration.
///
/// - Source: the tilt scrolling of the published phone sample code.
public struct TiltScroll: Equatable, Sendable {
  /// The configuration of scrolling.
  public private(set) var configuration: Configuration
  /// The present position.
  public private(set) var position: Position

  private var x: Axis
  private var y: Axis
  private var lastSample = Self.never
  private var nextTick = Self.never

  /// Stands for the time of the last sample if there was none.
  private static var never: Instant { Instant(microseconds: Int64.min) }

  /// A scroll at rest.
  public init(_ configuration: Configuration = .standard, at position: Position = .start) {
    self.configuration = configuration
    self.position = position
    x = Axis(acceleration: configuration.first)
    y = x
  }

  /// Processes the specific force at `now`, Q16.16 g, and returns the position at `now`.
  ///
  /// The recipe is for gravity from a low-pass; a raw sample also works. A pause over the longest gap, or time that
  /// runs backwards, stops the scrolling: the position does not change for the pause, and this sample counts as the
  /// first.
  @discardableResult
  public mutating func step(_ force: Vector3, at now: Instant) -> Position {
    // Unsigned, so that one comparison finds time running backwards, too.
    let elapsed = UInt64(bitPattern: (now - lastSample).count)
    if lastSample == Self.never || elapsed > UInt64(bitPattern: configuration.longestGap.count) {
      settle()
      nextTick = now + configuration.interval
    }
    lastSample = now
    if nextTick < now { runLateTicks(before: now) }
    let inputs = configuration.rest.inputs(force)
    x.take(inputs.x, configuration.growth)
    y.take(inputs.y, configuration.growth)
    if nextTick == now {
      position.move(x: x.velocity, y: y.velocity)
      nextTick = now + configuration.interval
    }
    return position
  }

  /// Stops: velocities become 0 and accelerations their initial values. The position stays.
  public mutating func settle() {
    x = Axis(acceleration: configuration.first)
    y = x
  }

  /// Goes to `position`; the velocities stay.
  public mutating func jump(to position: Position) { self.position = position }

  /// Makes the attitude of `force` the rest pose and stops; the position stays. An error changes nothing.
  ///
  /// Throws `restMagnitude` unless the force is 0.5…1.5 g, or `restOpposite`: see ``Rest``.
  public mutating func captureRest(_ force: Vector3) throws(TiltScrollError) {
    rest(at: try Rest(force))
  }

  /// Makes `rest` the rest pose and stops; the position stays.
  public mutating func rest(at rest: Rest) {
    configuration = configuration.resting(at: rest)
    settle()
  }

  /// Runs the ticks that fell due since the last sample, as one step: repeating the same step ends at the same
  /// position.
  private mutating func runLateTicks(before now: Instant) {
    var ticks: Int64 = 1
    nextTick = nextTick + configuration.interval
    if nextTick < now {
      // At most an hour of µs over at least 1 ms; the select avoids a trap for division by 0.
      let span = UInt32(truncatingIfNeeded: (now - nextTick).count &- 1)
      let interval = UInt32(truncatingIfNeeded: configuration.interval.count)
      let more = Int64(bitPattern: widened(span / (interval == 0 ? 1 : interval))) &+ 1
      ticks = ticks &+ more
      nextTick = nextTick + configuration.interval * more
    }
    position.move(x: x.velocity &* ticks, y: y.velocity &* ticks)
  }
}

/// One axis of a tilt scroll.
struct Axis: Equatable, Sendable {
  /// Q16.32, greater than 0 and at most 2^16.
  private var acceleration: UInt64
  /// The change of position per tick, -1…1 in 2^-32.
  private(set) var velocity: Int64 = 0
  /// The sign of the previous input, which is that of -v.
  private var sign: Int32 = 0

  init(acceleration: UInt64) { self.acceleration = acceleration }

  /// One sample.
  mutating func take(_ input: Int32, _ growth: UInt64) {
    if input.signum() == sign { acceleration = min(acceleration &+ growth, 1 &<< 48) }
    sign = input.signum()
    // The words separately: the high one is at most 2^16, so no product or sum exceeds 2^63 + 2^48.
    let size = widened(input.magnitude)
    let high = (acceleration &>> 32) &* size
    let low = (acceleration & 0xFFFF_FFFF) &* size
    let speed = min((high &<< 16) &+ ((low &+ 0x8000) &>> 16), 1 &<< 32)
    velocity = input > 0 ? 0 &- Int64(bitPattern: speed) : Int64(bitPattern: speed)
  }
}

extension TiltScroll {
  /// The configuration of scrolling.
  public struct Configuration: Equatable, Sendable {
    /// The increase of an axis's acceleration with every sample on the same side of rest, in millionths; 0…1 000 000.
    /// Default 5000, which is 0.005.
    public let viscosity: Int32
    /// The initial acceleration of an axis, in millionths; 1…1 000 000. Default 5000.
    public let acceleration: Int32
    /// How often the velocity is added to the position, 1 ms…1 s. Default 30 ms.
    public let interval: Microseconds
    /// A longer pause between samples stops the scrolling, 1 µs…1 h. Default 1 s.
    public private(set) var longestGap: Microseconds
    /// The rest pose, in which nothing scrolls. Default: the published one.
    public private(set) var rest: Rest

    /// Viscosity and acceleration in 2^-32: the error is at most 2^-33, which is 2.4e-8 of 0.005.
    let growth: UInt64
    let first: UInt64

    /// A checked configuration. The error names the first value that is out of range.
    public init(
      viscosity: Int32 = 5_000, acceleration: Int32 = 5_000, interval: Microseconds = .milliseconds(30),
      longestGap: Microseconds = .seconds(1), rest: Rest = .published
    ) throws(TiltScrollError) {
      guard viscosity >= 0 && viscosity <= 1_000_000 else { throw .viscosity }
      guard acceleration >= 1 && acceleration <= 1_000_000 else { throw .acceleration }
      guard interval >= .milliseconds(1) && interval <= .seconds(1) else { throw .interval }
      guard longestGap > .zero && longestGap <= .seconds(3_600) else { throw .longestGap }
      self.init(checked: viscosity, acceleration, interval, longestGap, rest)
    }

    /// The defaults.
    public static var standard: Configuration {
      Configuration(checked: 5_000, 5_000, .milliseconds(30), .seconds(1), .published)
    }

    /// The same configuration with another rest pose.
    public func resting(at rest: Rest) -> Configuration {
      var copy = self
      copy.rest = rest
      return copy
    }

    /// The same configuration, with a pause of up to `pause`, at most 1 h, not counting as a gap.
    package func allowing(pause: Microseconds) -> Configuration {
      var copy = self
      copy.longestGap = max(longestGap, min(pause, .seconds(3_600)))
      return copy
    }

    private init(
      checked viscosity: Int32, _ acceleration: Int32, _ interval: Microseconds, _ longestGap: Microseconds,
      _ rest: Rest
    ) {
      self.viscosity = viscosity
      self.acceleration = acceleration
      self.interval = interval
      self.longestGap = longestGap
      self.rest = rest
      growth = Self.fraction(viscosity)
      first = Self.fraction(acceleration)
    }

    /// `millionths` in 2^-32, rounded to nearest.
    private static func fraction(_ millionths: Int32) -> UInt64 {
      ((widened(UInt32(bitPattern: millionths)) &<< 32) &+ 500_000) / 1_000_000
    }
  }
}

extension TiltScroll {
  /// A position in the content: on each axis 0 is the start, 1 the end.
  public struct Position: Equatable, Sendable {
    /// 0…2^32 for 0…1.
    private(set) var rawX: UInt64
    private(set) var rawY: UInt64

    /// A position, clamped to 0…1.
    public init(x: Q16, y: Q16) {
      rawX = Self.fine(x)
      rawY = Self.fine(y)
    }

    /// The position on X, 0…1, rounded to nearest.
    public var x: Q16 { Self.coarse(rawX) }
    /// The position on Y, 0…1, rounded to nearest.
    public var y: Q16 { Self.coarse(rawY) }

    /// The start on both axes.
    public static var start: Position { Position(x: .zero, y: .zero) }

    /// The pixel of `content` at which the viewport begins, rounded to nearest: 0…content - viewport on each axis.
    ///
    /// It is 0 if the content is not larger than the viewport. Sizes below 0 count as 0.
    public func offset(of content: PixelSize, in viewport: PixelSize) -> PixelOffset {
      PixelOffset(
        x: Self.pixel(rawX, content.width, viewport.width), y: Self.pixel(rawY, content.height, viewport.height))
    }

    /// Moves by `x` and `y` in 2^-32, each at most 2^32 · 2^22, up to the ends.
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
