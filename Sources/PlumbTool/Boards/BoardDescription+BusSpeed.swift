import BoardFile
import Sensors

extension BoardDescription.Sensor {
  /// Refuses a bus of `busHertz` hertz that is too slow for the sensor's rate.
  func check(busHertz: UInt32?) throws(SensorError) {
    switch configuration {
    case .adxl345(let adxl345): try adxl345.check(against: busHertz)
    case .mpu6050(let mpu6050): try mpu6050.check(against: busHertz)
    }
  }
}
