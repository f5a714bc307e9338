import IIO
import HAL
import Sensors
import TestSupport
import Testing
import Text

struct IIOMessageTests {
  private let place = SensorPlace(.mpu6050, at: MPU6050.address, device: "bmi160")

  @Test(
    arguments: [
      .bus(.unavailable), .bus(.noAcknowledge), .bus(.timedOut), .bus(.notPermitted), .bus(.busy), .bus(.unsupported),
      .bus(.other(code: 5)), .configurationLost, .frozen, .stuckAtFullScale, .weightless, .resetTimedOut,
    ] as [SensorError])
  func `every error of a device names the device, and neither an address nor a model`(_ error: SensorError) {
    let words = error.message(of: place).description
    expect(words, contains: "bmi160")
    expect(words, lacks: "0x68")
    expect(words, lacks: "MPU")
  }

  @Test func `the place of a device is its name`() {
    expect(place.words, equals: "IIO device bmi160")
    expect(SensorPlace(.adxl345, at: ADXL345.address).words, equals: "ADXL345 at 0x53")
  }
}
