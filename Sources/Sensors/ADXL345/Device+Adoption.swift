internal import HAL

extension ADXL345.Device where Bus: ~Copyable {
  /// Looks whether the part runs already exactly as ``start()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 00 | Sr | addr+R | DEVID | P
  ///     S | addr+W | 1D | Sr | addr+R | THRESH_TAP … INT_MAP | P
  ///     S | addr+W | 31 | Sr | addr+R | DATA_FORMAT | P
  ///     S | addr+W | 38 | Sr | addr+R | FIFO_CTL | P
  ///
  /// Every register that ``start()`` would write is compared; the first read that differs is the last. What lies between
  /// the bursts is not touched, because reading it does something: INT_SOURCE (0x30) forgets events, the data registers
  /// give a sample of the FIFO away, and 0x01 to 0x1C are reserved.
  ///
  /// A part that somebody else has begun to run less than 1.1 ms and two periods ago may not have settled: its first
  /// samples may be all zero. A FIFO is shared with whoever else reads it; so the first batch is said to lack samples.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, and after false, ``sample()`` refuses to read.
  /// - Datasheet: Rev. E, "Register map" and registers 0x1D to 0x39.
  public mutating func adopt() throws(SensorError) -> Bool {
    try configuration.rate.check(against: bus.frequency)
    isUnsettled = true
    guard !isPushed, try runsAsConfigured() else { return false }
    lacksSamples = configuration.fifo != .bypass
    hasTriggered = false
    pendingEvents = .none
    isUnsettled = false
    return true
  }

  private mutating func runsAsConfigured() throws(SensorError) -> Bool {
    guard try read(.identity) == ADXL345.identity else { return false }
    var block = InlineArray<19, UInt8>(repeating: 0)
    var span = block.mutableSpan
    try read(from: .tapThreshold, into: &span)
    let enabled = configuration.enabledInterrupts
    // 0x2C rate, 0x2D power, 0x2E interrupt enable, 0x2F map.
    guard hasFunctions(block), block[15] == configuration.rateField.encoded, block[16] == ADXL345.Power.measure,
      block[17] == enabled.rawValue, enabled.isEmpty || block[18] == configuration.interrupts.onInterrupt2.rawValue,
      try read(.dataFormat) == configuration.dataFormat.encoded
    else { return false }
    return try read(.fifoControl) == configuration.fifo.field.encoded
  }

  /// Whether the registers from 0x1D on are as written: the offsets, and thresholds and times where they are in use.
  private func hasFunctions(_ found: InlineArray<19, UInt8>) -> Bool {
    let wanted = configuration.functionBlock
    let isWhole = !configuration.detection.events.isEmpty
    for index in 0..<14 where (isWhole || (index >= 1 && index <= 3)) && found[index] != wanted[index] { return false }
    return true
  }
}
