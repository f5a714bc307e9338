extension EmulatedADXL345 {
  /// Free fall, in steps of 312.5 µs.
  ///
  /// An event comes when all three axes have been below THRESH_FF for TIME_FF, from the first such step on; while they
  /// stay there, the time begins anew. A TIME_FF of 0 is an event with every step below.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Interrupts" and "TIME_FF".
  struct FreeFallDetector {
    /// Since the first step below; nil while there was none.
    private var steps: Int?

    /// Looks at the next step: whether it completes an event.
    mutating func step(_ reading: AxisReading, _ registers: RegisterFile) -> Bool {
      guard reading.isWithin(registers.threshold(Register.fallThreshold), onAxes: 0x07) else {
        steps = nil
        return false
      }
      let elapsed = steps.map { $0 + 1 } ?? 0
      let isEvent = elapsed >= 16 * Int(registers[Register.fallTime])
      steps = isEvent ? 0 : elapsed
      return isEvent
    }
  }
}
