import FixedPoint

extension EmulatedADXL345.Part {
  /// Writes the register at the pointer, with what that does, and moves on.
  ///
  /// A detector begins anew when one of its registers is written or its function is switched on.
  mutating func write(_ value: UInt8, at now: Instant) {
    let register = registers.pointer
    let before = registers[register]
    guard registers.write(value) else { return }
    let changed = before ^ registers[register]
    switch register {
    case Register.tapThreshold, Register.tapDuration...Register.tapWindow, Register.tapAxes:
      taps = EmulatedADXL345.TapDetector()
    case Register.activityThreshold...Register.activityControl: activity = EmulatedADXL345.ActivityDetector()
    case Register.fallThreshold...Register.fallTime: freeFall = EmulatedADXL345.FreeFallDetector()
    case Register.bandwidthRate: changeRate(isOther: changed & 0x0F != 0, at: now)
    case Register.powerControl: changePower(changed, at: now)
    case Register.interruptEnable: restartDetectors(changed)
    case Register.fifoControl: if changed & 0xC0 != 0 { queue.enter(registers.fifoMode) }
    default: return
    }
    updateDetectors(at: now)
  }

  private mutating func restartDetectors(_ events: UInt8) {
    if events & Interrupt.taps != 0 { taps = EmulatedADXL345.TapDetector() }
    if events & Interrupt.freeFall != 0 { freeFall = EmulatedADXL345.FreeFallDetector() }
    if events & (Interrupt.activity | Interrupt.inactivity) != 0 { activity = EmulatedADXL345.ActivityDetector() }
  }

  private mutating func changeRate(isOther: Bool, at now: Instant) {
    analogue.setNoise(rateCode: registers.rateCode, isLowPower: registers.isLowPower)
    guard isOther && registers.isMeasuring && !isSleeping else { return }
    sampleClock = outputClock(origin: max(now, readyAt))
  }

  private mutating func changePower(_ changed: UInt8, at now: Instant) {
    // Measure, Link, AUTO_SLEEP: activity and inactivity begin anew, awake.
    if changed & 0x38 != 0 { activity = EmulatedADXL345.ActivityDetector() }
    guard registers.isMeasuring else {
      isAsleep = false
      sampleClock = nil
      stepClock = nil
      return
    }
    if changed & 0x08 != 0 {
      restartDetectors(0xFF)
      startClocks(at: now)
    } else if changed & 0x04 != 0 || (isSleeping && changed & 0x03 != 0) {
      startClocks(at: now)
    }
  }

  /// Starts to sample, at the output data rate after the turn-on time of 1.1 ms, or at the wake-up rate.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 7 and "Wakeup Bits".
  mutating func startClocks(at now: Instant) {
    if isSleeping {
      sampleClock = SampleClock(
        origin: now, period: .seconds(1), halvings: 3 - registers.wakeUpCode, partsPerMillion: partsPerMillion)
    } else {
      readyAt = now + Microseconds(1_100)
      sampleClock = outputClock(origin: readyAt)
    }
    stepClock = nil
    updateStepClock(at: now)
  }

  /// Undecimated data come at 3200 Hz from the moment on from which something looks at them.
  mutating func updateStepClock(at now: Instant) {
    guard registers.isMeasuring && !isSleeping && (detectors.taps || detectors.freeFall || detectors.activity) else {
      stepClock = nil
      return
    }
    if stepClock == nil { stepClock = clock(origin: max(now, readyAt), rateCode: 0x0F) }
  }

  private func outputClock(origin: Instant) -> SampleClock { clock(origin: origin, rateCode: registers.rateCode) }

  /// 10.24 s / 2^code.
  private func clock(origin: Instant, rateCode: UInt8) -> SampleClock {
    SampleClock(
      origin: origin, period: .milliseconds(10_240), halvings: rateCode, partsPerMillion: partsPerMillion)
  }
}
