import BoardFile
import FixedPoint
import HAL
import JSON
import PlumbViews
import Sensors
import ToolInputs
import ToolOutput

extension SelfTestFindings {
  /// An axis, and its name.
  typealias NamedAxis = (name: String, axis: Axis)

  /// The axes of the accelerometer.
  var axes: [NamedAxis] { Self.named(force) }
  /// The axes of the gyroscope; empty if it was not tested.
  var rotationAxes: [NamedAxis] { Self.named(rotation) }

  private static func named(_ axes: InlineArray<3, Axis>?) -> [NamedAxis] {
    guard let axes else { return [] }
    return [("x", axes[0]), ("y", axes[1]), ("z", axes[2])]
  }

  /// The overall outcome: failed if one axis is; passed if all are.
  var outcome: Outcome {
    let all = (axes + rotationAxes).map(\.axis.outcome)
    if all.contains(.failed) { return .failed }
    return all.allSatisfy { $0 == .passed || $0 == .strong } ? .passed : .unjudged
  }

  /// The axes with this outcome, in words.
  func names(_ outcome: Outcome) -> String {
    func list(_ axes: [NamedAxis], _ suffix: String) -> String? {
      let names = axes.filter { $0.axis.outcome == outcome }.map(\.name)
      guard let last = names.last else { return nil }
      return (names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last) + suffix
    }
    return [list(axes, ""), list(rotationAxes, " of the gyroscope")].compactMap(\.self).joined(separator: ", and ")
  }
}

/// The output of `plumb selftest`.
struct SelfTestAnswer {
  var board: BoardDescription
  var supply: ADXL345.SupplyVoltage
  var findings: SelfTestFindings
  /// Whether the board moved, so that nothing counts.
  var isMoved: Bool
  var notice: SensorNotice?

  /// The lines to write.
  func lines(_ format: Format, _ style: TextStyle) -> [String] { format == .json ? json : text(style) }

  /// Whether the limits depend on the supply.
  private var dependsOnSupply: Bool { board.sensor.model.traits.selfTest == .dependsOnSupply }

  /// The error that ends the command; nil if the sensor is OK.
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
      return findings.rotation == nil
        ? "Passed: all three axes respond within the limits."
        : "Passed: all three axes of the accelerometer and of the gyroscope respond within the limits."
    case .failed:
      return "Failed: the sensor or its supply is defective. Check the voltage at its pins under load"
        + (dependsOnSupply ? " (and give it with --supply)" : "") + "; if it is right, replace the sensor."
    default:
      let doubtful = findings.names(.doubtful)
      let isKnown = (findings.axes + findings.rotationAxes).contains { $0.axis.limits != nil }
      if !isKnown {
        return "No result: this part holds no factory values to compare with; copies often lack them."
      }
      let isRotationKnown = findings.rotationAxes.contains { $0.axis.limits != nil }
      let what = isRotationKnown ? "the accelerometer of this part" : "this part"
      return "No result: the manufacturer publishes no limits for \(what). Compared with similar parts "
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
    if findings.rotation != nil { lines += table("gyro", findings.rotationAxes, "°/s", places: 1, style) }
    return lines + [""] + wrapped(conclusion)
  }

  private func table(
    _ heading: String, _ axes: [SelfTestFindings.NamedAxis], _ unit: String, places: Int, _ style: TextStyle
  ) -> [String] {
    func text(_ value: Q16) -> String { signed(value, places) }
    let ranges = axes.map { _, axis in
      axis.limits.map { "\(text($0.weakest)) to \(text($0.strongest)) \(unit)" } ?? style.mark("–", "-")
    }
    let width = max(20, (ranges.map(\.count).max() ?? 0) + 2)
    let rows = zip(axes, ranges).map { named, allowed in
      let (name, axis) = named
      let outcome = isMoved ? "" : style.coloured(word(for: axis), colour(of: axis.outcome))
      let change = "\(text(axis.change)) \(unit)".rightAligned(to: 9)
      return "\(name.padded(to: 4)) \(change)  \(allowed.padded(to: width))\(outcome)"
    }
    return ["", style.coloured("\(heading)    change  " + "allowed".padded(to: width) + "result", 1)] + rows
  }

  /// The tested sensor.
  private var source: String {
    let limits = dependsOnSupply ? "; limits for a supply of \(volts) V" : ""
    return "Self-test of the \(board.sensorPlace)\(limits)."
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

  /// `value` with its sign and one or two decimals.
  private func signed(_ value: Q16, _ places: Int) -> String {
    figure(value.double, places: places, width: 0).replacing(" ", with: "+")
  }
}

// JSON: an object for each axis and a summary, described in docs/output.md.
extension SelfTestAnswer {
  private var json: [String] {
    func object(_ event: StaticString, _ named: SelfTestFindings.NamedAxis, _ unit: String) -> String {
      let (name, axis) = named
      return JSONText.object(event) { writer in
        writer.field("axis", name)
        writer.field("outcome", isMoved ? "unjudged" : "\(axis.outcome.name)")
        writer.field(key: "change_" + unit, axis.change, places: 6)
        writer.field(key: "weakest_" + unit, axis.limits?.weakest, places: 6)
        writer.field(key: "strongest_" + unit, axis.limits?.strongest, places: 6)
        writer.field(key: "factory_" + unit, axis.factory, places: 6)
      }
    }
    let axes =
      findings.axes.map { object("axis", $0, "g") } + findings.rotationAxes.map { object("gyroscope-axis", $0, "dps") }
    let bus = board.busName.description
    let summary = JSONText.object("summary") { writer in
      writer.field("outcome", isMoved ? "moved" : "\(findings.outcome.name)")
      writer.field("sensor", board.sensor.model.name)
      writer.field("address", Int(board.sensor.address.rawValue))
      writer.field("bus", bus)
      if dependsOnSupply {
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
