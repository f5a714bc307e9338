import FixedPoint
import Glibc
import HAL
import Sensors

/// A self-test with everything around it: the start, whether the board lies still, and that the sensor measures on as
/// before. A fault that passes costs another attempt.
struct SelfTestSession: ~Copyable {
  private(set) var sensor: BoardSensor
  private var clock: BoardClock
  /// The time from one sample to the next.
  private let period: Microseconds
  private let supply: ADXL345.SupplyVoltage
  /// Whether anything was written to the sensor.
  private var isTouched = false

  /// How it ended. `isRestored`: whether the sensor is set up as the board file says; nil where it was not touched.
  enum Ending {
    case findings(SelfTestFindings, isMoved: Bool)
    case stopped(isRestored: Bool?)
    case failed(SensorError, isRestored: Bool?)
  }

  private static var attempts: Int { 3 }
  private static var pause: Microseconds { .milliseconds(100) }
  /// The number of samples that show whether the board lies still: half a second of them.
  private var glance: Int { Int(max(2, min(16, 500_000 / max(1, period.count)))) }
  /// A board that lies still gives samples within this of each other, in g: ten times the noise.
  private static var stillness: Q16 { Q16(15, over: 100) }

  init(sensor: consuming BoardSensor, clock: BoardClock, period: Microseconds, supply: ADXL345.SupplyVoltage) {
    self.sensor = sensor
    self.clock = clock
    self.period = period
    self.supply = supply
  }

  mutating func run() -> Ending {
    var attempt = 1
    while true {
      do throws(SensorError) {
        return try test()
      } catch {
        if case .rateTooHigh = error { return .failed(error, isRestored: nil) }
        guard attempt < Self.attempts, clock.sleep(until: clock.now + Self.pause) else {
          return .failed(error, isRestored: restore())
        }
        attempt += 1
        reopen()
      }
    }
  }

  private mutating func test() throws(SensorError) -> Ending {
    guard try begin(), let before = try look() else { return .stopped(isRestored: restore()) }
    guard let findings = try sensor.selfTest(&clock, supply), let after = try look() else {
      return .stopped(isRestored: restore())
    }
    // Reads back what was written last: the self-test force must be off again.
    guard try sensor.adopt() else { throw .configurationLost }
    return .findings(findings, isMoved: before.hasMoved(to: after, beyond: Self.stillness))
  }

  /// Starts the sensor; false where a stop signal ended that.
  private mutating func begin() throws(SensorError) -> Bool {
    var wait: Microseconds? = try sensor.start()
    isTouched = true
    while let span = wait {
      guard clock.sleep(until: clock.now + span) else { return false }
      wait = try sensor.proceed()
    }
    return true
  }

  /// Takes some samples; nil where a stop signal ended that.
  private mutating func look() throws(SensorError) -> ForceRange? {
    var range: ForceRange?
    for _ in 0..<glance {
      guard clock.sleep(until: clock.now + period) else { return nil }
      let force = try sensor.sample()
      range = range.map { $0.with(force) } ?? ForceRange(low: force, high: force)
    }
    return range
  }

  /// Sets the sensor up as before, whatever has happened; nil where there was nothing to undo.
  private mutating func restore() -> Bool? {
    guard isTouched else { return nil }
    for _ in 0..<Self.attempts {
      do throws(SensorError) {
        // After a stop signal every sleep ends at once: the rest of the wait is spent in short naps.
        var wait: Microseconds? = try sensor.start()
        while let span = wait {
          let due = clock.now + span
          while clock.now < due {
            if !clock.sleep(until: due) { usleep(2_000) }
          }
          wait = try sensor.proceed()
        }
        if try sensor.adopt() { return true }
      } catch {
        reopen()
      }
    }
    return false
  }

  private mutating func reopen() {
    // Where the bus cannot be opened again, the next attempt says so.
    do throws(SensorError) { try sensor.reopen() } catch { return }
  }
}

/// The least and the greatest force of some samples on each axis.
struct ForceRange {
  var low: Vector3
  var high: Vector3

  func with(_ force: Vector3) -> ForceRange {
    ForceRange(
      low: Vector3(x: min(low.x, force.x), y: min(low.y, force.y), z: min(low.z, force.z)),
      high: Vector3(x: max(high.x, force.x), y: max(high.y, force.y), z: max(high.z, force.z)))
  }

  /// Whether samples of the one or the other or both together differ by more than `limit` on an axis.
  func hasMoved(to other: ForceRange, beyond limit: Q16) -> Bool {
    let all = with(other.low).with(other.high)
    return [(all.low.x, all.high.x), (all.low.y, all.high.y), (all.low.z, all.high.z)]
      .contains { Int64($1.raw) - Int64($0.raw) > Int64(limit.raw) }
  }
}
