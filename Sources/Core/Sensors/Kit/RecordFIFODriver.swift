internal import FixedPoint

/// The configuration of an InvenSense part, as far as its FIFO and the checks of it depend on it.
protocol RecordConfiguration {
  associatedtype Rate: DividedRate
  var rate: Rate { get }
  var gyroscope: MPU6050.GyroscopeRange? { get }
  var fifo: MPU6050.FIFO? { get }
  var samplesPerWatch: UInt16? { get }
}

extension RecordConfiguration {
  /// Whether the FIFO is used.
  var usesFIFO: Bool { fifo != nil }

  /// Whether the gyroscope is on.
  var usesGyroscope: Bool { gyroscope != nil }

  /// The content of a record in the FIFO.
  var fifoLayout: MPU6050.RecordLayout {
    MPU6050.RecordLayout(
      hasTemperature: fifo?.includesTemperature == true, hasRotation: fifo?.includesRotation == true && usesGyroscope)
  }

  /// The number of samples between two checks of the configuration.
  var samplesBetweenWatches: UInt16 { max(1, samplesPerWatch ?? rate.samplesPerSecond) &- 1 }

  /// The bits on the bus of a sample in the FIFO, at most: its share of a full burst, of the count, and of the
  /// `checked` registers, which go with each batch. In the worst case there is one batch per burst.
  func bitsPerRecord(checked: UInt32) -> UInt32 {
    let size = UInt32(truncatingIfNeeded: fifoLayout.size)
    let records = UInt32(truncatingIfNeeded: fifo?.recordsPerBurst(fifoLayout) ?? 1)
    let bits = MPU6050.bits(reading: size &* records) &+ MPU6050.bits(reading: 2) &+ MPU6050.bits(reading: checked)
    return (bits &+ records &- 1) / records
  }
}

/// A driver of a part whose FIFO is a queue of bytes, which an overflow shifts.
protocol RecordFIFODriver: FIFODriver, StagedDriver, ~Copyable {
  associatedtype Settings: RecordConfiguration
  var configuration: Settings { get }
  /// The size that the driver relies on, in bytes.
  var fifoSize: Int { get }
  /// Reads the number of bytes that wait.
  mutating func fifoCount() throws(SensorError) -> Int
  /// Empties the FIFO and starts it.
  mutating func startFIFO() throws(SensorError)
}

extension RecordFIFODriver where Self: ~Copyable {
  /// What `waiting()` returns. A FIFO that has overflowed, or has room for at most three more records, is emptied and
  /// restarted; then nothing waits.
  mutating func countWaiting() throws(SensorError) -> WaitingSamples {
    guard phase == .measuring, configuration.usesFIFO else { throw .configurationLost }
    let size = configuration.fifoLayout.size
    var bytes = 0
    if !fifoIsBroken {
      bytes = try fifoCount()
      fifoIsBroken = bytes &+ 3 &* size >= fifoSize
    }
    if fifoIsBroken {
      try startFIFO()
      bytes = 0
    }
    // A part that has lost its supply sleeps: nothing would ever wait, and no read samples would reveal it.
    if bytes < size { try endBursts() }
    return report(bytes / size)
  }

  /// What `take(_:into:)` does.
  mutating func takeRecords(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    guard count > 0, let fifo = configuration.fifo else { return }
    try take(count, mostInBurst: fifo.recordsPerBurst(configuration.fifoLayout), into: &samples)
  }
}
