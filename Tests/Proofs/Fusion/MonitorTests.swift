import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The monitor with six values: snapshots, faults, events.
struct MonitorTests {
  /// The results of a run.
  struct Run {
    var readings: [Reading] = []
    var events: [Occurrence] = []
    var snapshots: [(snapshot: FreshReading, up: Vector3)] = []
    var attitudes: [Fusion.Attitude] = []
    var states: [(at: Microseconds, state: PoseState)] = []
    var counters = Counters()
  }

  private static func configuration(_ sensor: borrowing some Accelerometer & ~Copyable) -> Monitor.Configuration {
    Monitor.Configuration(
      period: .milliseconds(10), fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(gravity: .fusion(Fusion.Configuration())),
      rotationFullScale: sensor.rotationFullScale)
  }

  /// Runs a motion; requests a snapshot half-way between every `asking`th pair of turns.
  private static func run(_ motion: any Motion, _ plan: FaultPlan = .none, asking: Int = 0) throws -> Run {
    var specimen = EmulatedMPU6050.Configuration(.mpu6050)
    specimen.gyroscopeErrors = .usual
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: motion, configuration: specimen, seed: 4) { clock.now }
    let bus = EmulatedBus(
      part, at: EmulatedMPU6050.address, plan: plan, log: BusLog(), pass: { clock.advance(by: $0) }, now: { clock.now })
    let sensor = MPU6050.Device(
      bus: bus, configuration: MPU6050.Configuration(range: .g8, gyroscope: .dps2000))
    let configuration = configuration(sensor)
    let bank = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    let start = clock.now
    var run = Run()
    var turns = 0
    while loop.monitor.next.at <= start + motion.duration, let report = try loop.turn() {
      for index in 0..<report.events.count {
        if let event = report.events[index] { run.events.append(event) }
      }
      if let reading = report.reading { run.readings.append(reading) }
      if let attitude = loop.monitor.attitude { run.attitudes.append(attitude) }
      run.states.append((clock.now - start, loop.monitor.state))
      turns += 1
      if asking > 0, turns % asking == 0, loop.monitor.next.task == .sample {
        clock.advance(by: .milliseconds(5))
        run.snapshots.append((try loop.read(), motion.up(at: clock.now - start)))
      }
    }
    run.counters = loop.monitor.counters
    return run
  }

  @Test static func `a snapshot between turns shows gravity while the board is shaken, and changes nothing`() throws {
    let motion = NamedMotion.shaken.motion
    let alone = try Self.run(motion)
    let asked = try Self.run(motion, asking: 7)
    #expect(asked.readings == alone.readings)
    #expect(asked.events == alone.events)
    #expect(asked.attitudes == alone.attitudes)
    #expect(asked.snapshots.count > 150)
    for (snapshot, up) in asked.snapshots {
      #expect(snapshot.force.double.angle(to: up.double) <= 6)
      #expect(abs(snapshot.force.double.length - 1) < 0.001)
      #expect(snapshot.state == .known(.portrait))
    }
  }

  @Test static func `after an outage the pose returns with the known bias`() throws {
    for outage in [300, 3_000] as [Int64] {
      let span = Microseconds.seconds(10)..<(Microseconds.seconds(10) + .milliseconds(outage))
      let run = try Self.run(
        NamedMotion.carried.motion, [.init(.fault(.noAcknowledge), .during(span))])
      let before = try #require(run.attitudes.first { $0.certainty == .still }).bias.double
      // The part is a few degrees warmer than 25 °C.
      #expect((before - SIMD3(2.7, -0.6, 1.8)).length <= 0.6)
      for attitude in run.attitudes.suffix(1_000) {
        #expect((attitude.bias.double - before).length <= 0.5)
        #expect(attitude.certainty != .starting)
      }
      #expect(run.states.contains { $0.state == .unknown(.fault) })
      #expect(run.states.last?.state.pose != nil)
    }
  }

  @Test static func `frozen six values are a fault, and the fusion continues after it`() throws {
    let run = try Self.run(
      AttitudePath.hold(.portrait, for: .seconds(20)),
      [.init(.frozenData, .during(.seconds(5)..<Microseconds.seconds(8)))])
    #expect(run.states.contains { $0.at > .seconds(6) && $0.at < .seconds(8) && $0.state == .unknown(.fault) })
    #expect(run.states.last?.state == .known(.portrait))
    #expect(run.attitudes.last?.isStill == true)
  }

  @Test static func `rest and movement are one event each`() throws {
    let run = try Self.run(NamedMotion.turntable.motion)
    let moves = run.events.compactMap { occurrence in
      switch occurrence.event {
      case .still: true
      case .moving: false
      default: nil as Bool?
      }
    }
    // At rest, on the turning table, and at rest again.
    #expect(moves == [true, false, true])
  }

  @Test static func `a part set up by another program is adopted with its gyroscope, and only with it`() throws {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: NamedMotion.hold.motion, seed: 4) { clock.now }
    func device(_ range: MPU6050.GyroscopeRange) -> MPU6050.Device<EmulatedBus> {
      let bus = EmulatedBus(
        part, at: EmulatedMPU6050.address, plan: .none, log: BusLog(), pass: { clock.advance(by: $0) },
        now: { clock.now })
      return MPU6050.Device(bus: bus, configuration: MPU6050.Configuration(range: .g8, gyroscope: range))
    }
    var first = device(.dps2000)
    clock.advance(by: try first.start())
    while let pause = try first.proceed() { clock.advance(by: pause) }
    var second = device(.dps2000)
    #expect(try second.adopt())
    #expect(try second.measure().rotation != nil)
    var third = device(.dps500)
    #expect(try !third.adopt())
  }
}
