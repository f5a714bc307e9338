import FixedPoint
import HAL
import Monitor
import Sensors

/// What the world does in one turn of a loop.
final class World {
  var now: Int64 = 0
  /// The excess of a wait, in µs.
  var lateness: Int64 = 0
  /// The error of the next use of the sensor; then nil.
  var fault: SensorError?
  /// The error of reopening the bus; then nil.
  var reopenFault: SensorError?
  var force = Vector3.zero
  /// Whether the sensor must be left alone once more while it starts, or prepares to watch.
  var takesTime = false
  var hasMoved = false
  /// The number of uses of the sensor.
  var uses = 0
  /// The levels of the lines.
  var lines = Levels.off
  static let settling = Microseconds.milliseconds(50)

  fileprivate func use() throws(SensorError) {
    uses += 1
    guard let error = fault else { return }
    fault = nil
    throw error
  }

  fileprivate func pause() -> Microseconds? {
    defer { takesTime = false }
    return takesTime ? Self.settling : nil
  }
}

/// A sensor that follows the world.
struct WorldSensor: Accelerometer {
  let world: World
  var fullScale: Q16 { Q16(whole: 2) }
  var transactions: UInt64 { UInt64(world.uses) }
  var canWatchForMovement: Bool { true }

  mutating func start() throws(SensorError) -> Microseconds {
    try world.use()
    return World.settling
  }

  mutating func proceed() throws(SensorError) -> Microseconds? { world.pause() }

  mutating func sample() throws(SensorError) -> Vector3 {
    try world.use()
    return world.force
  }

  mutating func reopen() throws(SensorError) {
    guard let error = world.reopenFault else { return }
    world.reopenFault = nil
    throw error
  }

  mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    try world.use()
    return world.pause()
  }

  mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    try world.use()
    return world.hasMoved
  }
}

struct WorldBank: OutputBank {
  let world: World
  mutating func write(_ levels: Levels) { world.lines = levels }
}

struct WorldClock: MonotonicClock {
  let world: World
  var now: Instant { Instant(microseconds: world.now) }

  mutating func sleep(until deadline: Instant) -> Bool {
    world.now = max(world.now, deadline.microseconds) + world.lateness
    return true
  }

  mutating func awaitMovement(until deadline: Instant) -> Awakening {
    if world.hasMoved { return .data }
    return sleep(until: deadline) ? .time : .interrupted
  }
}

/// The real loop, which runs any given monitor.
final class Shell {
  let world = World()
  private var loop: Loop<WorldSensor, WorldBank, WorldClock>

  init(_ configuration: Monitor.Configuration) {
    loop = Loop(
      sensor: WorldSensor(world: world), bank: WorldBank(world: world), clock: WorldClock(world: world),
      configuration: configuration)
  }

  /// One turn of `monitor` from `now` on; returns how often the sensor was used, and the report. Nil if the loop did
  /// nothing.
  func turn(_ monitor: inout Monitor, at now: inout Int64) -> (uses: Int, report: Observation)? {
    (world.now, world.uses) = (now, 0)
    loop.monitor = monitor
    defer {
      monitor = loop.monitor
      now = world.now
    }
    do {
      return try loop.turn().map { (world.uses, $0) }
    } catch { return nil }
  }
}
