import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Motions with consistent acceleration and rotation, measured by an emulated MPU-6050 over the bus.
struct FusedMotionTests {
  /// The result of a motion, after its first two seconds.
  struct Outcome {
    var samples = 0
    var square = 0.0
    var wrong = 0
    var unknown = 0
    var changes = 0
    var turns = 0
    var stillEvents = 0
    var counters = Counters()
    var reports: [(at: Double, attitude: Fusion.Attitude, state: PoseState)] = []

    var error: Double { (square / Double(max(1, samples))).squareRoot() }
    func share(_ count: Int) -> Double { Double(count) / Double(max(1, samples)) }
  }

  /// Plays a motion through emulated part, driver, loop and fusion, beside the same tracker with the true up.
  static func play(_ motion: any Motion, errors: GyroscopeErrors = .usual, seed: UInt64 = 1) throws -> Outcome {
    var specimen = EmulatedMPU6050.Configuration(.mpu6050)
    specimen.gyroscopeErrors = errors
    specimen.selfHeating = Q16(whole: 3)
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: motion, configuration: specimen, seed: seed) { clock.now }
    let bus = EmulatedBus(
      part, at: EmulatedMPU6050.address, plan: .none, log: BusLog(), pass: { clock.advance(by: $0) }
    ) { clock.now }
    let sensor = MPU6050.Device(
      bus: bus, configuration: MPU6050.Configuration(range: .g8, gyroscope: .dps2000))
    let configuration = Monitor.Configuration(
      period: .milliseconds(10), fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(gravity: .fusion(Fusion.Configuration())))
    let bank = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    var truth = PoseTracker(.fused)
    var outcome = Outcome()
    let start = clock.now
    while loop.monitor.next.at <= start + motion.duration {
      guard let report = try loop.turn() else { break }
      guard let reading = report.reading, let attitude = loop.monitor.attitude else { continue }
      for index in 0..<report.events.count {
        if report.events[index]?.event == .still { outcome.stillEvents += 1 }
      }
      let since = reading.instant - start
      let up = motion.up(at: since)
      let turned = truth.step(up, at: reading.instant) != nil
      guard since > .seconds(2) else { continue }
      let error = attitude.up.double.angle(to: up.double)
      outcome.samples += 1
      outcome.square += error * error
      outcome.changes += reading.change == nil ? 0 : 1
      outcome.turns += turned ? 1 : 0
      if reading.state.pose == nil {
        outcome.unknown += 1
      } else if reading.state != truth.state {
        outcome.wrong += 1
      }
      outcome.reports.append((Double(since.count) / 1e6, attitude, reading.state))
    }
    outcome.counters = loop.monitor.counters
    return outcome
  }

  /// The largest error of up, RMS in °, and the largest share of wrong poses. A car brakes and turns for longer than
  /// the time constant, which tilts up; see docs/fusion.md.
  static let bounds: [(motion: NamedMotion, error: Double, wrong: Double)] = [
    (.carried, 1.5, 0.008), (.shaken, 1.5, 0), (.swung, 1.5, 0), (.driven, 15, 0), (.turntable, 0.2, 0),
    (.dropped, 2, 0.008), (.tumble, 1.5, 0.008), (.shake, 2, 0),
  ]

  @Test(arguments: bounds.indices, 1...4 as ClosedRange<UInt64>)
  static func `carried, shaken, swung, driven or dropped, the board keeps its true pose`(index: Int, seed: UInt64)
    throws
  {
    let (motion, error, wrong) = Self.bounds[index]
    let outcome = try Self.play(motion.motion(seed: seed), seed: seed)
    #expect(outcome.samples >= 300, "\(motion)")
    #expect(outcome.error <= error, "\(motion)")
    #expect(outcome.share(outcome.wrong) <= wrong, "\(motion)")
    #expect(outcome.unknown == 0, "\(motion)")
    #expect(outcome.changes == outcome.turns, "\(motion)")
  }

  @Test(arguments: [NamedMotion.carried, .shaken, .swung, .driven, .dropped], 1...6 as ClosedRange<UInt64>)
  static func `a gyroscope with all the errors of the data sheet does not lose the pose`(
    motion: NamedMotion, seed: UInt64
  ) throws {
    let outcome = try Self.play(motion.motion(seed: seed), errors: GyroscopeErrors(seed: seed), seed: seed)
    #expect(outcome.error <= (motion == .driven ? 15 : 2.6))
    #expect(outcome.share(outcome.wrong) <= (motion == .carried || motion == .dropped ? 0.01 : 0))
    #expect(outcome.unknown == 0)
  }

  @Test static func `a motion is still and moving once each, and a turntable is not still again`() throws {
    let outcome = try Self.play(NamedMotion.turntable.motion)
    let turning = outcome.reports.filter { $0.at > 6 && $0.at < 43 }
    #expect(turning.count > 3_000)
    #expect(turning.allSatisfy { !$0.attitude.isStill })
    #expect(outcome.reports.first?.attitude.isStill == true)
    let first = try #require(turning.first)
    var worst = 0.0
    for report in turning {
      let heading = try #require(report.attitude.heading).degrees
      let start = try #require(first.attitude.heading).degrees
      worst = max(worst, abs(abs(difference(heading, start)) - abs(difference(5 * (report.at - first.at), 0))))
    }
    #expect(worst <= 1)
  }
}
