import FixedPoint
import JSON
import Orientation
import PlumbViews
import ToolInputs
import ToolOutput

/// The walk through the six faces, in any order, for a calibration.
struct CalibrateWalk: HandsOnWalk {
  var narrator: Narrator
  /// The result, once everything is done.
  private(set) var result: SixPositionResult?

  /// The mounting in the board file, for messages only. If it is wrong, the faces have the wrong names, but the
  /// calibration is still right.
  private let mounting: Mounting
  private var calibration = SixPositionCalibration()
  /// The gyroscope's bias and scale so far; nil without a gyroscope.
  private(set) var gyroscope: GyroscopeTurns?
  /// Whether the board is also turned about each axis at the end.
  private let wantsTurns: Bool

  /// A walk. `gyroscopeRange` is the end of the gyroscope's range in °/s, if there is one; the board is also turned at
  /// the end if `turns` are wanted.
  init(mounting: Mounting, narrator: Narrator, gyroscopeRange: Int32?, turns: Bool) {
    self.mounting = mounting
    self.narrator = narrator
    gyroscope = gyroscopeRange.map { GyroscopeTurns(range: Double($0)) }
    wantsTurns = turns && gyroscope != nil
  }

  /// None, because the sensor's own readings are needed, without an earlier calibration.
  var alignment: Alignment { Alignment() }

  mutating func begin() throws(ToolError) {
    switch narrator.format {
    case .text:
      try narrator.line("Hold the board still for two seconds on each of its six faces, in any order:")
      for pose in Pose.round {
        try narrator.line("  - \(pose.request) [sensor \(mounting.axis(upIn: pose).text)]")
      }
    case .json: try narrator.say("", event: "wanted", [leftField], at: narrator.start)
    }
  }

  mutating func interrupt() {
    calibration.interrupt()
    gyroscope?.drop()
    gyroscope?.interrupt()
  }

  var missing: String {
    if result != nil, let gyroscope {
      let axes = gyroscope.left.map(Self.axisName).joined(separator: ", ")
      return "\(gyroscope.left.count) of 3 turns are missing: about \(axes)"
    }
    let faces = left.map { "\($0.sideUp) [sensor \(mounting.axis(upIn: $0).text)]" }.joined(separator: ", ")
    return "\(left.count) of 6 faces are missing: \(faces)"
  }

  mutating func take(_ force: Vector3, _ rotation: Vector3?, at instant: Instant) throws(ToolError) -> Bool {
    if result != nil { return try turn(rotation, at: instant) }
    let status = calibration.step(force, at: instant)
    if let rotation {
      switch status {
      case .holding: gyroscope?.hold(rotation)
      case .accepted: gyroscope?.accept()
      default: gyroscope?.drop()
      }
    }
    switch status {
    case .moving: try show("Moving: hold it still.", nil, "moving", at: instant)
    case .betweenFaces: try show("Tilted: hold it straight, with one edge or face up.", nil, "slanted", at: instant)
    case .alreadyDone(let axis):
      // At most 80 columns, or a terminal could not redraw it in place.
      let next = left.first.map { "\($0.request) [sensor \(mounting.axis(upIn: $0).text)]" } ?? "nothing"
      try show("Next: \(next).", axis, "already-done", at: instant)
    case .holding(let axis, let share):
      try show("Holding still: \(words(axis))", axis, "holding", progress: share, at: instant)
    case .accepted(let axis):
      try narrator.say(
        "Done, \(calibration.doneCount) of 6: \(words(axis)).", event: "accepted",
        [axisFields(axis), leftField], at: instant)
      if calibration.isComplete { return try conclude(at: instant) }
    case .complete: return true
    }
    return false
  }

  /// Returns whether the six faces are good enough; if not, one of them must be held again.
  private mutating func conclude(at instant: Instant) throws(ToolError) -> Bool {
    do throws(SixPositionError) {
      result = try calibration.result()
      guard wantsTurns else { return true }
    } catch {
      switch error {
      case .askew(let axis):
        calibration.forget(axis)
        let why = "with the \(words(axis)) the board was tilted by more than 5°: hold that face again, straight"
        try narrator.say(
          "Rejected: \(why).", event: "refused", [axisFields(axis), leftField, Narrator.detail(ascii(why))],
          at: instant)
      case .missing: break
      case .calibration:
        try narrator.flush()
        throw ToolError(
          .data,
          "an axis of the sensor reads less than half or more than twice the right value: the sensor is defective, or "
            + "the board was moving; nothing was written")
      }
      return false
    }
    guard gyroscope?.bias != nil else {
      try narrator.say(Self.unsteady, event: "turns-skipped", [Narrator.detail(Self.unsteady)], at: instant)
      return true
    }
    let words =
      "Now turn the board by one full turn, or several, about each axis of its sensor. Stand it so that the axis points "
      + "up or down, put one edge against a straight edge, hold it still for a second, turn it once round until the same "
      + "edge is back, and hold it still again."
    try narrator.say(words, event: "turns-wanted", [turnsLeftField], at: instant)
    return false
  }

  /// Why the gyroscope's bias and scale are unknown.
  private static let unsteady = "the gyroscope was not at rest on every face, so its bias and scale are not measured"

  /// Takes a sample of the turns about the axes; returns true when all three are done.
  private mutating func turn(_ rotation: Vector3?, at instant: Instant) throws(ToolError) -> Bool {
    guard let rotation, var gyroscope else { return true }
    let outcome = gyroscope.turn(rotation, at: instant)
    self.gyroscope = gyroscope
    switch outcome {
    case .accepted(let axis):
      try narrator.say(
        "Turned about \(Self.axisName(axis)), \(3 - gyroscope.left.count) of 3 axes.", event: "turned",
        [{ $0.field("axis", Self.axisName(axis)) }, turnsLeftField], at: instant)
      return gyroscope.left.isEmpty
    case .noFullTurn(let degrees): try reject("\(degrees) degrees is not a full turn about one axis", at: instant)
    case .tooFast: try reject("the turn was faster than the gyroscope's range", at: instant)
    case nil:
      let axes = gyroscope.left.map(Self.axisName).joined(separator: ", ")
      let state: StaticString = gyroscope.isReady ? "ready" : "turning"
      let text = gyroscope.isReady ? "At rest. Turn about \(axes)." : "Turning: hold it still after a full turn."
      try narrator.show(text, [{ $0.field("state", state) }, turnsLeftField], at: instant)
    }
    return false
  }

  private mutating func reject(_ why: String, at instant: Instant) throws(ToolError) {
    try narrator.say(
      "Rejected: \(why). Turn it again.", event: "turn-refused", [Narrator.detail(why), turnsLeftField], at: instant
    )
  }

  private var turnsLeftField: Narrator.Fields {
    let left = (gyroscope?.left ?? []).map(Self.axisName)
    return { $0.field("left", left) }
  }

  private static func axisName(_ axis: Int) -> String { ["x", "y", "z"][axis] }

  /// The poses that have not been held yet.
  private var left: [Pose] { Pose.round.filter { !calibration.isDone(mounting.axis(upIn: $0)) } }

  private func words(_ axis: SensorAxis) -> String { "\(mounting.pose(up: axis).sideUp) [sensor \(axis.text)]" }

  private func axisFields(_ axis: SensorAxis) -> Narrator.Fields {
    let pose = mounting.pose(up: axis)
    return { writer in
      writer.field("pose", pose.name)
      writer.field("axis", axis.text)
    }
  }

  private var leftField: Narrator.Fields {
    let left = left.map { "\($0.name)" }
    return { $0.field("left", left) }
  }

  private mutating func show(
    _ text: String, _ axis: SensorAxis?, _ state: StaticString, progress: Q16? = nil, at instant: Instant
  ) throws(ToolError) {
    let fields: [Narrator.Fields] = [{ $0.field("state", state) }] + (axis.map { [axisFields($0)] } ?? [])
    try narrator.show(text, progress: progress, fields, at: instant)
  }
}

// The report.
extension CalibrateWalk {
  /// Reports each face's error before and after, and what happened to the board file.
  mutating func report(_ outcome: HandsOnOutcome) throws(ToolError) {
    guard let result else { return }
    switch narrator.format {
    case .text:
      try narrator.line("Error of the sensor on each face, before and after calibration:")
      try narrator.line("  face                            before                 after")
      try narrator.line("                             tilt      length       tilt      length")
      for pose in Pose.round { try narrator.line(row(pose, result)) }
      let hasNoBias = gyroscope != nil && gyroscope?.bias == nil
      try narrator.say(outcome, hasNoBias ? "no gyroscope-bias: \(Self.unsteady)" : nil)
    case .json:
      for pose in Pose.round {
        let axis = mounting.axis(upIn: pose)
        let object = JSONText.object("residual") { writer in
          axisFields(axis)(&writer)
          write("before", result.before(axis), to: &writer)
          write("after", result.after(axis), to: &writer)
        }
        try narrator.line(object)
      }
      let object = JSONText.object("calibration") { writer in
        result.calibration.write(to: &writer)
        gyroscope?.write(to: &writer)
        outcome.write(to: &writer)
      }
      try narrator.line(object)
    }
  }

  private func row(_ pose: Pose, _ result: SixPositionResult) -> String {
    let axis = mounting.axis(upIn: pose)
    func columns(_ residual: SixPositionResult.Residual) -> String {
      let tilt = figure(residual.tilt.degrees.double, places: 2, width: 8, sign: false)
      let length = figure(residual.length.double * 1_000, places: 1, width: 0).replacing(" ", with: "+")
      return tilt + "°" + (length + " mg").rightAligned(to: 12)
    }
    let name = "  \(pose.sideUp) [\(axis.text)]"
    return name + String(repeating: " ", count: max(1, 24 - name.count)) + columns(result.before(axis))
      + columns(result.after(axis))
  }

  private func write(_ key: StaticString, _ residual: SixPositionResult.Residual, to writer: inout JSONWriter) {
    writer.beginObject(key)
    writer.field("tilt_deg", degrees: residual.tilt)
    writer.field("length_mg", decimal: Int64(residual.length.raw) * 1_000, over: 65_536, places: 3)
    writer.endObject()
  }
}

/// `text` for scripts, in ASCII only.
private func ascii(_ text: String) -> String { text.replacing("°", with: " degrees") }
