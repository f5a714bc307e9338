import BoardFile
import FixedPoint
import HAL
import Sensors

/// What `plumb selftest` has to say.
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
    if isMoved { return ToolError(.data, "the board was moved, so that the self-test says nothing; try again") }
    let failed = findings.axes.filter { $0.outcome == .failed }.map(\.name)
    guard !failed.isEmpty else { return nil }
    return ToolError(.unavailable, "the sensor failed its self-test on \(failed.joined(separator: " and "))")
  }

  /// The result in words.
  private var conclusion: String {
    if isMoved { return "Not judged: the board was moved. Lay it down, leave it alone, and try again." }
    switch findings.outcome {
    case .passed: return "Passed: all three axes move and are measured as they should be."
    case .failed:
      return "Failed: the sensor is broken, or its supply is. Check the voltage at its pins under load"
        + (isADXL345 ? " (--supply tells it)" : "") + "; if it is right, replace the sensor."
    default:
      let doubtful = findings.axes.filter { $0.outcome == .doubtful }.map(\.name)
      let isKnown = findings.axes.contains { $0.limits != nil }
      if !isKnown {
        return "Not judged: this part has no figures of a factory to be judged by, as copies often have not."
      }
      return "Not judged: the maker publishes no limits for this part. By what is known of its kind it is "
        + (doubtful.isEmpty ? "sound." : "doubtful on \(doubtful.joined(separator: " and ")).")
    }
  }
}

// Text: a small table for people, within 80 columns.
extension SelfTestAnswer {
  private func text(_ style: TextStyle) -> [String] {
    var lines = [source]
    if let notice { lines += wrapped("Notice: " + notice.text(of: board.sensor) + ".") }
    lines += ["", style.coloured("axis    change  " + "allowed".padded(to: 20) + "result", 1)]
    for axis in findings.axes {
      let allowed = axis.limits.map { "\(grams($0.weakest)) to \(grams($0.strongest)) g" } ?? style.mark("–", "-")
      let outcome = isMoved ? "" : style.coloured(word(for: axis), colour(of: axis.outcome))
      lines.append("\(axis.name.padded(to: 4)) \(grams(axis.change).rightAligned(to: 7)) g  \(allowed.padded(to: 20))\(outcome)")
    }
    return lines + [""] + wrapped(conclusion)
  }

  /// Who was asked.
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
    case .strong: return "passed (further than usual)"
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

  /// With its sign and two places.
  private func grams(_ value: Q16) -> String {
    let hundredths = (Int64(value.raw.magnitude) * 100 + 0x8000) >> 16
    let rest = hundredths % 100
    return (value.raw < 0 && hundredths > 0 ? "-" : "+") + "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

// JSON: an object for each axis and a summary, described in docs/output.md.
extension SelfTestAnswer {
  private var json: [String] {
    func number(_ value: Q16?) -> String { value.map { $0.text(places: 6) } ?? "null" }
    let axes = findings.axes.map { axis in
      "{\"event\":\"axis\",\"axis\":\"\(axis.name)\",\"outcome\":\"\(isMoved ? "unjudged" : axis.outcome.rawValue)\","
        + "\"change_g\":\(number(axis.change)),\"weakest_g\":\(number(axis.limits?.weakest)),"
        + "\"strongest_g\":\(number(axis.limits?.strongest)),\"factory_g\":\(number(axis.factory))}"
    }
    let bus: String =
      switch board.bus {
      case .emulated: "emulated"
      case .linux(let path): path.description
      }
    let outcome = isMoved ? "moved" : findings.outcome.rawValue
    return axes + [
      "{\"event\":\"summary\",\"outcome\":\"\(outcome)\",\"sensor\":\"\(board.sensor.model.name)\","
        + "\"address\":\(board.sensor.address.rawValue),\"bus\":\(bus.json),\"supply_v\":\(isADXL345 ? volts : "null"),"
        + "\"detail\":\(conclusion.json),\"notice\":\(notice.map { $0.text(of: board.sensor).json } ?? "null")}"
    ]
  }
}
