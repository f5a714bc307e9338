extension ADXL345 {
  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part makes a sample.
    public var rate: OutputDataRate
    /// The largest specific force it measures.
    public var range: Range
    /// How finely it measures.
    public var resolution: Resolution
    /// Whether it saves current at the cost of noise: about half of it from 12.5 to 400 Hz.
    ///
    /// At the other rates nothing would be saved, so there the bit stays 0 and the noise low.
    ///
    /// - Datasheet: Rev. E, tables 7 and 8.
    public var isLowPower: Bool
    /// What the part adds to every sample. It forgets them with its supply; every `start()` writes them again.
    public var offsets: Offsets
    /// Whether and how samples wait in the part.
    public var fifo: FIFO
    /// The events that the part looks for by itself.
    public var detection: Detection
    /// What drives the interrupt pins.
    public var interrupts: Interrupts

    /// A configuration; the defaults are 100 Hz and ±16 g in full resolution, and nothing else.
    public init(
      rate: OutputDataRate = .hz100, range: Range = .g16, resolution: Resolution = .full, isLowPower: Bool = false,
      offsets: Offsets = Offsets(), fifo: FIFO = .bypass, detection: Detection = Detection(),
      interrupts: Interrupts = Interrupts()
    ) {
      self.rate = rate
      self.range = range
      self.resolution = resolution
      self.isLowPower = isLowPower
      self.offsets = offsets
      self.fifo = fifo
      self.detection = detection
      self.interrupts = interrupts
    }
  }
}

extension ADXL345.Configuration {
  /// BW_RATE.
  var rateField: ADXL345.RateField {
    ADXL345.RateField(rate: rate, isLowPower: isLowPower && rate.savesCurrentInLowPower)
  }

  /// DATA_FORMAT: never its reset value 0x00, so that a part which has lost its configuration shows it.
  ///
  /// ±2 g in ten bits is written as ±2 g in full resolution: both are 10 bits of 1/256 g.
  ///
  /// - Datasheet: Rev. E, table 1, "Output resolution" and "Sensitivity".
  var dataFormat: ADXL345.DataFormatField {
    var field = ADXL345.DataFormatField(range: range, isFullResolution: resolution == .full || range == .g2)
    field.invertsInterrupts = interrupts.isActiveLow
    return field
  }

  /// INT_ENABLE: the events looked for, which the part does not look for otherwise, and the conditions signalled.
  var enabledInterrupts: ADXL345.Events { detection.events.union(interrupts.conditions.intersection(.conditions)) }
}
