internal import FixedPoint
internal import Gestures
package import JSON
package import Monitor
package import Orientation
package import Sensors

// The object of a sample: `t`, `event`, and the results of the step.
extension JSONWriter {
  /// Writes the fields of `reading`, after which `snapshot` is known, with angles relative to `tare`, and also the
  /// angle relative to the pose `relativeTo`.
  package mutating func fields(
    of reading: Reading, _ snapshot: borrowing Snapshot, _ tare: Tare, relativeTo: Pose?
  ) {
    let force = tare.applied(to: reading.held)
    let isFlat = force.isFlat
    field(force: reading.force)
    field("pose", reading.state.name)
    if case .unknown(let reason) = reading.state { field("reason", reason.name) }
    field("angle_deg", degrees: isFlat ? nil : force.deviceAngle)
    field("level_deg", degrees: isFlat ? nil : force.levelAngle)
    if let relativeTo { field("relative_deg", degrees: isFlat ? nil : force.relativeAngle(to: relativeTo)) }
    field("pitch_deg", degrees: force.pitch)
    field("roll_deg", degrees: force.isOnEnd ? nil : force.roll)
    field("inclination_deg", degrees: force.inclination)
    field("steering_deg", degrees: snapshot.steering)
    beginArray("scroll")
    element(snapshot.position.x, places: 5)
    element(snapshot.position.y, places: 5)
    endArray()
    field("gravity", reading.gravity)
    if let attitude = snapshot.attitude { fields(of: attitude) }
    if let rotation = reading.rotation { field("rotation_dps", rotation) }
  }

  /// Writes the fields that the fusion adds to a sample.
  private mutating func fields(of attitude: Fusion.Attitude) {
    field("up", attitude.up)
    field("heading_deg", degrees: attitude.heading)
    field("rate_dps", attitude.rate)
    field("bias_dps", attitude.bias)
    field("still", attitude.isStill)
    field("certainty", attitude.certainty.name)
  }

  /// Writes a direction with six places, as an array; null for none.
  package mutating func field(_ key: StaticString, _ direction: UnitVector?) {
    guard let direction else { return nullField(key) }
    field(key, direction.x, direction.y, direction.z, over: 1 &<< 30, places: 6)
  }
}

extension Snapshot {
  /// Takes over the sample in `object`, and returns it; nil if something is missing.
  ///
  /// An older owner sends neither gravity, which `filter` then computes from the forces, nor the reason why there is no
  /// pose, which is then that of the last event.
  mutating func take(sample object: JSONObject, from start: Instant, _ filter: inout GravityFilter) -> Reading? {
    guard let now = object.instant(from: start), let force = object.force else { return nil }
    if let state = PoseState(object["reason"] ?? object["pose"]) { self.state = state }
    self.force = force
    steering = object["steering_deg"]?.angle ?? .zero
    position = TiltScroll.Position(x: object["scroll"]?[0]?.q16 ?? .zero, y: object["scroll"]?[1]?.q16 ?? .zero)
    let (rotation, gravity) = (object["rotation_dps"]?.vector, object["gravity"]?.vector)
    attitude = Fusion.Attitude(object, rotation: rotation)
    isStill = attitude?.isStill ?? isStill
    let isFused = attitude != nil && (rotation != nil || gravity == nil)
    return Reading(
      instant: now, force: force, rotation: rotation,
      gravity: gravity ?? attitude?.up.vector ?? filter.step(force, at: now), isFused: isFused,
      steering: gravity == nil ? steering : nil, state: state)
  }
}

extension Fusion.Attitude {
  /// The result of the owner's fusion for a sample; nil without one. An older owner sends of its certainty only whether
  /// the board is at rest, and no bias, which is then the measured rotation minus the rate.
  fileprivate init?(_ object: JSONObject, rotation: Vector3?) {
    guard let up = object["up"]?.direction, let rate = object["rate_dps"]?.vector else { return nil }
    let isStill = object["still"]?.bool ?? false
    let certainty = object["certainty"]?.named { (certainty: Fusion.Certainty) in certainty.name }
    self.init(
      up: up, heading: object["heading_deg"]?.angle, rate: rate,
      bias: object["bias_dps"]?.vector ?? rotation?.subtracting(rate) ?? .zero, isStill: isStill,
      certainty: certainty ?? (isStill ? .still : .moving))
  }
}

// The object of an uncalibrated sample in the sensor frame.
extension JSONWriter {
  /// Writes what the sensor measured.
  package mutating func fields(of measured: Measurement) {
    field(force: measured.force)
    if let rotation = measured.rotation { field("rotation_dps", rotation) }
  }
}

extension Measurement {
  /// The measurement in `object`; nil if something is missing.
  package init?(_ object: JSONObject) {
    guard let force = object.force else { return nil }
    self.init(force: force, rotation: object["rotation_dps"]?.vector)
  }
}
