public import FixedPoint
public import HAL

/// An emulated LIS3DH on a board that moves: its registers, sample clock, FIFO, wake-up interrupt and INT1.
///
/// **Registers.** The pointer has 7 bits and moves on only where bit 7 of the register address was set; with the FIFO
/// on it goes from 0x2D back to 0x28. Reserved registers read 0 and ignore writes, which ``reservedWrites`` counts:
/// they may damage a part.
///
/// **Samples** come at the output data rate from the end of power-down on. In high resolution the first seven are not
/// settled: they grow from 0. A part that is woken before REFERENCE was read gives 0.25 g too much until it is. BDU
/// holds an axis from the first of its bytes read until the other is; a sample that comes meanwhile shows in the next
/// axis. Where ``Configuration/byteTime`` is not 0 that can happen within a burst.
///
/// **FIFO.** 32 sets; FSS reads 31 with OVRN where all are taken. A set is taken out when its last byte, 0x2D, is read;
/// from an empty FIFO the newest sample is read. Stream-to-FIFO is triggered by INT1's event.
///
/// **Interrupt 1** looks at the samples, through the high-pass filter where CTRL_REG2 says so: axes above (and below)
/// the threshold, OR or AND, for the duration. Where nothing looked for more than 10 000 samples it leaves some out.
///
/// Not emulated: bandwidth, 6D, click and interrupt 2 (their registers are kept), the ADC's inputs, inactivity but for
/// its lower rate, which a part with ACT_THS set has from its start.
///
/// - Datasheet: LIS3DH Rev. 2; AN3308 Rev. 1 for the filter's reset and cut-offs.
public final class EmulatedLIS3DH: EmulatedTarget {
  /// The address with SDO low: 0x18.
  public static let address = I2CAddress(fromDatasheet: 0x18)

  private let now: () -> Instant
  private var part: Part

  /// A part in power-down on a board that begins `motion` at this moment of `now`.
  ///
  /// Equal arguments and equal transactions at equal times give equal bytes.
  public init(
    motion: any Motion, configuration: Configuration = Configuration(), seed: UInt64 = 1,
    now: @escaping () -> Instant
  ) {
    self.now = now
    part = Part(configuration, motion: motion, at: now(), seed: seed)
  }

  /// A part that is like `specimen`, but for what a LIS3DH does not have.
  public convenience init(
    _ specimen: Specimen, motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = Configuration()
    configuration.zeroGOffset = specimen.errors.zeroGOffset
    configuration.sensitivityError = specimen.errors.sensitivityError
    configuration.temperature = specimen.temperature
    if !specimen.isNoisy { configuration.noise = .zero }
    specimen.defect?.spoil(&configuration.selfTest)
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
  }

  /// What this specimen is like; the defaults are a perfect one.
  public struct Configuration: Equatable, Sendable {
    /// The standard deviation of the noise in g, at 100 Hz in high resolution. Default 0.9 mg.
    ///
    /// It grows with the root of the rate; normal mode has 2.1 times as much, low power 6 times.
    ///
    /// - Datasheet: LIS3DH Rev. 2, table 4: 220 µg/√Hz, at a ninth of the rate.
    public var noise = Vector3(x: Q16(raw: 59), y: Q16(raw: 59), z: Q16(raw: 59))
    /// What the axes read at 0 g, in g. Default 0; the data sheet says ±0.04.
    public var zeroGOffset = Vector3.zero
    /// How much more than 1 g an axis reads at 1 g, in g. Default 0.
    public var sensitivityError = Vector3.zero
    /// What self-test 1 adds, in g; self-test 2 subtracts it. Default 0.4, -0.4 and 0.5, within the limits.
    public var selfTest = Vector3(x: Q16(2, over: 5), y: Q16(-2, over: 5), z: Q16(1, over: 2))
    /// The temperature in °C, which shows as the difference from 25.
    public var temperature = Q16(whole: 25)
    /// How much faster its sample clock runs than the nominal one, in parts per million. Default 0.
    public var ratePartsPerMillion: Int32 = 0
    /// How long a byte takes that is read, in microseconds: 23 at 400 kHz. Default 0, so that a burst is of an instant.
    public var byteTime: Int64 = 0
    /// What WHO_AM_I reads. Default 0x33.
    public var identity: UInt8 = 0x33

    /// The defaults.
    public init() {}
  }

  /// The number of samples made up to the last look since it was made, power cycles notwithstanding.
  public var sampleCount: UInt64 { part.sampleCount }

  /// How many writes went to reserved registers or bits.
  public var reservedWrites: Int { part.reservedWrites }

  /// Whether INT1 is high at this moment.
  public var isInterruptHigh: Bool {
    part.advance(to: now())
    return part.isINT1High
  }

  /// Begins another motion at this moment.
  public func play(_ motion: any Motion) { part.play(motion, at: now()) }

  /// The conditions that a fault plan makes, until the next call.
  public func prepare(under conditions: TargetConditions) { part.conditions = conditions }

  /// Takes a register address and the bytes for the registers from there on.
  public func receive(_ bytes: Span<UInt8>) {
    part.advance(to: now())
    for index in bytes.indices { index == 0 ? part.point(to: bytes[0]) : part.write(bytes[index], at: now()) }
  }

  /// Gives the registers from the pointer on.
  public func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices { buffer[index] = part.read(at: now()) }
  }

  /// A dip of the supply: power-down, all registers at their reset values, data zero.
  public func powerCycle() { part.powerCycle() }
}
