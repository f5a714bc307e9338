/// Register numbers of the MPU-6050 family that do something.
///
/// Written from the register maps alone: an error shared with a driver would hide in both.
///
/// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, 3; MPU-6500 Register Map Rev. 2.1, 3.
enum MPU6050Register {
  static let gyroscopeSelfTest6500 = 0x00
  static let accelerometerOffset6050 = 0x06
  static let selfTest = 0x0D
  static let gyroscopeOffset = 0x13
  static let sampleRateDivider = 0x19
  static let configuration = 0x1A
  static let gyroscopeConfiguration = 0x1B
  static let accelerometerConfiguration = 0x1C
  static let accelerometerConfiguration2 = 0x1D
  static let lowPowerRate = 0x1E
  static let fifoEnable = 0x23
  static let interruptPinConfiguration = 0x37
  static let interruptEnable = 0x38
  static let interruptStatus = 0x3A
  static let accelerometerData = 0x3B
  static let temperatureData = 0x41
  static let gyroscopeData = 0x43
  static let signalPathReset = 0x68
  static let userControl = 0x6A
  static let powerManagement1 = 0x6B
  static let powerManagement2 = 0x6C
  static let fifoCountHigh = 0x72
  static let fifoCountLow = 0x73
  static let fifoData = 0x74
  static let identity = 0x75
  static let accelerometerOffset6500 = 0x77

  /// The bits of each register that keep what is written.
  static func writableBits(of part: EmulatedMPU6050.Part) -> [UInt8] {
    var bits = [UInt8](repeating: 0, count: 256)
    func set(_ registers: ClosedRange<Int>, _ mask: UInt8) {
      for register in registers { bits[register] = mask }
    }
    let isNew = part.layout == .mpu6500
    set(0x13...0x19, 0xFF)
    set(0x1A...0x1A, isNew ? 0x7F : 0x3F)
    set(0x1B...0x1C, 0xF8)
    set(0x23...0x23, 0xFF)
    set(0x37...0x37, 0xFE)
    set(0x38...0x38, isNew ? 0x59 : 0x19)
    set(0x6A...0x6A, 0x70)
    set(0x6B...0x6B, isNew ? 0x7F : 0x6F)
    set(0x6C...0x6C, 0xFF)
    if part.hasAuxiliaryBus {
      set(0x24...0x34, 0xFF)
      set(0x63...0x67, 0xFF)
    }
    if isNew {
      set(0x1D...0x1D, part.selectsFIFOSize ? 0xCF : 0x0F)
      set(0x1E...0x1E, 0x0F)
      set(0x1F...0x1F, 0xFF)
      set(0x69...0x69, 0xC0)
      for high in [0x77, 0x7A, 0x7D] { set(high...(high + 1), 0xFF) }
    } else {
      set(0x06...0x0B, 0xFF)
    }
    return bits
  }

  /// All registers at their reset values.
  static func resetValues(of configuration: EmulatedMPU6050.Configuration) -> [UInt8] {
    let part = configuration.part
    var bytes = [UInt8](repeating: 0, count: 256)
    bytes[powerManagement1] = part.powerManagementReset
    bytes[identity] = part.identity
    let codes = configuration.selfTestCodes
    let gyroscopeCodes = configuration.gyroscopeSelfTestCodes
    let pairs = [(codes.x, gyroscopeCodes.x), (codes.y, gyroscopeCodes.y), (codes.z, gyroscopeCodes.z)]
    for (axis, (code, gyroscopeCode)) in pairs.enumerated() {
      switch part.layout {
      case .mpu6050:
        // Three high bits beside the gyroscope's code, two low bits in the fourth register, X uppermost.
        bytes[selfTest + axis] = (code & 0x1C) << 3 | gyroscopeCode & 0x1F
        bytes[selfTest + 3] |= (code & 0x03) << UInt8(4 - 2 * axis)
      case .mpu6500:
        bytes[selfTest + axis] = code
        bytes[gyroscopeSelfTest6500 + axis] = gyroscopeCode
      }
    }
    let offsets = configuration.factoryOffsets
    for (axis, offset) in [offsets.x, offsets.y, offsets.z].enumerated() {
      let register = accelerometerOffset(axis, part.layout)
      bytes[register] = UInt8(truncatingIfNeeded: offset >> 8)
      bytes[register + 1] = UInt8(truncatingIfNeeded: offset)
    }
    return bytes
  }

  /// The high byte of the accelerometer's offset on `axis`; the low one follows.
  static func accelerometerOffset(_ axis: Int, _ layout: EmulatedMPU6050.Part.Layout) -> Int {
    switch layout {
    case .mpu6050: accelerometerOffset6050 + 2 * axis
    case .mpu6500: accelerometerOffset6500 + 3 * axis
    }
  }
}
