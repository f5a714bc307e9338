import Plumb
import PlumbEmulation

/// Six LEDs, one for each pose, as text.
struct Lamps: OutputBank {
  var text = "......"

  mutating func write(_ levels: Levels) throws(OutputFault) {
    text = String((0..<6).map { levels.isOn($0) ? "*" : "." })
  }
}

/// Turns an emulated board through all six poses, and prints each. Time passes only while the loop waits.
@main enum Minimal {
  static func main() throws {
    let clock = VirtualClock()
    let sensor = ADXL345.Device(bus: EmulatedBus.adxl345(moving: AttitudePath.tumble, by: clock))
    var loop = Loop(sensor: sensor, bank: Lamps(), clock: clock)

    let end = clock.now + AttitudePath.tumble.duration
    while clock.now < end, let report = try loop.turn() {
      for occurrence in report.events {
        if case .pose(_, let pose, _) = occurrence.event {
          print("\(clock.now.microseconds / 1_000) ms  \(loop.bank.text)  \(pose.name)")
        }
      }
    }
  }
}
