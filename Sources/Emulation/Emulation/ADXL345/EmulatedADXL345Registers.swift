import FixedPoint

extension EmulatedADXL345 {
  /// The numbers of the ADXL345's registers that have an effect.
  ///
  /// Written from the data sheet alone: an error shared with a driver would go unnoticed in both.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 19.
  enum Register {
    static let deviceID: UInt8 = 0x00
    static let tapThreshold: UInt8 = 0x1D
    static let offsetX: UInt8 = 0x1E
    static let tapDuration: UInt8 = 0x21
    static let tapLatency: UInt8 = 0x22
    static let tapWindow: UInt8 = 0x23
    static let activityThreshold: UInt8 = 0x24
    static let inactivityThreshold: UInt8 = 0x25
    static let inactivityTime: UInt8 = 0x26
    static let activityControl: UInt8 = 0x27
    static let fallThreshold: UInt8 = 0x28
    static let fallTime: UInt8 = 0x29
    static let tapAxes: UInt8 = 0x2A
    static let eventAxes: UInt8 = 0x2B
    static let bandwidthRate: UInt8 = 0x2C
    static let powerControl: UInt8 = 0x2D
    static let interruptEnable: UInt8 = 0x2E
    static let interruptMap: UInt8 = 0x2F
    static let interruptSource: UInt8 = 0x30
    static let dataFormat: UInt8 = 0x31
    static let dataX0: UInt8 = 0x32
    static let dataZ1: UInt8 = 0x37
    static let fifoControl: UInt8 = 0x38
    static let fifoStatus: UInt8 = 0x39
  }

  /// The bits of INT_ENABLE, INT_MAP and INT_SOURCE.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Register 0x30—INT_SOURCE".
  enum Interrupt {
    static let dataReady: UInt8 = 0x80
    static let singleTap: UInt8 = 0x40
    static let doubleTap: UInt8 = 0x20
    static let activity: UInt8 = 0x10
    static let inactivity: UInt8 = 0x08
    static let freeFall: UInt8 = 0x04
    static let watermark: UInt8 = 0x02
    static let overrun: UInt8 = 0x01
    /// The bits of both kinds of tap.
    static let taps: UInt8 = 0x60
  }

  /// FIFO_MODE of FIFO_CTL.
  ///
  /// - Datasheet: ADXL345 Rev. E, Table 22.
  enum FIFOMode: UInt8 {
    case bypass, fifo, stream, trigger
  }
}

extension EmulatedADXL345 {
  /// The bytes that were written, and the pointer. What the part itself puts into registers is not kept here.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Register definitions".
  struct RegisterFile {
    /// The register of the next byte, 0x00…0x3F.
    private(set) var pointer: UInt8 = 0
    private var bytes: InlineArray<64, UInt8>

    /// All registers at their reset values.
    init() {
      bytes = InlineArray(repeating: 0)
      bytes[Int(Register.bandwidthRate)] = 0x0A
    }

    subscript(register: UInt8) -> UInt8 { bytes[Int(register & 0x3F)] }

    mutating func point(to register: UInt8) { pointer = register & 0x3F }

    mutating func advancePointer() { pointer = (pointer + 1) & 0x3F }

    /// Writes the existing bits of the register at the pointer, and advances the pointer; returns false if there are
    /// none.
    mutating func write(_ value: UInt8) -> Bool {
      let register = pointer
      advancePointer()
      let mask = RegisterFile.writable(register)
      guard mask != 0 else { return false }
      bytes[Int(register)] = value & mask
      return true
    }

    /// The bits of a register that can be written.
    private static func writable(_ register: UInt8) -> UInt8 {
      switch register {
      case 0x1D...0x29, 0x2E, 0x2F, 0x38: 0xFF
      case 0x2A: 0x0F
      case 0x2C: 0x1F
      case 0x2D: 0x3F
      case 0x31: 0xEF
      default: 0x00
      }
    }
  }
}

extension EmulatedADXL345.RegisterFile {
  /// The rate code of BW_RATE, 0…15.
  var rateCode: UInt8 { self[EmulatedADXL345.Register.bandwidthRate] & 0x0F }
  /// LOW_POWER of BW_RATE.
  var isLowPower: Bool { self[EmulatedADXL345.Register.bandwidthRate] & 0x10 != 0 }

  /// Link of POWER_CTL.
  var isLinked: Bool { power & 0x20 != 0 }
  /// AUTO_SLEEP of POWER_CTL.
  var sleepsByItself: Bool { power & 0x10 != 0 }
  /// Measure of POWER_CTL.
  var isMeasuring: Bool { power & 0x08 != 0 }
  /// Sleep of POWER_CTL.
  var isSentToSleep: Bool { power & 0x04 != 0 }
  /// Wakeup of POWER_CTL: 8 Hz / 2^this.
  var wakeUpCode: UInt8 { power & 0x03 }
  private var power: UInt8 { self[EmulatedADXL345.Register.powerControl] }

  /// SELF_TEST of DATA_FORMAT.
  var isSelfTesting: Bool { self[EmulatedADXL345.Register.dataFormat] & 0x80 != 0 }
  /// INT_INVERT of DATA_FORMAT.
  var isActiveLow: Bool { self[EmulatedADXL345.Register.dataFormat] & 0x20 != 0 }

  /// FIFO_MODE of FIFO_CTL.
  var fifoMode: EmulatedADXL345.FIFOMode {
    EmulatedADXL345.FIFOMode(rawValue: self[EmulatedADXL345.Register.fifoControl] >> 6) ?? .bypass
  }
  /// Trigger of FIFO_CTL: whether INT2 triggers, rather than INT1.
  var isTriggeredByINT2: Bool { self[EmulatedADXL345.Register.fifoControl] & 0x20 != 0 }
  /// Samples of FIFO_CTL, 0…31.
  var fifoSamples: Int { Int(self[EmulatedADXL345.Register.fifoControl] & 0x1F) }

  /// A threshold register in 1/65536 g: 62.5 mg/LSB.
  func threshold(_ register: UInt8) -> Int64 { Int64(self[register]) * 4_096 }
}

extension EmulatedADXL345.Part {
  /// Writes the register at the pointer, with the side effects of that, and advances the pointer.
  ///
  /// A detector restarts when one of its registers is written or its function is switched on.
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
    // Measure, Link, AUTO_SLEEP: activity and inactivity restart, awake.
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

  /// Starts sampling, at the output data rate after the turn-on time of 1.1 ms, or at the wake-up rate.
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

  /// Undecimated data are taken at 3200 Hz from the moment something uses them.
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
