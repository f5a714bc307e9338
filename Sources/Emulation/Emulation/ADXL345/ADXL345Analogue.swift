import FixedPoint

extension EmulatedADXL345 {
  /// The part in front of its digital side: a moving board, and what the axes measure of it.
  struct Analogue {
    private var motion: any Motion
    private var motionStart: Instant
    private let gain: AxisReading
    private let bias: AxisReading
    private let selfTest: AxisReading
    private let noise: NoiseSource
    /// The noise of undecimated readings: another sequence, as strong as at 3200 Hz.
    private let fineNoise: NoiseSource
    /// The standard deviation of the noise at the present rate and power.
    private var deviation: Vector3
    /// How far the self-test has settled, in fifths.
    private var settled: Int64 = 0

    init(_ configuration: Configuration, motion: any Motion, at instant: Instant, seed: UInt64) {
      self.motion = motion
      motionStart = instant
      gain = configuration.gain
      bias = configuration.bias
      selfTest = configuration.selfTestForce
      deviation = configuration.noise
      noise = NoiseSource(standardDeviation: configuration.noise, seed: seed)
      // Other seeds are usually small; this one is not, to differ from them.
      fineNoise = NoiseSource(
        standardDeviation: Analogue.deviation(configuration.noise, rateCode: 0x0F, isLowPower: false),
        seed: seed ^ 0x5EED_0F1A_E5CA_1E00)
    }

    /// Starts another motion.
    mutating func play(_ motion: any Motion, at instant: Instant) {
      self.motion = motion
      motionStart = instant
    }

    /// Applies the noise of a rate and a power mode.
    mutating func setNoise(rateCode: UInt8, isLowPower: Bool) {
      deviation = Analogue.deviation(noise.standardDeviation, rateCode: rateCode, isLowPower: isLowPower)
    }

    /// Lets the self-test force build up or fade over `samples` samples; it takes five.
    mutating func settle(isSelfTesting: Bool, samples: Int64) {
      settled = isSelfTesting ? min(5, settled + min(5, samples)) : max(0, settled - min(5, samples))
    }

    mutating func powerCycle() { settled = 0 }

    /// Sample `number` of the output, taken at `instant`.
    func reading(at instant: Instant, number: UInt64) -> AxisReading {
      var value = force(at: instant)
      if deviation != .zero { value = value + AxisReading(noise.sample(at: number, scaledTo: deviation)) }
      return value
    }

    /// Undecimated reading `number`, taken at `instant`.
    func undecimatedReading(at instant: Instant, number: UInt64) -> AxisReading {
      var value = force(at: instant)
      if deviation != .zero { value = value + AxisReading(fineNoise.sample(at: number)) }
      return value
    }

    private func force(at instant: Instant) -> AxisReading {
      let force = AxisReading(motion.specificForce(at: instant - motionStart))
      func amplified(_ value: Int64, _ gain: Int64) -> Int64 { (value * gain + 0x8000) >> 16 }
      let value =
        AxisReading(x: amplified(force.x, gain.x), y: amplified(force.y, gain.y), z: amplified(force.z, gain.z))
        + bias
      guard settled > 0 else { return value }
      return value
        + AxisReading(x: selfTest.x * settled / 5, y: selfTest.y * settled / 5, z: selfTest.z * settled / 5)
    }

    /// The noise at a rate: greater by √2 with every doubling above 100 Hz, and at low power at least 1.8 and 2.6 LSB
    /// on a typical part, which has 0.75 and 1.1.
    private static func deviation(_ base: Vector3, rateCode: UInt8, isLowPower: Bool) -> Vector3 {
      // Powers of √2 in Q16.16, for 100 Hz and below, 200, 400, 800, 1600 and 3200 Hz.
      let growth: InlineArray<6, Int32> = [65_536, 92_682, 131_072, 185_364, 262_144, 370_728]
      let normal = growth[max(10, Int(rateCode & 0x0F)) - 10]
      let horizontal = Q16(raw: isLowPower ? max(normal, 157_286) : normal)
      let vertical = Q16(raw: isLowPower ? max(normal, 154_903) : normal)
      return Vector3(
        x: base.x.multipliedSaturating(by: horizontal), y: base.y.multipliedSaturating(by: horizontal),
        z: base.z.multipliedSaturating(by: vertical))
    }
  }
}

extension EmulatedADXL345 {
  /// What three axes measure, in 1/65536 g; wider than any format, so that clipping is left to the format.
  struct AxisReading {
    var x: Int64
    var y: Int64
    var z: Int64

    static var zero: AxisReading { AxisReading(x: 0, y: 0, z: 0) }

    /// Beyond the widest range on every axis.
    static var fullScale: AxisReading { AxisReading(x: 1 << 32, y: 1 << 32, z: 1 << 32) }

    static func + (a: AxisReading, b: AxisReading) -> AxisReading {
      AxisReading(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
    }

    static func - (a: AxisReading, b: AxisReading) -> AxisReading {
      AxisReading(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
    }

    /// The axes of `mask` (X 4, Y 2, Z 1) whose magnitude is greater than `threshold`.
    func axes(of mask: UInt8, beyond threshold: Int64) -> UInt8 {
      let all: UInt8 =
        (x.magnitude > threshold ? 4 : 0) | (y.magnitude > threshold ? 2 : 0) | (z.magnitude > threshold ? 1 : 0)
      return all & mask
    }

    /// Whether the magnitude of every axis of `mask` (X 4, Y 2, Z 1) is less than `threshold`.
    func isWithin(_ threshold: Int64, onAxes mask: UInt8) -> Bool {
      (x.magnitude < threshold || mask & 4 == 0) && (y.magnitude < threshold || mask & 2 == 0)
        && (z.magnitude < threshold || mask & 1 == 0)
    }
  }
}

extension EmulatedADXL345.RegisterFile {
  /// What the offset registers add, in 1/65536 g. One LSB is 15.625 mg, 1024/65536 g, in every range.
  var offset: EmulatedADXL345.AxisReading {
    func axis(_ number: UInt8) -> Int64 {
      Int64(Int8(bitPattern: self[EmulatedADXL345.Register.offsetX + number])) * 1_024
    }
    return EmulatedADXL345.AxisReading(x: axis(0), y: axis(1), z: axis(2))
  }

  /// The six data bytes of a reading, X0 lowest, with the offsets and in the format set now.
  func encoded(_ reading: EmulatedADXL345.AxisReading) -> UInt64 {
    let sum = reading + offset
    return UInt64(encoded(sum.x)) | UInt64(encoded(sum.y)) << 16 | UInt64(encoded(sum.z)) << 32
  }

  /// A value in 1/65536 g as DATA_FORMAT requires it: rounded to nearest, clipped to the range, right- or
  /// left-justified.
  ///
  /// - Datasheet: ADXL345 Rev. E, "DATA_FORMAT", Table 1 and "Data formatting of upper data rates".
  private func encoded(_ value: Int64) -> UInt16 {
    let format = self[EmulatedADXL345.Register.dataFormat]
    let range = Int64(format & 0x03)
    let isFullResolution = format & 0x08 != 0
    let bits = isFullResolution ? 10 + range : 10
    let shift = isFullResolution ? 8 : 8 + range
    let limit: Int64 = 1 << (bits - 1)
    var counts = max(-limit, min(limit - 1, (value + (1 << (shift - 1))) >> shift))
    // At the two fastest rates the lowest bit is always 0 at 256 LSB/g.
    if rateCode >= 0x0E && shift == 8 { counts &= ~1 }
    let isLeftJustified = format & 0x04 != 0
    return UInt16(truncatingIfNeeded: isLeftJustified ? counts << (16 - bits) : counts)
  }
}
