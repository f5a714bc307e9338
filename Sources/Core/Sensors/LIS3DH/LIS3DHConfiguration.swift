public import HAL

/// The LIS3DH three-axis accelerometer from STMicroelectronics over I2C, and parts with the same register map, such as
/// the LIS2DH12.
///
/// Make a `Configuration`, then a `Device` on any `I2CBus`; `start()` configures the part, `sample()` reads it.
///
/// - Datasheet: LIS3DH Rev. 2 (December 2016).
public enum LIS3DH {
  /// The address with SDO (SA0) low, as on breakout boards: 0x18.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x18) }

  /// The address with SDO (SA0) high, or open on a bare part, which pulls the pin up: 0x19.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x19) }

  /// The value of WHO_AM_I, the same as in the LIS2DH, LIS2DH12 and LSM303AGR.
  ///
  /// - Datasheet: Rev. 2, 8.6.
  public static var identity: UInt8 { 0x33 }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part takes a sample.
    public var rate: OutputDataRate
    /// The largest specific force that it measures.
    public var range: Range
    /// The number of bits, and with it the bandwidth.
    public var resolution: Resolution
    /// Whether and how the part buffers samples.
    public var fifo: FIFO
    /// What drives INT1.
    ///
    /// - Datasheet: Rev. 2, 8.10 and 8.13.
    public var interrupts: DataReadyPin

    /// A configuration. The defaults are 100 Hz, ±4 g and 12 bits, with neither FIFO nor interrupts.
    public init(
      rate: OutputDataRate = .hz100, range: Range = .g4, resolution: Resolution = .high, fifo: FIFO = .bypass,
      interrupts: DataReadyPin = DataReadyPin()
    ) {
      (self.rate, self.range, self.resolution) = (rate, range, resolution)
      (self.fifo, self.interrupts) = (fifo, interrupts)
    }
  }
}

extension LIS3DH {
  /// An output data rate; the raw value is its code.
  ///
  /// - Datasheet: Rev. 2, table 31.
  public enum OutputDataRate: UInt8, CodedRate {
    /// 1 Hz to 400 Hz.
    case hz1 = 1, hz10, hz25, hz50, hz100, hz200, hz400
    /// 1344 Hz. The true period is 0.05 µs longer than `period`.
    case hz1344 = 9

    /// The nominal rate, in thousandths of a hertz.
    public var millihertz: Int32 {
      let rates: InlineArray<9, Int32> = [1_000, 10_000, 25_000, 50_000, 100_000, 200_000, 400_000, 0, 1_344_000]
      return rates[Int(rawValue &- 1)]
    }
  }

  /// The measuring range.
  ///
  /// - Datasheet: Rev. 2, table 4.
  public enum Range: UInt8, ForceRange {
    /// ±2, ±4, ±8 and ±16 g.
    case g2, g4, g8, g16

    /// The limit of the range, in g.
    public var g: Int32 { 2 &<< Int32(rawValue) }
  }

  /// The number of bits in a sample, which also sets the bandwidth. Low-power mode (8 bits, the lowest current) is used
  /// only to watch for movement.
  ///
  /// - Datasheet: Rev. 2, table 10.
  public enum Resolution: Equatable, Sendable {
    /// 10 bits, and a bandwidth of half the rate. Samples are correct from 1.6 ms after the start.
    case normal
    /// 12 bits, and a bandwidth of a ninth of the rate, with the least noise. The first correct sample is the eighth.
    case high
  }
}

extension LIS3DH.Configuration {
  /// CTRL_REG1. It never equals its reset value 0x07, so a lost configuration shows.
  var rateField: LIS3DH.RateField { LIS3DH.RateField(rate: rate) }

  /// CTRL_REG4. It never equals its reset value 0x00, because BDU is set.
  var format: LIS3DH.FormatField { LIS3DH.FormatField(range: range, isHighResolution: resolution == .high) }

  /// The registers that a start writes: CTRL_REG1 to CTRL_REG6, without filter, self-test, click or INT2; FIFO_CTRL,
  /// ACT_THS and ACT_DUR.
  var image: RegisterImage {
    var image = RegisterImage()
    image[LIS3DH.Register.control1] = rateField.encoded
    image[LIS3DH.Register.control3] = interrupts.signalsDataReady ? 0x10 : 0
    image[LIS3DH.Register.control4] = format.encoded
    image[LIS3DH.Register.control5] = usesFIFO ? 0x40 : 0
    image[LIS3DH.Register.control6] = interrupts.isActiveLow ? 0x02 : 0
    image[LIS3DH.Register.fifoControl] = fifo.field.encoded
    return image
  }

  /// The number of samples after a start that have not settled, from the turn-on time.
  ///
  /// - Datasheet: Rev. 2, table 11: 7/ODR, or 1.6 ms.
  var unsettled: Int32 { resolution == .high ? 7 : rate == .hz1344 ? 3 : 1 }

  /// Rejects a rate that a bus at `frequency` hertz cannot follow: 400 Hz or more at 100 kHz, none at 400 kHz.
  ///
  /// A sample takes 195 clock periods; the check allows half as many again for the gaps between transactions. With an
  /// unknown frequency every rate passes. The error contains the highest of the part's rates that the bus can follow,
  /// or 0 if there is none.
  public func check(against frequency: UInt32?) throws(SensorError) { try rate.check(bits: 292, against: frequency) }
}
