extension EmulatedADXL345 {
  /// The bytes that were written, and the pointer. What the part itself puts into registers is not kept here.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Register definitions".
  struct RegisterFile {
    /// The register that the next byte concerns, 0x00…0x3F.
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

    /// Writes the bits that exist of the register at the pointer, and moves on; false where there are none.
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
  /// Trigger of FIFO_CTL: whether INT2 triggers, not INT1.
  var isTriggeredByINT2: Bool { self[EmulatedADXL345.Register.fifoControl] & 0x20 != 0 }
  /// Samples of FIFO_CTL, 0…31.
  var fifoSamples: Int { Int(self[EmulatedADXL345.Register.fifoControl] & 0x1F) }

  /// A threshold register in 1/65536 g: 62.5 mg/LSB.
  func threshold(_ register: UInt8) -> Int64 { Int64(self[register]) * 4_096 }
}
