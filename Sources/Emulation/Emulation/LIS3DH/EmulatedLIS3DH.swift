public import FixedPoint
public import HAL

/// An emulated LIS3DH on a moving board: registers, sample clock, FIFO, wake-up interrupt and INT1.
///
/// **Registers.** The pointer has 7 bits and advances only if bit 7 of the register address was set; with the FIFO on
/// it goes from 0x2D back to 0x28. Reserved registers read 0 and ignore writes. ``EmulatedSensor/reservedWrites``
/// counts these writes, because they may damage a real part.
///
/// **Samples** are taken at the output data rate once power-down ends. In high resolution the first seven have not
/// settled: they grow from 0. After power-down every axis reads 0.25 g too much until REFERENCE is read. BDU holds an
/// axis from the read of its first byte until the read of its other byte; a sample taken meanwhile appears in the next
/// axis. If ``Specimen/byteTime`` is not 0, this can happen within a burst.
///
/// **FIFO.** 32 sets; when it is full, FSS reads 31 with OVRN. Reading the last byte of a set, 0x2D, removes the set;
/// an empty FIFO returns the newest sample. The event of INT1 triggers stream-to-FIFO mode.
///
/// **Interrupt 1** compares the samples, high-pass filtered if CTRL_REG2 selects that, with the threshold: axes above
/// or below it, combined by OR or AND, for the duration. If more than 10 000 samples pass without an access, it skips
/// some of them.
///
/// Not emulated: bandwidth; 6D, click and interrupt 2 (only their registers exist); the ADC's inputs; and inactivity,
/// except that a part with ACT_THS set runs at the lower rate from the start.
///
/// - Datasheet: LIS3DH Rev. 2; AN3308 Rev. 1 for the reset and the cut-offs of the filter.
public final class EmulatedLIS3DH: EmulatedSensor {
  /// The address with SDO low: 0x18.
  public static let address = I2CAddress(fromDatasheet: 0x18)

  /// A part in power-down on a board that starts `motion` at the present time of `now`.
  public init(
    motion: any Motion, configuration: Configuration = Configuration(), seed: UInt64 = 1,
    now: @escaping () -> Instant
  ) {
    super.init(Chip(configuration, motion: motion, at: now(), seed: seed), now: now)
  }

  /// A part like `specimen`, without the properties that an LIS3DH does not have.
  public convenience init(
    _ specimen: Specimen, motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = Configuration()
    configuration.specimen = specimen
    specimen.defect?.spoil(&configuration.selfTest)
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
  }

  /// The properties of this specimen; by default it has noise but no errors.
  public struct Configuration: Sendable {
    /// Its errors, its temperature, and whether it has noise. The data sheet specifies ±0.04 g at 0 g.
    public var specimen = Specimen()
    /// The standard deviation of the noise in g, at 100 Hz in high resolution. Default 0.9 mg.
    ///
    /// It grows with the square root of the rate; normal mode has 2.1 times as much, low-power mode 6 times.
    ///
    /// - Datasheet: LIS3DH Rev. 2, table 4: 220 µg/√Hz, at a ninth of the rate.
    public var noise = Vector3(x: Q16(raw: 59), y: Q16(raw: 59), z: Q16(raw: 59))
    /// The force that self-test 1 adds and self-test 2 subtracts, in g. Default 0.4, -0.4 and 0.5, within the limits.
    public var selfTest = Vector3(x: Q16(2, over: 5), y: Q16(-2, over: 5), z: Q16(1, over: 2))
    /// The value of WHO_AM_I. Default 0x33.
    public var identity: UInt8 = 0x33

    /// A configuration with the defaults.
    public init() {}
  }
}
