internal import FixedPoint
internal import HAL

extension ADXL345.Device where Bus: ~Copyable {
  /// Reads all samples that wait in the FIFO into `batch`, oldest first, in place of what it held.
  ///
  ///     S | addr+W | 38 | Sr | addr+R | FIFO_CTL FIFO_STATUS | P                              how many wait
  ///     S | addr+W | 32 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 FIFO_CTL FIFO_STATUS | P            for each of them
  ///     S | addr+W | 2B | Sr | addr+R | ACT_TAP_STATUS … INT_SOURCE | P                       is there one more?
  ///
  /// An entry is read in one burst, so none is torn, and as many are read as there are, so none comes twice. The sample
  /// that may wait in the output register besides is read when DATA_READY says so; other events that this look at
  /// INT_SOURCE clears are kept for ``events()``. FIFO_CTL in each burst shows a lost configuration, FIFO_STATUS behind it
  /// a FIFO that was full before the burst (31 entries are left), however long the reader was held up in between. The 5 µs
  /// between the data and FIFO_STATUS are met by the byte that lies between them, 22.5 µs at 400 kHz.
  ///
  /// Without a FIFO the batch is empty, and in trigger mode until the trigger has come; what was retained for it stays.
  ///
  /// - Throws: `configurationLost` or `bus`. What was read before is in the batch, and nowhere else; the next continues.
  /// - Datasheet: Rev. E, "Retrieving data from FIFO" and register 0x39.
  public mutating func drain(into batch: inout ADXL345.Batch) throws(SensorError) {
    batch = ADXL345.Batch()
    guard !isUnsettled else { throw .configurationLost }
    guard configuration.fifo != .bypass else { return }
    batch.mayLackSamples = lacksSamples
    do throws(SensorError) {
      try fill(&batch)
      lacksSamples = false
    } catch {
      lacksSamples = lacksSamples || batch.mayLackSamples
      throw error
    }
  }

  private mutating func fill(_ batch: inout ADXL345.Batch) throws(SensorError) {
    let status = try fifoStatus()
    hasTriggered = hasTriggered || status.hasTriggered
    if case .trigger = configuration.fifo, !hasTriggered { return }
    var left = status.entries
    // No more than were there at first and no more than are left, so that a count that came wrong repeats no sample.
    while left > 0 { left = min(left &- 1, try readEntry(into: &batch)) }
    if try latchEvents().contains(.dataReady) { _ = try readEntry(into: &batch) }
  }

  private mutating func fifoStatus() throws(SensorError) -> ADXL345.FIFOStatusField {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: .fifoControl, into: &span)
    return try checked(control: bytes[0], status: bytes[1])
  }

  /// Reads one entry; returns how many are left behind it.
  private mutating func readEntry(into batch: inout ADXL345.Batch) throws(SensorError) -> UInt8 {
    var bytes = InlineArray<8, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    do throws(SensorError) {
      try read(from: .data, into: &span)
    } catch {
      lacksSamples = lacksSamples || error.mayHaveReadSomething
      throw error
    }
    let status = try checked(control: bytes[6], status: bytes[7])
    if status.entries >= 31 { batch.mayLackSamples = true }
    batch.append(
      configuration.dataFormat.specificForce((bytes[0], bytes[1]), (bytes[2], bytes[3]), (bytes[4], bytes[5])))
    return status.entries
  }

  /// The status, if FIFO_CTL is as written and the status such as the part can give.
  private func checked(control: UInt8, status: UInt8) throws(SensorError) -> ADXL345.FIFOStatusField {
    guard control == configuration.fifo.field.encoded, let field = ADXL345.FIFOStatusField(decoding: status) else {
      throw .configurationLost
    }
    return field
  }
}

extension SensorError {
  /// Whether the transaction may have read bytes before it failed.
  fileprivate var mayHaveReadSomething: Bool {
    switch self {
    case .bus(.noAcknowledge), .bus(.unsupported), .bus(.notPermitted), .bus(.busy), .bus(.unavailable): false
    default: true
    }
  }
}
