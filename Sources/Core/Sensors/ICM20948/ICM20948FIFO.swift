internal import FixedPoint

extension ICM20948.Device where Bus: ~Copyable {
  /// The size that the driver relies on, in bytes: older copies of the data sheet say 512, revision 1.4 and later 4096.
  var fifoSize: Int { 512 }

  /// Empties the FIFO and starts it.
  ///
  ///     write 03 00, 66 (00 00)       off, nothing is stored
  ///     write 68 1F, 68 (00 00)       FIFO_RST asserted, then released; FIFO_MODE 0
  ///     read  0F … 1B                 discards an old overflow
  ///     write 66 (00 sources), 03 40  on
  ///     read  66, 03                  as written
  mutating func startFIFO() throws(SensorError) {
    try wire.write(ICM20948.Register.userControl, InvenSense.UserControl.off)
    try wire.write([ICM20948.Register.fifoSources, 0, 0])
    try wire.write(ICM20948.Register.fifoReset, 0x1F)
    try wire.write([ICM20948.Register.fifoReset, 0, 0])
    try endBursts()
    let sources: InlineArray<3, UInt8> = [
      ICM20948.Register.fifoSources, 0, ICM20948.SourcesField(configuration.fifoLayout).encoded,
    ]
    let control: InlineArray<2, UInt8> = [ICM20948.Register.userControl, InvenSense.UserControl.runFIFO]
    try wire.establish(sources, control)
  }

  /// Checks INT_PIN_CFG to INT_ENABLE_3, and remembers an overflow, which reading INT_STATUS_2 clears.
  ///
  ///     S | addr+W | 0F | Sr | addr+R | INT_PIN_CFG INT_ENABLE … INT_ENABLE_3 14 … 1A INT_STATUS_2 | P
  mutating func endBursts() throws(SensorError) {
    var bytes = InlineArray<13, UInt8>(repeating: 0)
    try wire.read(from: ICM20948.Register.interruptPin, into: &bytes)
    let wanted = configuration.interruptBytes
    for index in 0..<5 where bytes[index] != wanted[index] { throw .configurationLost }
    if bytes[12] & 0x1F != 0 { fifoIsBroken = true }
  }

  mutating func fifoCount() throws(SensorError) -> Int { Int(try wire.word(at: ICM20948.Register.fifoCount) & 0x1FFF) }

  mutating func readFIFO(_ length: Int, into bytes: inout InlineArray<240, UInt8>) throws(SensorError) {
    try wire.read(length, from: ICM20948.Register.fifoData, into: &bytes)
  }
}

extension ICM20948.Device: InvenSenseDriver where Bus: ~Copyable {
  var settings: ICM20948.Configuration { configuration }

  /// Determines how many records wait; if none does, also checks that the part is still configured.
  ///
  ///     read  70 -> count             2 bytes
  ///     read  0F … 1B                 if no record waits
  ///
  /// An overflow shifts the records. So a FIFO that has overflowed, or has room for at most three more records in 512
  /// bytes, is emptied and restarted; then nothing waits.
  ///
  /// - Throws: `configurationLost` (also if no FIFO is configured, and before ``proceed()`` has returned nil),
  ///   `configurationRejected` or `bus`.
  /// - Datasheet: DS-000189 rev. 1.6, FIFO_EN_2 to FIFO_R_W; that a record has the order of the data registers is
  ///   inferred.
  public mutating func waiting() throws(SensorError) -> WaitingSamples {
    try countWaiting()
  }

  /// Reads the oldest `count` records in bursts, then checks whether the FIFO overflowed meanwhile.
  ///
  ///     read  72 -> whole records     in bursts; the pointer stays at 72
  ///     read  0F … 1B
  ///
  /// After an overflow none of them is returned, because the records are shifted; nor after an error.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try takeRecords(count, into: &samples)
  }
}
