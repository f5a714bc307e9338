internal import HAL

extension ADXL345.Device where Bus: ~Copyable {
  /// What has happened since the last call; reading clears the events, so each is told once.
  ///
  ///     S | addr+W | 2B | Sr | addr+R | ACT_TAP_STATUS BW_RATE POWER_CTL INT_ENABLE INT_MAP INT_SOURCE | P
  ///
  /// One burst: the axes before INT_SOURCE, whose reading lets new ones be written over them, and between the two the
  /// registers that show a lost configuration. Conditions (data ready, watermark, overrun) are those of this moment.
  ///
  /// - Throws: `configurationLost` or `bus`. Events that a read which failed has cleared are lost.
  /// - Datasheet: Rev. E, registers 0x2B and 0x30.
  public mutating func events() throws(SensorError) -> ADXL345.EventReport {
    guard !isUnsettled else { throw .configurationLost }
    let report = try latchReport()
    pendingEvents = .none
    return report
  }

  /// Reads the events and keeps them for `events()`. Returns events and conditions.
  mutating func latchEvents() throws(SensorError) -> ADXL345.Events { try latchReport().events }

  private mutating func latchReport() throws(SensorError) -> ADXL345.EventReport {
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: .tapStatus, into: &span)
    let enabled = configuration.enabledInterrupts
    guard bytes[1] == configuration.rateField.encoded, bytes[2] == ADXL345.Power.measure, bytes[3] == enabled.rawValue,
      enabled.isEmpty || bytes[4] == configuration.interrupts.onInterrupt2.rawValue,
      let axes = ADXL345.TapStatusField(decoding: bytes[0])
    else { throw .configurationLost }
    let events = pendingEvents.union(ADXL345.Events(rawValue: bytes[5]))
    pendingEvents = events.intersection(ADXL345.Events(rawValue: ~ADXL345.Events.conditions.rawValue))
    return ADXL345.EventReport(events: events, activityAxes: axes.activityAxes, tapAxes: axes.tapAxes)
  }
}
