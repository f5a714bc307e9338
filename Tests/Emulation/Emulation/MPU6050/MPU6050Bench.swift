import Emulation
import FixedPoint
import HAL

/// A force on X whose count at ±2 g is the time, one count per `microsecondsPerCount`; Y is its negative.
struct TellingForce: Motion {
  var microsecondsPerCount: Int64 = 1_000
  var duration: Microseconds { .zero }
  func specificForce(at time: Microseconds) -> Vector3 {
    let (quotient, remainder) = time.count.quotientAndRemainder(dividingBy: microsecondsPerCount)
    let value = Int32(truncatingIfNeeded: remainder < 0 ? quotient - 1 : quotient) &* 4
    return Vector3(x: Q16(raw: value), y: Q16(raw: -value), z: .zero)
  }
}

extension EmulatedMPU6050.Configuration {
  /// A specimen without noise.
  static func quiet(_ part: EmulatedMPU6050.Part = .mpu6050) -> EmulatedMPU6050.Configuration {
    var configuration = EmulatedMPU6050.Configuration(part)
    configuration.noiseMicrogPerRootHertz = 0
    configuration.gyroscopeNoiseMicrodegreesPerRootHertz = 0
    return configuration
  }
}

/// An emulated part of the family.
typealias MPUBench = PartBench<EmulatedMPU6050>

extension PartBench where Part == EmulatedMPU6050 {
  convenience init(
    _ motion: any Motion = Constant(z: 65_536), _ configuration: EmulatedMPU6050.Configuration = .quiet(),
    plan: FaultPlan = .none, seed: UInt64 = 1, at address: I2CAddress = EmulatedMPU6050.address
  ) {
    let clock = VirtualClock()
    let device = EmulatedMPU6050(motion: motion, configuration: configuration, seed: seed) { clock.now }
    self.init(device, at: address, clock, plan: plan)
  }

  convenience init(part: EmulatedMPU6050.Part, _ motion: any Motion = Constant(z: 65_536)) {
    self.init(motion, .quiet(part))
  }

  /// Signed 16-bit numbers, high byte first, from a register on.
  func words(_ register: UInt8, _ count: Int) throws(I2CFault) -> [Int] {
    let bytes = try read(register, count * 2)
    return (0..<count).map { Int(Int16(bitPattern: UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]))) }
  }

  func force() throws(I2CFault) -> [Int] { try words(0x3B, 3) }
  func rate() throws(I2CFault) -> [Int] { try words(0x43, 3) }
  func temperature() throws(I2CFault) -> Int { try words(0x41, 1)[0] }
  func fifoCount() throws(I2CFault) -> Int {
    let bytes = try read(0x72, 2)
    return Int(bytes[0]) << 8 | Int(bytes[1])
  }

  /// Awake on the PLL, filter 1 (1 kHz base), SMPLRT_DIV, after all start-up times: at 40 ms, with samples since 20
  /// ms.
  func start(divider: UInt8 = 9, filter: UInt8 = 1) throws(I2CFault) {
    try write(0x19, divider, filter)
    try write(0x6B, 0x01)
    pass(40_000)
  }
}
