public import FixedPoint
public import HAL

/// The LSM9DS1 from STMicroelectronics over I2C, as on the Sense HAT of the Raspberry Pi: its accelerometer and its
/// gyroscope. The magnetometer, which has its own address, is not used.
///
/// Make a `Configuration`, then a `Device` on any `I2CBus`; `start()` configures the part, `sample()` and `measure()`
/// read it.
///
/// **Axes.** The axes of the part, as printed on its boards, are left-handed: with X to the right and Z towards you, Y
/// points down. Mounting and fusion need a right-handed frame, so the driver negates Y, of the force and of the
/// rotation: its Y is opposite to the printed one. On a Sense HAT with the LEDs towards you and the HDMI edge down, its
/// axes are those of Plumb's board frame, which needs no mounting.
///
/// - Datasheet: LSM9DS1 Rev. 2 (November 2014); figure 1 (axes).
/// - Source: RTIMULib's signs and the pixel map of sense_hat, for the axes of the Sense HAT. Not measured.
public enum LSM9DS1 {
  /// The address with SDO_A/G low, as on the Sense HAT: 0x6A.
  public static var address: I2CAddress { I2CAddress(fromDatasheet: 0x6A) }

  /// The address with SDO_A/G high, as on most breakout boards: 0x6B.
  public static var alternateAddress: I2CAddress { I2CAddress(fromDatasheet: 0x6B) }

  /// The value of WHO_AM_I, the same as in the LSM6DS0.
  ///
  /// - Datasheet: Rev. 2, 7.12.
  public static var identity: UInt8 { 0x68 }

  /// How the part is set up.
  public struct Configuration: Equatable, Sendable {
    /// How often the part takes a sample.
    public var rate: OutputDataRate
    /// The largest specific force that it measures.
    public var range: Range
    /// The range of the gyroscope; nil for off.
    public var gyroscope: GyroscopeRange?
    /// Whether and how the part buffers samples.
    public var fifo: FIFO
    /// What drives INT1_A/G.
    ///
    /// - Datasheet: Rev. 2, 7.10 and 7.25.
    public var interrupts: DataReadyPin

    /// A configuration. The defaults are 119 Hz and ±4 g, with neither gyroscope, FIFO nor interrupts.
    public init(
      rate: OutputDataRate = .hz119, range: Range = .g4, gyroscope: GyroscopeRange? = nil, fifo: FIFO = .bypass,
      interrupts: DataReadyPin = DataReadyPin()
    ) {
      (self.rate, self.range, self.gyroscope) = (rate, range, gyroscope)
      (self.fifo, self.interrupts) = (fifo, interrupts)
    }

    /// The nominal sample period, rounded to a microsecond.
    public var period: Microseconds { rate.period(withGyroscope: gyroscope != nil) }
  }
}

extension LSM9DS1 {
  /// An output data rate; the raw value is its code, the same for both sensors. With both on, that of the gyroscope
  /// applies.
  ///
  /// - Datasheet: Rev. 2, tables 46 (gyroscope) and 68 (accelerometer alone).
  public enum OutputDataRate: UInt8, Equatable, Sendable {
    /// 10 and 50 Hz; with the gyroscope 14.9 and 59.5 Hz.
    case hz10 = 1, hz50
    /// 119, 238, 476 and 952 Hz.
    case hz119, hz238, hz476, hz952

    /// The sample period, rounded to a microsecond.
    public func period(withGyroscope hasGyroscope: Bool) -> Microseconds {
      switch self {
      case .hz10: hasGyroscope ? Microseconds(67_114) : Microseconds(100_000)
      case .hz50: hasGyroscope ? Microseconds(16_807) : Microseconds(20_000)
      case .hz119: Microseconds(8_403)
      case .hz238: Microseconds(4_202)
      case .hz476: Microseconds(2_101)
      case .hz952: Microseconds(1_050)
      }
    }

    /// The next slower one; nil below the lowest.
    fileprivate var slower: OutputDataRate? { OutputDataRate(rawValue: rawValue &- 1) }

    /// The lowest rate of at least `millihertz` / 1000 Hz; nil if there is none or `millihertz` is not positive.
    public init?(atLeastMillihertz millihertz: Int32, withGyroscope hasGyroscope: Bool) {
      switch millihertz {
      case 1...(hasGyroscope ? 14_900 : 10_000): self = .hz10
      case 1...(hasGyroscope ? 59_500 : 50_000): self = .hz50
      case 1...119_000: self = .hz119
      case 1...238_000: self = .hz238
      case 1...476_000: self = .hz476
      case 1...952_000: self = .hz952
      default: return nil
      }
    }
  }

  /// The range of the accelerometer.
  public typealias Range = InertialModuleRange

  /// The measuring range of the gyroscope; the raw value is its code.
  ///
  /// - Datasheet: Rev. 2, table 45.
  public enum GyroscopeRange: UInt8, RotationRange {
    /// ±245 and ±500 °/s.
    case dps245, dps500
    /// ±2000 °/s.
    case dps2000 = 3

    /// The limit of the range, in °/s.
    public var degreesPerSecond: Int32 { self == .dps245 ? 245 : self == .dps500 ? 500 : 2_000 }
  }
}

extension LSM9DS1.Configuration {
  /// Whether the gyroscope is on.
  var turns: Bool { gyroscope != nil }

  /// CTRL_REG1_G. With the gyroscope on it never equals its reset value 0x00, so a lost configuration shows.
  var gyroscopeByte: UInt8 { gyroscope.map { LSM9DS1.GyroscopeField(rate: rate, range: $0).encoded } ?? 0 }

  /// CTRL_REG6_XL, with the widest filter that passes nothing above half of the rate; the narrowest has 50 Hz. It never
  /// equals its reset value 0x00, nor ``interfaceByte``.
  var accelerometerByte: UInt8 {
    let bandwidth: UInt8 = rate.rawValue > 3 ? 6 &- rate.rawValue : 3
    return LSM9DS1.AccelerometerField(rate: rate, range: range, bandwidth: bandwidth).encoded
  }

  /// CTRL_REG8, with block update and advancing pointer. It never equals its reset value 0x04.
  var interfaceByte: UInt8 { InterfaceField(updatesInBlocks: true, isActiveLow: interrupts.isActiveLow).encoded }

  /// The registers that a start writes: those of `LSM9DS1.writtenGroups`.
  var image: RegisterImage {
    var image = RegisterImage()
    image[LSM9DS1.Register.interrupt1] = interrupts.signalsDataReady ? 0x01 : 0
    image[LSM9DS1.Register.gyroscopeRate] = gyroscopeByte
    (image[LSM9DS1.Register.axes], image[LSM9DS1.Register.axes &+ 1]) = (0x38, 0x38)
    image[LSM9DS1.Register.accelerometerRate] = accelerometerByte
    image[LSM9DS1.Register.interface] = interfaceByte
    image[LSM9DS1.Register.fifoSwitch] = usesFIFO ? 0x02 : 0
    image[LSM9DS1.Register.fifoControl] = fifo.byte
    return image
  }

  /// The number of samples after a start that have not settled: the largest of either sensor, in any configuration
  /// without the second filter of the gyroscope.
  ///
  /// - Datasheet: Rev. 2, tables 11 and 12: up to 14 of the accelerometer, up to 8 of the gyroscope.
  var unsettled: Int32 { 14 }

  /// Rejects a rate that a bus at `frequency` hertz cannot follow: with the gyroscope 238 Hz at 100 kHz and 952 Hz at
  /// 400 kHz, without it or with the FIFO only from 476 Hz at 100 kHz on.
  ///
  /// A sample takes 222 clock periods, 321 with the gyroscope: it is read twice. With the FIFO it takes 54 or 108 and its
  /// share of a batch. The check allows half as many again for the gaps between transactions. With an unknown frequency
  /// every rate passes. The error contains the highest of the part's rates that the bus can follow, rounded, or 0.
  public func check(against frequency: UInt32?) throws(SensorError) {
    guard let frequency, !fits(rate, frequency) else { return }
    var highest = rate.slower
    while let one = highest, !fits(one, frequency) { highest = one.slower }
    let period = highest?.period(withGyroscope: turns).count
    throw .rateTooHigh(
      busHertz: frequency,
      highestHertz: period.map { UInt32(truncatingIfNeeded: (1_000_000 &+ $0 / 2) / $0) } ?? 0)
  }

  /// The clock periods of a sample on the bus.
  private var bitsPerSample: Int64 {
    guard case .continuous(let threshold) = fifo else { return turns ? 321 : 222 }
    return (turns ? 108 : 54) &+ 200 / widened(Int32(threshold.rawValue))
  }

  /// Whether a bus at `frequency` hertz can follow `rate`.
  private func fits(_ rate: LSM9DS1.OutputDataRate, _ frequency: UInt32) -> Bool {
    let hertz = Int64(bitPattern: widened(min(frequency, 400_000)))
    return bitsPerSample &* 1_500_000 <= hertz &* rate.period(withGyroscope: turns).count
  }
}

extension LSM9DS1 {
  /// The registers that a start writes, in groups without gaps: the first register, and the number of registers.
  static var writtenGroups: InlineArray<5, (register: UInt8, count: UInt8)> {
    [
      (Register.activity, 3), (Register.interrupt1, 2), (Register.gyroscopeRate, 4), (Register.axes, 7),
      (Register.fifoControl, 1),
    ]
  }
}
