package import FixedPoint

/// Samples of three axes as blocks of N = 2 · `bins` that overlap by half, each transformed.
///
/// The blocks of Y begin two samples after those of X, those of Z four, so that a sample causes at most one transform.
/// A pause of more than two and a half periods, or time that stands still or runs backwards, starts new blocks: no
/// block contains a gap.
package struct SampleBlocks<let bins: Int>: ~Copyable {
  /// The block of the axis that the last step returned.
  package internal(set) var transform = Transform<bins>()
  private var x = SampleRing<bins>()
  private var y = SampleRing<bins>()
  private var z = SampleRing<bins>()
  /// The position of the next sample, counted from the start of a run without gaps.
  private var position: UInt32 = 0
  /// How many samples of this run are in the rings: at most N.
  private var filled: UInt32 = 0
  private var last = Instant(microseconds: 0)
  private var period: Microseconds
  /// Those between the samples of all runs.
  private var intervals = SampleIntervals()
  /// How many pauses have started new blocks.
  package private(set) var gaps: UInt32 = 0

  /// The limit for the force of a sample, 128 g; larger forces are clamped.
  package static var limit: Int32 { 0x7F_FFFF }

  /// For samples every `period`.
  package init(period: Microseconds) throws(VibrationError) {
    try Self.check(period)
    self.period = period
  }

  /// Prepares blocks in zeroed memory.
  mutating func prepare(period: Microseconds) throws(VibrationError) {
    try Self.check(period)
    self.period = period
  }

  private static func check(_ period: Microseconds) throws(VibrationError) {
    guard Transform<bins>.isSupported else { throw .bins }
    guard period >= Microseconds(200) && period <= .seconds(1) else { throw .period }
  }

  /// The number of samples in a block.
  private static var length: UInt32 { UInt32(truncatingIfNeeded: bins &<< 1) }

  /// Takes in the sample at `now`. Returns the axis whose block it completes; nil if none.
  package mutating func step(_ force: Vector3, at now: Instant) -> VibrationAxis? {
    measure(now)
    let force = force.limited(to: Self.limit)
    x.put(force.x.raw, at: position)
    y.put(force.y.raw, at: position)
    z.put(force.z.raw, at: position)
    position = position &+ 1
    filled = min(filled &+ 1, Self.length)
    guard filled == Self.length else { return nil }
    switch position & UInt32(truncatingIfNeeded: bins &- 1) {
    case 0:
      transform.take(&x, from: position)
      return .x
    case 2:
      transform.take(&y, from: position)
      return .y
    case 4:
      transform.take(&z, from: position)
      return .z
    default: return nil
    }
  }

  /// The end of the samples so far, given that the next one comes at `now`: that time, or one period after the last
  /// sample if a gap follows.
  func end(before now: Instant) -> Instant { isGap((now - last).count) ? last + period : now }

  private func isGap(_ elapsed: Int64) -> Bool { elapsed <= 0 || elapsed > period.count &* 5 / 2 }

  /// Records the time of a sample; a gap starts a new run.
  private mutating func measure(_ now: Instant) {
    let elapsed = (now - last).count
    defer { last = now }
    guard filled > 0 else { return }
    guard !isGap(elapsed) else {
      (position, filled) = (0, 0)
      gaps = gaps &+ 1
      return
    }
    intervals.add(elapsed)
  }

  /// The mean rate of the samples, without the gaps, in mHz; derived from the nominal period until there are two
  /// samples. Inlined, because a call would copy all of this onto the stack.
  @inline(__always)
  package var rate: UInt32 {
    intervals.count > 0 ? intervals.rate : SampleIntervals(count: 1, span: period.count).rate
  }
}

/// Intervals between samples: their number and total length in µs.
package struct SampleIntervals {
  package private(set) var count: UInt32
  package private(set) var span: Int64

  package init(count: UInt32 = 0, span: Int64 = 0) { (self.count, self.span) = (count, span) }

  package mutating func add(_ elapsed: Int64) {
    // After 49 days at 1000 Hz: earlier intervals count half from now on.
    if count == UInt32.max { (count, span) = (count &>> 1, span &>> 1) }
    count = count &+ 1
    span = span &+ elapsed
  }

  /// In mHz, rounded.
  @inline(__always)
  var rate: UInt32 {
    // A span is at least a microsecond; the comparison avoids a trap.
    let divisor = UInt64(bitPattern: max(1, span))
    return UInt32(truncatingIfNeeded: (widened(count) &* 1_000_000_000 &+ divisor &>> 1) / divisor)
  }
}

/// The powers of all bins of an axis, summed over blocks.
///
/// In units of 2^-(49 - b) g², where b grows with the number of blocks: 2^b of them, with at most 2^13 g² per bin, stay
/// below 2^62. (|X| ≤ 72 g, for samples of ±128 g whose signs maximise the sum under the window.)
struct PowerSums<let bins: Int>: ~Copyable {
  private var sums = InlineArray<bins, UInt64>(repeating: 0)
  private var end: UInt64 = 0
  private(set) var blocks: UInt32 = 0
  private var order: Int32 = 0

  init() {}

  /// How many blocks can be added; further blocks are ignored. At 1000 samples a second and 64 samples per block, it
  /// takes six days.
  private static var mostBlocks: UInt32 { 1 &<< 24 }

  /// Adds the block in `transform`.
  mutating func add(_ transform: inout Transform<bins>) {
    guard blocks < Self.mostBlocks else { return }
    if blocks == (1 as UInt32) &<< UInt32(bitPattern: order) { halve() }
    blocks = blocks &+ 1
    let scale = PowerScale(of: transform.shift, fraction: 49 &- order)
    var index = 1
    while index < bins {
      let bin = index & (bins &- 1)
      sums[bin] = sums[bin] &+ scale.scaled(transform.squaredSize(bin))
      index = index &+ 1
    }
    end = end &+ scale.scaled(transform.squaredEnd)
  }

  private mutating func halve() {
    order = order &+ 1
    var index = 0
    while index < bins {
      let bin = index & (bins &- 1)
      sums[bin] = (sums[bin] &+ 1) &>> 1
      index = index &+ 1
    }
    end = (end &+ 1) &>> 1
  }

  /// The mean square of the vibration in bin `index`, 1…`bins`, in units of 2^-46 g²; 0 for any other bin and before
  /// the first block.
  ///
  /// The window passes 3/8 of the power, and every bin except the last has a mirror image: 16/3 and 8/3 of |X|².
  func meanSquare(_ index: Int) -> UInt64 {
    guard blocks > 0, index > 0, index <= bins else { return 0 }
    let isEnd = index == bins
    let sum = isEnd ? end : sums[index & (bins &- 1)]
    let power = PowerScale.mean(sum, of: blocks, order: order)
    return isEnd ? PowerScale.withoutWindow(power) &>> 1 : PowerScale.withoutWindow(power)
  }
}

/// The scale of powers.
struct PowerScale {
  private let right: UInt64
  private let left: UInt64

  /// Converts the square of a point in units of 2^-(16 + `shift`) g to units of 2^-`fraction` g².
  init(of shift: Int32, fraction: Int32) {
    let move = 32 &+ 2 &* shift &- fraction
    right = widened(UInt32(bitPattern: max(0, move)))
    left = widened(UInt32(bitPattern: max(0, 0 &- move)))
  }

  /// `square`, below 2^63, rounded to nearest. A block that is not 0 has a lift of at most 30 - log2(N), so 60 is the
  /// largest shift for any realistic number of blocks. Only the last powers of two go beyond 63, where nothing is left.
  @inline(__always)
  func scaled(_ square: UInt64) -> UInt64 {
    guard right < 64 else { return 0 }
    return ((square &+ (1 &<< right) &>> 1) &>> right) &<< left
  }

  /// The mean of `blocks` powers with a sum in units of 2^-(49 - `order`), in units of 2^-46.
  static func mean(_ sum: UInt64, of blocks: UInt32, order: Int32) -> UInt64 {
    let divisor = max(1, widened(blocks))
    let (whole, rest) = (sum / divisor, sum % divisor)
    let move = order &- 3
    guard move >= 0 else { return whole &>> widened(UInt32(bitPattern: 0 &- move)) }
    let left = widened(UInt32(bitPattern: move))
    return (whole &<< left) &+ (rest &<< left) / divisor
  }

  /// 16/3 of `power`, which must be below 2^61.
  static func withoutWindow(_ power: UInt64) -> UInt64 {
    let third = power / 3
    return (third &<< 4) &+ ((power &- third &* 3) &<< 4) / 3
  }

  /// The root of a mean square in units of 2^-46 g², in g, rounded to nearest, at most 32768.
  static func root(_ meanSquare: UInt64) -> Q16 {
    let root = squareRoot(meanSquare)
    return Q16(raw: Int32(bitPattern: (root &>> 7) &+ ((root &>> 6) & 1)))
  }
}
