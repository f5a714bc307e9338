public import FixedPoint

/// How strong the vibration of a board was in a second, wherever that comes from.
public struct VibrationSecond: Equatable, Sendable {
  /// When it ended.
  public let instant: Instant
  /// The root mean square of all axes together, g.
  public let total: Q16
  /// The root mean square of each axis, g.
  public let rms: Vector3
  /// How far each axis went from its mean at most, g.
  public let peak: Vector3
  /// The bands.
  public let edges: BandEdges
  /// Whether a block ended in the second, so that its bands are known.
  public let hasBands: Bool
  private var bands = InlineArray<8, Q16>(repeating: .zero)

  /// The second of `report`, whose bands are those of `edges`.
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

  /// A second of another process without its bands; ``setRMS(_:inBand:)`` adds them.
  package init(at instant: Instant, total: Q16, rms: Vector3, peak: Vector3, _ edges: BandEdges, hasBands: Bool) {
    (self.instant, self.total, self.rms, self.peak) = (instant, total, rms, peak)
    (self.edges, self.hasBands) = (edges, hasBands)
  }

  /// The root mean square of all axes together in band `index`, 0 up to the count of `edges`, g; 0 for others.
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
