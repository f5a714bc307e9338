import Board
import Plumb

/// The board's first six LEDs, one a pose: bits of a register.
struct Lamps: OutputBank, ~Copyable {
  private let register: UInt = 0x4002_F004

  /// What is lit, as the register has it.
  var lit: UInt32 { board_read(register) }

  mutating func write(_ levels: Levels) throws(OutputFault) { board_write(register, levels.bits) }
}

/// The board's timer.
struct TickClock: MonotonicClock, ~Copyable {
  var now: Instant { Instant(microseconds: board_microseconds()) }

  mutating func sleep(until deadline: Instant) -> Bool {
    while now < deadline { board_rest() }
    return true
  }
}

/// Lights the LED of the pose, and tells what happens.
@main enum Firmware {
  static func main() {
    let sensor = ADXL345.Device(bus: BitBangedBus())
    let configuration = Monitor.Configuration(period: sensor.configuration.rate.period, fullScale: sensor.fullScale)
    var loop = Loop(sensor: sensor, bank: Lamps(), clock: TickClock(), configuration: configuration)
    // With a sensor in place of the bench, there is no end: while true { turn(&loop) }
    for attitude in 0..<Bench.count {
      do throws(I2CFault) {
        try Bench.hold(attitude, by: &loop.sensor.wire.bus, at: ADXL345.address)
      } catch {
        print("nobody answers the bench")
      }
      let end = loop.clock.now + .seconds(1)
      while loop.clock.now < end { turn(&loop) }
    }
  }

  private static func turn(_ loop: inout Loop<ADXL345.Device<BitBangedBus>, Lamps, TickClock>) {
    do throws(OutputFault) {
      guard let report = try loop.turn() else { return }
      for index in 0..<report.events.count {
        if let occurrence = report.events[index] { tell(occurrence.event, lit: loop.bank.lit) }
      }
    } catch {
      print("the LEDs do not answer")
    }
  }

  private static func tell(_ event: Event, lit: UInt32) {
    switch event {
    case .pose(_, let pose, _): print(pose.name, terminator: "")
    case .trouble(.fault, _): print("trouble", terminator: "")
    case .recovered: print("recovered", terminator: "")
    default: return
    }
    print(", LEDs ", terminator: "")
    print(lit)
  }
}
