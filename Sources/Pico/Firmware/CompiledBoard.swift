internal import BoardFile
internal import FixedPoint
internal import Sensors
internal import Text

/// The board that is compiled in.
enum CompiledBoard {
  typealias Driver = ADXL345
  static var bus: UInt32 { 0 }
  static var sda: UInt32 { 4 }
  static var scl: UInt32 { 5 }
  static var name: ShortText<128> { "pico-adxl345.ini" }
  static var description: BoardDescription {
    let configuration = SensorConfiguration(.adxl345)
    let sensor = BoardDescription.Sensor(address: ADXL345.address, configuration: configuration)
    return BoardDescription(
      bus: .linux(path: "i2c0"), sensor: sensor,
      lines: BoardDescription.Lines(chip: "rp2040", offsets: [10, 11, 12, 13, 14, 15]))
  }
}
