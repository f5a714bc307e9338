public import FixedPoint

/// The vibration over an interval, such as a second.
public struct VibrationReport: Equatable, Sendable {
  /// The time of the first sample.
  public let start: Instant
  /// The time of the next sample after the interval; one period after the last sample if a pause followed.
  public let end: Instant
  /// The strength of the vibration, from all samples.
  public let level: VibrationLevel
  /// The smallest number of blocks of an axis that the bands are based on; 0 if none ended in the interval: the bands
  /// are then 0.
  public let blocks: UInt32
  private let bands: BandFigures

  fileprivate init(start: Instant, end: Instant, level: VibrationLevel, blocks: UInt32, bands: BandFigures) {
    (self.start, self.end, self.level, self.blocks, self.bands) = (start, end, level, blocks, bands)
  }

  /// The root mean square of all axes together in band `index`, 0..<`BandEdges.count`, in g; 0 for others.
  public func rms(inBand index: Int) -> Q16 { bands[index] }
}

/// One value per band.
private struct BandFigures: Equatable, Sendable {
  private var figures = InlineArray<8, Q16>(repeating: .zero)

  subscript(index: Int) -> Q16 {
    get { index >= 0 && index < 8 ? figures[index & 7] : .zero }
    set { figures[index & 7] = newValue }
  }

  static func == (a: BandFigures, b: BandFigures) -> Bool {
    var index = 0
    while index < 8 {
      if a[index] != b[index] { return false }
      index = index &+ 1
    }
    return true
  }
}

/// Vibration as a report each second, or at another interval: its total strength, and its strength in each of several
/// bands of frequency.
///
/// The bands are computed from the spectra of the blocks of 2 · `bins` samples that end within the interval; see
/// ``VibrationSpectrum``, which uses the same blocks. A bin belongs to the band that contains its frequency. For a
/// report each second, `bins` should be at most half the rate, so that a block ends in each second. If a pause
/// interrupts an interval, its report uses the samples it has.
///
/// It takes 32 · `bins` + 568 bytes. A sample is stored in three rings and costs three products and at most one
/// transform.
public struct VibrationBands<let bins: Int>: ~Copyable {
  /// The bands; they cannot change while there is state.
  public private(set) var edges: BandEdges
  private var interval: Microseconds
  private var source: SampleBlocks<bins>
  private var x = BandSums()
  private var y = BandSums()
  private var z = BandSums()
  private var level = VibrationLevel()
  private var start = Instant(microseconds: 0)
  /// The first bin of each band, and the bin after the last band.
  private var places = InlineArray<16, Int>(repeating: 1)

  /// For samples every `period`, 200 µs…1 s, with a report every `interval`, 0.1…60 s.
  public init(
    _ edges: BandEdges = .all, period: Microseconds, interval: Microseconds = .seconds(1)
  ) throws(VibrationError) {
    guard interval >= .milliseconds(100) && interval <= .seconds(60) else { throw .interval }
    source = try SampleBlocks(period: period)
    self.edges = edges
    self.interval = interval
  }

  /// Prepares bands with a report each second in zeroed memory. The bins of the bands are found before their first use.
  mutating func prepare(_ edges: BandEdges, period: Microseconds) throws(VibrationError) {
    try source.prepare(period: period)
    self.edges = edges
    interval = .seconds(1)
    level = VibrationLevel()
  }

  /// The mean rate of the samples, without the gaps, in mHz.
  public var rate: UInt32 { source.rate }

  /// Takes in the specific force at `now`, in g. Returns the report of the interval that ended before it, if any.
  public mutating func step(_ force: Vector3, at now: Instant) -> VibrationReport? {
    guard level.samples > 0 && (now - start >= interval || now < start) else {
      take(force, at: now)
      return nil
    }
    let report = conclude(at: source.end(before: now))
    take(force, at: now)
    return report
  }

  @inline(never)
  private mutating func take(_ force: Vector3, at now: Instant) {
    if level.samples == 0 { start = now }
    level.add(force)
    if let axis = source.step(force, at: now) { add(axis) }
  }

  /// The report of everything since the last one, at `now`, which is after the last sample; nil if there were no
  /// samples. A new interval begins with the next sample.
  public mutating func finish(at now: Instant) -> VibrationReport? {
    level.samples > 0 ? conclude(at: source.end(before: now)) : nil
  }

  private mutating func conclude(at end: Instant) -> VibrationReport {
    var bands = BandFigures()
    var band = 0
    while band < edges.count {
      bands[band] = PowerScale.root(x.meanSquare(band) &+ y.meanSquare(band) &+ z.meanSquare(band))
      band = band &+ 1
    }
    let report = VibrationReport(
      start: start, end: end, level: level, blocks: min(x.blocks, min(y.blocks, z.blocks)), bands: bands)
    x = BandSums()
    y = BandSums()
    z = BandSums()
    level = VibrationLevel()
    return report
  }

  /// Adds the block that has just ended.
  private mutating func add(_ axis: VibrationAxis) {
    switch axis {
    case .x:
      place()
      x.add(&source.transform, &places, edges.count)
    case .y: y.add(&source.transform, &places, edges.count)
    case .z: z.add(&source.transform, &places, edges.count)
    }
  }

  /// Finds the bins of the bands at the present rate.
  private mutating func place() {
    let rate = source.rate
    var index = 0
    while index <= edges.count {
      places[index & 15] = BandEdges.bin(at: edges[index], rate, of: bins)
      index = index &+ 1
    }
  }
}

/// Twice the powers of the bands of an axis, summed over blocks, in units of 2^-35 g². 2^14 blocks, more than fit in 60
/// s, stay below 2^63, because twice the power of all bins of a block is at most the mean square of its samples, 2^14
/// g².
private struct BandSums {
  private var sums = InlineArray<8, UInt64>(repeating: 0)
  private(set) var blocks: UInt32 = 0

  private static var order: Int32 { 14 }

  mutating func add<let bins: Int>(
    _ transform: inout Transform<bins>, _ places: inout InlineArray<16, Int>, _ count: Int
  ) {
    guard blocks < 1 &<< 14 else { return }
    blocks = blocks &+ 1
    let scale = PowerScale(of: transform.shift, fraction: 49 &- Self.order)
    var band = 0
    while band < count {
      // Twice the power, because the last bin counts half. By Parseval's theorem, all bins together are at most half of
      // 2^60.
      var sum: UInt64 = 0
      var bin = places[band & 15]
      let end = places[(band &+ 1) & 15]
      while bin < min(end, bins) {
        sum = sum &+ transform.squaredSize(bin)
        bin = bin &+ 1
      }
      var doubled = sum &<< 1
      if end > bins && bin == bins { doubled = doubled &+ transform.squaredEnd }
      sums[band & 7] = sums[band & 7] &+ scale.scaled(doubled)
      band = band &+ 1
    }
  }

  /// The mean square in band `index`, in units of 2^-46 g².
  func meanSquare(_ index: Int) -> UInt64 {
    PowerScale.withoutWindow(PowerScale.mean(sums[index & 7], of: blocks, order: Self.order)) &>> 1
  }
}
