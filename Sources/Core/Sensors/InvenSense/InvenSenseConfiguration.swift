public import FixedPoint

extension InvenSense {
  /// The configuration of a part.
  public struct Configuration<Part: Model>: Equatable, Sendable {
    /// The sample rate. Default 100 Hz; of an ICM-20948 102.3 Hz.
    public var rate: Part.SampleRate
    /// The largest specific force it measures. Default ±4 g.
    public var range: Range
    /// The low-pass filter for accelerometer and gyroscope. Default 44 Hz; of an ICM-20948 50 Hz.
    public var filter: Part.Filter
    /// The range of the gyroscope; nil for off, which saves 3 mA. Default nil.
    public var gyroscope: GyroscopeRange?
    /// What drives the interrupt pin, and how. Default: nothing.
    public var interrupts: Interrupts
    /// What is stored in the FIFO; nil for no FIFO. Default nil.
    public var fifo: FIFO?
    /// How many samples to take per check of the configuration, which is read along with a sample, or by a second read
    /// (ICM-20948); nil for one check per second at the nominal rate. Default nil; 0 counts as 1.
    public var samplesPerWatch: UInt16?
    /// Whether to use a part of which only hearsay is known (`Admission.onlyIfAsked`). Default false. No ICM-20948 is
    /// such a part.
    public var acceptsUnverifiedParts: Bool

    /// A configuration; the defaults are ±4 g, about 100 Hz with a filter of about half of that, and everything else
    /// off.
    public init(
      rate: Part.SampleRate = Part.usualRate, range: Range = .g4, filter: Part.Filter = Part.usualFilter,
      gyroscope: GyroscopeRange? = nil, interrupts: Interrupts = Interrupts(), fifo: FIFO? = nil,
      samplesPerWatch: UInt16? = nil, acceptsUnverifiedParts: Bool = false
    ) {
      self.rate = rate
      self.range = range
      self.filter = filter
      self.gyroscope = gyroscope
      self.interrupts = interrupts
      self.fifo = fifo
      self.samplesPerWatch = samplesPerWatch
      self.acceptsUnverifiedParts = acceptsUnverifiedParts
    }
  }
}

extension InvenSense.Configuration: DriverConfiguration {
  /// The lowest output data rate that provides the wanted rate, and the filter for it. The configuration is checked
  /// once a second at the wanted rate.
  public init(_ wanted: SensorConfiguration) {
    let rate = Part.SampleRate(atLeastMillihertz: wanted.outputMillihertz) ?? Part.SampleRate(divider: 0)
    let samples = wanted.millihertz / 1_000
    // The default is the sensor's own rate.
    let isDefault = samples == Int32(rate.samplesPerSecond)
    let gyroscope = wanted.rangeInDegreesPerSecond.flatMap { InvenSense.GyroscopeRange(degreesPerSecond: $0) }
    // The content of a sample without the FIFO.
    let isTurning = gyroscope != nil
    self.init(
      rate: rate, range: InvenSense.Range(g: wanted.rangeInG) ?? .g4,
      filter: Part.filter(atMillihertz: wanted.millihertz), gyroscope: gyroscope,
      interrupts: InvenSense.Interrupts(signalsDataReady: wanted.signalsDataReady),
      fifo: wanted.batch > 1
        ? InvenSense.FIFO(includesTemperature: isTurning, includesRotation: isTurning, longestBurst: 240) : nil,
      samplesPerWatch: isDefault ? nil : UInt16(truncatingIfNeeded: samples),
      acceptsUnverifiedParts: wanted.acceptsUnverifiedParts)
  }

  /// The nominal time from one sample to the next, rounded to 1 µs.
  ///
  /// An MPU-6050's own clock is off by at most 1 % with the gyroscope on, and at most 5 % at room temperature without;
  /// that of an ICM-20948 by at most 9 % with the gyroscope on, and 5 % without.
  ///
  /// - Datasheet: PS-MPU-6000A rev. 3.4; DS-000189 rev. 1.6, table 4.
  public var period: Microseconds { rate.period }

  /// Rejects a sample rate that a bus of `frequency` hertz cannot follow; with an unknown frequency, no rate is
  /// rejected.
  ///
  /// - Throws: `rateTooHigh` if samples come faster than the bus can carry them.
  public func check(against frequency: UInt32?) throws(SensorError) {
    try rate.check(bits: Part.bitsPerSample(self), against: frequency)
  }

  /// Whether the part can do what is configured.
  public func isSupported(by identity: UInt8) -> Bool { Part.supports(self, identity: identity) }
}

extension InvenSense.Configuration {
  /// Whether the FIFO is used.
  public var usesFIFO: Bool { fifo != nil }

  /// Whether the gyroscope is on.
  var usesGyroscope: Bool { gyroscope != nil }

  /// The largest specific force on one axis that is not clipped, in g: one LSB below the range.
  var fullScale: Q16 { Q16(raw: 32_767 &* range.unit) }

  /// The largest rate of rotation about one axis that is not clipped, in °/s: one LSB below the range.
  var rotationFullScale: Q16? { gyroscope.map { InvenSense.rotation(32_767, range: $0) } }

  /// The content of a record in the FIFO.
  var fifoLayout: InvenSense.RecordLayout {
    InvenSense.RecordLayout(
      hasTemperature: fifo?.includesTemperature == true, hasRotation: fifo?.includesRotation == true && usesGyroscope)
  }

  /// The number of samples between two checks of the configuration.
  var samplesBetweenWatches: UInt16 { max(1, samplesPerWatch ?? rate.samplesPerSecond) &- 1 }

  /// How long after the configuration the first settled sample is available: after the start of the sensors, in
  /// milliseconds with the gyroscope off or on, two delays of the filter and one period.
  func settlingTime(still: Int64, turning: Int64, filter delay: Microseconds) -> Microseconds {
    Microseconds.milliseconds(usesGyroscope ? turning : still) + delay * 2 + period
  }

  /// INT_PIN_CFG.
  var pinByte: UInt8 { InvenSense.InterruptPinField(interrupts, withFIFO: usesFIFO).encoded }

  /// INT_PIN_CFG while the part watches for movement: the pin is driven until INT_STATUS is read.
  var watchPinByte: UInt8 {
    var pin = interrupts
    (pin.isLatched, pin.isClearedByAnyRead) = (true, false)
    return InvenSense.InterruptPinField(pin, withFIFO: false).encoded
  }

  /// PWR_MGMT_2.
  var standbyByte: UInt8 { InvenSense.StandbyField(gyroscopeIsOn: usesGyroscope).encoded }

  /// The bits on the bus of a sample in the FIFO, at most: its share of a full burst, of the count, and of the
  /// `checked` registers, which go with each batch. In the worst case there is one batch per burst.
  func bitsPerRecord(checked: UInt32) -> UInt32 {
    let size = UInt32(truncatingIfNeeded: fifoLayout.size)
    let records = UInt32(truncatingIfNeeded: fifo?.recordsPerBurst(fifoLayout) ?? 1)
    let bits = busBits(reading: size &* records) &+ busBits(reading: 2) &+ busBits(reading: checked)
    return (bits &+ records &- 1) / records
  }
}
