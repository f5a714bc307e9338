internal import FixedPoint
internal import HAL
internal import Monitor
internal import Orientation
internal import Sensors
internal import StreamLines
internal import Text

/// A board that exists in memory alone: the driver in the loop, over ``RegisterBus``.
struct MemoryBoard: ~Copyable {
  private var loop: Loop<MPU6050.Device<RegisterBus>, NoLines, SteppedClock>
  private let mounting: Mounting

  /// A board at rest, at time 0.
  ///
  /// - Throws: what is wrong with the settings.
  init(_ settings: BoardSettings) throws(SettingsFault) {
    let (mounting, sensor) = (try settings.mounting(), Self.sensor)
    let range = Self.ranges(sensor)
    let configuration = try settings.configuration(
      period: sensor.period, fullScale: range.force, rotationFullScale: range.rotation, hasRotation: true)
    // Last, because a loop cannot be destroyed on some ways alone.
    let vibration = try settings.vibrationDetector()
    self.mounting = mounting
    loop = Loop(
      sensor: MPU6050.Device(bus: RegisterBus(), configuration: sensor), bank: NoLines(), clock: SteppedClock(),
      configuration: configuration, vibration: vibration)
  }

  private static var sensor: MPU6050.Configuration { MPU6050.Configuration(range: .g8, gyroscope: .dps2000) }

  private static func ranges(_ sensor: MPU6050.Configuration) -> (force: Q16, rotation: Q16?) {
    let device = MPU6050.Device(bus: RegisterBus(), configuration: sensor)
    return (device.fullScale, device.rotationFullScale)
  }

  /// When the loop has something to do next.
  var due: Instant { loop.monitor.next.at }

  /// Changes what is connected to the bus.
  mutating func change(_ body: (inout RegisterBus) -> Void) { body(&loop.sensor.wire.bus) }

  /// Holds the board, in its own frame, at this force and rotation.
  mutating func hold(_ force: Vector3, turning rotation: Vector3) {
    loop.sensor.wire.bus.force = mounting.undone(on: force)
    loop.sensor.wire.bus.rotation = mounting.undone(on: rotation)
  }

  /// Does what is due, if it is due until `now`.
  mutating func turn(until now: Instant, into view: inout BoardView) -> Bool {
    loop.clock.limit = now
    do throws(OutputFault) {
      guard try loop.turn(into: &view.seen) else { return false }
    } catch {}
    view.note(at: loop.clock.now)
    return true
  }

  /// Makes `tare` the attitude in which angles are 0.
  mutating func zero(_ tare: Tare, _ view: inout BoardView) {
    loop.apply(tare)
    view.objects.tare = tare
    view.seen.snapshot = loop.monitor.snapshot
  }
}

/// A clock that jumps to what is waited for, up to a limit that the page sets.
struct SteppedClock: MonotonicClock {
  private(set) var now = Instant(microseconds: 0)
  var limit = Instant(microseconds: 0)

  mutating func sleep(until deadline: Instant) -> Bool {
    guard deadline <= limit else { return false }
    now = max(now, deadline)
    return true
  }
}
