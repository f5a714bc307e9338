internal import FixedPoint
public import HAL

/// The LSM6DS family from STMicroelectronics over I2C, accelerometer and gyroscope: LSM6DS33, LSM6DS3, LSM6DS3TR-C,
/// LSM6DSL, LSM6DSO, LSM6DSOX and ISM330DHCX.
///
/// Make a `Configuration`, then a `Device` on any `I2CBus`; `start()` and `proceed()` configure the part, `sample()`
/// reads it; `Batched` takes what its FIFO collects.
///
/// - Datasheet: LSM6DS33 Rev. 4; LSM6DS3 Rev. 4 and AN4650 Rev. 1; LSM6DS3TR-C Rev. 3 and AN5130 Rev. 1. Of the LSM6DSO
///   (DS12140 Rev. 2) only a few pages were at hand.
/// - Source: for the later parts, STMicroelectronics' drivers (lsm6dso_reg.h, ism330dhcx_reg.h) and Linux's st_lsm6dsx.
public enum LSM6DS {
  /// The address with SDO (SA0) low: 0x6A.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x6A) }

  /// The address with SDO (SA0) high: 0x6B.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x6B) }

  /// The value of WHO_AM_I of the LSM6DSO and LSM6DSOX; see ``Part`` for the others.
  public static var identity: UInt8 { Part.lsm6dso.rawValue }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part takes a sample.
    public var rate: OutputDataRate
    /// The largest specific force that it measures.
    public var range: Range
    /// The range of the gyroscope; nil for off.
    public var gyroscope: GyroscopeRange?
    /// Whether the part buffers its samples in the FIFO.
    public var usesFIFO: Bool
    /// What drives INT2.
    ///
    /// INT1 is not used: an LSM6DSO or LSM6DSOX whose INT1 is high during a reset changes to I3C and no longer responds.
    public var interrupts: DataReadyPin

    /// A configuration. The defaults are 104 Hz and ±4 g, with neither gyroscope, FIFO nor interrupts.
    public init(
      rate: OutputDataRate = .hz104, range: Range = .g4, gyroscope: GyroscopeRange? = nil, usesFIFO: Bool = false,
      interrupts: DataReadyPin = DataReadyPin()
    ) {
      (self.rate, self.range, self.gyroscope) = (rate, range, gyroscope)
      (self.usesFIFO, self.interrupts) = (usesFIFO, interrupts)
    }
  }
}

extension LSM6DS {
  /// An output data rate of both sensors; the raw value is its code.
  ///
  /// The part has higher ones, but I2C is too slow for them. The real rate is off by percents.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4 and LSM6DS3TR-C Rev. 3, CTRL1_XL and CTRL2_G. The first of them calls 12.5 Hz 13 Hz.
  public enum OutputDataRate: UInt8, CodedRate {
    /// 12.5, 26, 52, 104, 208, 416, 833 and 1666 Hz.
    case hz12_5 = 1, hz26, hz52, hz104, hz208, hz416, hz833, hz1666

    /// The nominal rate, in thousandths of a hertz.
    public var millihertz: Int32 {
      let rates: InlineArray<8, Int32> = [12_500, 26_000, 52_000, 104_000, 208_000, 416_000, 833_000, 1_666_000]
      return rates[Int(rawValue &- 1)]
    }
  }

  /// The range of the accelerometer.
  public typealias Range = InertialModuleRange

  /// The range of the gyroscope; the raw value is its code, FS_G, FS_125 and FS_4000.
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, CTRL2_G; ism330dhcx_reg.h for ±4000 °/s.
  public enum GyroscopeRange: UInt8, RotationRange {
    /// ±250 (which the LSM6DS33 and LSM6DS3 call 245), ±500, ±1000 and ±2000 °/s.
    case dps250 = 0x00, dps500 = 0x04, dps1000 = 0x08, dps2000 = 0x0C
    /// ±125 °/s, and ±4000 °/s, which only the ISM330DHCX has.
    case dps125 = 0x02, dps4000 = 0x01

    /// The limit of the range, in °/s.
    public var degreesPerSecond: Int32 {
      self == .dps125 ? 125 : self == .dps4000 ? 4_000 : 250 &<< Int32(rawValue &>> 2)
    }
  }
}

extension LSM6DS.Configuration {
  /// Whether the gyroscope is on.
  var usesGyroscope: Bool { gyroscope != nil }

  /// FIFO_CTRL1 to CTRL10_C. CTRL1_XL to CTRL3_C never have their reset values, 00, 00 and 04, so a lost configuration
  /// shows. The FIFO is off unless `runsFIFO`.
  func image(of part: LSM6DS.Part, runsFIFO: Bool = false) -> RegisterImage {
    var image = RegisterImage()
    if runsFIFO, part.hasTags {
      image[LSM6DS.Register.batchRates] = (usesGyroscope ? rate.rawValue &<< 4 : 0) | rate.rawValue
      image[LSM6DS.Register.fifoMode] = 0x06
    } else if runsFIFO {
      image[LSM6DS.Register.decimation] = usesGyroscope ? 0x09 : 0x01
      image[LSM6DS.Register.fifoMode] = rate.rawValue &<< 3 | 0x06
    }
    // The accelerometer's samples.
    image[LSM6DS.Register.interrupt2] = interrupts.signalsDataReady ? 0x01 : 0
    image[LSM6DS.Register.identity] = part.rawValue
    image[LSM6DS.Register.control1] = LSM6DS.AccelerometerField(rate: rate, range: range).encoded
    image[LSM6DS.Register.control2] = gyroscope.map { LSM6DS.GyroscopeField(rate: rate, range: $0).encoded } ?? 0
    image[LSM6DS.Register.control3] = InterfaceField(updatesInBlocks: true, isActiveLow: interrupts.isActiveLow).encoded
    image[LSM6DS.Register.control9] = part.control9
    image[LSM6DS.Register.control10] = part.control10
    return image
  }

  /// How long after the configuration the first settled sample is available.
  var settlingTime: Microseconds {
    usesGyroscope ? .milliseconds(100) + period * 10 : .milliseconds(20) + period * 3
  }

  /// Rejects a rate that a bus at `frequency` hertz cannot follow. With an unknown frequency every rate passes.
  ///
  /// At 400 kHz that is above 416 Hz, or 833 Hz without the gyroscope; at 100 kHz above 104 or 208 Hz. With the FIFO,
  /// which needs no repeated reads, every rate is possible at 400 kHz, and 416 or 833 Hz at 100 kHz. The error contains
  /// the highest of the part's rates that the bus can follow, or 0.
  public func check(against frequency: UInt32?) throws(SensorError) {
    try rate.check(bits: bitsPerSample, against: frequency)
  }

  /// The largest number of bits on the bus per sample.
  ///
  /// Without the FIFO: the burst and three repetitions of its data. With it: a share of the longest burst and of the
  /// reads around it.
  private var bitsPerSample: UInt32 {
    guard usesFIFO else { return busBits(reading: 16) &+ 3 &* busBits(reading: usesGyroscope ? 12 : 6) }
    let size: UInt32 = usesGyroscope ? 14 : 7
    let sets = 240 / size
    let around = 2 &* busBits(reading: 4) &+ busBits(reading: 2) &+ busBits(reading: 3)
    return (busBits(reading: sets &* size) &+ around &+ sets &- 1) / sets
  }
}
