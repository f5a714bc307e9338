internal import Emulation
internal import FixedPoint
internal import HAL

/// The time that the emulated sensors see; it stands still during a transaction.
final class BusClock {
  var now: Instant
  init(_ now: Instant) { self.now = now }
}

/// A board that does not move.
private struct Still: Motion {
  let force: Vector3
  var duration: Microseconds { .zero }
  func specificForce(at time: Microseconds) -> Vector3 { force }
}

extension BusDescription.Sensor {
  /// The sensor, switched on now: a specimen without noise or error, for what it shows is to be compared with what it was
  /// told.
  func emulated(_ clock: BusClock) -> any EmulatedTarget {
    switch part {
    case .adxl345: adxl345(clock)
    case .mpu6050: mpu6050(.mpu6050, clock)
    case .mpu6500: mpu6050(.mpu6500, clock)
    case .mpu9250: mpu6050(.mpu9250, clock)
    case .icm20689: mpu6050(.icm20689, clock)
    }
  }

  private func adxl345(_ clock: BusClock) -> EmulatedADXL345 {
    var specimen = EmulatedADXL345.Configuration()
    specimen.noise = .zero
    return EmulatedADXL345(motion: Still(force: force), configuration: specimen) { clock.now }
  }

  private func mpu6050(_ part: EmulatedMPU6050.Part, _ clock: BusClock) -> EmulatedMPU6050 {
    var specimen = EmulatedMPU6050.Configuration(part)
    specimen.noiseMicrogPerRootHertz = 0
    specimen.gyroscopeNoiseMicrodegreesPerRootHertz = 0
    let sensor = EmulatedMPU6050(motion: Still(force: force), configuration: specimen) { clock.now }
    sensor.angularRate = turn
    sensor.dieTemperature = temperature
    return sensor
  }
}
