import Plumb
import PlumbEmulation

/// Six LEDs, one a pose, as text.
struct Lamps: OutputBank {
  var text = "......"

  mutating func write(_ levels: Levels) throws(OutputFault) {
    text = String((0..<6).map { levels.isOn($0) ? "*" : "." })
  }
}

/// Turns an emulated board through all six poses, and tells each. Time passes only as the loop waits.
@main enum Minimal {
  static func main() throws {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
    let sensor = ADXL345.Device(bus: EmulatedBus(part, at: ADXL345.address) { clock.now })
    let configuration = Monitor.Configuration(period: sensor.configuration.rate.period, fullScale: sensor.fullScale)
    var loop = Loop(sensor: sensor, bank: Lamps(), clock: clock, configuration: configuration)

    let end = clock.now + AttitudePath.tumble.duration
    while clock.now < end, let report = try loop.turn() {
      for index in 0..<report.events.count {
        if case .pose(_, let pose, _)? = report.events[index]?.event {
          print("\(clock.now.microseconds / 1_000) ms  \(loop.bank.text)  \(pose)")
        }
      }
    }
  }
}
