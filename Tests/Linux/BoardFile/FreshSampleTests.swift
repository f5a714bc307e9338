import BoardFile
import Emulation
import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// What a loop that samples an emulated sensor at a given rate saw.
private struct Run {
  /// How many samples the part had made when each one was read.
  var made: [UInt64] = []
  /// When each one was read.
  var instants: [Instant] = []
  /// The poses, in order.
  var poses: [Pose] = []
  /// The number of transactions up to each sample.
  var transactions: [UInt64] = []
  var counters = Counters()
  /// When the brown-out happened, if any.
  var dip = Instant.never

  /// Drives `sensor`, whose part counts its samples in `count`, in virtual time to the end. The part has a brown-out
  /// after the first sample at or after `dipping`.
  mutating func drive<Sensor: Accelerometer & ~Copyable>(
    _ sensor: consuming Sensor, _ board: BoardDescription.Sensor, _ clock: VirtualClock, for duration: Microseconds,
    dipping: Microseconds?, part: any EmulatedTarget, count: () -> UInt64
  ) throws {
    let configuration = Monitor.Configuration(
      period: board.period, fullScale: sensor.fullScale,
      pipeline: Pipeline.Configuration(alignment: board.alignment))
    let bank = RecordingOutputBank(log: OutputLog(capacity: 0)) { clock.now }
    var loop = Loop(sensor: sensor, bank: bank, clock: clock, configuration: configuration)
    while clock.now < Instant(microseconds: duration.count), let report = try loop.turn() {
      for index in 0..<report.events.count {
        if case .pose(_, let pose, _) = report.events[index]?.event { poses.append(pose) }
      }
      guard let reading = report.reading else { continue }
      made.append(count())
      instants.append(reading.instant)
      transactions.append(loop.sensor.transactions)
      if let dipping, dip == .never, clock.now >= Instant(microseconds: dipping.count) {
        dip = clock.now
        part.powerCycle()
      }
    }
    counters = loop.monitor.counters
  }

  init(
    _ board: BoardDescription.Sensor, _ motion: any Motion, for duration: Microseconds, dipping: Microseconds? = nil,
    part kind: EmulatedMPU6050.Part = .mpu6050
  ) throws {
    let clock = VirtualClock()
    let now = { clock.now }
    if let configuration = board.configuration.adxl345 {
      let part = EmulatedADXL345(motion: motion, now: now)
      let bus = EmulatedBus(part, at: board.address, log: BusLog(capacity: 0), now: now)
      let device = ADXL345.Device(bus: bus, address: board.address, configuration: configuration)
      try drive(device, board, clock, for: duration, dipping: dipping, part: part) { part.sampleCount }
    }
    if let configuration = board.configuration.mpu6050 {
      let part = EmulatedMPU6050(
        motion: motion, configuration: EmulatedMPU6050.Configuration(kind), now: now)
      let bus = EmulatedBus(part, at: board.address, log: BusLog(capacity: 0), now: now)
      let device = MPU6050.Device(bus: bus, address: board.address, configuration: configuration)
      try drive(device, board, clock, for: duration, dipping: dipping, part: part) { part.sampleCount }
    }
  }
}

struct FreshSamples {
  private static func sensor(_ model: String, _ rate: String) throws -> BoardDescription.Sensor {
    var lines = try require(BoardFileText.boards[model])
    lines[5] = "rate = \(rate)"
    lines[7] = "mounting = +x +y +z"
    return try outcome(BoardFileText.text(lines)).get().sensor
  }

  @Test(
    arguments: ["1", "2.5", "24", "25", "29.97", "30", "50", "60", "100", "799.999", "800", "999.999", "1000"],
    ["adxl345", "mpu6050"])
  static func `at every rate each sample is a new one, read in one transaction, on time`(rate: String, model: String)
    throws
  {
    guard let hertz = Double(rate), model == "mpu6050" || hertz <= 800 else { return }
    let sensor = try sensor(model, rate)
    let run = try Run(sensor, AttitudePath.hold(.portrait), for: .seconds(20))
    // The start takes less than half a second.
    expect(run.instants.count, isAtLeast: Int(19.5 * hertz))
    let period = Microseconds(Int64((1_000_000 / hertz).rounded()))
    var checks = 0
    for index in 1..<run.instants.count {
      let cost = run.transactions[index] - run.transactions[index - 1]
      if cost > 1 { checks += 1 }
      guard run.instants[index] - run.instants[index - 1] == period, run.made[index] > run.made[index - 1],
        cost == 1 || cost == (model == "adxl345" ? 4 : 5)
      else {
        Issue.record("sample \(index): \(run.made[index - 1...index]) made, at \(run.instants[index - 1...index])")
        return
      }
    }
    // Once a second the configuration is read as well.
    expect(checks, isIn: 18...27, "\(checks)")
    expect(run.counters.lateSamples, equals: 0)
    expect(run.counters.faults, equals: 0)
    expect(run.poses, equals: [.portrait])
  }

  @Test(
    arguments: ["1", "1.7", "24", "29.97", "30", "60"],
    ["adxl345", "mpu6050"])
  static func `at every rate the poses are those in which the board was held`(rate: String, model: String) throws {
    let attitudes: [Attitude] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown]
    let stops = attitudes.map { AttitudePath.Stop($0, held: .seconds(8), turning: .milliseconds(400)) }
    let run = try Run(try sensor(model, rate), AttitudePath(stops), for: .seconds(50))
    // From face up to face down the board passes through portrait, slowly enough to be seen there.
    let poses = run.poses.filter { $0 != .portrait }
    expect(run.poses.first, equals: .portrait)
    expect(poses, equals: [.landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown])
    expect(run.counters.lateSamples, equals: 0)
    expect(run.counters.faults, equals: 0)
  }

  @Test(
    arguments: ["1", "1.9", "24", "60"],
    ["adxl345", "mpu6050"])
  static func `a brown-out is detected within a second and a sample, at every rate`(rate: String, model: String) throws
  {
    let sensor = try sensor(model, rate)
    // An MPU-6500 wakes up by itself and continues to measure, in another range: its samples alone do not show it.
    let run = try Run(sensor, AttitudePath.hold(.portrait), for: .seconds(20), dipping: .seconds(10), part: .mpu6500)
    expect(run.counters.restarts, equals: 1)
    let dip = try require(run.instants.lastIndex { $0 <= run.dip })
    let found = try require(
      (dip + 1..<run.instants.count).first { (index: Int) -> Bool in
        run.transactions[index] > run.transactions[index - 1] + 1
      })
    // The sample that shows it is discarded; the next ones follow a start of less than half a second.
    expect(run.instants[found - 1] - run.dip, isAtMost: .seconds(1))
    expect(run.instants[found] - run.dip, isAtMost: .milliseconds(1_500) + sensor.period)
    expect(run.poses, equals: [.portrait])
  }
}

extension Instant {
  fileprivate static var never: Instant { Instant(microseconds: .max) }
}
