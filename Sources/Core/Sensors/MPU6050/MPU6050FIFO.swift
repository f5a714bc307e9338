internal import FixedPoint

extension MPU6050.Device where Bus: ~Copyable {
  var fifoSize: Int { Int(part?.fifoSize ?? 0) }

  /// Empties the FIFO and starts it.
  ///
  ///     write 6A 00, 23 00, 6A 04     off, nothing is stored, FIFO_RESET
  ///     read  37 -> INT_PIN_CFG INT_ENABLE 39 INT_STATUS      discards an old overflow
  ///     write 23 sources, 6A 40       on
  ///     read  23, 6A                  as written
  mutating func startFIFO() throws(SensorError) {
    try wire.write(MPU6050.Register.userControl, InvenSense.UserControl.off)
    try wire.write(MPU6050.Register.fifoSources, 0)
    try wire.write(MPU6050.Register.userControl, InvenSense.UserControl.resetFIFO)
    try watch()
    let sources: InlineArray<2, UInt8> = [
      MPU6050.Register.fifoSources, MPU6050.SourcesField(configuration.fifoLayout).encoded,
    ]
    let control: InlineArray<2, UInt8> = [MPU6050.Register.userControl, InvenSense.UserControl.runFIFO]
    try wire.establish(sources, control)
  }

  mutating func endBursts() throws(SensorError) { try watch() }

  mutating func fifoCount() throws(SensorError) -> Int { Int(try wire.word(at: MPU6050.Register.fifoCount)) }

  mutating func readFIFO(_ length: Int, into bytes: inout InlineArray<240, UInt8>) throws(SensorError) {
    try wire.read(length, from: MPU6050.Register.fifoData, into: &bytes)
  }
}

extension MPU6050.Device: InvenSenseDriver where Bus: ~Copyable {
  var settings: MPU6050.Configuration { configuration }

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
