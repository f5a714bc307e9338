import Bridge
import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// The words of the error; nil if the text is accepted.
private func refusal(of text: String) -> String? {
  do throws(BridgeError) {
    _ = try BusDescription(text)
    return nil
  } catch { return error.description }
}

struct `Descriptions of a bus` {
  @Test func `each sensor has its part, address, force, turn and temperature`() throws {
    let text = " adxl345@0x53=0.5,-0.25,1e0;MPU6050@0X68=-1,0,0.0000153 turn=10,-20,0.5\ttemperature=-3.5 ;; "
    let sensors = try BusDescription(text).sensors
    try #require(sensors.count == 2)
    expect(sensors[0].part, equals: .adxl345)
    expect(sensors[0].address.rawValue, equals: 0x53)
    expect(sensors[0].force, equals: Vector3(x: Q16(raw: 32_768), y: Q16(raw: -16_384), z: Q16(raw: 65_536)))
    expect(sensors[1].part, equals: .mpu6050)
    expect(sensors[1].address.rawValue, equals: 0x68)
    expect(sensors[1].force, equals: Vector3(x: Q16(raw: -65_536), y: .zero, z: Q16(raw: 1)))
    expect(sensors[1].turn, equals: Vector3(x: Q16(raw: 655_360), y: Q16(raw: -1_310_720), z: Q16(raw: 32_768)))
    expect(sensors[1].temperature, equals: Q16(raw: -229_376))
  }

  @Test(arguments: ["", " ", ";", " ; ;"])
  func `a bus may be empty`(text: String) throws {
    try expect(empty: BusDescription(text).sensors)
  }

  @Test func `turn and temperature are optional`() throws {
    let sensor = try require(BusDescription("mpu9250@0x69=0,0,1").sensors.first)
    expect(sensor.part, equals: .mpu9250)
    expect(sensor.turn, equals: .zero)
    expect(sensor.temperature, equals: Q16(raw: 25 * 65_536))
  }

  @Test(arguments: [
    ("adxl345", "\"adxl345\" is not PART@ADDRESS=X,Y,Z"),
    ("adxl345@0x53", "\"adxl345@0x53\" is not PART@ADDRESS=X,Y,Z"),
    ("adxl345=0,0,1", "\"adxl345=0,0,1\" is not PART@ADDRESS=X,Y,Z"),
    (
      "adxl346@0x53=0,0,1",
      "\"adxl346\" is not a part that can be emulated; the parts are \(EmulatedPart.allCases.map(\.rawValue).joined(separator: ", "))"
    ),
    ("adxl345@53=0,0,1", "\"53\" is not an address"), ("adxl345@0x07=0,0,1", "\"0x07\" is not an address"),
    ("adxl345@0x78=0,0,1", "\"0x78\" is not an address"), ("adxl345@0x153=0,0,1", "\"0x153\" is not an address"),
    ("adxl345@0x=0,0,1", "\"0x\" is not an address"), ("adxl345@0x53=0,0", "\"0,0\" is not three numbers"),
    ("adxl345@0x53=0,0,0,0", "\"0,0,0,0\" is not three numbers"), ("adxl345@0x53=", "\"\" is not three numbers"),
    ("adxl345@0x53=0,,1", "\"\" is not a number"), ("adxl345@0x53=0,x,1", "\"x\" is not a number"),
    ("adxl345@0x53=0,nan,1", "\"nan\" is not a number"), ("adxl345@0x53=0,inf,1", "\"inf\" is not a number"),
    ("adxl345@0x53=0,32767,1", "\"32767\" is not a number"), ("adxl345@0x53=0,-1e9,1", "\"-1e9\" is not a number"),
    ("adxl345@0x53=0,0,1 turn=1,2,3", "\"turn=1,2,3\" cannot be set for the adxl345"),
    ("mpu6050@0x68=0,0,1 turn=1,2", "\"1,2\" is not three numbers"),
    ("mpu6050@0x68=0,0,1 hot", "\"hot\" cannot be set for the mpu6050"),
    ("mpu6050@0x68=0,0,1; adxl345@0x68=0,0,1", "has the address of another sensor"),
  ])
  func `invalid text is rejected in words that quote it`(text: String, words: String) throws {
    let found = try require(refusal(of: text))
    expect(found, contains: words)
  }
}
