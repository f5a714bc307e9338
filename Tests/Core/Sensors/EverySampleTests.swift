import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Every sample at the parts' highest rates, taken in batches over a slow bus by a reader that is sometimes late.
struct EverySampleTests {
  /// The results of a run.
  private struct Outcome {
    var samples = 0
    var losses = 0
    /// The shortest and the longest time between two samples after the first ten seconds, in microseconds.
    var steps = Int64.max...Int64.max
    /// When sample 10 000 and the last one were made.
    var first = Int64.max
    var last = Int64.min
    var bound: Int64 = 0
    var wakeUps = 0
    var transactions: UInt64 = 0

    mutating func take(_ instant: Instant, of total: Int) {
      let now = instant.microseconds
      if total > 10_000, last > Int64.min {
        let step = now - last
        steps = steps.upperBound == Int64.max ? step...step : min(steps.lowerBound, step)...max(steps.upperBound, step)
      }
      if total == 10_000 { first = now }
      last = now
      samples += 1
    }
  }

  /// Takes batches of 25 for that long, each up to `lateness` late.
  private static func run<Base: BatchingAccelerometer & ~Copyable>(
    _ base: consuming Base, _ clock: VirtualClock, seconds: Int64, lateness: Int64
  ) throws -> Outcome {
    var sensor = Batched(base, size: 25)
    var generator = SplitMix64(seed: 11)
    var outcome = Outcome()
    clock.advance(by: try sensor.start())
    while let wait = try sensor.proceed() { clock.advance(by: wait) }
    let end = clock.now + .seconds(seconds)
    while clock.now < end {
      let due = try sensor.collect(by: clock)
      outcome.wakeUps += 1
      while let element = sensor.next() {
        switch element {
        case .lost(let count, _): outcome.losses += Int(count)
        case .sample(_, let instant): outcome.take(instant, of: outcome.samples)
        }
      }
      if outcome.samples > 10_000 { outcome.bound = max(outcome.bound, sensor.timing?.uncertainty.count ?? 0) }
      clock.advance(to: max(due, clock.now) + Microseconds(Int64.random(in: 0...lateness, using: &generator)))
    }
    outcome.transactions = sensor.transactions
    return outcome
  }

  /// A minute; among the long tests also an hour.
  static let durations: [Int64] = runsLongTests ? [60, 3_600] : [60]

  private static func check(_ outcome: Outcome, _ period: Double, _ partsPerMillion: Int32) {
    let trueStep = period / (1 + Double(partsPerMillion) / 1e6)
    let made = Double(outcome.last - outcome.first) / trueStep + 1
    expect(outcome.losses, equals: 0)
    expect(abs(made - Double(outcome.samples - 10_000)), isBelow: 0.6, "\(made), \(outcome.samples)")
    let text = "\(outcome.steps) around \(trueStep), ± \(outcome.bound)"
    // A correction of the clock is spread over a batch.
    expect(Double(outcome.steps.lowerBound), isAbove: trueStep - Double(outcome.bound) / 5 - 1, "\(text)")
    expect(Double(outcome.steps.upperBound), isBelow: trueStep + Double(outcome.bound) / 5 + 1, "\(text)")
  }

  /// A bus whose transactions take `span` µs each.
  private static func slowBus(
    _ part: any EmulatedTarget, _ address: I2CAddress, _ clock: VirtualClock, each span: Int64
  ) -> EmulatedBus {
    EmulatedBus(
      part, at: address, plan: [.init(.slow(Microseconds(span)), .transactions(0..<Int.max))], frequency: 400_000,
      log: BusLog(capacity: 0), pass: { clock.advance(by: $0) }, now: { clock.now })
  }

  /// A read of eight bytes takes 0.23 ms at 400 kHz; 25 of them joined.
  @Test(arguments: durations, [-20_000, 0, 20_000] as [Int32])
  static func `no sample of an ADXL345 at 800 Hz is lost`(_ seconds: Int64, _ partsPerMillion: Int32) throws {
    let clock = VirtualClock()
    var specimen = EmulatedADXL345.Configuration()
    specimen.ratePartsPerMillion = partsPerMillion
    let part = EmulatedADXL345(motion: Still(x: 0, y: 0, z: 256), configuration: specimen) { clock.now }
    let bus = slowBus(part, EmulatedADXL345.address, clock, each: 280)
    let configuration = ADXL345.Configuration(rate: .hz800, fifo: .stream(watermark: .init(nearest: 25)))
    let outcome = try run(
      ADXL345.Device(bus: bus, configuration: configuration), clock, seconds: seconds, lateness: 3_000)
    check(outcome, 1_250, partsPerMillion)
    expect(Double(outcome.transactions), isAtMost: 1.06 * Double(outcome.samples))
  }

  @Test(arguments: durations, [-10_000, 0, 10_000] as [Int32])
  static func `no sample of an MPU-6050 at 1000 Hz with six values is lost`(
    _ seconds: Int64, _ partsPerMillion: Int32
  ) throws {
    let clock = VirtualClock()
    var specimen = EmulatedMPU6050.Configuration()
    specimen.pllPartsPerMillion = partsPerMillion
    let part = EmulatedMPU6050(motion: Still(x: 0, y: 0, z: 256), configuration: specimen) { clock.now }
    // 240 bytes take 5.5 ms at 400 kHz; here each transaction takes 3 ms.
    let bus = slowBus(part, EmulatedMPU6050.address, clock, each: 3_000)
    let fifo = MPU6050.FIFO(includesTemperature: true, includesRotation: true, longestBurst: 240)
    let configuration = MPU6050.Configuration(
      rate: .hz1000, range: .g8, filter: .hz184, gyroscope: .dps2000, fifo: fifo)
    let outcome = try run(
      MPU6050.Device(bus: bus, configuration: configuration), clock, seconds: seconds, lateness: 4_000)
    check(outcome, 1_000, partsPerMillion)
    expect(Double(outcome.transactions), isAtMost: 0.2 * Double(outcome.samples))
  }
}
