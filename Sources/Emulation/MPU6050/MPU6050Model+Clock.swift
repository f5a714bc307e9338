import FixedPoint

/// What makes an MPU-6050 sample, and how often.
extension MPU6050Model {
  /// The rate of the sample clock as the registers are; nil while it stands still.
  func clockRate() -> SampleTicks.Rate? {
    let management = bytes[Register.powerManagement1]
    guard management & 0x40 == 0, let source = clockSource(management & 0x07) else { return nil }
    if management & 0x20 != 0 { return cycleRate() }
    let filter = bytes[Register.configuration] & 0x07
    let divider = Int64(bytes[Register.sampleRateDivider]) + 1
    if (1...6).contains(filter) {
      return SampleTicks.Rate(
        unitNanoseconds: 1_000_000, unitsPerSample: divider, partsPerMillion: partsPerMillion(of: source))
    }
    let isNew = specimen.part.layout == .mpu6500
    let isFast = bytes[Register.accelerometerConfiguration2] & 0x08 != 0
    return SampleTicks.Rate(
      unitNanoseconds: 125_000, unitsPerSample: isNew ? 1 : divider, accelerometerUnits: isFast ? 2 : 8,
      partsPerMillion: partsPerMillion(of: source))
  }

  private enum ClockSource { case internalOscillator, pll }

  /// What CLKSEL selects; nil where there is no clock.
  private func clockSource(_ selection: UInt8) -> ClockSource? {
    let standby = bytes[Register.powerManagement2] & 0x07
    switch (specimen.part.layout, selection) {
    case (_, 0), (.mpu6500, 6): return .internalOscillator
    case (.mpu6050, 1...3): return standby & (0x08 >> selection) != 0 ? .internalOscillator : .pll
    case (.mpu6500, 1...5): return standby == 0x07 ? .internalOscillator : .pll
    default: return nil
    }
  }

  private func partsPerMillion(of source: ClockSource) -> Int32 {
    switch source {
    case .internalOscillator: specimen.internalOscillatorPartsPerMillion
    case .pll: specimen.pllPartsPerMillion
    }
  }

  /// How often cycle mode wakes the accelerometer.
  private func cycleRate() -> SampleTicks.Rate {
    let nanoseconds: Int64
    switch specimen.part.layout {
    case .mpu6050:
      // 1.25, 5, 20 and 40 Hz.
      let periods: [Int64] = [800_000_000, 200_000_000, 50_000_000, 25_000_000]
      nanoseconds = periods[Int(bytes[Register.powerManagement2] >> 6)]
    case .mpu6500:
      // 500 Hz for code 11, half of it for each code less.
      nanoseconds = 2_000_000 << Int64(11 - min(11, bytes[Register.lowPowerRate]))
    }
    return SampleTicks.Rate(
      unitNanoseconds: nanoseconds, partsPerMillion: specimen.internalOscillatorPartsPerMillion, isCycling: true)
  }
}
