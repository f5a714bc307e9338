public import FixedPoint
public import HAL

/// An emulated ADXL345 on a moving board: its registers, clock, FIFO, detectors and interrupt pins.
///
/// **Registers.** The pointer has 6 bits, advances with every byte read or written and goes from 0x3F to 0x00. Reserved
/// registers and unused bits read 0; writes to them and to read-only registers are ignored. The data sheet does not
/// specify these; the emulator makes the strict choices.
///
/// **Samples.** While Measure is set, samples are taken at the output data rate, the first one 1/ODR + 1.1 ms after
/// Measure is set. Each is in the format that was set at its instant. Writing another BW_RATE starts a new period.
/// Samples are computed when the part is accessed, from the motion at their own instants, so they do not depend on the
/// time of access.
///
/// **FIFO.** Behind the data registers is the output register with one sample, and behind that the FIFO with 32
/// entries: 33 samples in all. In FIFO, stream and trigger mode a sample goes to the output register if the one there
/// has been read and no entry waits, otherwise into the FIFO. DATA_READY: the output register holds an unread sample.
/// Entries counts the FIFO alone, so there are Entries + 1 samples to read while DATA_READY is set, and none while it
/// is clear; reading then returns the last sample again and removes nothing. The end of a read of any data register,
/// even of only one byte (STOP, or the pointer's step from 0x37 to 0x38), discards the sample in the output register
/// and moves the oldest entry there. Watermark: Entries ≥ Samples, in every mode. Overrun, except in bypass mode:
/// Entries = 32, the FIFO is full; the next read clears it. So with 32 unread samples Overrun is clear, with 33 it is
/// set but nothing is lost yet, and with the 34th one sample is lost: in stream mode the oldest entry, in FIFO mode
/// (and in trigger mode after the trigger) the new sample. The sample in the output register stays, so that in stream
/// mode the gap is between the first sample read and the second. Reading exactly Entries samples at a time leaves one
/// for the next time; it neither loses nor duplicates any. Trigger mode is triggered when its pin becomes active, by
/// any interrupt; then the last Samples entries remain behind the output register. Bypass mode empties the FIFO; the
/// output register keeps its sample, and standby keeps everything.
///
/// **Events.** Tap, activity and free fall use readings of their own, 3200 a second with the noise of that rate, before
/// the offset registers are applied. Inactivity uses the output samples, offsets included; activity, while asleep, uses
/// those at the wake-up rate, without offsets. The bits of INT_ENABLE switch the detectors on, and one that is off
/// costs nothing. A bit of INT_SOURCE stays set until it is read, and is set again by the next reading that meets the
/// data sheet's condition. If the part has not been accessed for more than ten minutes, the detectors skip all but the
/// last ten.
///
/// **Sleep.** Samples are taken at the wake-up rate, the first one period after falling asleep, into the data registers
/// only; after waking, the turn-on time passes first. With Link and AUTO_SLEEP the part sleeps from inactivity to
/// activity, but not while an activity is unread.
///
/// SELF_TEST settles within four samples: the first four after a change show 1/5 to 4/5 of it; time in standby does not
/// count. Not emulated: bandwidth (a sample is the motion at its instant), the additional noise after Sleep is cleared
/// without standby, data that a reader has to clip (the ranges clip on their own), temperature.
///
/// - Datasheet: ADXL345 Rev. E, "Register map" and "Theory of operation".
public final class EmulatedADXL345: EmulatedSensor {
  /// One of the two pins that report interrupts.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Interrupts".
  public enum InterruptPin: Equatable, Sendable {
    /// The pin of the interrupts whose bit in INT_MAP is 0.
    case int1
    /// The pin of the interrupts whose bit in INT_MAP is 1.
    case int2
  }

  /// The address with ALT ADDRESS low: 0x53.
  ///
  /// - Datasheet: ADXL345 Rev. E, "I2C".
  public static let address = I2CAddress(fromDatasheet: 0x53)
  /// The address with ALT ADDRESS high: 0x1D.
  ///
  /// - Datasheet: ADXL345 Rev. E, "I2C".
  public static let alternateAddress = I2CAddress(fromDatasheet: 0x1D)

  /// The properties of this specimen.
  public let configuration: Configuration
  /// Called with every change of a pin: which pin, whether it is high now, and when it changed.
  ///
  /// The changes are found and reported when the part is accessed (by a transaction, a pin, ``catchUp()``), in order.
  public var onPinChange: ((InterruptPin, _ isHigh: Bool, _ at: Instant) -> Void)? {
    didSet { engine.chip.pinChanges = onPinChange == nil ? nil : [] }
  }

  private let engine: ChipEngine<Chip>

  /// A part in standby on a board that starts `motion` at the present time of `now`.
  ///
  /// Equal arguments and equal transactions at equal times give equal bytes.
  public init(
    motion: any Motion, configuration: Configuration = Configuration(), seed: UInt64 = 1,
    now: @escaping () -> Instant
  ) {
    self.configuration = configuration
    engine = ChipEngine(Chip(configuration, motion: motion, at: now(), seed: seed), now: now)
    super.init(engine)
    engine.onAccess = { [unowned self] in
      guard let changes = engine.chip.pinChanges, !changes.isEmpty else { return }
      // Taken first, because the callee may access the part.
      engine.chip.pinChanges = []
      for change in changes { onPinChange?(change.pin, change.isHigh, change.instant) }
    }
  }

  /// A part like `specimen`, except for what an ADXL345 does not have.
  public convenience init(
    _ specimen: Specimen, motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = Configuration()
    configuration.zeroGOffset = specimen.errors.zeroGOffset
    configuration.sensitivityError = specimen.errors.sensitivityError
    configuration.ratePartsPerMillion = specimen.ratePartsPerMillion
    if !specimen.isNoisy { configuration.noise = .zero }
    specimen.defect?.spoil(&configuration.selfTest)
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
  }

  /// The number of samples taken from creation to the last access, across power cycles; without undecimated readings.
  public override var sampleCount: UInt64 { engine.chip.state.sampleCount }

  /// Whether INT1 is high now.
  public var isINT1High: Bool { isInterruptHigh }

  /// Whether INT2 is high now.
  public var isINT2High: Bool {
    catchUp()
    return engine.chip.highPins & 2 != 0
  }

  /// Brings the part up to date without a transaction, so that pin changes are reported.
  public func catchUp() { engine.catchUp() }

  /// Sets event bits of INT_SOURCE (single tap 6, double tap 5, activity 4, inactivity 3, free fall 2) as if detectors
  /// had found them, enabled or not, for tests that need an event without its motion; other bits are ignored.
  public func latchEvents(_ bits: UInt8) {
    let now = engine.catchUp()
    engine.chip.latch(bits & 0x7C, at: now)
    catchUp()
  }
}

extension EmulatedADXL345 {
  /// The properties of this specimen; the defaults are a perfect one with the typical noise of the data sheet.
  public struct Configuration: Equatable, Sendable {
    /// The standard deviation of the noise in g, at normal power and output data rates up to 100 Hz.
    ///
    /// Default 0.75 LSB on X and Y and 1.1 LSB on Z, at 256 LSB/g. Above 100 Hz it grows by √2 with every doubling of
    /// the rate. LOW_POWER multiplies it by 2.4 on X and Y (1.8 LSB) and by 26/11 on Z (2.6 LSB), at any rate at which
    /// it is not greater already. 0 is a part without noise.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 1 and "Noise performance".
    public var noise = Vector3(x: Q16(raw: 192), y: Q16(raw: 192), z: Q16(raw: 282))
    /// What the axes read at 0 g, in g. Default 0; the data sheet allows ±0.15 g on X and Y, ±0.25 g on Z.
    public var zeroGOffset = Vector3.zero
    /// How much more than 1 g an axis reads at 1 g, in g. Default 0; the data sheet allows about ±0.1.
    public var sensitivityError = Vector3.zero
    /// What SELF_TEST adds with a supply of 2.5 V, in g. Default 0.85, -0.85 and 1.35: within the limits, and when
    /// scaled to 3.3 V within those too.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 1.
    public var selfTest = Vector3(x: Q16(85, over: 100), y: Q16(-85, over: 100), z: Q16(135, over: 100))
    /// The supply in millivolts, clamped to 2000…3600. Default 3300, as on a Raspberry Pi.
    ///
    /// It scales the force of the self-test, interpolated linearly between the four voltages of the data sheet.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 14.
    public var supplyMillivolts: Int32 = 3_300
    /// Whether the supply shifts offset and sensitivity as is typical. Default false.
    ///
    /// At 3.3 V: X and Y read 25 mg more and have 265 LSB/g, Z reads 20 mg less. At 2.5 V, where the part is specified,
    /// there is no shift; elsewhere it is proportional. It adds to the specimen's own errors.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 1 and typical performance characteristics at 3.3 V.
    public var shiftsWithSupply = false
    /// How much faster the part's sample clock runs than the nominal one, in parts per million, ±500 000. Default 0.
    public var ratePartsPerMillion: Int32 = 0
    /// The value of DEVID. Default 0xE5.
    public var identity: UInt8 = 0xE5

    /// The defaults.
    public init() {}
  }
}

extension EmulatedADXL345.Configuration {
  /// The standard deviation of the noise with a value of BW_RATE: greater by √2 with every doubling above 100 Hz, and
  /// at low power at least 1.8 and 2.6 LSB on a typical part, which has 0.75 and 1.1.
  func deviation(ofRate rate: UInt8) -> Vector3 {
    // Powers of √2 in Q16.16, for 100 Hz and below, 200, 400, 800, 1600 and 3200 Hz.
    let growth: InlineArray<6, Int32> = [65_536, 92_682, 131_072, 185_364, 262_144, 370_728]
    let normal = growth[max(10, Int(rate & 0x0F)) - 10]
    let isLowPower = rate & 0x10 != 0
    let horizontal = Q16(raw: isLowPower ? max(normal, 157_286) : normal)
    let vertical = Q16(raw: isLowPower ? max(normal, 154_903) : normal)
    return Vector3(
      x: noise.x.multipliedSaturating(by: horizontal), y: noise.y.multipliedSaturating(by: horizontal),
      z: noise.z.multipliedSaturating(by: vertical))
  }

  /// Sets the specimen's errors of offset and gain, and those of its supply.
  func setErrors(of analogue: inout Analogue) {
    analogue.setErrors(offset: zeroGOffset, sensitivity: sensitivityError)
    guard shiftsWithSupply else { return }
    // For 0.8 V more than 2.5 V.
    func shift(_ number: Int64, over unit: Int64) -> Int64 { 65_536 * number * (millivolts - 2_500) / (unit * 800) }
    let (gain, offset) = (shift(9, over: 256), shift(25, over: 1_000))
    analogue.gain = analogue.gain + AxisValues(x: gain, y: gain, z: 0)
    analogue.offset = analogue.offset + AxisValues(x: offset, y: offset, z: shift(-20, over: 1_000))
  }

  /// What a settled self-test adds, in 1/65536 g.
  var selfTestForce: AxisValues {
    let force = AxisValues(selfTest)
    let (horizontal, vertical) = (interpolated([64, 100, 177, 211]), interpolated([80, 100, 147, 169]))
    return AxisValues(
      x: force.x * horizontal / 65_536, y: force.y * horizontal / 65_536, z: force.z * vertical / 65_536)
  }

  private var millivolts: Int64 { max(2_000, min(3_600, Int64(supplyMillivolts))) }

  /// A factor in 1/65536, from hundredths at 2.0, 2.5, 3.3 and 3.6 V.
  private func interpolated(_ hundredths: InlineArray<4, Int64>) -> Int64 {
    let volts: InlineArray<4, Int64> = [2_000, 2_500, 3_300, 3_600]
    let part = millivolts <= 2_500 ? 0 : millivolts <= 3_300 ? 1 : 2
    let rise = hundredths[part + 1] - hundredths[part]
    let run = volts[part + 1] - volts[part]
    return 65_536 * (hundredths[part] * run + rise * (millivolts - volts[part])) / (100 * run)
  }
}
