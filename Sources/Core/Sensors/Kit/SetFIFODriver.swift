/// A driver of a part with a FIFO of 32 samples, or sets, none of which is ever torn.
///
/// A full FIFO may have lost samples.
protocol SetFIFODriver: BatchingAccelerometer, ~Copyable {
  /// Whether the part is half set up, or set up for something other than samples: then its data must not be read.
  var isUnsettled: Bool { get }
  /// The number of sets at the front of the FIFO from before the part had settled.
  var unsettledSets: Int32 { get set }
  /// Whether the FIFO may have lost samples that no batch has reported yet.
  var lacksSamples: Bool { get set }
  /// Reads the number of waiting sets.
  mutating func waitingSets() throws(SensorError) -> Int32
  /// Reads the oldest sets, at most 7, and forgets them.
  mutating func discard(_ sets: Int) throws(SensorError)
}

extension SetFIFODriver where Self: ~Copyable {
  /// What `waiting()` returns. Five sets of a full FIFO are discarded, so that it is not full again before it is read;
  /// the rest follow the gap.
  mutating func countWaiting() throws(SensorError) -> WaitingSamples {
    guard !isUnsettled, keepsSamples else { throw .configurationLost }
    let sets = try settledSets()
    let followsGap = lacksSamples
    if sets > 0 { lacksSamples = false }
    return WaitingSamples(count: Int(min(sets, 31)), followsGap: followsGap)
  }

  /// Discards sets where necessary, and returns how many are still waiting.
  mutating func settledSets() throws(SensorError) -> Int32 {
    let sets = try waitingSets()
    let isFull = sets >= 32
    if isFull { lacksSamples = lacksSamples || unsettledSets == 0 }
    let discarded = max(isFull ? 5 : 0, min(unsettledSets, sets))
    guard discarded > 0 else { return sets }
    try discard(Int(discarded))
    unsettledSets = isFull ? 0 : unsettledSets &- discarded
    return try waitingSets()
  }

  /// Reads the oldest `sets` sets with `burst`, then the number of those that wait. Returns false if the FIFO may have
  /// been full before the burst: samples may then be missing, and those of the burst must be discarded.
  mutating func readWhole(_ sets: Int, _ burst: (inout Self) throws(SensorError) -> Void) throws(SensorError) -> Bool {
    do throws(SensorError) {
      try burst(&self)
      if try Int(waitingSets()) &+ sets < 32 { return true }
    } catch {
      lacksSamples = true
      throw error
    }
    lacksSamples = true
    return false
  }
}

/// A number of samples in a FIFO of 32, 1 to 31.
public struct FIFOLevel: Equatable, Sendable {
  /// The number.
  public let rawValue: UInt8

  /// The level nearest to `count`.
  public init(nearest count: Int32) { rawValue = UInt8(truncatingIfNeeded: max(1, min(31, count))) }
}
