/// The interrupt generator of ST's accelerometers: compares the magnitude on each axis with a threshold.
///
/// - Datasheet: LIS3DH Rev. 2, INT1_CFG to INT1_DURATION; the LSM9DS1 has the same bits.
public struct AxisInterrupt {
  /// Whether the interrupt is active.
  public private(set) var isActive = false
  private var source: UInt8 = 0
  private var samplesBeyond: UInt8 = 0

  /// No event yet.
  public init() {}

  /// The source register: bit 6 if active, below it the events that caused it. Reading ends a latched interrupt.
  public mutating func readSource(isLatched: Bool) -> UInt8 {
    defer { if isLatched { (isActive, source) = (false, 0) } }
    return source | (isActive ? 0x40 : 0)
  }

  /// Starts the duration again.
  public mutating func restart() { samplesBeyond = 0 }

  /// Checks a sample for the events of a configuration register: bits 0 to 5 the low and high event of X, Y and Z, bit
  /// 7 whether all must occur. They cause the interrupt after more samples than `duration`.
  public mutating func check(
    _ value: AxisValues, against thresholds: AxisValues, configuration: UInt8, duration: UInt8 = 0, isLatched: Bool
  ) {
    let wanted = configuration & 0x3F
    guard wanted != 0 else { return }
    var events: UInt8 = 0
    for axis in 0..<3 { events |= (value[axis].magnitude > thresholds[axis] ? 2 : 1) << UInt8(2 * axis) }
    let isBeyond = configuration & 0x80 != 0 ? events & wanted == wanted : events & wanted != 0
    samplesBeyond = isBeyond ? min(samplesBeyond, 254) + 1 : 0
    if isBeyond, samplesBeyond > duration {
      (isActive, source) = (true, events & wanted)
    } else if !isLatched {
      (isActive, source) = (false, 0)
    }
  }
}

/// The high-pass filter of ST's accelerometers, of first order.
///
/// - Datasheet: AN3308 Rev. 1, cut-off frequencies: ODR/50, ODR/100, ODR/9 and ODR/400.
public struct HighPassFilter {
  private var last: AxisValues?
  /// The latest output.
  public private(set) var output = AxisValues.zero

  /// A filter whose input was `last`; with nil, the first input gives 0.
  public init(from last: AxisValues? = nil) { self.last = last }

  /// Filters the next value; `code` is that of the cut-off frequency.
  public mutating func pass(_ value: AxisValues, code: UInt8) {
    // 1 - 2π fc/ODR, in 1/1024.
    let share: Int64 = [895, 960, 309, 1_008][Int(code & 3)]
    output = last.map { (output + value - $0).map { $0 * share / 1_024 } } ?? .zero
    last = value
  }
}
