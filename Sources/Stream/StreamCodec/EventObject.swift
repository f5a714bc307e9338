package import FixedPoint
package import FixedText
internal import Gestures
package import HAL
package import Indication
package import JSON
package import Monitor
package import Orientation
internal import Sensors

// The object of an event: `t`, `event`, and the fields of its kind. A kind without fields needs nothing here:
// `Event.Kind.plain` covers it.
extension JSONWriter {
  /// Writes the fields of `event`, which happened at `instant`. Angles are relative to `tare`, `code` is that of the
  /// lines, and `detail` is a message about a fault or a notice, or why there is no pose.
  package mutating func fields(
    of event: Event, at instant: Instant, _ tare: Tare, _ code: LineCode, detail: Message?
  ) {
    switch event {
    case .pose(let from, let to, let force):
      field("from", from?.name ?? "unknown")
      field("to", to.name)
      let tared = force.map { tare.applied(to: $0) }
      field("angle_deg", degrees: tared.flatMap { $0.isFlat ? nil : $0.deviceAngle })
      field("pitch_deg", degrees: tared?.pitch)
      field("roll_deg", degrees: tared.flatMap { $0.isOnEnd ? nil : $0.roll })
      if let force { field(force: force) }
      field(lines: code.levels(of: to), in: code)
    case .trouble(let reason, let cause):
      field("reason", reason.name)
      if let cause { fields(of: cause) }
    case .recovered(let cause, let outage), .gaveUp(let cause, let outage):
      field("outage_s", seconds: outage)
      if let cause { fields(of: cause) }
    case .notice(let notice): if let notice { fields(of: notice) }
    case .busy(let since), .quiet(let since): field("duration_s", seconds: instant - since)
    case .tap(let tap), .doubleTap(let tap):
      field("axis", tap.axis.name)
      field("sign", tap.sign)
    case .freeFall(let time):
      field("duration_s", seconds: time)
      field("height_m", decimal: widened(FallDetector.millimetres(in: time)), over: 1_000, places: 3)
    case .rotation(let phase):
      field("phase", phase.name)
      fields(of: phase)
    // Others have no fields; a test checks that each kind can be read back.
    default: break
    }
    if let detail { field("detail", detail) }
  }

  private mutating func fields(of phase: RotationEvent) {
    switch phase {
    case .willRotate(let from, let to, let duration):
      field("from", from.name)
      field("to", to.name)
      field("duration_s", seconds: duration)
    case .firstHalf, .secondHalf: break
    case .didRotate(let from): field("from", from.name)
    case .redirected(let to, let remaining):
      field("to", to.name)
      field("remaining_s", seconds: remaining)
    }
  }

  /// Writes the lines, depending on the code: an array in the order of the poses, or an object with their names.
  package mutating func field(lines levels: Levels, in code: LineCode) {
    guard code != .leds else { return field("leds", levels, count: code.lineCount) }
    field("code", code.name)
    beginObject("lines")
    for index in 0..<code.lineCount { field(code.name(ofLine: index), levels.isOn(index) ? 1 : 0) }
    endObject()
  }

  /// Writes the first `count` levels as an array of 0 and 1.
  package mutating func field(_ key: StaticString, _ levels: Levels, count: Int) {
    beginArray(key)
    for index in 0..<count { element(levels.isOn(index) ? 1 : 0) }
    endArray()
  }

  /// Writes text without copying it.
  package mutating func field<let capacity: Int>(_ key: StaticString, _ text: ShortText<capacity>) {
    text.withSpan { bytes in field(key, bytes) }
  }
}

extension Event {
  /// The event of `kind` that `object` describes, which happened at `instant`; nil if something is missing.
  package init?(_ kind: Kind, _ object: JSONObject, at instant: Instant) {
    if let plain = kind.plain {
      self = plain
      return
    }
    switch kind {
    case .pose:
      guard let to = object["to"]?.named({ (pose: Pose) in pose.name }) else { return nil }
      self = .pose(from: object["from"]?.named { (pose: Pose) in pose.name }, to: to, force: object.force)
    case .trouble:
      guard let reason = object["reason"]?.named({ (reason: UnknownReason) in reason.name }) else { return nil }
      self = .trouble(reason, cause: SensorError(object))
    case .recovery, .giveUp:
      guard let outage = object["outage_s"]?.time else { return nil }
      let cause = SensorError(object)
      self = kind == .recovery ? .recovered(from: cause, outage: outage) : .gaveUp(cause: cause, outage: outage)
    case .notice: self = .notice(SensorNotice(object))
    case .busy, .quiet:
      guard let duration = object["duration_s"]?.time else { return nil }
      self = kind == .busy ? .busy(since: instant - duration) : .quiet(since: instant - duration)
    case .tap, .doubleTap:
      guard let tap = Tap(object) else { return nil }
      self = kind == .tap ? .tap(tap) : .doubleTap(tap)
    case .freeFall:
      guard let time = object["duration_s"]?.time else { return nil }
      self = .freeFall(time)
    case .rotation:
      guard let phase = RotationEvent(object) else { return nil }
      self = .rotation(phase)
    default: return nil
    }
  }
}

extension Tap {
  fileprivate init?(_ object: JSONObject) {
    guard let axis = object["axis"]?.named({ (axis: Axis) in axis.name }), let sign = object["sign"]?.whole,
      sign >= -1 && sign <= 1
    else { return nil }
    self.init(axis, sign: sign)
  }
}

extension RotationEvent {
  fileprivate init?(_ object: JSONObject) {
    let from = object["from"]?.named { (orientation: InterfaceOrientation) in orientation.name }
    let to = object["to"]?.named { (orientation: InterfaceOrientation) in orientation.name }
    let phase = object["phase"]
    if phase == "willRotate", let from, let to, let duration = object["duration_s"]?.time {
      self = .willRotate(from: from, to: to, duration: duration)
    } else if phase == "firstHalf" {
      self = .firstHalf
    } else if phase == "secondHalf" {
      self = .secondHalf
    } else if phase == "didRotate", let from {
      self = .didRotate(from: from)
    } else if phase == "redirected", let to, let remaining = object["remaining_s"]?.time {
      self = .redirected(to: to, remaining: remaining)
    } else {
      return nil
    }
  }
}
