import Board
import Plumb

/// The board's first six LEDs, one for each pose: bits of a register.
struct Lamps: OutputBank, ~Copyable {
  private let register: UInt = 0x4002_F004

  /// The LEDs that are lit, read from the register.
  var lit: UInt32 { board_read(register) }

  mutating func write(_ levels: Levels) throws(OutputFault) { board_write(register, levels.bits) }
}

/// The board's timer, in microseconds.
struct TickClock: MonotonicClock, ~Copyable {
  var now: Instant { Instant(microseconds: board_microseconds()) }

  mutating func sleep(until deadline: Instant) -> Bool {
    while now < deadline { board_rest() }
    return true
  }
}

/// Lights the LED of the pose, and prints what happens.
@main enum Firmware {
  static func main() {
    let sensor = ADXL345.Device(bus: BitBangedBus())
    var loop = Loop(sensor: sensor, bank: Lamps(), clock: TickClock())
    // One for all turns: each of its own would take as much stack once more.
    var news = Observation()
    // With a sensor in place of the bench, the loop never ends: while true { turn(&loop, &news) }
    for attitude in 0..<Bench.count {
      do throws(I2CFault) {
        try Bench.hold(attitude, by: &loop.sensor.wire.bus, at: ADXL345.address)
      } catch {
        print("no response from the bench")
      }
      let end = loop.clock.now + .seconds(1)
      while loop.clock.now < end { turn(&loop, &news) }
    }
  }

  private static func turn(
    _ loop: inout Loop<ADXL345.Device<BitBangedBus>, Lamps, TickClock>, _ news: inout Observation
  ) {
    do throws(OutputFault) {
      guard try loop.turn(into: &news) else { return }
      for index in 0..<news.events.count {
        if let occurrence = news.events[index] { report(occurrence.event, lit: loop.bank.lit) }
      }
    } catch {
      print("the LEDs cannot be set")
    }
  }

  private static func report(_ event: Event, lit: UInt32) {
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
