public import FixedPoint
internal import HAL
internal import Orientation
public import Sensors

extension Monitor {
  /// What `measured`, in g and in the sensor's own frame, tells at `now`, without being taken in: nothing changes.
  ///
  /// The pose is unknown for `fault` as long as the monitor does not trust the sensor; else it is as
  /// `PoseTracker.state(seeing:at:)` says.
  public func snapshot(of measured: Vector3, at now: Instant) -> Snapshot {
    let fresh = pipeline.snapshot(of: measured, at: now)
    guard state == .unknown(.fault) else { return fresh }
    return Snapshot(instant: now, force: fresh.force, state: state)
  }

  /// Whether the sensor is set up and settled, as far as is known, so that it can be asked for a sample out of turn.
  var canBeQueried: Bool { schedule.task == .sample }
}

extension Loop where Sensor: ~Copyable, Bank: ~Copyable, Clock: ~Copyable {
  /// Asks the sensor for a sample between two turns, and returns the pose and all angles that it shows.
  ///
  /// One bus transaction. The monitor does not notice: its schedule, counters, filters and pose, and the lines, are as if
  /// nobody had asked. The sensor's driver does: it counts the transaction, and a sample that it watches the part's
  /// configuration by.
  ///
  /// - Throws: `configurationLost`, without a transaction, while the sensor is not delivering (not started, settling,
  ///   waiting for the next attempt, given up); else what the sensor throws. It is for the caller alone: the monitor does
  ///   not hear of it and nothing is tried again.
  public mutating func snapshot() throws(SensorError) -> Snapshot {
    guard monitor.canBeQueried else { throw .configurationLost }
    let now = clock.now
    return monitor.snapshot(of: try sensor.sample(), at: now)
  }
}
