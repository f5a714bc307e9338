internal import FixedPoint

/// A driver of a part from InvenSense, whose FIFO is a queue of bytes, which an overflow shifts.
protocol InvenSenseDriver: FIFODriver, ~Copyable {
  associatedtype Model: InvenSense.Model
  /// The driver's `configuration`. Not by `where Configuration == InvenSense.Configuration<Model>`, with which Swift 6.3
  /// crashes in a build for debugging.
  var settings: InvenSense.Configuration<Model> { get }
  /// The number of samples until the next check of the configuration.
  var samplesUntilWatch: UInt16 { get set }
  /// The size of the FIFO that the driver relies on, in bytes.
  var fifoSize: Int { get }

  /// Writes every register in use and reads each back.
  mutating func configure(_ wanted: InvenSense.Configuration<Model>) throws(SensorError)
  /// How long after ``configure(_:)`` the first settled sample is available.
  func settlingTime(_ configuration: InvenSense.Configuration<Model>) -> Microseconds

  /// Reads the number of bytes that wait.
  mutating func fifoCount() throws(SensorError) -> Int
  /// Removes the oldest `length` bytes.
  mutating func readFIFO(_ length: Int, into bytes: inout InlineArray<240, UInt8>) throws(SensorError)
  /// The measurement in the bytes from `start` on.
  func measurement(_ bytes: Span<UInt8>, at start: Int, _ layout: InvenSense.RecordLayout) -> Measurement
}

// Set-up.
extension InvenSenseDriver where Self: ~Copyable {
  mutating func settle() throws(SensorError) -> Microseconds {
    try configure(settings)
    phase = .settling
    return settlingTime(settings)
  }

  mutating func beginMeasuring() throws(SensorError) {
    if keepsSamples { try restartFIFO() }
    samplesUntilWatch = settings.samplesBetweenWatches
  }

  /// Continues as after a start with a part that already runs: its first samples are not checked.
  mutating func beginAdopted() {
    runAdopted()
    samplesUntilWatch = settings.samplesBetweenWatches
  }
}

// The FIFO.
extension InvenSenseDriver where Self: ~Copyable {
  /// What `waiting()` returns. A FIFO that has overflowed, or has room for at most three more records, is emptied and
  /// restarted; then nothing waits.
  mutating func countWaiting() throws(SensorError) -> WaitingSamples {
    guard phase == .measuring, settings.usesFIFO else { throw .configurationLost }
    let size = settings.fifoLayout.size
    var bytes = 0
    if !fifoIsBroken {
      bytes = try fifoCount()
      fifoIsBroken = bytes &+ 3 &* size >= fifoSize
    }
    if fifoIsBroken {
      try restartFIFO()
      bytes = 0
    }
    // A part that has lost its supply sleeps: nothing would ever wait, and no read samples would reveal it.
    if bytes < size { try endBursts() }
    return report(bytes / size)
  }

  /// What `take(_:into:)` does.
  mutating func takeRecords(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    guard count > 0, let fifo = settings.fifo else { return }
    try take(count, mostInBurst: fifo.recordsPerBurst(settings.fifoLayout), into: &samples)
  }

  mutating func readBurst(of records: Int, into samples: inout SampleBatch) throws(SensorError) {
    let layout = settings.fifoLayout
    var bytes = InlineArray<240, UInt8>(repeating: 0)
    try readFIFO(records &* layout.size, into: &bytes)
    for record in 0..<records { samples.append(measurement(bytes.span, at: record &* layout.size, layout)) }
  }
}

extension Wire where Bus: ~Copyable {
  /// Reads the word in two registers, high byte first.
  ///
  ///     S | addr+W | register | Sr | addr+R | high low | P
  mutating func word(at register: UInt8) throws(SensorError) -> UInt16 {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    try read(from: register, into: &bytes)
    return UInt16(bytes[0]) &<< 8 | UInt16(bytes[1])
  }
}
