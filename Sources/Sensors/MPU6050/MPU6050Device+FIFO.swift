extension MPU6050.Device where Bus: ~Copyable {
  /// Moves measurements from the FIFO into `batch`, oldest first, until it is full or the FIFO holds no whole one.
  ///
  ///     read  72 -> count             2 bytes
  ///     read  74 -> whole records     in bursts; the pointer stays at 74
  ///     read  37 -> INT_PIN_CFG INT_ENABLE 39 INT_STATUS
  ///
  /// The last read shows whether the FIFO overflowed meanwhile, and whether the part still is as it was configured: no
  /// measurement is given away before that is known. An overflow shifts the records, as the FIFO holds no whole number
  /// of them; so it is emptied and begun anew where it overflowed, and, as Linux does, where no more than three would
  /// still fit in. The batch then is empty, tells how many were discarded, and follows a gap. So does the one after an
  /// error that left it unknown how many bytes were taken.
  ///
  /// To be called often enough that the FIFO never is that full: after 167 periods in the MPU-6050 with the specific
  /// force alone, 82 in the parts with half its FIFO. What does not fit into the batch stays for the next call; see
  /// `remaining`.
  ///
  /// - Throws: `configurationLost` (also where no FIFO is configured, and before ``proceed()`` has returned nil),
  ///   `configurationRejected` or `bus`. The batch is empty then.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 35, 58, 106, 114 to 116.
  /// - Source: Linux's inv_mpu6050 driver, `inv_mpu6050_read_fifo`.
  public mutating func drain<let capacity: Int>(into batch: inout MPU6050.Batch<capacity>) throws(SensorError) {
    batch.removeAll()
    guard phase == .measuring, let part, let fifo = configuration.fifo, configuration.usesFIFO else {
      throw .configurationLost
    }
    if !fifoIsBroken {
      let size = configuration.fifoLayout.size
      let bytes = try fifoCount()
      batch.remaining = bytes / size
      fifoIsBroken = bytes &+ 3 &* size >= Int(part.fifoSize)
      if !fifoIsBroken { try drain(fifo, part, into: &batch) }
    }
    guard fifoIsBroken else { return }
    let discarded = batch.count &+ batch.remaining
    batch.removeAll()
    try startFIFO()
    batch.discarded = discarded
    batch.followsGap = true
  }

  /// Empties the FIFO and starts it.
  ///
  ///     write 6A 00, 23 00, 6A 04     off, nothing goes in, FIFO_RESET
  ///     read  37 -> INT_PIN_CFG INT_ENABLE 39 INT_STATUS      an old overflow is forgotten
  ///     write 23 sources, 6A 40       on
  ///     read  23, 6A                  as written
  mutating func startFIFO() throws(SensorError) {
    try write(.userControl, MPU6050.UserControl.off)
    try write(.fifoSources, MPU6050.SourcesField.none)
    try write(.userControl, MPU6050.UserControl.resetFIFO)
    _ = try watch()
    let sources: InlineArray<2, UInt8> = [
      MPU6050.Register.fifoSources.rawValue, MPU6050.SourcesField(configuration.fifoLayout).encoded,
    ]
    let control: InlineArray<2, UInt8> = [MPU6050.Register.userControl.rawValue, MPU6050.UserControl.runFIFO]
    try write(sources.span)
    try write(control.span)
    try verify(sources)
    try verify(control)
    fifoIsBroken = false
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  private mutating func fifoCount() throws(SensorError) -> Int {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: .fifoCount, into: &span)
    return Int(bytes[0]) &<< 8 | Int(bytes[1])
  }

  /// Moves as many of the `remaining` records as fit in; leaves the batch empty where it throws.
  private mutating func drain<let capacity: Int>(
    _ fifo: MPU6050.FIFO, _ part: MPU6050.Part, into batch: inout MPU6050.Batch<capacity>
  ) throws(SensorError) {
    let recordsPerBurst = fifo.recordsPerBurst(configuration.fifoLayout)
    do {
      while batch.remaining > 0 && batch.room > 0 {
        let records = min(recordsPerBurst, min(batch.remaining, batch.room))
        try drain(records, part, into: &batch)
        batch.remaining &-= records
      }
      _ = try watch()
    } catch {
      // Bytes may have been taken, and what was taken cannot be trusted.
      fifoIsBroken = true
      batch.removeAll()
      throw error
    }
  }

  /// Moves `records` records in one burst.
  private mutating func drain<let capacity: Int>(
    _ records: Int, _ part: MPU6050.Part, into batch: inout MPU6050.Batch<capacity>
  ) throws(SensorError) {
    let layout = configuration.fifoLayout
    var bytes = InlineArray<240, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: .fifoData, into: &span, count: records &* layout.size)
    for record in 0..<records {
      batch.append(MPU6050.motion(bytes.span, at: record &* layout.size, layout, configuration, part))
    }
  }

  /// Reads the watched registers by themselves; returns INT_STATUS.
  mutating func watch() throws(SensorError) -> UInt8 {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: .interruptPin, into: &span)
    return try watch(bytes[0], bytes[1], bytes[3])
  }
}
