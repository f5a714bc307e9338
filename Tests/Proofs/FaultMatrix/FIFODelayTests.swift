import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The FIFO of an ADXL345 at 800 Hz, with a late reader.
///
/// An independent model counts the waiting samples: the part has room for 32 in its FIFO and for one in its output
/// register. A loss is reported when the FIFO is found full, with 33 waiting. Then five are discarded, so that it is
/// not full again before it is read. The newest always stays in the output register.
struct FIFODelayTests {
  /// A force that grows with time, so each sample is distinct: X and Y are digits of a number.
  struct Ramp: Motion {
    /// The time between two samples, in microseconds.
    let period: Double
    var duration: Microseconds { .zero }

    func specificForce(at time: Microseconds) -> Vector3 {
      let number = Int32(((Double(time.count) - 1_100) / period).rounded())
      return Vector3(x: Q16(raw: number % 1_000 * 256), y: Q16(raw: number / 1_000 * 256), z: .one)
    }

    static func number(of force: Vector3) -> Int { Int(force.x.raw / 256 + 1_000 * (force.y.raw / 256)) }
  }

  /// A driver and a part with an inaccurate clock, and the numbers of the samples read.
  final class Reader {
    let clock = VirtualClock()
    let log = BusLog(capacity: 0)
    let period: Double
    private var driver: ADXL345.Device<EmulatedBus>

    init(partsPerMillion: Int32) throws {
      let clock = clock
      period = 1_250 / (1 + Double(partsPerMillion) / 1e6)
      var specimen = EmulatedADXL345.Configuration()
      specimen.noise = .zero
      specimen.ratePartsPerMillion = partsPerMillion
      let part = EmulatedADXL345(motion: Ramp(period: period), configuration: specimen) { clock.now }
      let bus = EmulatedBus(part, at: EmulatedADXL345.address, frequency: 400_000, log: log) { clock.now }
      let fifo = ADXL345.FIFO.stream(watermark: .init(nearest: 16))
      driver = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: .hz800, fifo: fifo))
      _ = try driver.start()
    }

    /// The number of samples that the part has made; waits briefly if one is just coming.
    func made() -> Int {
      func exact() -> Double { (Double(clock.now.microseconds) - 1_100) / period }
      while abs(exact() - exact().rounded()) < 0.004 { clock.advance(by: Microseconds(3)) }
      return max(0, Int(exact().rounded(.down)))
    }

    func take() throws -> (numbers: [Int], followsGap: Bool) {
      var batch = SampleBatch()
      let waiting = try driver.waiting()
      try driver.take(waiting.count, into: &batch)
      return ((0..<batch.count).compactMap { batch[$0].map { Ramp.number(of: $0.force) } }, waiting.followsGap)
    }
  }

  /// Delays of 0 to 60 nominal periods in steps of an eighth, from the part's slowest to its fastest clock.
  @Test(arguments: [-40_000, -20_000, 0, 20_000, 40_000] as [Int32])
  static func `no sample is lost up to the FIFO's depth, and a loss is reported only beyond it`(
    _ partsPerMillion: Int32
  ) throws {
    var wrong: [String] = []
    var cases = (whole: 0, full: 0, lost: 0)
    for eighths in 0...480 {
      let reader = try Reader(partsPerMillion: partsPerMillion)
      reader.clock.advance(by: .milliseconds(20))
      var last = reader.made() - 1
      let first = try reader.take()
      if first.numbers != Array(1...last) || first.followsGap { wrong.append("before \(eighths): \(first)") }
      // Late, and then twice on time, which reads everything since.
      for (turn, delay) in [Int64(eighths) * 1_250 / 8, 10_000, 2_500].enumerated() {
        reader.clock.advance(by: Microseconds(delay))
        let made = reader.made()
        let batch = try reader.take()
        let expected = Self.kept(after: last, upTo: made)
        if batch.numbers != expected { wrong.append("\(eighths), \(turn): \(batch.numbers) of \(last)…\(made)") }
        if batch.followsGap != (made - last >= 33) { wrong.append("\(eighths), \(turn): told \(batch)") }
        if turn == 0 {
          if made - last <= 32 {
            cases.whole += 1
          } else if made - last == 33 {
            cases.full += 1
          } else {
            cases.lost += 1
          }
        }
        last = made - 1
      }
      expect(reader.log.faultCount, equals: 0)
    }
    expect(empty: wrong, "\(wrong.count): \(wrong.prefix(5))")
    expect(cases.whole, isAbove: 230)
    expect(cases.full, isAtLeast: 7)
    expect(cases.lost, isAbove: 190)
  }

  /// The readable samples after `last` up to `made`: all but the newest, or from a full FIFO, without the one in the
  /// output register and the four oldest of the 32 entries.
  private static func kept(after last: Int, upTo made: Int) -> [Int] {
    made - last <= 32 ? Array(last + 1..<made) : Array(made - 27..<made)
  }

  @Test(arguments: [-40_000, 40_000] as [Int32])
  static func `a minute with a reader late by the FIFO's depth each time yields every sample once`(
    _ partsPerMillion: Int32
  ) throws {
    let reader = try Reader(partsPerMillion: partsPerMillion)
    var last = 0
    while reader.clock.now < Instant(microseconds: 60_000_000) {
      // 29 nominal periods are 27 to 31 of the part's, and one more sample waits.
      reader.clock.advance(by: Microseconds(29 * 1_250))
      let made = reader.made()
      let batch = try reader.take()
      guard batch.numbers == Array(last + 1..<made), !batch.followsGap else {
        Issue.record("\(batch) of \(last + 1)…\(made)")
        return
      }
      last = made - 1
    }
    expect(last, isAbove: 45_000)
  }
}
