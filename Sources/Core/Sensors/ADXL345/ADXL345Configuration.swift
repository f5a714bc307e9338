public import FixedPoint
public import HAL

/// The ADXL345 three-axis accelerometer of Analog Devices, over I2C; also its twin, the ADXL343.
///
/// Make a `Configuration`, then a `Device` over any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: ADXL345 Rev. E.
public enum ADXL345 {
  /// The address with ALT ADDRESS (SDO) low, as most breakout boards wire it: 0x53.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x53) }

  /// The address with ALT ADDRESS (SDO) high: 0x1D.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x1D) }

  /// The value of DEVID, also for ADXL343 and ADXL375: only its samples identify an ADXL375.
  ///
  /// - Datasheet: Rev. E, register 0x00.
  public static var identity: UInt8 { 0xE5 }

  /// The configuration of the part.
  public struct Configuration: Equatable, Sendable {
    /// The output data rate.
    public var rate: OutputDataRate
    /// The largest specific force it measures, always in full resolution: 1/256 g.
    public var range: Range
    /// Whether and how samples wait in the part.
    public var fifo: FIFO
    /// The events that the part detects itself.
    public var detection: Detection
    /// What drives the interrupt pins.
    public var interrupts: Interrupts

    /// A configuration; the defaults are 100 Hz and ±16 g, and everything else off.
    public init(
      rate: OutputDataRate = .hz100, range: Range = .g16, fifo: FIFO = .bypass, detection: Detection = Detection(),
      interrupts: Interrupts = Interrupts()
    ) {
      self.rate = rate
      self.range = range
      self.fifo = fifo
      self.detection = detection
      self.interrupts = interrupts
    }
  }
}

extension ADXL345 {
  /// The output data rate: 0.09765625 Hz · 2^code.
  ///
  /// - Datasheet: Rev. E, table 7.
  public enum OutputDataRate: UInt8, Equatable, Sendable {
    /// 0.1 Hz up to 12.5 Hz; each is twice the previous one.
    case hz0_10, hz0_20, hz0_39, hz0_78, hz1_56, hz3_13, hz6_25, hz12_5
    /// 25 Hz up to 3200 Hz, in the same steps. A bus of 400 kHz supports up to 800 Hz.
    case hz25, hz50, hz100, hz200, hz400, hz800, hz1600, hz3200

    /// The time from one sample to the next in whole microseconds: exact, except for 3200 Hz, where it is rounded up.
    public var period: Microseconds {
      let code = Int32(rawValue)
      return Microseconds(widened((10_240_000 &+ (1 &<< code) &- 1) &>> code))
    }
  }

  /// The largest specific force that is measured.
  ///
  /// - Datasheet: Rev. E, table 21.
  public enum Range: UInt8, Equatable, Sendable {
    /// ±2, ±4, ±8 and ±16 g.
    case g2, g4, g8, g16

    /// The range of ±`g` g, or nil if the part does not have it.
    public init?(g: Int32) {
      switch g {
      case 2: self = .g2
      case 4: self = .g4
      case 8: self = .g8
      case 16: self = .g16
      default: return nil
      }
    }

    /// The largest raw value in full resolution: 511, 1023, 2047 or 4095; the smallest is its negative minus 1.
    public var maximum: Int16 { (512 &<< Int16(rawValue)) &- 1 }
  }

  /// What drives the interrupt pins, which are push-pull and weak: enough for an input, not for an LED.
  ///
  /// An event to detect (``Detection``) always drives one of them: otherwise the part does not detect it.
  ///
  /// - Datasheet: Rev. E, "Interrupts" and registers 0x2E and 0x2F.
  public struct Interrupts: Equatable, Sendable {
    /// The conditions that drive a pin: data ready, watermark, overrun. Anything else in it is ignored.
    public var conditions: Events
    /// The events and conditions that drive INT2; the others drive INT1.
    public var onInterrupt2: Events
    /// Whether a driven pin is low.
    public var isActiveLow: Bool

    /// Interrupts; by default no condition drives a pin, events drive INT1, and a pin is active high.
    public init(conditions: Events = .none, onInterrupt2: Events = .none, isActiveLow: Bool = false) {
      self.conditions = conditions
      self.onInterrupt2 = onInterrupt2
      self.isActiveLow = isActiveLow
    }
  }
}

extension ADXL345.Configuration {
  /// BW_RATE.
  var rateField: ADXL345.RateField {
    ADXL345.RateField(rate: rate)
  }

  /// DATA_FORMAT, in full resolution: never its reset value 0x00, so it reveals a part that has lost its configuration.
  var dataFormat: ADXL345.DataFormatField {
    var field = ADXL345.DataFormatField(range: range, isFullResolution: true)
    field.invertsInterrupts = interrupts.isActiveLow
    return field
  }

  /// INT_ENABLE: the events to detect, which the part requires, and the conditions to signal.
  var enabledInterrupts: ADXL345.Events { detection.events.union(interrupts.conditions.intersection(.conditions)) }

  /// OFSX to OFSZ, preceded by the first register: zero, whatever an earlier program has left there.
  static var offsetBytes: InlineArray<4, UInt8> { [ADXL345.Register.offsetX, 0, 0, 0] }

  /// THRESH_TAP to TAP_AXES, registers 0x1D to 0x2A, preceded by the first register; 0 for events that are not
  /// detected.
  var functionBytes: InlineArray<15, UInt8> {
    let tap = detection.tap
    return [
      ADXL345.Register.tapThreshold, tap?.thresholdSteps.rawValue ?? 0, 0, 0, 0, tap?.durationSteps.rawValue ?? 0,
      tap?.second?.latencySteps.rawValue ?? 0, tap?.second?.windowSteps.rawValue ?? 0, 0, 0, 0, 0,
      detection.freeFall?.thresholdSteps.rawValue ?? 0, detection.freeFall?.timeSteps.rawValue ?? 0,
      tap?.axesField.encoded ?? 0,
    ]
  }

  /// Rejects a rate that a bus of `frequency` hertz cannot follow: at most 200 Hz at 100 kHz, in proportion up to 800
  /// Hz at 400 kHz, the part's maximum. 1600 and 3200 Hz are for SPI.
  ///
  /// At higher rates samples are lost or noisier. With an unknown frequency, no rate is rejected. The error names the
  /// highest of the part's rates that the bus can follow, in whole hertz; 0 if it is below one.
  ///
  /// - Datasheet: Rev. E, "I2C".
  public func check(against frequency: UInt32?) throws(SensorError) {
    guard let frequency, !rate.fits(frequency) else { return }
    var highest = ADXL345.OutputDataRate.hz800
    while !highest.fits(frequency), let slower = ADXL345.OutputDataRate(rawValue: highest.rawValue &- 1) {
      highest = slower
    }
    let hertz = highest.fits(frequency) ? ((100 as UInt32) &<< UInt32(highest.rawValue)) / 1_024 : 0
    throw .rateTooHigh(busHertz: frequency, highestHertz: hertz)
  }
}

extension ADXL345.OutputDataRate {
  /// The lowest rate of at least `millihertz` / 1000 Hz that a 400 kHz bus can follow, at most 800 Hz; nil if there is
  /// none, and for any number that is not positive.
  ///
  /// - Datasheet: Rev. E, table 7 and "I2C".
  public init?(atLeastMillihertz millihertz: Int32) {
    guard millihertz > 0, millihertz <= 800_000 else { return nil }
    // The rate is 100 · 2^code / 1024 Hz. Neither side exceeds 2^30.
    var code: Int32 = 0
    while (100_000 &<< code) < millihertz &* 1_024 { code &+= 1 }
    self.init(rawValue: UInt8(truncatingIfNeeded: code))
  }

  /// Whether a bus of `frequency` hertz can follow this rate.
  fileprivate func fits(_ frequency: UInt32) -> Bool {
    // The rate is 100 · 2^code / 1024 Hz; each hertz needs 500 Hz of the bus.
    (50_000 as UInt32) &<< UInt32(rawValue) <= min(frequency, 400_000) &* 1_024
  }
}
