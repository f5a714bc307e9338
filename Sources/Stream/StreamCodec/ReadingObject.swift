package import FixedPoint
package import JSON
package import Monitor
package import Orientation

// The object of a fresh reading, the answer to a query.
extension JSONWriter {
  /// Writes the fields of a reading, with angles relative to `tare`; `detail` says why there is no pose.
  package mutating func fields(of fresh: FreshReading, _ tare: Tare, detail: StaticString?) {
    let seen = tare.applied(to: fresh.force)
    field("pose", fresh.state.name)
    if case .unknown(let reason) = fresh.state { field("reason", reason.name) } else { nullField("reason") }
    field("detail", detail)
    field(force: fresh.force)
    field("angle_deg", degrees: seen.isFlat ? nil : seen.deviceAngle)
    field("level_deg", degrees: seen.isFlat ? nil : seen.levelAngle)
    field("pitch_deg", degrees: seen.pitch)
    field("roll_deg", degrees: seen.isOnEnd ? nil : seen.roll)
    field("inclination_deg", degrees: seen.inclination)
    field("steering_deg", degrees: seen.steeringAngle)
  }
}

extension FreshReading {
  /// The reading in `object`; nil if something is missing.
  package init?(_ object: JSONObject, from start: Instant) {
    let reason = object["reason"]?.isString == true ? object["reason"] : nil
    guard let instant = object.instant(from: start), let force = object.force,
      let state = PoseState(reason ?? object["pose"])
    else { return nil }
    self.init(instant: instant, force: force, state: state)
  }
}
