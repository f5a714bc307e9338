import FixedPoint
import Glibc
import HAL
import OpenBoard
import Sensors
import ToolInputs
import ToolOutput

/// A self-test and what surrounds it: it starts the sensor, checks that the board is still, and ensures that the sensor
/// then measures as before. A temporary fault costs another attempt.
struct SelfTestSession: ~Copyable {
  private(set) var sensor: BoardSensor
  private var clock: BoardClock
  /// The time from one sample to the next.
  private let period: Microseconds
  private let supply: ADXL345.SupplyVoltage
  /// Whether anything was written to the sensor.
  private var isTouched = false

  /// How it ended. `isRestored` is whether the sensor is set up as in the board file; nil if it was not touched.
  enum Ending {
    case findings(SelfTestFindings, isMoved: Bool)
    case stopped(isRestored: Bool?)
    case failed(SensorError, isRestored: Bool?)
  }

  private static var attempts: Int { 3 }
  private static var pause: Microseconds { .milliseconds(100) }
  /// How many samples show whether the board is still: half a second of them.
  private var glance: Int { Int(max(2, min(16, 500_000 / max(1, period.count)))) }
  /// The samples of a board that is still stay within this range, in g: ten times the noise.
  private static var stillness: Q16 { Q16(15, over: 100) }
  /// The same for its rotation, in °/s.
  private static var rotationStillness: Q16 { Q16(whole: 5) }

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
    guard let findings = try sensor.testItself(supply: supply.millivolts, by: &clock), let after = try look() else {
      return .stopped(isRestored: restore())
    }
    // Reads back what was written last: the self-test force must be off again.
    guard try sensor.adopt() else { throw .configurationLost }
    var isMoved = before.force.hasMoved(to: after.force, beyond: Self.stillness)
    if let earlier = before.rotation, let later = after.rotation {
      isMoved = isMoved || earlier.hasMoved(to: later, beyond: Self.rotationStillness)
    }
    return .findings(findings, isMoved: isMoved)
  }

  /// Starts the sensor; returns false if a stop signal ended that.
  private mutating func begin() throws(SensorError) -> Bool {
    var wait: Microseconds? = try sensor.start()
    isTouched = true
    while let span = wait {
      guard clock.sleep(until: clock.now + span) else { return false }
      wait = try sensor.proceed()
    }
    return true
  }

  /// Takes some samples; nil if a stop signal ended that.
  private mutating func look() throws(SensorError) -> (force: VectorRange, rotation: VectorRange?)? {
    var range: (force: VectorRange, rotation: VectorRange?)?
    for _ in 0..<glance {
      guard clock.sleep(until: clock.now + period) else { return nil }
      let measurement = try sensor.measure()
      let (force, rotation) = (measurement.force, measurement.rotation)
      range = (
        range?.force.with(force) ?? VectorRange(force),
        rotation.map { range?.rotation?.with($0) ?? VectorRange($0) }
      )
    }
    return range
  }

  /// Sets up the sensor as before, whatever has happened; nil if there was nothing to undo.
  private mutating func restore() -> Bool? {
    guard isTouched else { return nil }
    for _ in 0..<Self.attempts {
      do throws(SensorError) {
        // After a stop signal every sleep ends at once, so the rest of the wait is made of short naps.
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
    // If the bus cannot be opened again, the next attempt reports it.
    do throws(SensorError) { try sensor.reopen() } catch { return }
  }
}

/// The minimum and maximum of some vectors on each axis.
struct VectorRange {
  private(set) var low: Vector3
  private(set) var high: Vector3

  init(_ vector: Vector3) { (low, high) = (vector, vector) }

  func with(_ vector: Vector3) -> VectorRange {
    var range = self
    range.low = Vector3(x: min(low.x, vector.x), y: min(low.y, vector.y), z: min(low.z, vector.z))
    range.high = Vector3(x: max(high.x, vector.x), y: max(high.y, vector.y), z: max(high.z, vector.z))
    return range
  }

  /// Whether the samples of both together differ by more than `limit` on an axis.
  func hasMoved(to other: VectorRange, beyond limit: Q16) -> Bool {
    let all = with(other.low).with(other.high)
    func spans(_ low: Q16, _ high: Q16) -> Bool { Int64(high.raw) - Int64(low.raw) > Int64(limit.raw) }
    return spans(all.low.x, all.high.x) || spans(all.low.y, all.high.y) || spans(all.low.z, all.high.z)
  }
}
