/// A driver of a part whose FIFO must be emptied and restarted after samples were lost, because their bytes are shifted.
protocol FIFODriver: BatchingAccelerometer, ~Copyable {
  /// Whether the FIFO must be emptied and restarted before anything is read from it.
  var fifoIsBroken: Bool { get set }
  /// Whether samples may be missing before the oldest in the FIFO.
  var followsGap: Bool { get set }
  /// Reads what belongs to all of the samples, before them. By default nothing.
  mutating func beginBursts() throws(SensorError)
  /// Reads `count` samples in one burst and appends them.
  mutating func readBurst(of count: Int, into samples: inout SampleBatch) throws(SensorError)
  /// Checks that no sample was lost meanwhile, or else sets ``fifoIsBroken``, and that the part is still configured.
  mutating func endBursts() throws(SensorError)
}

extension FIFODriver where Self: ~Copyable {
  mutating func beginBursts() throws(SensorError) {}

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
