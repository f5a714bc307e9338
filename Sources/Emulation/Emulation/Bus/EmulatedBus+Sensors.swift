// One sensor on a bus of its own, and one clock for both.
extension EmulatedBus {
  /// A bus with an ADXL345 at 0x53, on a board that starts `motion` now by `clock`. A transaction that `plan` slows
  /// down advances the clock.
  public static func adxl345(
    moving motion: any Motion, by clock: VirtualClock, plan: FaultPlan = .none
  ) -> EmulatedBus {
    let part = EmulatedADXL345(motion: motion) { clock.now }
    return EmulatedBus(part, at: EmulatedADXL345.address, plan: plan, pass: { clock.advance(by: $0) }) { clock.now }
  }

  /// A bus with an MPU-6050 at 0x68, on a board that starts `motion` now by `clock`. A transaction that `plan` slows
  /// down advances the clock.
  public static func mpu6050(
    moving motion: any Motion, by clock: VirtualClock, plan: FaultPlan = .none
  ) -> EmulatedBus {
    let part = EmulatedMPU6050(motion: motion) { clock.now }
    return EmulatedBus(part, at: EmulatedMPU6050.address, plan: plan, pass: { clock.advance(by: $0) }) { clock.now }
  }
}
