import FixedPoint

/// What an MPU-6050's registers, together with the specimen, make of a measurement: worked out after a write, so that a sample
/// costs little.
struct MPU6050Settings {
  /// Three numbers in 1/65536 of g or of °/s.
  struct Triple {
    var x: Int64 = 0
    var y: Int64 = 0
    var z: Int64 = 0
  }

  /// By how much the accelerometer shows the motion late.
  var delay = Microseconds.zero
  /// What is added to the force: zero-g offset, offset registers, self-test.
  var forceBias = Triple()
  /// What the force is multiplied by, in 1/65536.
  var forceGain = Triple()
  /// 1/65536 g in an LSB is 4 moved up by this.
  var rangeShift: Int64 = 0
  /// What is added to the angular rate: offset registers, self-test.
  var rateBias = Triple()
  /// Counts in 10 °/s.
  var countsPerTenDegrees: Int64 = 1_310
  /// The axes in standby, as in PWR_MGMT_2: accelerometer 5 to 3, gyroscope 2 to 0.
  var standby: UInt8 = 0
  /// Whether the temperature holds.
  var holdsTemperature = false
  /// What goes into the FIFO, as in FIFO_EN; 0 while it does not run.
  var fifoSources: UInt8 = 0
  /// How many bytes that is.
  var fifoSampleSize: Int64 = 0

  /// Before any register is known.
  init() {}

  /// What `bytes`, all registers, mean for this specimen.
  init(_ bytes: [UInt8], _ specimen: EmulatedMPU6050.Configuration, isCycling: Bool) {
    typealias Register = MPU6050Register
    let accelerometer = bytes[Register.accelerometerConfiguration]
    rangeShift = Int64(accelerometer >> 3 & 0x03)
    delay = MPU6050Settings.filter(bytes, specimen.part, isCycling: isCycling).delay
    forceGain = MPU6050Settings.gain(specimen.sensitivityError)
    forceBias = MPU6050Settings.forceBias(bytes, specimen, selfTesting: accelerometer)

    let gyroscope = bytes[Register.gyroscopeConfiguration]
    let tenths: [Int64] = [1_310, 655, 328, 164]
    countsPerTenDegrees = tenths[Int(gyroscope >> 3 & 0x03)]
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

  /// The filter that the accelerometer has at present; cycle mode has none.
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

extension MPU6050Settings.Triple {
  fileprivate init(_ vector: Vector3) {
    self.init(x: Int64(vector.x.raw), y: Int64(vector.y.raw), z: Int64(vector.z.raw))
  }
}
