public import FixedPoint
public import HAL

/// An emulated MPU-6050 or one of its many relatives: its registers, its sample clock, its FIFO and a moving board.
///
/// ``Part`` determines which relative it is; ``Configuration`` describes this specimen. Where the documents are silent
/// or disagree, the emulator chooses the interpretation that is hardest on a driver; those choices are marked "choice"
/// below.
///
/// **Registers.** The pointer has 8 bits and advances with every byte read or written, except at FIFO_R_W (0x74), where
/// it stays. Reserved registers and unused bits read 0; writes to them and to read-only registers are ignored (choice;
/// this also applies to the SELF_TEST registers, which hold the factory's codes, and to writes to FIFO_R_W). A part of
/// the 6050 class lacks 0x1D and 0x1E, which older maps have for free fall. The registers of the auxiliary bus keep
/// what is written and do nothing; there is nothing on that bus. WHO_AM_I is the part's, whatever the address.
/// I2C_IF_DIS cuts the part off until it loses its supply: it reads 0xFF, as an idle bus does, and accepts no writes.
///
/// **Power.** It starts asleep (6050 class) or awake (6500 class), see ``Part/powerManagementReset``. DEVICE_RESET sets
/// every register to its reset value at once, empties the FIFO and reads 1 for ``Configuration/resetTime``; until then
/// all writes are lost (choice) and reads return the reset values. Asleep and with a stopped clock the data registers
/// hold their values, and the FIFO receives nothing. Registers respond immediately after power-on (real parts take 11
/// to 100 ms) and after sleep (5 to 10 ms).
///
/// **Samples.** The first one comes ``Part/startUp`` after sleep ends or a stopped clock runs, or ``Part/coldStartUp``
/// after the end of a reset or the power-on of a part that starts awake; the gyroscope's registers hold their values
/// for ``Part/gyroscopeStartUp``. After that they come every 1 + SMPLRT_DIV periods of 1 kHz, or of 8 kHz with DLPF_CFG
/// 0 or 7 (where a part of the 6500 class ignores SMPLRT_DIV). The accelerometer makes at most 1000 samples a second
/// (4000 with ACCEL_FCHOICE_B), which are repeated in between. Writing another rate or clock source starts a new
/// period. Samples are computed when a transaction occurs, from the motion at their own instants, so they do not depend
/// on when that is. One burst shows one instant; separate reads are not protected.
///
/// **Gyroscope.** It reads the motion's rotation rate and ``angularRate`` with the errors of
/// ``Configuration/gyroscopeErrors``, then offset registers, self-test and noise are added; data beyond the range are
/// clipped to its greatest number, as the accelerometer's are. The temperature in its errors and in TEMP_OUT is
/// ``dieTemperature``.
///
/// **Filter.** Only two properties of a filter are emulated: its group delay, by which a sample lags the motion, and
/// its bandwidth: the noise is the noise density times its square root. Noise is white from sample to sample, and the
/// filter does not smooth the motion. The bandwidth is taken from the table, without a factor for the slope. DLPF_CFG 7
/// is reserved in the 6050 class; there it acts like 0 (choice).
///
/// **Clock.** CLKSEL 1 to 3 (1 to 5 in the 6500 class) is the gyroscope's PLL; it falls back to the internal oscillator
/// when that axis (6500 class: when every gyroscope axis) is in standby. No external clock is connected: CLKSEL 4 and 5
/// of the 6050 class stop everything, as does 7, and so does the reserved 6 (choice). In the 6500 class 6 is the
/// internal oscillator.
///
/// **Interrupts.** DATA_RDY of INT_STATUS is set by a sample while INT_ENABLE has its bit (choice: the map says "when
/// an interrupt is generated"); FIFO_OFLOW is set by an overflow in any case. Reading INT_STATUS clears it; with
/// INT_RD_CLEAR reading any register does. ``interruptPin`` follows INT_ENABLE, INT_LEVEL, INT_OPEN and LATCH_INT_EN;
/// unlatched it is a pulse of 50 µs. No FSYNC.
///
/// **Motion.** While bit 6 of INT_ENABLE is set, each sample of the accelerometer is examined, in cycle mode too, and
/// one that shows motion sets bit 6 of INT_STATUS. In the 6050 class it first passes through the digital high-pass of
/// ACCEL_CONFIG: reset (0) lets nothing through, hold (7) compares with the first sample after it was written, and 1 to
/// 4 are first-order high-passes (choice). More than MOT_THR, 32 mg/LSB, on any axis in MOT_DUR consecutive samples
/// (choice: the map counts 1 ms each, and cycle mode has no others) is motion. Some copies of the map have 2 mg/LSB;
/// the Product Specification has 32. The 6500 class compares each sample with the previous one, against WOM_THR of 4
/// mg/LSB, while both bits of ACCEL_INTEL_CTRL are set. If the part has not been accessed for more than twenty minutes,
/// all but the first and the last ten are skipped. MOT_DETECT_STATUS, free fall and zero motion are not emulated; the
/// decrement of MOT_DETECT_CTRL and its delay of the accelerometer have no effect.
///
/// **FIFO.** It runs while FIFO_EN of USER_CTRL is set, stores the registers chosen in FIFO_EN (0x23) in ascending
/// order at every sample, and cannot be read while that bit is clear. When full, it drops its oldest bytes one by one
/// and so loses its alignment if its size is not a multiple of the sample; with CONFIG bit 6 of the 6500 class it
/// accepts no more instead, and may end in part of a sample (choice). When it is empty, or with the bit clear, it
/// returns the last byte read again. Reading FIFO_COUNTH latches both bytes of the count; FIFO_COUNTL alone shows the
/// latched one. FIFO_RESET works only if FIFO_EN of USER_CTRL was 0 and stays 0 (choice), and clears itself. A change
/// of its size in ACCEL_CONFIG2 empties it (choice).
///
/// **Cycle mode.** The accelerometer is sampled at the rate of LP_WAKE_CTRL (6050 class) or LP_ACCEL_ODR (6500 class,
/// where the LP_WAKE_CTRL bits can be written but do nothing; codes above 11 are like 11), by the internal oscillator,
/// unfiltered. Gyroscope and temperature hold their values. Axes in standby hold theirs in every mode, and one that
/// leaves standby takes its start-up time, as does all of its sensor. TEMP_DIS makes the temperature hold.
///
/// **Signal path.** SIGNAL_PATH_RESET and SIG_COND_RESET restart their sensors, which then hold their values for their
/// start-up times while the samples continue; SIG_COND_RESET also clears the data registers. All these bits read 0.
///
/// **Offsets.** The accelerometer's offset registers (0x06 in the 6050 class, whose register map does not mention them;
/// 0x77, 0x7A and 0x7D in the 6500 class) count 1/2048 g with bit 0 reserved; a value shifts the data by its difference
/// from the factory's. The gyroscope's (0x13) count 1/32.8 °/s. Both apply in every range.
///
/// **Self-test.** XA_ST and the like add ``Configuration/selfTestDeflection``, by default the factory trim that the
/// codes in the SELF_TEST registers stand for; it is a force, so a narrow range can clip it.
///
/// **Not emulated.** FCHOICE_B of the 6500 class (reads 0), the DMP, the 9150's and 9250's magnetometer, SPI.
///
/// - Datasheet: Register Maps of MPU-6000/MPU-6050 Rev. 4.2 (motion detection: Rev. 3.2), MPU-6500 Rev. 2.1 and
///   MPU-9250 Rev. 1.6.
public final class EmulatedMPU6050: EmulatedSensor {
  /// What the interrupt pin does.
  public enum InterruptPin: Equatable, Sendable {
    /// It drives low.
    case low
    /// It drives high.
    case high
    /// It does not drive the pin (INT_OPEN): a pull-up on the board makes it high.
    case released
  }

  /// The address with AD0 low: 0x68.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Product Specification Rev. 3.4, 9.2.
  public static let address = I2CAddress(fromDatasheet: 0x68)
  /// The address with AD0 high: 0x69.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Product Specification Rev. 3.4, 9.2.
  public static let alternateAddress = I2CAddress(fromDatasheet: 0x69)

  /// The properties of this specimen.
  public let configuration: Configuration
  private let engine: ChipEngine<Chip>

  /// A part that has just been powered on, on a board that starts `motion` at the present time of `now`.
  ///
  /// Equal arguments and equal transactions at equal times give equal bytes.
  public init(
    motion: any Motion, configuration: Configuration = Configuration(), seed: UInt64 = 1,
    now: @escaping () -> Instant
  ) {
    self.configuration = configuration
    engine = ChipEngine(Chip(configuration, motion: motion, at: now(), seed: seed), now: now)
    super.init(engine)
  }

  /// The board's rotation rate in °/s in addition to that of its motion, from now on. Initially 0.
  ///
  /// For motions that have no rotation of their own; it is not filtered.
  public var angularRate: Vector3 {
    get { engine.chip.state.analogue.turn }
    set {
      engine.catchUp()
      engine.chip.state.analogue.turn = newValue
    }
  }

  /// The temperature of the die in °C, without its own heat (``Configuration/selfHeating``), from now on. Initially 35.
  public var dieTemperature: Q16 {
    get { engine.chip.state.analogue.dieTemperature }
    set {
      engine.catchUp()
      engine.chip.state.analogue.dieTemperature = newValue
    }
  }

  /// The present state of the interrupt pin.
  public var interruptPin: InterruptPin {
    engine.catchUp()
    return engine.chip.interruptPin
  }
}

extension EmulatedMPU6050 {
  /// A value for each axis.
  public struct PerAxis<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The value for X.
    public var x: Value
    /// The value for Y.
    public var y: Value
    /// The value for Z.
    public var z: Value

    /// Three values.
    public init(x: Value, y: Value, z: Value) {
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// The properties of this specimen; the defaults are a perfect one with the typical noise of its data sheet.
  public struct Configuration: Equatable, Sendable {
    /// The member of the family.
    public var part: Part
    /// The accelerometer's noise density in µg/√Hz, 0…100000. Default 400, or 300 in the 6500 layout.
    ///
    /// The noise is this times the square root of the filter's bandwidth: at 94 Hz and 400 µg/√Hz it is 3.9 mg.
    ///
    /// - Datasheet: MPU-6050 Product Specification Rev. 3.4, 6.2; MPU-6500 Product Specification Rev. 1.1, 3.2.
    public var noiseMicrogPerRootHertz: Int32
    /// The gyroscope's noise density in µ°/s per √Hz, 0…1000000. Default 5000, or 10000 in the 6500 layout.
    ///
    /// - Datasheet: MPU-6050 Product Specification Rev. 3.4, 6.1; MPU-6500 Product Specification Rev. 1.1, 3.1.
    public var gyroscopeNoiseMicrodegreesPerRootHertz: Int32
    /// The gyroscope's errors: bias, scale, cross-axis, sensitivity to forces. Default none.
    public var gyroscopeErrors = GyroscopeErrors.none
    /// How much warmer the die finally is than at power-on, in °C. Default 0; a few degrees are usual.
    public var selfHeating = Q16.zero
    /// The time in which 63 % of that is reached, more than 0. Default 60 s.
    public var selfHeatingTime = Microseconds.seconds(60)
    /// What the axes read at 0 g, in g. Default 0; the data sheet allows ±0.05 g on X and Y, ±0.08 g on Z.
    public var zeroGOffset = Vector3.zero
    /// How much more than 1 g an axis reads at 1 g, in g. Default 0; the data sheet allows ±0.03.
    public var sensitivityError = Vector3.zero
    /// The reset values of the accelerometer's offset registers, with which the data are correct. Default 0.
    public var factoryOffsets = PerAxis<Int16>(x: 0, y: 0, z: 0)
    /// The factory's self-test codes of the accelerometer; 0 is none. 5 bits, or 8 in the 6500 layout.
    public var selfTestCodes: PerAxis<UInt8>
    /// The factory's self-test codes of the gyroscope; 0 is none. 5 bits, or 8 in the 6500 layout.
    public var gyroscopeSelfTestCodes: PerAxis<UInt8>
    /// What the self-test bits add to the accelerometer's axes, in g; nil for exactly what the codes stand for.
    public var selfTestDeflection: Vector3?
    /// What the self-test bits add to the gyroscope's axes, in °/s; nil for exactly what the codes stand for.
    public var gyroscopeSelfTestDeflection: Vector3?
    /// How much faster than nominal the internal oscillator runs, in parts per million, ±500 000. Default 0.
    ///
    /// The data sheet allows ±50 000, and over temperature -150 000 to +100 000.
    public var internalOscillatorPartsPerMillion: Int32 = 0
    /// How much faster than nominal the gyroscope's PLL runs, in parts per million, ±500 000. Default 0.
    ///
    /// The data sheet allows ±10 000.
    public var pllPartsPerMillion: Int32 = 0
    /// The time for which DEVICE_RESET reads 1; nil for ever. Default 100 ms, the longest wait that the register map
    /// requires.
    public var resetTime: Microseconds? = .milliseconds(100)
    /// Whether all data are always 0, as those of some clones are; everything else works. Default false.
    public var readsAllZero = false

    /// The defaults for a part.
    public init(_ part: Part = .mpu6050) {
      self.part = part
      let isOld = part.layout == .mpu6050
      noiseMicrogPerRootHertz = isOld ? 400 : 300
      gyroscopeNoiseMicrodegreesPerRootHertz = isOld ? 5_000 : 10_000
      selfTestCodes = isOld ? PerAxis(x: 16, y: 19, z: 11) : PerAxis(x: 102, y: 117, z: 95)
      gyroscopeSelfTestCodes = isOld ? PerAxis(x: 13, y: 15, z: 12) : PerAxis(x: 214, y: 201, z: 222)
    }
  }
}

extension EmulatedMPU6050 {
  /// A member of the family like `specimen`.
  public convenience init(
    _ specimen: Specimen, of part: Part, motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = Configuration(part)
    configuration.zeroGOffset = specimen.errors.zeroGOffset
    configuration.sensitivityError = specimen.errors.sensitivityError
    configuration.gyroscopeErrors = specimen.gyroscopeErrors
    configuration.gyroscopeErrors.sensitivityError = specimen.errors.sensitivityError
    configuration.selfHeating = specimen.selfHeating
    configuration.internalOscillatorPartsPerMillion = specimen.ratePartsPerMillion
    configuration.pllPartsPerMillion = specimen.ratePartsPerMillion
    if !specimen.isNoisy {
      configuration.noiseMicrogPerRootHertz = 0
      configuration.gyroscopeNoiseMicrodegreesPerRootHertz = 0
    }
    if let defect = specimen.defect { configuration.spoil(by: defect) }
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
    angularRate = specimen.turn
    dieTemperature = specimen.temperature
  }
}

extension EmulatedMPU6050.Configuration {
  fileprivate mutating func spoil(by defect: SensorDefect) {
    if defect == .noCodes {
      selfTestCodes = EmulatedMPU6050.PerAxis(x: 0, y: 0, z: 0)
      gyroscopeSelfTestCodes = selfTestCodes
    }
    if defect == .deadGyroscope { gyroscopeSelfTestDeflection = .zero }
    // What the specimen's codes 16, 19 and 11 stand for, in g.
    var force = Vector3(x: Q16(2_291, over: 4_096), y: Q16(2_531, over: 4_096), z: Q16(1_941, over: 4_096))
    defect.spoil(&force)
    selfTestDeflection = force
  }
}
