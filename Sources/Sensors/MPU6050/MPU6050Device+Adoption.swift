internal import HAL

extension MPU6050.Device where Bus: ~Copyable {
  /// Looks whether the part runs already exactly as ``start()`` and ``proceed()`` would leave it; writes nothing.
  ///
  ///     S | addr+W | 75 | Sr | addr+R | WHO_AM_I | P
  ///     S | addr+W | 6A | Sr | addr+R | USER_CTRL PWR_MGMT_1 PWR_MGMT_2 | P
  ///     S | addr+W | 19 | Sr | addr+R | SMPLRT_DIV CONFIG GYRO_CONFIG ACCEL_CONFIG [ACCEL_CONFIG2 [LP_ACCEL_ODR]] | P
  ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE | P
  ///     S | addr+W | 23 | Sr | addr+R | FIFO_EN | P
  ///
  /// Every register that a start would write is compared, but SIGNAL_PATH_RESET, which cannot be read; the first read
  /// that differs is the last. What lies between the bursts is not touched: reading INT_STATUS (0x3A) or I2C_MST_STATUS
  /// (0x36) clears it, FIFO_R_W (0x74) takes a byte away, and the maps are silent about the rest. A part that was told to
  /// clear its interrupt by any read (INT_RD_CLEAR) clears it by these.
  ///
  /// A part that somebody else has begun to run just now may not have settled: its first samples may be all zero. A FIFO
  /// is shared with whoever else reads it: ``drain(into:)`` begins it anew.
  ///
  /// - Throws: `rateTooHigh` before any transaction, or `bus`. After that, and after false, begin with ``start()``.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 25 to 117; RM-MPU-6500A rev. 2.1, registers 29 and 30.
  public mutating func adopt() throws(SensorError) -> Bool {
    phase = .idle
    part = nil
    notice = nil
    try checkRate()
    let found = try read(.identity)
    guard let part = MPU6050.Part(rawValue: found), part.supports(configuration),
      part.admission != .onlyIfAsked || configuration.acceptsUnverifiedParts, try runsAsConfigured(part)
    else { return false }
    self.part = part
    notice = part.admission == .accepted ? nil : .compatiblePart(identity: found)
    // As after a start: the first samples are read without INT_STATUS.
    samplesUntilWatch = configuration.samplesBetweenWatches
    isSuspicious = false
    fifoIsBroken = configuration.usesFIFO
    phase = .measuring
    return true
  }

  private mutating func runsAsConfigured(_ part: MPU6050.Part) throws(SensorError) -> Bool {
    let usesFIFO = configuration.usesFIFO
    let power: InlineArray<6, UInt8> = [
      usesFIFO ? MPU6050.UserControl.runFIFO : MPU6050.UserControl.off, configuration.powerByte(of: part),
      configuration.standbyByte(of: part), 0, 0, 0,
    ]
    let rates: InlineArray<6, UInt8> = [
      configuration.rate.divider, MPU6050.FilterField(filter: configuration.filter).encoded,
      configuration.gyroscopeByte, MPU6050.AccelerometerField(range: configuration.range).encoded,
      configuration.accelerometerFilterByte, configuration.cycleRate?.lowPowerCode ?? 0,
    ]
    let rateCount = !part.hasAccelerometerFilter ? 4 : configuration.cycleRate == nil ? 5 : 6
    let pin: InlineArray<6, UInt8> = [configuration.interruptPinByte, configuration.interruptEnableByte, 0, 0, 0, 0]
    let sources = usesFIFO ? MPU6050.SourcesField(configuration.fifoLayout).encoded : MPU6050.SourcesField.none
    guard try holds(power, 3, from: .userControl), try holds(rates, rateCount, from: .sampleRateDivider),
      try holds(pin, 2, from: .interruptPin)
    else { return false }
    return try read(.fifoSources) == sources
  }

  /// Whether the `count` registers from `register` on hold the first bytes of `wanted`.
  private mutating func holds(_ wanted: InlineArray<6, UInt8>, _ count: Int, from register: MPU6050.Register)
    throws(SensorError) -> Bool
  {
    var found = InlineArray<6, UInt8>(repeating: 0)
    var span = found.mutableSpan
    try read(from: register, into: &span, count: count)
    for index in 0..<count where found[index] != wanted[index] { return false }
    return true
  }
}
