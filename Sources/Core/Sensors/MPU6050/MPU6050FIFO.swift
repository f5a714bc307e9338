public import FixedPoint

extension MPU6050 {
  /// What is stored in the FIFO, in addition to the specific force, and how it is read.
  public struct FIFO: Equatable, Sendable {
    /// Whether to store the temperature.
    public var includesTemperature: Bool
    /// Whether to store the rate of rotation; only with the gyroscope on.
    public var includesRotation: Bool
    /// The longest burst for reading it, in bytes; whole records are read, at least one and at most 240 bytes.
    ///
    /// Default 30, because an adapter with SMBus only reads at most 32; one with plain I2C can read 240, which saves
    /// bus time.
    public var longestBurst: UInt8

    /// A FIFO; by default for the specific force alone, 6 bytes per record, in bursts of 30 bytes.
    public init(includesTemperature: Bool = false, includesRotation: Bool = false, longestBurst: UInt8 = 30) {
      self.includesTemperature = includesTemperature
      self.includesRotation = includesRotation
      self.longestBurst = longestBurst
    }

    /// The number of records of a layout in one burst.
    func recordsPerBurst(_ layout: RecordLayout) -> Int {
      max(1, min(FIFO.bufferSize, Int(longestBurst)) / layout.size)
    }

    /// The longest possible burst.
    static var bufferSize: Int { 240 }
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  /// Empties the FIFO and starts it.
  ///
  ///     write 6A 00, 23 00, 6A 04     off, nothing is stored, FIFO_RESET
  ///     read  37 -> INT_PIN_CFG INT_ENABLE 39 INT_STATUS      discards an old overflow
  ///     write 23 sources, 6A 40       on
  ///     read  23, 6A                  as written
  mutating func startFIFO() throws(SensorError) {
    try wire.write(MPU6050.Register.userControl, MPU6050.UserControl.off)
    try wire.write(MPU6050.Register.fifoSources, MPU6050.SourcesField.none)
    try wire.write(MPU6050.Register.userControl, MPU6050.UserControl.resetFIFO)
    try watch()
    let sources: InlineArray<2, UInt8> = [
      MPU6050.Register.fifoSources, MPU6050.SourcesField(configuration.fifoLayout).encoded,
    ]
    let control: InlineArray<2, UInt8> = [MPU6050.Register.userControl, MPU6050.UserControl.runFIFO]
    try wire.establish(sources, control)
    fifoIsBroken = false
    followsGap = true
  }

  mutating func fifoCount() throws(SensorError) -> Int {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    try wire.read(from: MPU6050.Register.fifoCount, into: &bytes)
    return Int(bytes[0]) &<< 8 | Int(bytes[1])
  }
}

extension MPU6050.Device: BatchingAccelerometer where Bus: ~Copyable {
  /// The period of the sample rate.
  public var samplePeriod: Microseconds { configuration.period }

  /// Whether samples are stored in the FIFO.
  public var keepsSamples: Bool { configuration.usesFIFO }

  /// Determines how many records wait; if none does, also checks that the part is still configured.
  ///
  ///     read  72 -> count             2 bytes
  ///     read  37 -> INT_PIN_CFG INT_ENABLE 39 INT_STATUS
  ///
  /// An overflow shifts the records, because the FIFO does not hold a whole number of them. So a FIFO that has
  /// overflowed, or, as in Linux, has room for at most three more records, is emptied and restarted; then nothing
  /// waits.
  ///
  /// - Throws: `configurationLost` (also if no FIFO is configured, and before ``proceed()`` has returned nil),
  ///   `configurationRejected` or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 35, 58, 106, 114 to 116.
  /// - Source: Linux's inv_mpu6050 driver, `inv_mpu6050_read_fifo`.
  public mutating func waiting() throws(SensorError) -> WaitingSamples {
    try countWaiting()
  }

  /// Reads the oldest `count` records in bursts, then checks whether the FIFO overflowed meanwhile.
  ///
  ///     read  74 -> whole records     in bursts; the pointer stays at 74
  ///     read  37 -> INT_PIN_CFG INT_ENABLE 39 INT_STATUS
  ///
  /// After an overflow none of them is returned, because the records are shifted; nor after an error.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    guard part != nil else { return }
    try takeRecords(count, into: &samples)
  }
}

extension MPU6050.Device: RecordFIFODriver where Bus: ~Copyable {
  var fifoSize: Int { Int(part?.fifoSize ?? 0) }

  mutating func endBursts() throws(SensorError) { try watch() }

  mutating func readBurst(of records: Int, into samples: inout SampleBatch) throws(SensorError) {
    guard let part else { return }
    let layout = configuration.fifoLayout
    var bytes = InlineArray<240, UInt8>(repeating: 0)
    try wire.read(records &* layout.size, from: MPU6050.Register.fifoData, into: &bytes)
    for record in 0..<records {
      samples.append(measurement(bytes.span, at: record &* layout.size, layout, part))
    }
  }
}
