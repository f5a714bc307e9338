import BoardFile
import FixedPoint
import HAL
import JSON
import PlumbViews
import Sensors
import ToolInputs
import ToolOutput

/// What a self-test found, whatever the sensor.
struct SelfTestFindings {
  /// X, Y and Z of the accelerometer.
  var axes: [Axis]
  /// X, Y and Z of the gyroscope; empty where it was not tested.
  var rotation: [Axis] = []

  /// One axis; all in g, of the gyroscope in °/s.
  struct Axis {
    var name: String
    /// What the test added to the reading.
    var change: Q16
    /// What it should have added, by the factory's figure for this very part; nil where there is none.
    var factory: Q16?
    /// The least and the most it should have added, the one nearer to zero first; nil where nothing is known of it.
    var limits: (weakest: Q16, strongest: Q16)?
    var outcome: Outcome
  }

  /// What an axis, or all together, came to.
  enum Outcome: String {
    /// Within the limits.
    case passed
    /// Further than the limit, which the data sheet counts as passed.
    case strong
    /// The wrong way, not far enough, or where that counts too far.
    case failed
    /// As such parts should do, as far as anyone outside the factory knows: no limits of a data sheet.
    case plausible
    /// Not as such parts should do, as far as anyone knows.
    case doubtful
    /// There is nothing to judge it by.
    case unjudged
  }

  /// All together: failed where one axis is; passed where all are.
  var outcome: Outcome {
    let all = (axes + rotation).map(\.outcome)
    if all.contains(.failed) { return .failed }
    return all.allSatisfy { $0 == .passed || $0 == .strong } ? .passed : .unjudged
  }
}

extension SelfTestFindings {
  init(_ test: ADXL345.SelfTest) { axes = [Axis("x", test.x), Axis("y", test.y), Axis("z", test.z)] }

  init(_ test: MPU6050.SelfTest) {
    // 4096 LSB are 1 g, 131 are 1 °/s.
    func axis(_ name: String, _ axis: MPU6050.SelfTest.Axis, perUnit: Int64) -> Axis {
      Axis(name, axis, test.kind) { Q16(raw: Int32(clamping: Int64($0) * 65_536 / perUnit)) }
    }
    axes = [
      axis("x", test.x, perUnit: 4_096), axis("y", test.y, perUnit: 4_096), axis("z", test.z, perUnit: 4_096),
    ]
    guard let turned = test.rotation else { return }
    rotation = [
      axis("x", turned.x, perUnit: 131), axis("y", turned.y, perUnit: 131), axis("z", turned.z, perUnit: 131),
    ]
  }

  /// The axes with this outcome, in words.
  func names(_ outcome: Outcome) -> String {
    (axes.filter { $0.outcome == outcome }.map(\.name)
      + rotation.filter { $0.outcome == outcome }.map { "gyroscope " + $0.name }).joined(separator: " and ")
  }
}

extension SelfTestFindings.Axis {
  fileprivate init(_ name: String, _ axis: ADXL345.SelfTest.Axis) {
    self.init(
      name: name, change: axis.change, factory: nil, limits: (axis.weakest, axis.strongest),
      outcome: axis.verdict == .failed ? .failed : axis.verdict == .passed ? .passed : .strong)
  }

  fileprivate init(
    _ name: String, _ axis: MPU6050.SelfTest.Axis, _ kind: MPU6050.SelfTestKind, _ value: (Int32) -> Q16
  ) {
    func share(_ percent: Int32) -> Q16 { Q16(raw: Int32(Int64(value(axis.trim).raw) * Int64(percent) / 100)) }
    guard let isWithin = axis.isWithinLimits else {
      self.init(name: name, change: value(axis.response), factory: nil, limits: nil, outcome: .unjudged)
      return
    }
    let isBinding = kind == .factoryTrim
    let spread: Int32 = isBinding ? 14 : 50
    self.init(
      name: name, change: value(axis.response), factory: value(axis.trim),
      limits: (share(100 - spread), share(100 + spread)),
      outcome: isBinding ? (isWithin ? .passed : .failed) : isWithin ? .plausible : .doubtful)
  }
}

/// What `plumb selftest` prints.
struct SelfTestAnswer {
  var board: BoardDescription
  var supply: ADXL345.SupplyVoltage
  var findings: SelfTestFindings
  /// Whether the board did not lie still, so that nothing counts.
  var isMoved: Bool
  var notice: SensorNotice?

  /// The lines to write.
  func lines(_ format: Format, _ style: TextStyle) -> [String] { format == .json ? json : text(style) }

  private var isADXL345: Bool { board.sensor.model == .adxl345 }

  /// With what the command ends; nil for well.
  var error: ToolError? {
    if isMoved { return ToolError(.data, "the board was moved during the self-test; lay it down and try again") }
    let failed = findings.names(.failed)
    guard !failed.isEmpty else { return nil }
    return ToolError(.unavailable, "the sensor failed its self-test on \(failed)")
  }

  /// The result in words.
  private var conclusion: String {
    if isMoved { return "No result: the board was moved. Lay it down, do not touch it, and try again." }
    switch findings.outcome {
    case .passed:
      return findings.rotation.isEmpty
        ? "Passed: all three axes respond within the limits."
        : "Passed: all three axes of the accelerometer and of the gyroscope respond within the limits."
    case .failed:
      return "Failed: the sensor or its supply is defective. Check the voltage at its pins under load"
        + (isADXL345 ? " (and give it with --supply)" : "") + "; if it is right, replace the sensor."
    default:
      let doubtful = findings.names(.doubtful)
      let isKnown = (findings.axes + findings.rotation).contains { $0.limits != nil }
      if !isKnown {
        return "No result: this part holds no factory values to compare with; copies often lack them."
      }
      return "No result: the manufacturer publishes no limits for this part. Compared with similar parts "
        + (doubtful.isEmpty ? "it works." : "\(doubtful) may be defective.")
    }
  }
}

// Text: a small table for people, within 80 columns.
extension SelfTestAnswer {
  private func text(_ style: TextStyle) -> [String] {
    var lines = [source]
    if let notice { lines += wrapped("Notice: " + notice.text(of: board.sensor) + ".") }
    lines += table("axis", findings.axes, "g", places: 2, style)
    if !findings.rotation.isEmpty { lines += table("gyro", findings.rotation, "°/s", places: 1, style) }
    return lines + [""] + wrapped(conclusion)
  }

  private func table(
    _ heading: String, _ axes: [SelfTestFindings.Axis], _ unit: String, places: Int, _ style: TextStyle
  ) -> [String] {
    func text(_ value: Q16) -> String { signed(value, places) }
    let rows = axes.map { axis in
      let allowed = axis.limits.map { "\(text($0.weakest)) to \(text($0.strongest)) \(unit)" } ?? style.mark("–", "-")
      let outcome = isMoved ? "" : style.coloured(word(for: axis), colour(of: axis.outcome))
      let change = "\(text(axis.change)) \(unit)".rightAligned(to: 9)
      return "\(axis.name.padded(to: 4)) \(change)  \(allowed.padded(to: 20))\(outcome)"
    }
    return ["", style.coloured("\(heading)    change  " + "allowed".padded(to: 20) + "result", 1)] + rows
  }

  /// The sensor that was tested.
  private var source: String {
    let name = "\(board.sensor.model.properName) at \(board.sensor.address.text)"
    let limits = isADXL345 ? "; limits for a supply of \(volts) V" : ""
    switch board.bus {
    case .emulated: return "Self-test of the emulated \(name)\(limits)."
    case .linux(let path): return "Self-test of the \(name) on \(printable(path.description))\(limits)."
    }
  }

  private var volts: String { decimalText(Int64(supply.millivolts), over: 1_000, places: 3) }

  private func word(for axis: SelfTestFindings.Axis) -> String {
    switch axis.outcome {
    case .passed: return "passed"
    case .strong: return "passed (moved further than usual)"
    case .plausible: return "as expected"
    case .doubtful: return "not as expected"
    case .unjudged: return "nothing to compare with"
    case .failed:
      guard let limits = axis.limits else { return "FAILED" }
      let isUp = limits.strongest > .zero
      let push = isUp ? axis.change : Q16(raw: -axis.change.raw)
      let least = isUp ? limits.weakest : Q16(raw: -limits.weakest.raw)
      if push.raw < -least.raw / 4 { return "FAILED: moved the wrong way" }
      if push.raw < least.raw / 4 { return "FAILED: did not move" }
      return push < least ? "FAILED: moved too little" : "FAILED: moved too far"
    }
  }

  private func colour(of outcome: SelfTestFindings.Outcome) -> Int {
    switch outcome {
    case .passed, .strong, .plausible: 32
    case .failed: 31
    case .doubtful, .unjudged: 33
    }
  }

  /// With its sign and one or two places.
  private func signed(_ value: Q16, _ places: Int) -> String {
    let unit: Int64 = places == 1 ? 10 : 100
    let parts = (Int64(value.raw.magnitude) * unit + 0x8000) >> 16
    let rest = "\(parts % unit)"
    return (value.raw < 0 && parts > 0 ? "-" : "+") + "\(parts / unit)."
      + String(repeating: "0", count: places - rest.count) + rest
  }
}

// JSON: an object for each axis and a summary, described in docs/output.md.
extension SelfTestAnswer {
  private var json: [String] {
    func object(_ event: StaticString, _ axis: SelfTestFindings.Axis, _ unit: String) -> String {
      JSONText.object(event) { writer in
        writer.field("axis", axis.name)
        writer.field("outcome", isMoved ? "unjudged" : axis.outcome.rawValue)
        writer.field(key: "change_" + unit, axis.change, places: 6)
        writer.field(key: "weakest_" + unit, axis.limits?.weakest, places: 6)
        writer.field(key: "strongest_" + unit, axis.limits?.strongest, places: 6)
        writer.field(key: "factory_" + unit, axis.factory, places: 6)
      }
    }
    let axes =
      findings.axes.map { object("axis", $0, "g") } + findings.rotation.map { object("gyroscope-axis", $0, "dps") }
    let bus: String =
      switch board.bus {
      case .emulated: "emulated"
      case .linux(let path): path.description
      }
    let summary = JSONText.object("summary") { writer in
      writer.field("outcome", isMoved ? "moved" : findings.outcome.rawValue)
      writer.field("sensor", board.sensor.model.name)
      writer.field("address", Int(board.sensor.address.rawValue))
      writer.field("bus", bus)
      if isADXL345 {
        writer.field("supply_v", decimal: Int64(supply.millivolts), over: 1_000, places: 3)
      } else {
        writer.nullField("supply_v")
      }
      writer.field("detail", conclusion)
      writer.field("notice", notice.map { $0.text(of: board.sensor) })
    }
    return axes + [summary]
  }
}
