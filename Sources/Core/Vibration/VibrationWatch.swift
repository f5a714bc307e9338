public import FixedPoint

/// What is watched of the vibration of a board.
public struct VibrationConfiguration: Equatable, Sendable {
  /// The bands of frequency; nil, the default, for those that are usual at the rate of the samples.
  public var edges: BandEdges?
  /// When a machine is busy, and when it is quiet again.
  public var busy: BusyDetector.Configuration

  /// A configuration.
  public init(edges: BandEdges? = nil, busy: BusyDetector.Configuration = .standard) {
    (self.edges, self.busy) = (edges, busy)
  }

  /// The bands of samples that come every `period`.
  public func edges(period: Microseconds) -> BandEdges { edges ?? .usual(period: period) }

  /// The `bins` of a watch of samples that come every `period`: 32…512, the fewest of which a block has a second of
  /// samples, so that bins are 1 Hz apart at most, and a block ends in each second.
  public static func bins(period: Microseconds) -> Int {
    var bins = 32
    while bins < 512 && widened(bins) &* 2 &* UInt64(bitPattern: max(1, period.count)) < 1_000_000 { bins = bins &<< 1 }
    return bins
  }
}

/// Watches the vibration of a board for as long as it runs: how strong it is each second, in which bands, and whether a
/// machine works.
///
/// The size of ``VibrationBands`` and 80 bytes. A sample costs what it costs there.
public struct VibrationWatch<let bins: Int>: ~Copyable {
  /// What a second was like, and whether a machine began or ended its work with it.
  public struct Second: Equatable, Sendable {
    /// How strong the vibration was.
    public let report: VibrationReport
    /// What came of it.
    public let change: BusyDetector.Change?
  }

  private var bands: VibrationBands<bins>
  private var detector: BusyDetector

  /// Watches samples that come every `period`, 200 µs…1 s.
  public init(_ configuration: VibrationConfiguration, period: Microseconds) throws(VibrationError) {
    bands = try VibrationBands(configuration.edges(period: period), period: period)
    detector = BusyDetector(configuration.busy)
  }

  /// Makes a watch of one whose memory is zeros, in its place: for callers without the stack to build one and move it
  /// there.
  package mutating func prepare(_ configuration: VibrationConfiguration, period: Microseconds) throws(VibrationError) {
    try bands.prepare(configuration.edges(period: period), period: period)
    detector = BusyDetector(configuration.busy)
  }

  /// The bands.
  public var edges: BandEdges { bands.edges }
  /// Whether a machine is at work.
  public var isBusy: Bool { detector.isBusy }

  /// Takes the specific force at `now`, in g. Returns the second that ended before it, if one did. Inlined, because
  /// each call would copy the second on the stack.
  @inline(__always)
  public mutating func step(_ force: Vector3, at now: Instant) -> Second? {
    guard let report = bands.step(force, at: now) else { return nil }
    return Second(report: report, change: detector.step(report))
  }
}
