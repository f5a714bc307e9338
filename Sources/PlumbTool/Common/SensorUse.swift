import BoardFile
import Emulation
import FixedPoint
import HAL
import LinuxHAL
import Sensors

/// What is done with a board's sensor once its bus, real or emulated, is open.
protocol SensorUse {
  associatedtype Outcome

  mutating func use<Sensor: SelfTesting & ~Copyable>(
    _ sensor: consuming Sensor, _ clock: some MonotonicClock
  ) throws(Failure) -> Outcome
}

extension SensorUse {
  /// Opens the bus of `board` and uses the sensor on it.
  ///
  /// On an emulated board time passes as fast as it can where it `isFast`; `emulated` makes its bus, by the time given.
  mutating func run(
    on board: BoardDescription, isFast: Bool, emulated: (@escaping () -> Instant) -> EmulatedBus
  ) throws(Failure) -> Outcome {
    switch board.bus {
    case .linux(let path):
      var bus = try openBus(path.description)
      try claim(board.sensor.address, on: &bus)
      return try run(board.sensor, on: bus, LinuxClock())
    case .emulated where isFast:
      let clock = VirtualClock()
      return try run(board.sensor, on: emulated { clock.now }, clock)
    case .emulated:
      let clock = LinuxClock()
      return try run(board.sensor, on: emulated { clock.now }, clock)
    }
  }

  private mutating func run<Bus: I2CBus & ~Copyable>(
    _ sensor: BoardDescription.Sensor, on bus: consuming Bus, _ clock: some MonotonicClock
  ) throws(Failure) -> Outcome {
    let address = sensor.address
    switch sensor.configuration {
    case .adxl345(let configuration):
      return try use(ADXL345.Device(bus: bus, address: address, configuration: configuration), clock)
    case .mpu6050(let configuration):
      return try use(MPU6050.Device(bus: bus, address: address, configuration: configuration), clock)
    }
  }
}
