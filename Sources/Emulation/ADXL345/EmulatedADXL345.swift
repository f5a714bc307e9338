public import FixedPoint
public import HAL

/// An emulated ADXL345: its registers, its sample clock and a board that moves.
///
/// The register pointer has 6 bits, moves on with every byte read or written and goes from 0x3F to 0x00. Reserved
/// registers and unused bits read 0; writes to them and to read-only registers are ignored. The data sheet says nothing
/// about these; the emulator's choices are the strict ones.
///
/// While Measure is set, samples come at the output data rate, the first one 1/ODR + 1.1 ms after Measure. The data
/// registers hold a sample, in the format that was set at its instant, until the next. Writing another BW_RATE starts a
/// new period. Samples are made when a transaction looks at them, from the motion at their own instants, so they do not
/// depend on when anyone looked.
///
/// Emulated: bypass mode only, at normal power. FIFO_CTL can be written, but FIFO_STATUS stays 0; LOW_POWER, Sleep,
/// AUTO_SLEEP and the tap, activity and free-fall detectors are registers without effect (see ``latchEvents(_:)``).
/// No interrupt pins.
///
/// - Datasheet: ADXL345 Rev. E, "Register map" and "Theory of operation".
public final class EmulatedADXL345: EmulatedTarget {
  /// What this specimen is like; the defaults are a perfect one with the typical noise of the data sheet.
  public struct Configuration: Equatable, Sendable {
    /// The standard deviation of the noise in g, at every output data rate.
    ///
    /// Default 0.75 LSB on X and Y and 1.1 LSB on Z, at 256 LSB/g.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 1, "Noise performance".
    public var noise = Vector3(x: Q16(raw: 192), y: Q16(raw: 192), z: Q16(raw: 282))
    /// What the axes read at 0 g, in g. Default 0; the data sheet allows ±0.15 g on X and Y, ±0.25 g on Z.
    public var zeroGOffset = Vector3.zero
    /// How much more than 1 g an axis reads at 1 g, in g. Default 0; the data sheet allows about ±0.1.
    public var sensitivityError = Vector3.zero
    /// What SELF_TEST adds, in g. Default 1.5, -1.5 and 2: inside the limits at 2.5 V and at 3.3 V.
    ///
    /// - Datasheet: ADXL345 Rev. E, Tables 1 and 14.
    public var selfTest = Vector3(x: Q16(3, over: 2), y: Q16(-3, over: 2), z: Q16(whole: 2))
    /// How much faster its sample clock runs than the nominal one, in parts per million, ±500 000. Default 0.
    public var ratePartsPerMillion: Int32 = 0
    /// What DEVID reads. Default 0xE5.
    public var identity: UInt8 = 0xE5

    /// The defaults.
    public init() {}
  }

  /// The address with ALT ADDRESS low: 0x53.
  ///
  /// - Datasheet: ADXL345 Rev. E, "I2C".
  public static let address = I2CAddress(fromDatasheet: 0x53)
  /// The address with ALT ADDRESS high: 0x1D.
  ///
  /// - Datasheet: ADXL345 Rev. E, "I2C".
  public static let alternateAddress = I2CAddress(fromDatasheet: 0x1D)

  /// What this specimen is like.
  public let configuration: Configuration
  /// The number of samples taken since it was made, power cycles notwithstanding.
  public private(set) var sampleCount: UInt64 = 0

  private let now: () -> Instant
  private let noise: NoiseSource
  private var motion: any Motion
  private var motionStart: Instant
  private var registers = RegisterFile()
  private var sampleClock: SampleClock?
  private var conditions = TargetConditions()

  /// A part in standby on a board that begins `motion` at this moment of `now`.
  ///
  /// Equal arguments and equal transactions at equal times give equal bytes.
  public init(
    motion: any Motion, configuration: Configuration = Configuration(), seed: UInt64 = 1,
    now: @escaping () -> Instant
  ) {
    self.motion = motion
    self.configuration = configuration
    self.now = now
    motionStart = now()
    noise = NoiseSource(standardDeviation: configuration.noise, seed: seed)
  }

  /// Begins another motion at this moment.
  public func play(_ motion: any Motion) {
    takeSamples()
    self.motion = motion
    motionStart = now()
  }

  /// Sets event bits of INT_SOURCE (single tap 6, double tap 5, activity 4, inactivity 3, free fall 2), as the
  /// detectors of the part would; other bits are ignored.
  public func latchEvents(_ bits: UInt8) {
    registers.latch(events: bits)
  }

  /// The conditions that a fault plan makes, until the next call.
  public func prepare(under conditions: TargetConditions) { self.conditions = conditions }

  /// Takes a register number and the bytes for the registers from there on; nothing at all is a mere presence check.
  public func receive(_ bytes: Span<UInt8>) {
    takeSamples()
    guard bytes.count > 0 else { return }
    registers.pointer = bytes[0] & 0x3F
    for index in 1..<max(1, bytes.count) {
      let rateBefore = registers.rateCode
      registers.write(bytes[index])
      adjustSampleClock(rateBefore: rateBefore)
    }
  }

  /// Gives the registers from the pointer on.
  public func transmit(into buffer: inout MutableSpan<UInt8>) {
    takeSamples()
    for index in buffer.indices {
      let isIdentity = registers.pointer == Register.deviceID
      let value = registers.read()
      buffer[index] = isIdentity ? conditions.identity ?? configuration.identity : value
    }
  }

  /// A dip of the supply: standby, all registers at their reset values, data zero.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Power sequencing".
  public func powerCycle() {
    registers = RegisterFile()
    sampleClock = nil
  }

  private func adjustSampleClock(rateBefore: UInt8) {
    guard registers.isMeasuring else {
      sampleClock = nil
      return
    }
    if sampleClock == nil {
      // The turn-on time is 1/ODR + 1.1 ms.
      sampleClock = makeSampleClock(origin: now() + Microseconds(1_100))
    } else if registers.rateCode != rateBefore {
      sampleClock = makeSampleClock(origin: now())
    }
  }

  private func makeSampleClock(origin: Instant) -> SampleClock {
    SampleClock(origin: origin, rateCode: registers.rateCode, partsPerMillion: configuration.ratePartsPerMillion)
  }

  /// Brings the data registers to the present: only the newest sample is left to see.
  private func takeSamples() {
    guard let news = sampleClock?.take(until: now()) else { return }
    sampleCount &+= news.count
    registers.noteSamples(news.count)
    switch conditions.measurement {
    case .frozen: break
    case .fullScale: registers.latch(.fullScale)
    case .live: registers.latch(reading(at: news.last))
    }
  }

  /// What the axes read at `instant`, before the digital part.
  private func reading(at instant: Instant) -> AxisReading {
    let force = motion.specificForce(at: instant - motionStart)
    let noise = noise.sample(at: sampleCount)
    func axis(_ path: KeyPath<Vector3, Q16>) -> Int64 {
      let gain = 65_536 + Int64(configuration.sensitivityError[keyPath: path].raw)
      var value = (Int64(force[keyPath: path].raw) * gain + 0x8000) >> 16
      value += Int64(configuration.zeroGOffset[keyPath: path].raw)
      value += Int64(noise[keyPath: path].raw)
      if registers.isSelfTesting { value += Int64(configuration.selfTest[keyPath: path].raw) }
      return value
    }
    return AxisReading(x: axis(\.x), y: axis(\.y), z: axis(\.z))
  }
}
