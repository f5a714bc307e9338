public import FixedPoint
public import HAL

/// An emulated ICM-20948: registers in four banks, samples of a moving board at the part's own rates, FIFO, interrupt
/// pin, wake on motion and self-test.
///
/// Where the data sheet leaves something open, it does what is hardest for a driver:
///
/// - **Reset** takes 20 ms; meanwhile writes are ignored and PWR_MGMT_1 reads 0xC1. It selects bank 0, as does power-on.
/// - **Asleep,** banks 1 to 3 ignore writes, and the data registers hold their values, after a reset 0.
/// - **From sleep or standby** the accelerometer gives its first sample after 20 ms and the gyroscope after 35 ms; with
///   another clock than CLKSEL 1 to 5 the gyroscope holds its values, and with 7 everything does.
/// - **Each sensor has a clock** of its own, 1125 Hz / (1 + divider), which a write to its divider restarts; with
///   ODR_ALIGN_EN it restarts both. The temperature comes with the gyroscope, or without one with the accelerometer.
/// - **The FIFO** gets what is selected at each sensor's own sample. When full it loses its oldest bytes one by one, and
///   so its alignment; in snapshot mode it accepts no more, and may end in part of a sample. Reading FIFO_COUNTH latches
///   both bytes. Empty, it returns the last byte read again.
/// - **INT_STATUS,** and those after it, show events whether or not they are enabled, and are cleared by reading them.
///
/// Filters have no delay and only determine the noise. Duty cycling changes nothing else. I2C_IF_DIS is a reserved bit
/// here, so setting it is counted. Not emulated: the DMP, watermarks, FSYNC, the offset registers, and the magnetometer
/// except for its identity, which the I2C master's slave 4 reads.
///
/// - Datasheet: DS-000189 Rev. 1.6.
public final class EmulatedICM20948: EmulatedSensor {
  /// The address with AD0 low: 0x68.
  public static let address = I2CAddress(fromDatasheet: 0x68)

  /// A part that has just been powered on, on a board that starts `motion` at the present time of `now`.
  public init(
    motion: any Motion, configuration: Configuration = Configuration(), seed: UInt64 = 1,
    now: @escaping () -> Instant
  ) {
    super.init(Chip(configuration, motion: motion, at: now(), seed: seed), now: now)
  }

  /// A part like `specimen`.
  public convenience init(
    _ specimen: Specimen, motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = Configuration()
    configuration.specimen = specimen
    if let defect = specimen.defect { configuration.spoil(by: defect) }
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
  }

  /// The properties of this specimen; by default it has noise but no errors.
  public struct Configuration: Sendable {
    /// Its errors, its temperature, and whether it has the noise of the data sheet: 230 µg and 0.015 °/s per √Hz.
    public var specimen = Specimen()
    /// The capacity of the FIFO in bytes. Default 512, that of the older copies of the data sheet; newer ones say 4096.
    public var fifoSize = 512
    /// The codes of SELF_TEST_X_ACCEL to SELF_TEST_Z_ACCEL.
    public var forceCodes: [UInt8] = [100, 110, 90]
    /// The codes of SELF_TEST_X_GYRO to SELF_TEST_Z_GYRO.
    public var rotationCodes: [UInt8] = [120, 130, 110]
    /// What the self-test adds to each axis, in g. Default: what the codes stand for, 2620 · 1.01^(code - 1) / 16384.
    public var selfTest = Vector3(x: Q16(raw: 28_066), y: Q16(raw: 31_002), z: Q16(raw: 25_408))
    /// What the self-test adds to each axis, in °/s. Default: 2620 · 1.01^(code - 1) / 131.
    public var rotationSelfTest = Vector3(
      x: Q16(raw: 4_283_053), y: Q16(raw: 4_731_155), z: Q16(raw: 3_877_392))

    /// A configuration with the defaults.
    public init() {}

    fileprivate mutating func spoil(by defect: SensorDefect) {
      defect.spoil(&selfTest, rotation: &rotationSelfTest)
      if defect == .noCodes { (forceCodes, rotationCodes) = ([0, 0, 0], [0, 0, 0]) }
    }
  }
}
