public import FixedPoint

/// The vibration of a board in one second, measured here or received from another process.
public struct VibrationSecond: Equatable, Sendable {
  /// When it ended.
  public let instant: Instant
  /// The root mean square of all axes together, g.
  public let total: Q16
  /// The root mean square of each axis, g.
  public let rms: Vector3
  /// The largest distance of each axis from its mean, g.
  public let peak: Vector3
  /// The bands.
  public let edges: BandEdges
  /// Whether a block ended in the second; only then are its bands known.
  public let hasBands: Bool
  private var bands = InlineArray<8, Q16>(repeating: .zero)

  /// The second in `report`, with the bands of `edges`.
  public init(_ report: VibrationReport, _ edges: BandEdges) {
    self.init(
      at: report.end, total: report.level.total, rms: report.level.rms, peak: report.level.peak, edges,
      hasBands: report.blocks > 0)
    var index = 0
    while index < 8 {
      bands[index] = report.rms(inBand: index)
      index = index &+ 1
    }
  }

  /// A second from another process without its bands; ``setRMS(_:inBand:)`` adds them.
  package init(at instant: Instant, total: Q16, rms: Vector3, peak: Vector3, _ edges: BandEdges, hasBands: Bool) {
    (self.instant, self.total, self.rms, self.peak) = (instant, total, rms, peak)
    (self.edges, self.hasBands) = (edges, hasBands)
  }

  /// The root mean square of all axes together in band `index`, 0..<`edges.count`, g; 0 for others.
  public func rms(inBand index: Int) -> Q16 { index >= 0 && index < 8 ? bands[index] : .zero }

  /// Sets the strength of a band.
  package mutating func setRMS(_ rms: Q16, inBand index: Int) {
    if index >= 0 && index < 8 { bands[index] = rms }
  }

  /// Whether all properties are equal.
  public static func == (a: VibrationSecond, b: VibrationSecond) -> Bool {
    var index = 0
    while index < 8 {
      if a.bands[index] != b.bands[index] { return false }
      index = index &+ 1
    }
    return a.instant == b.instant && a.total == b.total && a.rms == b.rms && a.peak == b.peak && a.edges == b.edges
      && a.hasBands == b.hasBands
  }
}
