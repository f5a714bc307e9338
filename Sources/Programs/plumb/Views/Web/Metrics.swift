package import Monitor
internal import Orientation
internal import Stream

/// The figures that `plumb serve` gives a monitoring system at one moment, under names that do not change.
package struct Metrics: Sendable {
  /// The watched sensor.
  package struct Subject: Sendable {
    /// The version of the program.
    package var version: String
    package var sensor: String
    /// The sensor's address, with `0x`.
    package var address: String
    package var bus: String
    /// The time between samples, in s.
    package var period: Double

    package init(version: String, sensor: String, address: String, bus: String, period: Double) {
      (self.version, self.sensor, self.address, self.bus) = (version, sensor, address, bus)
      self.period = period
    }
  }

  package var subject: Subject
  /// Pose, force, angles and fusion.
  package var scene: Scene
  /// The name of the reason why the pose is unknown; nil if it is known.
  package var reason: String?
  package var counters: Counters
  package var transactions: UInt64
  /// When the counters were 0, in seconds since 1970.
  package var start: Double
  /// How long ago the last sample arrived, in s; nil before the first.
  package var sampleAge: Double?
  package var isRead: Bool
  /// The present number of viewers, and the number of connections since the start.
  package var viewers: Int
  package var connections: UInt64

  package init(
    of subject: Subject, _ scene: Scene, reason: String?, _ counters: Counters, transactions: UInt64, start: Double,
    sampleAge: Double?, isRead: Bool, viewers: Int, connections: UInt64
  ) {
    (self.subject, self.scene, self.reason) = (subject, scene, reason)
    (self.counters, self.transactions, self.start) = (counters, transactions, start)
    (self.sampleAge, self.isRead) = (sampleAge, isRead)
    (self.viewers, self.connections) = (viewers, connections)
  }

  /// The metrics as text. Undefined or outdated values are left out.
  package func bytes(_ format: MetricsFormat) -> [UInt8] {
    var text = MetricsText(format, created: start)
    addSetting(to: &text)
    addPose(to: &text)
    addAttitude(to: &text)
    addFusion(to: &text)
    addCounters(to: &text)
    return text.bytes
  }

  private func addSetting(to text: inout MetricsText) {
    text.info(
      "plumb", "The sensor, and the version of plumb.",
      [
        ("version", subject.version), ("sensor", subject.sensor), ("address", subject.address), ("bus", subject.bus),
      ])
    text.gauge(
      "plumb_start_time_seconds", unit: "seconds", "When the counters were 0, since 1970-01-01 UTC.",
      [.init(start, 3)])
    text.gauge("plumb_sensor_up", "1 while the sensor is read, else 0.", [.init(isRead ? 1 : 0)])
    text.gauge(
      "plumb_sample_period_seconds", unit: "seconds", "The time between samples, as configured.",
      [.init(subject.period, 6)])
    text.gauge(
      "plumb_sample_age_seconds", unit: "seconds", "The time since the last sample.", [.init(sampleAge, 3)])
  }

  /// The names of the poses by number, and the names of the reasons.
  private static var poses: [String] { PoseMark.poses.map { "\($0.name)" } }
  private static var reasons: [String] {
    [.notYetSampled, .ambiguous, .accelerating, .freeFall, .stale, .fault].map { (reason: UnknownReason) in
      "\(reason.name)"
    }
  }

  private func addPose(to text: inout MetricsText) {
    // Without a recent sample, the last pose may no longer apply.
    var (pose, reason) = ("unknown", reason)
    switch scene.pose {
    case .known(let number, _, _) where isRead && Self.poses.indices.contains(number):
      (pose, reason) = (Self.poses[number], nil)
    case .known: reason = "\(UnknownReason.stale.name)"
    case .unknown: break
    }
    text.states("plumb_pose", "The pose, which is the one with 1.", Self.poses + ["unknown"], present: pose)
    text.states(
      "plumb_unknown_reason", "Why the pose is unknown; all 0 while it is known.", Self.reasons, present: reason)
  }

  private func addAttitude(to text: inout MetricsText) {
    guard isRead, let force = scene.force else { return }
    text.gauge(
      "plumb_force_g", unit: "g", "The specific force in the board's frame, calibrated.", Self.axes(force, 4))
    let angles = [
      ("angle", "The device angle."), ("pitch", "The pitch."), ("roll", "The roll."),
      ("inclination", "The inclination: 0 face up, 90 upright, 180 face down."),
    ]
    for (name, help) in angles {
      let value = scene.angles.first { $0.name == name }?.degrees
      text.gauge("plumb_\(name)_degrees", unit: "degrees", help, [.init(value, 1)])
    }
    text.gauge("plumb_steering_degrees", unit: "degrees", "The steering angle.", [.init(scene.steering, 1)])
  }

  private func addFusion(to text: inout MetricsText) {
    guard let fusion = scene.fusion else {
      guard let isStill = scene.isStill, isRead else { return }
      return text.states(
        "plumb_motion", "How the board moves.", ["still", "moving"], present: isStill ? "still" : "moving")
    }
    if isRead && fusion.isFresh {
      text.states(
        "plumb_motion", "How the board moves; starting until the gyroscope's bias is known.",
        ["starting", "still", "moving", "clipped"], present: "\(fusion.certainty.name)")
      text.gauge(
        "plumb_heading_degrees", unit: "degrees", "The turn about the vertical since the start.",
        [.init(fusion.heading, 1)])
      text.gauge(
        "plumb_rotation_rate_degrees_per_second", unit: "degrees_per_second",
        "The rate of rotation in the board's frame, without bias.", Self.axes(fusion.rate, 2))
      text.gauge(
        "plumb_temperature_celsius", unit: "celsius", "The temperature of the sensor's die.",
        [.init(fusion.temperature, 1)])
    }
    if fusion.isBiasKnown {
      text.gauge(
        "plumb_gyroscope_bias_degrees_per_second", unit: "degrees_per_second",
        "What the gyroscope reads at rest, after calibration.", Self.axes(fusion.bias, 2))
    }
    text.counter(
      "plumb_clipped_samples", "Samples with an axis at the end of its range.", [.init(fusion.clippedSamples)])
  }

  private func addCounters(to text: inout MetricsText) {
    let plain = [
      ("samples", "Samples.", counters.samples),
      ("late_samples", "Samples that were late by a period or more.", counters.lateSamples),
      ("lost_samples", "Samples that waited in the sensor and were lost.", counters.lostSamples),
      ("pose_changes", "Changes to another pose, the first one included.", counters.poseChanges),
      ("recoveries", "Times the sensor delivered again after it was reconfigured.", counters.recoveries),
      ("restarts", "Times the bus was opened again.", counters.restarts), ("shakes", "Shakes.", counters.shakes),
      ("transactions", "Bus transactions.", transactions),
    ]
    for (name, help, count) in plain { text.counter("plumb_\(name)", help, [.init(count)]) }
    // Kinds that have not occurred are included: a rate needs the 0 before the first one.
    var (faults, reasons): ([MetricsText.Sample], [MetricsText.Sample]) = ([], [])
    counters.faultKinds.forEach { kind, count in faults.append(.init(count, [("kind", "\(kind)")])) }
    counters.unknown.forEach { reason, count in reasons.append(.init(count, [("reason", "\(reason)")])) }
    text.counter("plumb_faults", "Faults of bus or sensor, counting each attempt.", faults)
    text.counter("plumb_unknown", "Times the pose became unknown.", reasons)
    text.gauge("plumb_viewers", "Viewers of the page and of the events.", [.init(UInt64(max(0, viewers)))])
    text.counter("plumb_connections", "Connections to the server, of all kinds.", [.init(connections)])
  }

  private static func axes(_ vector: Scene.Force, _ places: Int) -> [MetricsText.Sample] {
    [("x", vector.x), ("y", vector.y), ("z", vector.z)].map { axis, value in .init(value, places, [("axis", axis)]) }
  }
}
