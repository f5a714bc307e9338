import FixedPoint

/// The numbers of the MPU-6050 family's registers that have an effect.
///
/// Written from the register maps alone: an error shared with a driver would go unnoticed in both.
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
  static let motionThreshold = 0x1F
  static let motionDuration = 0x20
  static let fifoEnable = 0x23
  static let interruptPinConfiguration = 0x37
  static let interruptEnable = 0x38
  static let interruptStatus = 0x3A
  static let accelerometerData = 0x3B
  static let temperatureData = 0x41
  static let gyroscopeData = 0x43
  static let signalPathReset = 0x68
  static let motionControl = 0x69
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
    set(0x1B...0x1B, part.gyroscopeRangeShift == 2 ? 0xFC : 0xF8)
    set(0x1C...0x1C, isNew ? 0xF8 : 0xFF)
    set(0x23...0x23, 0xFF)
    set(0x37...0x37, 0xFE)
    set(0x38...0x38, 0x59)
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
      set(0x1F...0x20, 0xFF)
      set(0x69...0x69, 0x3F)
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
        // Three high bits next to the gyroscope's code, two low bits in the fourth register, X uppermost.
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

/// The effect of an MPU-6050's registers and of the specimen on a measurement: computed after a write, so that a sample
/// costs little.
struct MPU6050Settings {
  /// Three numbers in 1/65536 of g or of °/s.
  struct Triple {
    var x: Int64 = 0
    var y: Int64 = 0
    var z: Int64 = 0

    static func + (a: Triple, b: Triple) -> Triple { Triple(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }
  }

  /// How much the accelerometer lags the motion.
  var delay = Microseconds.zero
  /// How much the gyroscope lags the motion.
  var gyroscopeDelay = Microseconds.zero
  /// What is added to the force: zero-g offset, offset registers, self-test.
  var forceBias = Triple()
  /// What the force is multiplied by, in 1/65536.
  var forceGain = Triple()
  /// An LSB is 4/65536 g shifted left by this.
  var rangeShift: Int64 = 0
  /// What is added to the angular rate: offset registers, self-test.
  var rateBias = Triple()
  /// The counts for 10 °/s.
  var countsPerTenDegrees: Int64 = 1_310
  /// The axes in standby, as in PWR_MGMT_2: accelerometer 5 to 3, gyroscope 2 to 0.
  var standby: UInt8 = 0
  /// Whether the temperature holds its value.
  var holdsTemperature = false
  /// The registers stored in the FIFO, as in FIFO_EN; 0 while it does not run.
  var fifoSources: UInt8 = 0
  /// The number of bytes of one FIFO sample.
  var fifoSampleSize: Int64 = 0

  /// The settings before any register is known.
  init() {}

  /// The settings that `bytes`, all registers, give for this specimen.
  init(_ bytes: [UInt8], _ specimen: EmulatedMPU6050.Configuration, isCycling: Bool) {
    typealias Register = MPU6050Register
    let accelerometer = bytes[Register.accelerometerConfiguration]
    rangeShift = Int64(accelerometer >> 3 & 0x03)
    delay = MPU6050Settings.filter(bytes, specimen.part, isCycling: isCycling).delay
    forceGain = MPU6050Settings.gain(specimen.sensitivityError)
    forceBias = MPU6050Settings.forceBias(bytes, specimen, selfTesting: accelerometer)

    let gyroscope = bytes[Register.gyroscopeConfiguration]
    let tenths: [Int64] = [1_310, 655, 328, 164]
    gyroscopeDelay = MPU6050Filter.gyroscopeDelay(bytes[Register.configuration], specimen.part.layout)
    countsPerTenDegrees = tenths[Int(gyroscope >> specimen.part.gyroscopeRangeShift & 0x03)]
    rateBias = MPU6050Settings.rateBias(bytes, specimen, selfTesting: gyroscope)

    standby = bytes[Register.powerManagement2] & 0x3F
    // GYRO_STANDBY, which only the 6500 class has.
    let isGyroscopeStandby = bytes[Register.powerManagement1] & 0x10 != 0
    if isCycling || isGyroscopeStandby { standby |= 0x07 }
    holdsTemperature = isCycling || bytes[Register.powerManagement1] & 0x08 != 0
    if bytes[Register.userControl] & 0x40 != 0 {
      fifoSources = bytes[Register.fifoEnable] & 0xF8
      let gyroscopeAxes = (fifoSources >> 4 & 0x07).nonzeroBitCount
      fifoSampleSize = Int64(gyroscopeAxes * 2 + (fifoSources & 0x08 != 0 ? 6 : 0) + (fifoSources & 0x80 != 0 ? 2 : 0))
    }
  }

  /// The present filter of the accelerometer; cycle mode has none.
  static func filter(_ bytes: [UInt8], _ part: EmulatedMPU6050.Part, isCycling: Bool) -> MPU6050Filter {
    switch part.layout {
    case .mpu6050:
      return .accelerometer6050(isCycling ? 0 : bytes[MPU6050Register.configuration])
    case .mpu6500:
      let register = isCycling ? 0x08 : bytes[MPU6050Register.accelerometerConfiguration2]
      return switch part.accelerometerFilter {
      case .mpu6500: .accelerometer6500(register)
      case .mpu9250: .accelerometer9250(register)
      }
    }
  }

  private static func gain(_ error: Vector3) -> Triple {
    Triple(x: 65_536 + Int64(error.x.raw), y: 65_536 + Int64(error.y.raw), z: 65_536 + Int64(error.z.raw))
  }

  private static func forceBias(_ bytes: [UInt8], _ specimen: EmulatedMPU6050.Configuration, selfTesting: UInt8)
    -> Triple
  {
    func offset(_ axis: Int, _ factory: Int16) -> Int64 {
      let register = MPU6050Register.accelerometerOffset(axis, specimen.part.layout)
      // 1/2048 g is 32/65536 g; bit 0 belongs to the temperature compensation.
      return (word(bytes, register) & ~1 - Int64(factory) & ~1) * 32
    }
    let zero = specimen.zeroGOffset
    let factory = specimen.factoryOffsets
    let trim = specimen.accelerometerTrim
    return Triple(
      x: Int64(zero.x.raw) + offset(0, factory.x) + (selfTesting & 0x80 != 0 ? trim.x : 0),
      y: Int64(zero.y.raw) + offset(1, factory.y) + (selfTesting & 0x40 != 0 ? trim.y : 0),
      z: Int64(zero.z.raw) + offset(2, factory.z) + (selfTesting & 0x20 != 0 ? trim.z : 0))
  }

  private static func rateBias(_ bytes: [UInt8], _ specimen: EmulatedMPU6050.Configuration, selfTesting: UInt8)
    -> Triple
  {
    func offset(_ axis: Int) -> Int64 {
      // 1/32.8 °/s in 1/65536 °/s, rounded to nearest.
      (word(bytes, MPU6050Register.gyroscopeOffset + 2 * axis) * 655_360 + 164) / 328
    }
    let trim = specimen.gyroscopeTrim
    return Triple(
      x: offset(0) + (selfTesting & 0x80 != 0 ? trim.x : 0), y: offset(1) + (selfTesting & 0x40 != 0 ? trim.y : 0),
      z: offset(2) + (selfTesting & 0x20 != 0 ? trim.z : 0))
  }

  /// Two registers, high byte first, as a signed number.
  private static func word(_ bytes: [UInt8], _ register: Int) -> Int64 {
    Int64(Int16(bitPattern: UInt16(bytes[register]) << 8 | UInt16(bytes[register + 1])))
  }
}

extension EmulatedMPU6050.Configuration {
  /// What the self-test bits add to the accelerometer, in 1/65536 g.
  fileprivate var accelerometerTrim: MPU6050Settings.Triple {
    if let own = selfTestDeflection { return MPU6050Settings.Triple(own) }
    let trim = part.layout == .mpu6050 ? FactoryTrim.accelerometer5 : FactoryTrim.accelerometer8
    return MPU6050Settings.Triple(x: trim(selfTestCodes.x), y: trim(selfTestCodes.y), z: trim(selfTestCodes.z))
  }

  /// What the self-test bits add to the gyroscope, in 1/65536 °/s.
  fileprivate var gyroscopeTrim: MPU6050Settings.Triple {
    if let own = gyroscopeSelfTestDeflection { return MPU6050Settings.Triple(own) }
    let codes = gyroscopeSelfTestCodes
    switch part.layout {
    case .mpu6050:
      return MPU6050Settings.Triple(
        x: FactoryTrim.gyroscope5(codes.x), y: -FactoryTrim.gyroscope5(codes.y), z: FactoryTrim.gyroscope5(codes.z))
    case .mpu6500:
      return MPU6050Settings.Triple(
        x: FactoryTrim.gyroscope8(codes.x), y: FactoryTrim.gyroscope8(codes.y), z: FactoryTrim.gyroscope8(codes.z))
    }
  }
}

extension GyroscopeErrors {
  /// A rotation in 1/65536 °/s with the errors of scale and axes.
  func distorted(_ rate: MPU6050Settings.Triple) -> MPU6050Settings.Triple {
    func sum(_ own: Int64, _ error: Q16, _ a: Int64, _ ofA: Q16, _ b: Int64, _ ofB: Q16) -> Int64 {
      (own * (65_536 + Int64(error.raw)) + a * Int64(ofA.raw) + b * Int64(ofB.raw) + 0x8000) >> 16
    }
    return MPU6050Settings.Triple(
      x: sum(rate.x, sensitivityError.x, rate.y, crossAxis.xOfY, rate.z, crossAxis.xOfZ),
      y: sum(rate.y, sensitivityError.y, rate.x, crossAxis.yOfX, rate.z, crossAxis.yOfZ),
      z: sum(rate.z, sensitivityError.z, rate.x, crossAxis.zOfX, rate.y, crossAxis.zOfY))
  }

  /// What a force adds to the rotation, in 1/65536 °/s.
  func dragged(by force: Vector3) -> MPU6050Settings.Triple {
    func part(_ force: Q16, _ perG: Q16) -> Int64 { (Int64(force.raw) * Int64(perG.raw) + 0x8000) >> 16 }
    return MPU6050Settings.Triple(x: part(force.x, perG.x), y: part(force.y, perG.y), z: part(force.z, perG.z))
  }

  /// The reading at rest, in 1/65536 °/s, at a temperature in 1/65536 °C.
  func zeroRate(at temperature: Int64) -> MPU6050Settings.Triple {
    let warmer = temperature - 25 * 65_536
    func part(_ bias: Q16, _ slope: Q16) -> Int64 { Int64(bias.raw) + ((warmer * Int64(slope.raw) + 0x8000) >> 16) }
    return MPU6050Settings.Triple(
      x: part(bias.x, biasPerDegree.x), y: part(bias.y, biasPerDegree.y), z: part(bias.z, biasPerDegree.z))
  }
}

extension MPU6050Settings.Triple {
  init(_ vector: Vector3) {
    self.init(x: Int64(vector.x.raw), y: Int64(vector.y.raw), z: Int64(vector.z.raw))
  }
}
