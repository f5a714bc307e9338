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

extension BoardDescription {
  /// A bus with this board's sensor emulated on it, on a board that does `motion`; its errors and mounting are those of
  /// `emulation`.
  ///
  /// `seed` decides on noise and errors; where it is nil the board's, and 1 where there is none either.
  func emulatedBus(
    motion: any Motion, seed: UInt64?, plan: FaultPlan, defect: SensorDefect? = nil, now: @escaping () -> Instant
  ) -> EmulatedBus {
    let felt = MountedMotion(motion, on: emulation.mounting ?? sensor.mounting)
    let seed = seed ?? emulation.seed ?? 1
    let errors = SpecimenErrors(seed: seed, offset: emulation.offsetError, sensitivity: emulation.scaleError)
    let target: any EmulatedTarget
    switch sensor.model {
    case .adxl345:
      var specimen = EmulatedADXL345.Configuration()
      (specimen.zeroGOffset, specimen.sensitivityError) = (errors.zeroGOffset, errors.sensitivityError)
      defect?.spoil(&specimen)
      target = EmulatedADXL345(motion: felt, configuration: specimen, seed: seed, now: now)
    case .mpu6050:
      var specimen = EmulatedMPU6050.Configuration()
      (specimen.zeroGOffset, specimen.sensitivityError) = (errors.zeroGOffset, errors.sensitivityError)
      defect?.spoil(&specimen)
      target = EmulatedMPU6050(motion: felt, configuration: specimen, seed: seed, now: now)
    }
    // A log that counts but keeps nothing: a long run must not grow.
    return EmulatedBus(target, at: sensor.address, plan: plan, log: BusLog(capacity: 0), now: now)
  }
}
