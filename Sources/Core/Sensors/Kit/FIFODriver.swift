/// A driver of a part whose FIFO must be emptied and restarted after samples were lost, because their bytes are shifted.
protocol FIFODriver: ConfiguredDriver, StagedDriver, ~Copyable {
  /// Whether the FIFO must be emptied and restarted before anything is read from it.
  var fifoIsBroken: Bool { get set }
  /// Whether samples may be missing before the oldest in the FIFO.
  var followsGap: Bool { get set }
  /// Empties the FIFO and starts it.
  mutating func startFIFO() throws(SensorError)
  /// The first register that is not as a start writes it.
  mutating func difference() throws(SensorError) -> RegisterDifference?
  /// Reads what belongs to all of the samples, before them. By default nothing.
  mutating func beginBursts() throws(SensorError)
  /// Reads `count` samples in one burst and appends them.
  mutating func readBurst(of count: Int, into samples: inout SampleBatch) throws(SensorError)
  /// Checks that no sample was lost meanwhile, or else sets ``fifoIsBroken``, and that the part is still configured.
  mutating func endBursts() throws(SensorError)
}

extension FIFODriver where Self: ~Copyable {
  mutating func beginBursts() throws(SensorError) {}

  mutating func beginMeasuring() throws(SensorError) { if keepsSamples { try restartFIFO() } }

  /// Continues with a part that already runs. The FIFO, which may have another reader, is restarted before anything is
  /// read from it.
  mutating func runAdopted() {
    fifoIsBroken = keepsSamples
    phase = .measuring
  }

  /// The difference for `verifyConfiguration()`: read twice, so that a single corrupted byte does no harm. Throws
  /// `configurationLost` if the part is not configured.
  mutating func confirmedDifference() throws(SensorError) -> RegisterDifference? {
    guard phase == .measuring else { throw .configurationLost }
    return try difference() == nil ? nil : difference()
  }

  /// Empties the FIFO and starts it; the samples that follow are after a gap.
  mutating func restartFIFO() throws(SensorError) {
    try startFIFO()
    fifoIsBroken = false
    followsGap = true
  }

  /// Reads the oldest `count` samples in bursts of at most `most`, and appends them unless any was lost or an error
  /// occurred; then the FIFO is restarted later.
  mutating func take(_ count: Int, mostInBurst most: Int, into samples: inout SampleBatch) throws(SensorError) {
    var fresh = samples
    do throws(SensorError) {
      try beginBursts()
      var left = min(count, samples.room)
      while left > 0 {
        let next = min(left, most)
        try readBurst(of: next, into: &fresh)
        left &-= next
      }
      try endBursts()
    } catch {
      fifoIsBroken = true
      throw error
    }
    if !fifoIsBroken { samples = fresh }
  }

  /// This many waiting samples, with the gap before them, which is reported once.
  mutating func report(_ count: Int) -> WaitingSamples {
    let isGap = followsGap
    if count > 0 { followsGap = false }
    return WaitingSamples(count: count, followsGap: isGap)
  }
}
