import BoardFile
import Emulation
import FixedPoint
import HAL
import LinuxHAL

/// Opens a bus of Linux.
func openBus(_ path: String) throws(Failure) -> LinuxI2CBus {
  do {
    return try LinuxI2CBus(path: path)
  } catch {
    throw Failure(error)
  }
}

/// Makes sure that no driver of the kernel's holds `address`.
func claim(_ address: I2CAddress, on bus: inout LinuxI2CBus) throws(Failure) {
  do { try bus.claim(address) } catch { throw Failure(error) }
}

extension Failure {
  /// The failure that an error of a bus of Linux is.
  init(_ error: LinuxI2CError) {
    self.init(error.fault == .notPermitted ? .noPermission : .unavailable, error.description)
  }
}

extension BoardDescription.Sensor {
  /// A bus with this sensor emulated on it, on a board that does `motion`.
  func emulatedBus(motion: any Motion, seed: UInt64, plan: FaultPlan, now: @escaping () -> Instant) -> EmulatedBus {
    let felt = MountedMotion(motion, on: mounting)
    let target: any EmulatedTarget =
      switch model {
      case .adxl345: EmulatedADXL345(motion: felt, seed: seed, now: now)
      case .mpu6050: EmulatedMPU6050(motion: felt, seed: seed, now: now)
      }
    // A log that counts but keeps nothing: a long run must not grow.
    return EmulatedBus(target, at: address, plan: plan, log: BusLog(capacity: 0), now: now)
  }
}
