import FixedPoint

/// The motion detection of either class: it examines each sample of the accelerometer.
///
/// - Datasheet: MPU-6000/MPU-6050 Product Specification Rev. 3.4, 6.2 ("Intelligence function increment") and 8.3 of
///   earlier ones ("Motion Interrupt"); their Register Map Rev. 3.2, registers 28, 31, 32 and 105; MPU-6500 Register Map
///   Rev. 2.1, registers 31 and 105.
struct MPU6050MotionDetector {
  /// What a sample is compared with, in 1/16384 g: the held sample, or the last one; nil if none yet.
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
    // MOT_THR or WOM_THR.
    let threshold = UInt64(state[0x1F]) * (layout == .mpu6050 ? 32 : 4)
    func exceeds(_ difference: AxisValues) -> Bool { difference.peak * 1_000 > threshold * 16_384 }
    switch layout {
    case .mpu6500:
      // Mode 1 is the only one: each sample is compared with the previous one.
      defer { reference = force }
      guard state[0x69] & 0xC0 == 0xC0, let reference else { return false }
      return exceeds(force - reference)
    case .mpu6050:
      count = exceeds(passed(force, period, mode: state[0x1C] & 0x07)) ? count + 1 : 0
      guard count >= max(1, Int(state[0x20])) else { return false }
      count = 0
      return true
    }
  }

  /// The result of the digital high-pass for a sample: held, the difference from the first sample; on, a first-order
  /// high-pass; reset, nothing.
  private mutating func passed(_ force: AxisValues, _ period: Microseconds, mode: UInt8) -> AxisValues {
    switch mode {
    case 7:
      let held = reference ?? force
      reference = held
      return force - held
    case 1...4:
      reference = nil
      let hundredths: [Int64] = [500, 250, 125, 63]
      // dt / (dt + RC), RC = 1 / 2πf.
      let span = Double(period.count)
      let gain = span / (span + 100_000_000 / (2 * Double.pi * Double(hundredths[Int(mode) - 1])))
      let fine = force.map { $0 << 16 }
      let old = slow ?? fine
      let next = old + (fine - old).map { Int64((Double($0) * gain).rounded()) }
      slow = next
      return force - next.map { $0 >> 16 }
    default:
      (reference, slow) = (nil, nil)
      return .zero
    }
  }
}
