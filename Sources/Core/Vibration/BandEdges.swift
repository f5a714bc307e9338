public import FixedPoint

/// Bands of frequency, each from one edge to the next: at most eight.
public struct BandEdges: Equatable, Sendable {
  private var edges = InlineArray<16, Q16>(repeating: .zero)
  /// The number of bands, 1…8.
  public private(set) var count = 0

  /// The largest number of bands.
  public static var most: Int { 8 }

  /// The bands between `edges`: two to nine frequencies in Hz, 0…2500, in ascending order.
  public init(_ edges: Span<Q16>) throws(VibrationError) {
    guard edges.count >= 2 && edges.count <= Self.most &+ 1 else { throw .edges }
    var index = 0
    while index < edges.count {
      let edge = edges[index]
      guard edge >= .zero && edge <= Q16(whole: 2_500) else { throw .edges }
      if index > 0 && edge <= self.edges[(index &- 1) & 15] { throw .edges }
      self.edges[index & 15] = edge
      index = index &+ 1
    }
    count = edges.count &- 1
  }

  /// The whole range of a vibration, 0…2500 Hz, as one band.
  public static var all: BandEdges {
    var whole = BandEdges()
    whole.edges[1] = Q16(whole: 2_500)
    whole.count = 1
    return whole
  }

  /// The usual bands for samples every `period`, 200 µs…1 s: edges at those of 1, 5, 10, 20, 50, 100, 200 and 500 Hz
  /// that are well below half the rate, and at half the rate; a single band from 0 if none is.
  public static func usual(period: Microseconds) -> BandEdges {
    let usual: InlineArray<8, Int32> = [1, 5, 10, 20, 50, 100, 200, 500]
    let half = highest(period: period)
    var edges = BandEdges()
    var index = 0
    while index < 8 && widened(usual[index]) &* 65_536 &* 20 < widened(half.raw) &* 19 {
      edges.edges[index] = Q16(whole: usual[index])
      index = index &+ 1
    }
    let end = max(1, index)
    edges.edges[end & 15] = half
    edges.count = end
    return edges
  }

  /// The highest frequency that samples every `period`, 200 µs…1 s, can represent: half their rate, Hz.
  public static func highest(period: Microseconds) -> Q16 {
    let count = max(200, min(1_000_000, period.count))
    return Q16(raw: saturated((500_000 &* 65_536 &+ count / 2) / count))
  }

  /// The upper end of the highest band, Hz.
  public var top: Q16 { self[count] }

  private init() {}

  /// Edge `index`, 0…`count`, in Hz: the lower end of band `index`, and the upper end of the previous band.
  public subscript(index: Int) -> Q16 { edges[index & 15] }

  /// The first of the bins 1…`bins` + 1 with a frequency of at least `edge`, at `rate` mHz.
  static func bin(at edge: Q16, _ rate: UInt32, of bins: Int) -> Int {
    // 2^28 · 2^10 · 1000, divided by 2^23 · 2^16.
    let steps = UInt64(bitPattern: widened(max(0, edge.raw))) &* (2_000 &* widened(bins))
    let divisor = max(1, widened(rate) &* 65_536)
    let bin = steps / divisor &+ (steps % divisor > 0 ? 1 : 0)
    return max(1, min(bins &+ 1, Int(truncatingIfNeeded: min(bin, 1_024))))
  }

  /// Whether both have the same edges.
  public static func == (a: BandEdges, b: BandEdges) -> Bool {
    guard a.count == b.count else { return false }
    var index = 0
    while index <= a.count {
      if a[index] != b[index] { return false }
      index = index &+ 1
    }
    return true
  }
}
