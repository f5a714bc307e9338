import Glibc
import Plumb
import PlumbLinux

/// Prints the pose of an ADXL345 on the header of a Raspberry Pi until Ctrl-C; given six GPIO numbers, it lights LEDs too.
///
///     swift run RaspberryPi 17 27 22 23 24 25
@main enum RaspberryPi {
  static func main() throws {
    let lines = CommandLine.arguments.dropFirst().compactMap { UInt32($0) }
    try StopSignals.install()
    do {
      if lines.isEmpty {
        try watch(lighting: NoLines())
      } else {
        try watch(lighting: GPIOBank(chipLabel: "raspberry-pi", offsets: lines))
      }
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  static func watch<Bank: OutputBank & ~Copyable>(lighting bank: consuming Bank) throws {
    let sensor = ADXL345.Device(bus: try LinuxI2CBus(path: "/dev/i2c-1"))
    var loop = Loop(sensor: sensor, bank: bank, clock: LinuxClock())

    // Without a report, a signal ended the wait.
    while let report = try loop.turn() {
      for occurrence in report.events {
        switch occurrence.event {
        case .pose(_, let pose, _): print(pose)
        case .trouble(let reason, let cause): print("unknown: \(reason)\(cause.map { ", \($0)" } ?? "")")
        default: break
        }
      }
    }
  }
}
