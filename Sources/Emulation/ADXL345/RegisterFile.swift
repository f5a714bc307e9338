/// Register numbers of the ADXL345 that do something.
///
/// Written from the data sheet alone: an error shared with a driver would hide in both.
///
/// - Datasheet: ADXL345 Rev. E, Table 19.
enum Register {
  static let deviceID: UInt8 = 0x00
  static let offsetX: UInt8 = 0x1E
  static let bandwidthRate: UInt8 = 0x2C
  static let powerControl: UInt8 = 0x2D
  static let interruptSource: UInt8 = 0x30
  static let dataFormat: UInt8 = 0x31
  static let dataX0: UInt8 = 0x32
  static let dataZ1: UInt8 = 0x37
  static let fifoControl: UInt8 = 0x38
}

/// What three axes measure, in 1/65536 g; wider than any format, so that clipping is left to the format.
struct AxisReading {
  var x: Int64
  var y: Int64
  var z: Int64

  /// Beyond the widest range on every axis.
  static var fullScale: AxisReading { AxisReading(x: 1 << 32, y: 1 << 32, z: 1 << 32) }
}

/// The registers of an ADXL345 and what reading and writing do to them.
///
/// - Datasheet: ADXL345 Rev. E, "Register definitions".
struct RegisterFile {
  /// The register that the next byte concerns, 0x00…0x3F.
  var pointer: UInt8 = 0
  private var bytes: [UInt8]

  private static let dataReady: UInt8 = 0x80
  private static let events: UInt8 = 0x7C
  private static let watermark: UInt8 = 0x02
  private static let overrun: UInt8 = 0x01

  /// All registers at their reset values.
  init() {
    bytes = [UInt8](repeating: 0, count: 0x40)
    bytes[0x2C] = 0x0A
    bytes[0x30] = 0x02
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

  /// Writes the register at the pointer and moves on.
  mutating func write(_ value: UInt8) {
    let register = pointer
    pointer = (pointer + 1) & 0x3F
    let mask = RegisterFile.writable(register)
    guard mask != 0 else { return }
    bytes[Int(register)] = value & mask
    if register == Register.fifoControl {
      // In bypass there are no entries, which reaches a watermark of 0 and no other.
      setStatus(RegisterFile.watermark, to: value & 0x1F == 0)
    }
  }

  /// Reads the register at the pointer, with what reading does to it, and moves on.
  mutating func read() -> UInt8 {
    let register = pointer
    pointer = (pointer + 1) & 0x3F
    let value = bytes[Int(register)]
    switch register {
    case Register.interruptSource: setStatus(RegisterFile.events, to: false)
    case Register.dataX0...Register.dataZ1: setStatus(RegisterFile.dataReady | RegisterFile.overrun, to: false)
    default: break
    }
    return value
  }

  private mutating func setStatus(_ bits: UInt8, to isOn: Bool) {
    let index = Int(Register.interruptSource)
    bytes[index] = isOn ? bytes[index] | bits : bytes[index] & ~bits
  }

  /// Sets event bits of INT_SOURCE.
  mutating func latch(events bits: UInt8) { setStatus(bits & RegisterFile.events, to: true) }

  /// Notes that so many samples came; those that nobody had read are overrun.
  mutating func noteSamples(_ count: UInt64) {
    let isUnread = bytes[Int(Register.interruptSource)] & RegisterFile.dataReady != 0
    // Nothing to keep of an earlier overrun: what clears data ready clears it too.
    setStatus(RegisterFile.overrun, to: isUnread || count > 1)
    setStatus(RegisterFile.dataReady, to: true)
  }

  /// The rate code of BW_RATE, 0…15.
  var rateCode: UInt8 { bytes[Int(Register.bandwidthRate)] & 0x0F }
  /// Measure of POWER_CTL.
  var isMeasuring: Bool { bytes[Int(Register.powerControl)] & 0x08 != 0 }
  /// SELF_TEST of DATA_FORMAT.
  var isSelfTesting: Bool { bytes[Int(Register.dataFormat)] & 0x80 != 0 }

  /// Puts a sample into the data registers, with the offsets and in the format that are set now.
  mutating func latch(_ reading: AxisReading) {
    let values = [reading.x, reading.y, reading.z]
    for (axis, value) in values.enumerated() {
      let offset = Int64(Int8(bitPattern: bytes[Int(Register.offsetX) + axis]))
      // One LSB of an offset register is 15.625 mg: 1024/65536 g.
      let word = encoded(value + offset * 1_024)
      let index = Int(Register.dataX0) + 2 * axis
      bytes[index] = UInt8(word & 0xFF)
      bytes[index + 1] = UInt8(word >> 8)
    }
  }

  /// A reading in 1/65536 g as DATA_FORMAT wants it: rounded to nearest, clipped to the range, right- or left-justified.
  ///
  /// - Datasheet: ADXL345 Rev. E, "DATA_FORMAT" and Table 1.
  private func encoded(_ value: Int64) -> UInt16 {
    let format = bytes[Int(Register.dataFormat)]
    let range = Int64(format & 0x03)
    let isFullResolution = format & 0x08 != 0
    let bits = isFullResolution ? 10 + range : 10
    let shift = isFullResolution ? 8 : 8 + range
    let limit: Int64 = 1 << (bits - 1)
    var counts = max(-limit, min(limit - 1, (value + (1 << (shift - 1))) >> shift))
    // The two fastest rates leave the lowest bit of 256 LSB/g at 0.
    if rateCode >= 0x0E && shift == 8 { counts &= ~1 }
    let isLeftJustified = format & 0x04 != 0
    return UInt16(truncatingIfNeeded: isLeftJustified ? counts << (16 - bits) : counts)
  }
}
