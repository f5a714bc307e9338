import Emulation
import FixedPoint
import HAL
import Sensors

/// A driver with a script that it must follow, at the alternate address so that no default goes unnoticed.
struct MPU6050Script: ~Copyable {
  let script: BusScript
  var driver: MPU6050.Device<ScriptedBus>

  init(_ steps: [BusScript.Step], _ configuration: MPU6050.Configuration = MPU6050.Configuration()) {
    script = BusScript(steps)
    driver = MPU6050.Device(
      bus: ScriptedBus(script), address: MPU6050.alternateAddress, configuration: configuration)
  }

  /// A register write.
  static func write(_ bytes: UInt8...) -> BusScript.Step { .write(bytes, to: MPU6050.alternateAddress) }

  /// A read from `register` on.
  static func read(_ register: UInt8, _ reply: [UInt8]) -> BusScript.Step {
    .writeRead([register], reply: reply, at: MPU6050.alternateAddress)
  }

  /// The steps up to the configuration, for a part that wakes up with `power`.
  static func wakeUp(_ identity: UInt8, power: UInt8) -> [BusScript.Step] {
    [
      read(0x75, [identity]), write(0x6B, 0x80),
      read(0x6B, [0x40]), write(0x6B, power), write(0x68, 0x07),
    ]
  }

  /// The steps that configure an MPU-6050 at 100 Hz, ±4 g and 44 Hz, with nothing else.
  static let configure: [BusScript.Step] = [
    write(0x6A, 0x00), write(0x23, 0x00), write(0x19, 0x09, 0x03, 0x00, 0x08), write(0x37, 0x08, 0x00),
    write(0x6C, 0x07), write(0x6B, 0x00),
    read(0x19, [0x09, 0x03, 0x00, 0x08]), read(0x23, [0x00]), read(0x37, [0x08, 0x00]),
    read(0x6A, [0x00, 0x00, 0x07]),
  ]

  /// All steps of a start of an MPU-6050 with the default configuration.
  static var start: [BusScript.Step] { wakeUp(0x68, power: 0x00) + configure }
}
