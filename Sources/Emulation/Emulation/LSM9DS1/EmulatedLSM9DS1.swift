public import FixedPoint
public import HAL

/// An emulated LSM9DS1 on a moving board: accelerometer, gyroscope, thermometer, FIFO, the interrupt of the
/// accelerometer, and INT1. The magnetometer is another target on the bus, and not emulated.
///
/// **Axes.** Those of the part are left-handed, and it is mounted as on a Sense HAT: X to the right, Y down, Z out of
/// the board. So with motions in the board's frame (Y up), its Y is the opposite, of force and rotation.
///
/// **Registers.** The pointer has 7 bits (bit 7 of an address is ignored) and advances while IF_ADD_INC is set. With the
/// gyroscope on it skips 0x17, goes from 0x1D to 0x28 and from 0x2D to 0x18; otherwise from 0x2D to 0x28. Reserved
/// registers read 0 and ignore writes.
///
/// **Samples** of both sensors are taken together, at the rate of the gyroscope, or without it at that of the
/// accelerometer. A change of either rate restarts both (choice): the first 14 samples of the accelerometer and 8 of the
/// gyroscope have not settled, and grow from 0. BDU holds an axis from the read of its first byte until the read of its
/// other byte; a sample taken meanwhile appears in the next axis. If ``Specimen/byteTime`` is not 0, this can
/// happen within a burst. A read of the high byte of any axis clears the sensor's flag in STATUS (choice).
///
/// **FIFO.** 32 sets. The first after a change of mode is not valid. Reading 0x2D removes a set; an empty FIFO returns
/// the newest sample. The modes with a trigger behave like continuous mode (choice).
///
/// **Interrupt of the accelerometer.** Compares magnitudes with thresholds in 1/256 of the range (choices), of the
/// samples or with HPIS high-pass filtered: axes above or below, combined by OR or AND. The filter starts from 0.
///
/// Not emulated: bandwidth and filters of the data, 6D, duration and inactivity, the interrupt of the gyroscope, INT2,
/// decimation, STOP_ON_FTH, I2C_DISABLE, and SLEEP_G: only their registers exist.
///
/// - Datasheet: LSM9DS1 Rev. 2 (November 2014).
public final class EmulatedLSM9DS1: EmulatedSensor {
  /// The address with SDO_A/G low: 0x6A.
  public static let address = I2CAddress(fromDatasheet: 0x6A)

  /// A part in power-down on a board that starts `motion` at the present time of `now`.
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
    specimen.defect?.spoil(&configuration.selfTest, rotation: &configuration.rotationTest)
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
  }

  /// The properties of this specimen; by default it has noise but no errors.
  public struct Configuration: Sendable {
    /// Its errors, its temperature, and whether it has noise. The data sheet specifies ±0.09 g and ±30 °/s at rest.
    public var specimen = Specimen()
    /// The standard deviation of the noise in g at any rate: 1 mg. The data sheet does not specify it.
    public var noise = Vector3(x: Q16(raw: 66), y: Q16(raw: 66), z: Q16(raw: 66))
    /// The same of the gyroscope in °/s: 0.05. The data sheet does not specify it.
    public var rotationNoise = Vector3(x: Q16(raw: 3_277), y: Q16(raw: 3_277), z: Q16(raw: 3_277))
    /// The force that ST_XL adds to the axes of the part, in g. Default 0.4, -0.4 and 0.5.
    public var selfTest = Vector3(x: Q16(2, over: 5), y: Q16(-2, over: 5), z: Q16(1, over: 2))
    /// The rotation that ST_G adds to them, in °/s. Default 400, -400 and 500.
    public var rotationTest = Vector3(x: Q16(whole: 400), y: Q16(whole: -400), z: Q16(whole: 500))

    /// A configuration with the defaults.
    public init() {}
  }
}
