import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Still and moving without a gyroscope, on emulated parts, starting at their registers.
struct RestTests {
  /// A board that lies for `before` s, is lifted by 10 cm within a second, and lies again. In g and s.
  struct Lift: Motion {
    var before = 20.0
    var duration: Microseconds { .seconds(60) }

    func specificForce(at time: Microseconds) -> Vector3 {
      let s = Double(time.count) / 1e6 - before
      let push = s > 0 && s < 1 ? 0.1 * (60 * s - 180 * s * s + 120 * s * s * s) / 9.80665 : 0
      return Vector3(x: Q16(raw: 3_000), y: Q16(raw: -2_000), z: Q16(raw: Int32(65_400 + push * 65_536)))
    }
  }

  /// The times of still (true) and moving, in s.
  private static func changes(_ outcome: Rig.Outcome) -> [(time: Double, isStill: Bool)] {
    outcome.events.compactMap { occurrence in
      switch occurrence.event {
      case .still: (Double(occurrence.at.microseconds) / 1e6, true)
      case .moving: (Double(occurrence.at.microseconds) / 1e6, false)
      default: nil
      }
    }
  }

  private static func configuration(
    _ rate: Int64, fullScale: Q16, _ gravity: GravityFilter.Configuration = .standard, isAsked: Bool = true
  ) -> Monitor.Configuration {
    Monitor.Configuration(
      period: Microseconds(1_000_000 / rate), fullScale: fullScale, pipeline: Pipeline.Configuration(gravity: gravity),
      detectsRest: isAsked)
  }

  private static func run<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, _ configuration: Monitor.Configuration, _ seconds: Int64, _ clock: VirtualClock
  ) -> Rig.Outcome {
    Rig().drive(sensor, configuration, for: .seconds(seconds), on: clock) { clock.now }
  }

  private static func adxl345(
    _ motion: any Motion, _ range: ADXL345.Range, _ rate: Int64, seconds: Int64, seed: UInt64 = 1, isAsked: Bool = true
  ) -> Rig.Outcome {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: motion, seed: seed) { clock.now }
    let bus = EmulatedBus(
      part, at: EmulatedADXL345.address, log: BusLog(capacity: 0), pass: { clock.advance(by: $0) }
    ) { clock.now }
    let output = ADXL345.OutputDataRate(atLeastMillihertz: max(25, Int32(rate)) * 1_000) ?? .hz800
    let device = ADXL345.Device(bus: bus, configuration: ADXL345.Configuration(rate: output, range: range))
    let fullScale = device.fullScale
    return run(device, configuration(rate, fullScale: fullScale, isAsked: isAsked), seconds, clock)
  }

  private static func mpu6050(
    _ motion: any Motion, _ setup: MPU6050.Configuration, _ rate: Int64, seconds: Int64,
    _ gravity: GravityFilter.Configuration = .standard
  ) -> Rig.Outcome {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: motion, seed: 1) { clock.now }
    let bus = EmulatedBus(
      part, at: EmulatedMPU6050.address, log: BusLog(capacity: 0), pass: { clock.advance(by: $0) }
    ) { clock.now }
    let device = MPU6050.Device(bus: bus, configuration: setup)
    let fullScale = device.fullScale
    return run(device, configuration(rate, fullScale: fullScale, gravity), seconds, clock)
  }

  /// Still, moving at the lift, and still after it.
  private static func check(_ outcome: Rig.Outcome, _ rate: Int64, _ what: String) throws {
    let changes = changes(outcome)
    try require(that: changes.map(\.isStill) == [true, false, true], "\(what), \(rate) Hz: \(changes)")
    let window = max(0.4, 8 / Double(rate))
    expect(changes[0].time, isIn: 1.2...4 * window + 0.2, "\(what): \(changes)")
    expect(changes[1].time, isIn: 20.1...21 + 2 * window, "\(what): \(changes)")
    expect(changes[2].time, isIn: 21.2...21 + 6 * window + 0.2, "\(what): \(changes)")
  }

  static let rates: [Int64] = [10, 25, 50, 100, 200, 400, 800]

  @Test(arguments: [ADXL345.Range.g2, .g4, .g8, .g16], rates)
  static func `an ADXL345 is still except in a lift, at every range and rate`(_ range: ADXL345.Range, _ rate: Int64)
    throws
  {
    try check(adxl345(Lift(), range, rate, seconds: 40), rate, "\(range)")
  }

  @Test(arguments: [MPU6050.Range.g2, .g4, .g8, .g16], rates)
  static func `an MPU-6050 without its gyroscope is still except in a lift`(_ range: MPU6050.Range, _ rate: Int64)
    throws
  {
    // As a board file sets it up: the filter's bandwidth is below half the rate.
    let filter: MPU6050.Filter =
      rate < 25 ? .hz5 : rate < 50 ? .hz10 : rate < 100 ? .hz21 : rate < 200 ? .hz44 : rate < 400 ? .hz94 : .hz184
    let sampling = try require(MPU6050.SampleRate(atLeastMillihertz: max(25, Int32(rate)) * 1_000))
    let setup = MPU6050.Configuration(rate: sampling, range: range, filter: filter)
    try check(mpu6050(Lift(), setup, rate, seconds: 40), rate, "\(range)")
  }

  @Test static func `the part's filters and gravity filters do not change that`() throws {
    for filter in [MPU6050.Filter.hz5, .hz10, .hz21, .hz44, .hz94, .hz184] {
      let setup = MPU6050.Configuration(range: .g16, filter: filter)
      try check(mpu6050(Lift(), setup, 100, seconds: 40), 100, "\(filter)")
    }
    for gravity in [GravityFilter.Configuration.standard, .adaptive(AdaptiveFilterConfiguration())] {
      try check(mpu6050(Lift(), MPU6050.Configuration(range: .g16), 100, seconds: 40, gravity), 100, "\(gravity)")
    }
  }

  @Test static func `at the widest range an hour of noise is not movement`() {
    let outcome = adxl345(AttitudePath.hold(.portrait, for: .seconds(1)), .g16, 50, seconds: 3_600, seed: 9)
    expect(changes(outcome).map(\.isStill), equals: [true])
  }

  @Test static func `a monitor reports rest only if configured to`() {
    expect(empty: changes(adxl345(Lift(), .g16, 100, seconds: 40, isAsked: false)))
    expect(that: !Monitor.Configuration.recording.detectsRest)
    let moving = Monitor.Configuration(period: .zero, fullScale: Q16(whole: 16), movement: Movement.Configuration())
    expect(that: moving.detectsRest)
  }

  @Test static func `during a fault rest is unknown, and it is reported again afterwards`() {
    var monitor = Monitor(
      Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16), detectsRest: true),
      at: Instant(microseconds: 0))
    var now = Instant(microseconds: 0)
    var told: [Event] = []
    func take(_ report: Observation) {
      for index in 0..<report.events.count {
        if let event = report.events[index]?.event, event == .still || event == .moving { told.append(event) }
      }
    }
    func rest(_ seconds: Int) {
      for index in 0..<seconds * 100 {
        now = now + .milliseconds(10)
        take(monitor.sampled(Vector3(x: Q16(raw: Int32(index % 7) * 40), y: .zero, z: Q16(whole: 1)), at: now))
      }
    }
    take(monitor.started(settling: .zero, at: now))
    expect(monitor.isStill, equals: nil)
    rest(2)
    expect(monitor.isStill, equals: true)
    expect(told, equals: [.still])
    for _ in 0..<20 {
      now = now + .milliseconds(100)
      take(monitor.failed(.bus(.noAcknowledge), at: now))
    }
    expect(monitor.isStill, equals: nil)
    expect(monitor.state, equals: .unknown(.fault))
    take(monitor.started(settling: .zero, at: now))
    rest(1)
    expect(monitor.isStill, equals: nil)
    rest(1)
    expect(monitor.isStill, equals: true)
    expect(told, equals: [.still, .still])
  }
}
