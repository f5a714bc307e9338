public import FixedPoint
internal import HAL

extension ADXL345.Device where Bus: ~Copyable {
  /// Checks the rate against the bus and the identity, then configures every register in use and reads each back;
  /// measuring starts last.
  ///
  ///     read  00 -> E5              identity
  ///     write 2D 00                 standby
  ///     write 2E 00                 no interrupts while the rest changes
  ///     write 1E x y z              offsets; where events are looked for, 1D … 2A with their thresholds and times
  ///     write 2C rate
  ///     write 31 format
  ///     write 38 00                 FIFO emptied; a trigger can come again
  ///     read  32 … 37               where there is a FIFO or an interrupt: the last sample is thrown away
  ///     write 38 mode               where there is a FIFO
  ///     write 2F map                where anything drives a pin
  ///     read  1E … or 1D …, 2C … 31, 38    as written
  ///     write 2E on, read 2E        where anything drives a pin; what happened before is forgotten
  ///     write 2D 08, read 2D        measure
  ///
  /// Returns the time until the first sample is settled: 1.1 ms and two sample periods; four more after a self-test that was
  /// broken off.
  ///
  /// - Throws: `rateTooHigh` before any transaction, `unexpectedIdentity` before anything is written,
  ///   `configurationRejected` or `bus`. The part may then be half configured; ``sample()`` refuses to read it.
  /// - Datasheet: Rev. E, "Power sequencing", "Interrupts" (functions and mapping before enabling) and table 7 (turn-on
  ///   time).
  public mutating func start() throws(SensorError) -> Microseconds {
    let wait = try configure(configuration)
    isUnsettled = false
    isPushed = false
    return wait
  }

  /// Sets the part up as `wanted` says, and lets it measure. Leaves it unsettled: that is for the caller to lift.
  /// Returns what `start()` does.
  mutating func configure(_ wanted: ADXL345.Configuration) throws(SensorError) -> Microseconds {
    try wanted.rate.check(against: bus.frequency)
    isUnsettled = true
    let identity = try read(.identity)
    guard identity == ADXL345.identity else { throw .unexpectedIdentity(found: identity, expected: ADXL345.identity) }
    let enabled = wanted.enabledInterrupts
    try write(.power, ADXL345.Power.standby)
    try write(.interruptEnable, 0)
    try writeFunctions(wanted)
    try write(.rate, wanted.rateField.encoded)
    try write(.dataFormat, wanted.dataFormat.encoded)
    try writeFIFO(wanted)
    if !enabled.isEmpty { try write(.interruptMap, wanted.interrupts.onInterrupt2.rawValue) }
    try verify(wanted)
    if !enabled.isEmpty {
      try write(.interruptEnable, enabled.rawValue)
      try verify(0x2E, wrote: enabled.rawValue, read: try read(.interruptEnable))
    }
    try write(.power, ADXL345.Power.measure)
    try verify(0x2D, wrote: ADXL345.Power.measure, read: try read(.power))
    return wanted.rate.period * (isPushed ? 6 : 2) + Microseconds(1_100)
  }

  /// Empties the FIFO and the output register, then sets the mode.
  private mutating func writeFIFO(_ wanted: ADXL345.Configuration) throws(SensorError) {
    lacksSamples = false
    hasTriggered = false
    try write(.fifoControl, 0)
    guard wanted.fifo != .bypass || !wanted.enabledInterrupts.isEmpty else { return }
    var old = InlineArray<6, UInt8>(repeating: 0)
    var span = old.mutableSpan
    try read(from: .data, into: &span)
    if wanted.fifo != .bypass { try write(.fifoControl, wanted.fifo.field.encoded) }
  }

  /// The offsets alone, or the whole block that they lie in.
  private mutating func writeFunctions(_ wanted: ADXL345.Configuration) throws(SensorError) {
    let block = wanted.functionBlock
    guard !wanted.detection.events.isEmpty else {
      let bytes: InlineArray<4, UInt8> = [ADXL345.Register.offsetX.rawValue, block[1], block[2], block[3]]
      return try write(bytes.span)
    }
    var bytes = InlineArray<15, UInt8>(repeating: ADXL345.Register.tapThreshold.rawValue)
    for index in block.indices { bytes[index &+ 1] = block[index] }
    try write(bytes.span)
  }

  private mutating func verify(_ wanted: ADXL345.Configuration) throws(SensorError) {
    try verifyFunctions(wanted)
    // 0x2C rate, 0x2D power, 0x2E interrupt enable, 0x2F map, 0x30 source (old events are forgotten), 0x31 data format.
    var block = InlineArray<6, UInt8>(repeating: 0)
    var span = block.mutableSpan
    try read(from: .rate, into: &span)
    try verify(0x2C, wrote: wanted.rateField.encoded, read: block[0])
    try verify(0x2D, wrote: ADXL345.Power.standby, read: block[1])
    try verify(0x2E, wrote: 0, read: block[2])
    if !wanted.enabledInterrupts.isEmpty {
      try verify(0x2F, wrote: wanted.interrupts.onInterrupt2.rawValue, read: block[3])
    }
    try verify(0x31, wrote: wanted.dataFormat.encoded, read: block[5])
    try verify(0x38, wrote: wanted.fifo.field.encoded, read: try read(.fifoControl))
    pendingEvents = .none
  }

  private mutating func verifyFunctions(_ wanted: ADXL345.Configuration) throws(SensorError) {
    let block = wanted.functionBlock
    guard !wanted.detection.events.isEmpty else {
      var found = InlineArray<3, UInt8>(repeating: 0)
      var span = found.mutableSpan
      try read(from: .offsetX, into: &span)
      for index in 0..<3 {
        try verify(0x1E &+ UInt8(truncatingIfNeeded: index), wrote: block[index &+ 1], read: found[index])
      }
      return
    }
    var found = InlineArray<14, UInt8>(repeating: 0)
    var span = found.mutableSpan
    try read(from: .tapThreshold, into: &span)
    for index in 0..<14 {
      try verify(0x1D &+ UInt8(truncatingIfNeeded: index), wrote: block[index], read: found[index])
    }
  }

  private func verify(_ register: UInt8, wrote: UInt8, read: UInt8) throws(SensorError) {
    guard wrote == read else { throw .configurationRejected(register: register, wrote: wrote, read: read) }
  }
}

extension ADXL345.Configuration {
  /// THRESH_TAP to TAP_AXES, registers 0x1D to 0x2A; 0 where an event is not looked for.
  var functionBlock: InlineArray<14, UInt8> {
    let tap = detection.tap
    let sides = ADXL345.ActivityField(
      activity: detection.activity?.side ?? ADXL345.ActivityField.Side(),
      inactivity: detection.inactivity?.side ?? ADXL345.ActivityField.Side())
    return [
      tap?.thresholdSteps.rawValue ?? 0, UInt8(bitPattern: offsets.x), UInt8(bitPattern: offsets.y),
      UInt8(bitPattern: offsets.z), tap?.durationSteps.rawValue ?? 0, tap?.second?.latencySteps.rawValue ?? 0,
      tap?.second?.windowSteps.rawValue ?? 0, detection.activity?.thresholdSteps.rawValue ?? 0,
      detection.inactivity?.thresholdSteps.rawValue ?? 0, detection.inactivity?.timeSteps.rawValue ?? 0, sides.encoded,
      detection.freeFall?.thresholdSteps.rawValue ?? 0, detection.freeFall?.timeSteps.rawValue ?? 0,
      tap?.axesField.encoded ?? 0,
    ]
  }
}
