import FixedPoint

extension EmulatedMPU6050.Chip {
  /// The motion detection of either class: it examines each sample of the accelerometer.
  ///
  /// - Datasheet: MPU-6000/MPU-6050 Product Specification Rev. 3.4, 6.2 ("Intelligence function increment") and 8.3 of
  ///   earlier ones ("Motion Interrupt"); their Register Map Rev. 3.2, registers 28, 31, 32 and 105; MPU-6500 Register
  ///   Map Rev. 2.1, registers 31 and 105.
  struct MotionDetector {
    /// What a sample is compared with, in 1/16384 g: the held sample, the last one, or what a high-pass has removed;
    /// nil if none yet.
    private var reference: AxisValues?
    /// What the high-pass of the 6050 class removes, in 1/65536 of 1/16384 g.
    private var slow: AxisValues?
    /// The number of consecutive samples that showed motion: MOT_DUR counts them.
    private var count = 0

    /// Examines a sample as stored in the registers, in 1/16384 g, `period` after the previous one; returns whether it
    /// causes an interrupt.
    mutating func sees(
      _ force: AxisValues, period: Microseconds, _ state: ChipState, _ layout: EmulatedMPU6050.Part.Layout
    ) -> Bool {
      let threshold = Int64(state[Register.motionThreshold]) * (layout == .mpu6050 ? 32 : 4)
      func exceeds(_ difference: Int64) -> Bool { difference * 1_000 > threshold * 16_384 }
      switch layout {
      case .mpu6500:
        // Mode 1 is the only one: each sample is compared with the previous one.
        defer { reference = force }
        guard state[Register.motionControl] & 0xC0 == 0xC0, let reference else { return false }
        return exceeds(force.difference(from: reference))
      case .mpu6050:
        count = exceeds(passed(force, period, mode: state[Register.accelerometerConfiguration] & 0x07)) ? count + 1 : 0
        guard count >= max(1, Int(state[Register.motionDuration])) else { return false }
        count = 0
        return true
      }
    }

    /// The result of the digital high-pass for a sample, on its greatest axis: held, the difference from the first
    /// sample; on, a first-order high-pass; reset, nothing.
    private mutating func passed(_ force: AxisValues, _ period: Microseconds, mode: UInt8) -> Int64 {
      switch mode {
      case 7:
        let held = reference ?? force
        reference = held
        return force.difference(from: held)
      case 1...4:
        reference = nil
        let hundredths: [Int64] = [500, 250, 125, 63]
        // dt / (dt + RC), RC = 1 / 2πf.
        let span = Double(period.count)
        let gain = span / (span + 100_000_000 / (2 * Double.pi * Double(hundredths[Int(mode) - 1])))
        let old = slow ?? force.map { $0 << 16 }
        func step(_ old: Int64, _ new: Int64) -> Int64 { old + Int64((Double(new << 16 - old) * gain).rounded()) }
        let next = AxisValues(x: step(old.x, force.x), y: step(old.y, force.y), z: step(old.z, force.z))
        slow = next
        return force.difference(from: next.map { $0 >> 16 })
      default:
        (reference, slow) = (nil, nil)
        return 0
      }
    }
  }

  /// How far back motion is looked for at most: ten minutes, so that a leap of the clock is bounded.
  private static var lookBack: Microseconds { .seconds(600) }

  /// Whether motion detection is enabled.
  var looksForMotion: Bool { state[Register.interruptEnable] & 0x40 != 0 }

  /// Stores the samples up to `newest` in the registers one by one and detects motion; returns the number of the first
  /// sample that shows it.
  mutating func takeSamplesForMotion(until newest: Int64, of ticks: SampleTicks) -> Int64? {
    var found: Int64?
    let most = max(1, Self.lookBack.count / max(1, ticks.rate.period.count))
    for number in max(nextSample, newest &- most)...newest {
      take(number, of: ticks)
      guard ticks.instant(ofUnit: number &* ticks.rate.unitsPerSample) >= accelerometerReady else { continue }
      let sees = motionDetector.sees(
        AxisValues(x: force(0), y: force(1), z: force(2)), period: ticks.rate.period, state, specimen.part.layout)
      if sees && found == nil { found = number }
    }
    return found
  }

  /// The value of an axis's data registers, in 1/16384 g.
  private func force(_ axis: Int) -> Int64 { word(Register.accelerometerData + 2 * axis) << settings.rangeShift }
}

extension AxisValues {
  /// The greatest difference on an axis.
  fileprivate func difference(from other: AxisValues) -> Int64 {
    max(abs(x - other.x), max(abs(y - other.y), abs(z - other.z)))
  }
}
