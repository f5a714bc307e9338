public import FixedPoint

extension MPU6050.Device where Bus: ~Copyable {
  /// Checks the identity, then tells the part to reset itself.
  ///
  ///     read  75 -> identity
  ///     write 6B 80           DEVICE_RESET
  ///
  /// Returns the 100 ms that the reset takes; ``proceed()`` does the rest.
  ///
  /// - Throws: `rateTooHigh` where the bus could not carry the samples, `unexpectedIdentity` for an unknown part, one
  ///   that has to be asked for, and one that cannot do what the configuration asks for; or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 107 and 117.
  public mutating func start() throws(SensorError) -> Microseconds {
    phase = .idle
    part = nil
    notice = nil
    try checkRate()
    let found = try read(.identity)
    guard let part = MPU6050.Part(rawValue: found), part.supports(configuration),
      part.admission != .onlyIfAsked || configuration.acceptsUnverifiedParts
    else { throw .unexpectedIdentity(found: found, expected: MPU6050.identity) }
    self.part = part
    notice = part.admission == .accepted ? nil : .compatiblePart(identity: found)
    try write(.power, MPU6050.PowerField.reset)
    phase = .resetting(questionsLeft: 10)
    return .milliseconds(100)
  }

  /// Goes on with a start: asks whether the reset is over, wakes the part up, configures it, starts its FIFO.
  ///
  ///     read  6B              until bit 7 is 0, every 10 ms, 11 times at most
  ///     write 6B clock        awake
  ///     write 68 07           all signal paths reset; then 100 ms
  ///     write 6A 00, 23 00, 19 (rate, filter, ranges), [1D filter], 37 (pin, interrupts), 6C standby, 6B clock
  ///     read  19, 23, 37, 6A  as written; then until samples are settled
  ///     [the FIFO is started, see `drain(into:)`]
  ///
  /// The clock is the gyroscope's where that is on; else, in the MPU-6050, the internal oscillator. The registers 1D
  /// (and 1E in cycle mode) are written only where they are. The map asks for SIGNAL_PATH_RESET on SPI only; Linux
  /// always does it, and so does this driver.
  ///
  /// Samples are settled after 50 ms (100 ms with the gyroscope), two delays of the filter and one period.
  ///
  /// - Throws: `resetTimedOut`, `configurationRejected` or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 104 and 107; PS-MPU-6000A rev. 3.4, 6.1 (start-up times).
  public mutating func proceed() throws(SensorError) -> Microseconds? {
    guard let part else { return try start() }
    switch phase {
    case .idle: return try start()
    case .resetting(let questionsLeft): return try wakeUp(part, questionsLeft)
    case .waking:
      try configure(part, configuration)
      phase = .settling
      return settlingTime(part, configuration)
    case .settling:
      if configuration.usesFIFO { try startFIFO() }
      samplesUntilWatch = configuration.samplesBetweenWatches
      isSuspicious = false
      phase = .measuring
      return nil
    case .measuring: return nil
    }
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  private mutating func wakeUp(_ part: MPU6050.Part, _ questionsLeft: UInt8) throws(SensorError) -> Microseconds {
    guard try !read(.power).has(bit: 7) else {
      guard questionsLeft > 0 else {
        phase = .idle
        throw .resetTimedOut
      }
      phase = .resetting(questionsLeft: questionsLeft &- 1)
      return .milliseconds(10)
    }
    try write(.power, configuration.powerByte(of: part))
    try write(.signalPathReset, MPU6050.SignalPath.resetAll)
    phase = .waking
    return .milliseconds(100)
  }

  /// Writes every register in use, power last, and reads each back.
  ///
  /// After an error other than of the bus the part is idle: what it does is not known.
  mutating func configure(_ part: MPU6050.Part, _ configuration: MPU6050.Configuration) throws(SensorError) {
    do {
      try writeConfiguration(part, configuration)
    } catch {
      if case .configurationRejected = error { phase = .idle }
      throw error
    }
  }

  private mutating func writeConfiguration(_ part: MPU6050.Part, _ configuration: MPU6050.Configuration)
    throws(SensorError)
  {
    let rates: InlineArray<5, UInt8> = [
      MPU6050.Register.sampleRateDivider.rawValue, configuration.rate.divider,
      MPU6050.FilterField(filter: configuration.filter).encoded, configuration.gyroscopeByte,
      MPU6050.AccelerometerField(range: configuration.range).encoded,
    ]
    let pin: InlineArray<3, UInt8> = [
      MPU6050.Register.interruptPin.rawValue, configuration.interruptPinByte, configuration.interruptEnableByte,
    ]
    let power: InlineArray<4, UInt8> = [
      MPU6050.Register.userControl.rawValue, MPU6050.UserControl.off, configuration.powerByte(of: part),
      configuration.standbyByte(of: part),
    ]
    try write(.userControl, MPU6050.UserControl.off)
    try write(.fifoSources, MPU6050.SourcesField.none)
    try write(rates.span)
    if part.hasAccelerometerFilter {
      try write(.accelerometerFilter, configuration.accelerometerFilterByte)
      if let rate = configuration.cycleRate { try write(.cycleRate, rate.lowPowerCode) }
    }
    try write(pin.span)
    try write(.standby, power[3])
    try write(.power, power[2])
    try verify(rates)
    if part.hasAccelerometerFilter { try verifyLaterRegisters(configuration) }
    let sources: InlineArray<2, UInt8> = [MPU6050.Register.fifoSources.rawValue, MPU6050.SourcesField.none]
    try verify(sources)
    try verify(pin)
    try verify(power)
  }

  private mutating func verifyLaterRegisters(_ configuration: MPU6050.Configuration) throws(SensorError) {
    let filter = configuration.accelerometerFilterByte
    if let rate = configuration.cycleRate {
      let bytes: InlineArray<3, UInt8> = [MPU6050.Register.accelerometerFilter.rawValue, filter, rate.lowPowerCode]
      try verify(bytes)
    } else {
      let bytes: InlineArray<2, UInt8> = [MPU6050.Register.accelerometerFilter.rawValue, filter]
      try verify(bytes)
    }
  }

  /// How long after `configure` the first settled sample is there.
  func settlingTime(_ part: MPU6050.Part, _ configuration: MPU6050.Configuration) -> Microseconds {
    guard configuration.cycleRate == nil else { return .milliseconds(50) + configuration.period * 2 }
    let startUp = Microseconds.milliseconds(configuration.gyroscope == nil ? 50 : 100)
    return startUp + configuration.filter.delay(of: part) * 2 + configuration.period
  }
}
