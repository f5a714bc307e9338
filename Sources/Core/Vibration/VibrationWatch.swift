public import FixedPoint

/// What to watch in the vibration of a board.
public struct VibrationConfiguration: Equatable, Sendable {
  /// The bands of frequency; nil, the default, for the usual bands at the sample rate.
  public var edges: BandEdges?
  /// When a machine is busy, and when it is quiet again.
  public var busy: BusyDetector.Configuration

  /// A configuration.
  public init(edges: BandEdges? = nil, busy: BusyDetector.Configuration = .standard) {
    (self.edges, self.busy) = (edges, busy)
  }

  /// The bands for samples every `period`.
  public func edges(period: Microseconds) -> BandEdges { edges ?? .usual(period: period) }

  /// The `bins` for watching samples every `period`, 32…512: the fewest for which a block holds a second of samples, so
  /// that bins are at most 1 Hz apart and a block ends in each second.
  public static func bins(period: Microseconds) -> Int {
    var bins = 32
    while bins < 512 && widened(bins) &* 2 &* UInt64(bitPattern: max(1, period.count)) < 1_000_000 { bins = bins &<< 1 }
    return bins
  }
}

/// Watches the vibration of a board continuously: its strength each second, in total and per band, and whether a
/// machine is working.
///
/// The size of ``VibrationBands`` plus 80 bytes. A sample costs the same as there.
public struct VibrationWatch<let bins: Int>: ~Copyable {
  /// The vibration of a second, and whether a machine started or finished work with it.
  public struct Second: Equatable, Sendable {
    /// How strong the vibration was.
    public let report: VibrationReport
    /// The change of the machine's state, if any.
    public let change: BusyDetector.Change?
  }

  private var bands: VibrationBands<bins>
  private var detector: BusyDetector

  /// Watches samples that come every `period`, 200 µs…1 s.
  public init(_ configuration: VibrationConfiguration, period: Microseconds) throws(VibrationError) {
    bands = try VibrationBands(configuration.edges(period: period), period: period)
    detector = BusyDetector(configuration.busy)
  }

  /// Prepares a watch in zeroed memory, in place: for callers that lack the stack to build one and move it there.
  package mutating func prepare(_ configuration: VibrationConfiguration, period: Microseconds) throws(VibrationError) {
    try bands.prepare(configuration.edges(period: period), period: period)
    detector = BusyDetector(configuration.busy)
  }

  /// The bands.
  public var edges: BandEdges { bands.edges }
  /// Whether a machine is working.
  public var isBusy: Bool { detector.isBusy }

  /// Takes in the specific force at `now`, in g. Returns the second that ended before it, if any. Inlined, because each
  /// call would copy the second onto the stack.
  @inline(__always)
  public mutating func step(_ force: Vector3, at now: Instant) -> Second? {
    guard let report = bands.step(force, at: now) else { return nil }
    return Second(report: report, change: detector.step(report))
  }
}
