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
    let part = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
    let sensor = ADXL345.Device(bus: EmulatedBus(part, at: ADXL345.address) { clock.now })
    var loop = Loop(sensor: sensor, bank: Lamps(), clock: clock, period: .milliseconds(10))

    let end = clock.now + AttitudePath.tumble.duration
    while clock.now < end, let report = try loop.turn() {
      if let change = report.reading?.change {
        print("\(clock.now.microseconds / 1_000) ms  \(loop.bank.text)  \(change.to.name)")
      }
    }
  }
}
