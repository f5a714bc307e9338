import FixedPoint

extension EmulatedADXL345 {
  /// The part before its digital side: a board that moves, and what the axes make of it.
  struct Analogue {
    private var motion: any Motion
    private var motionStart: Instant
    private let gain: AxisReading
    private let bias: AxisReading
    private let selfTest: AxisReading
    private let noise: NoiseSource
    /// The noise of undecimated readings: another sequence, as strong as at 3200 Hz.
    private let fineNoise: NoiseSource
    /// How strong the noise is at the present rate and power.
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
      // Seeds of others are small as a rule, and so not this one.
      fineNoise = NoiseSource(
        standardDeviation: Analogue.deviation(configuration.noise, rateCode: 0x0F, isLowPower: false),
        seed: seed ^ 0x5EED_0F1A_E5CA_1E00)
    }

    /// Begins another motion.
    mutating func play(_ motion: any Motion, at instant: Instant) {
      self.motion = motion
      motionStart = instant
    }

    /// Takes on the noise of a rate and a power mode.
    mutating func setNoise(rateCode: UInt8, isLowPower: Bool) {
      deviation = Analogue.deviation(noise.standardDeviation, rateCode: rateCode, isLowPower: isLowPower)
    }

    /// Lets the self-test force come or go for so many samples; it takes five.
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

    /// The noise at a rate: √2 more with every doubling above 100 Hz, and at low power no less than 1.8 and 2.6 LSB where
    /// the typical part has 0.75 and 1.1.
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
