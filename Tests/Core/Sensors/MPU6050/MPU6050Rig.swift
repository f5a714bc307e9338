import Emulation
import FixedPoint
import HAL
import Sensors

/// A part of the MPU-6050 family and its driver.
typealias MPU6050Rig = DriverRig<MPU6050.Device<EmulatedBus>, EmulatedMPU6050>

extension DriverRig where Sensor == MPU6050.Device<EmulatedBus>, Part == EmulatedMPU6050 {
  /// A force inside every range, different on each axis.
  static var force: Still { Still(x: 96, y: -2_048, z: 2_400, unit: 32) }

  /// A rig with a perfect, noise-free specimen, except as `specimen` changes it.
  convenience init(
    _ kind: EmulatedMPU6050.Part = .mpu6050, _ configuration: MPU6050.Configuration = MPU6050.Configuration(),
    motion: any Motion = MPU6050Rig.force, plan: FaultPlan = .none,
    _ adjust: (inout EmulatedMPU6050.Configuration) -> Void = { _ in }
  ) {
    let clock = VirtualClock()
    var specimen = EmulatedMPU6050.Configuration(kind)
    specimen.noiseMicrogPerRootHertz = 0
    specimen.gyroscopeNoiseMicrodegreesPerRootHertz = 0
    adjust(&specimen)
    let part = EmulatedMPU6050(motion: motion, configuration: specimen) { clock.now }
    self.init(part, at: EmulatedMPU6050.address, clock, plan: plan) {
      MPU6050.Device(bus: $0, configuration: configuration)
    }
  }
}

/// All parts that the emulator has and the driver uses.
let emulatedParts: [EmulatedMPU6050.Part] = [
  .mpu6050, .mpu6500, .mpu6515, .mpu9250, .mpu9255, .mpu6880, .icm20600, .icm20602, .icm20608, .icm20608D, .icm20609,
  .icm20689, .icm20690, .iam20680, .clone98, .clone72,
]

extension MPU6050.Device where Bus: ~Copyable {
  /// Starts the part, with a call of `wait` for each wait. Gives up after 100 steps.
  mutating func startWholly(_ wait: (Microseconds) -> Void = { _ in }) throws(SensorError) {
    wait(try start())
    for _ in 0..<100 {
      guard let time = try proceed() else { return }
      wait(time)
    }
  }
}

/// The values of WHO_AM_I and their admission, from the register maps and Linux's inv_mpu6050 driver.
enum MPU6050Facts {
  static let accepted: [UInt8] = [0x68, 0x70, 0x71, 0x73, 0x74]
  static let withNotice: [UInt8] = [0x78, 0x98, 0xAF, 0xAE, 0xA6, 0x11, 0x12, 0x20, 0xA9]
  static let onlyIfAsked: [UInt8] = [0x72]
  static var all: [UInt8] { accepted + withNotice + onlyIfAsked }
}
