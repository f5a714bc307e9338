import BoardFile
import Diagnosis
import HAL

extension Diagnosis {
  private static let aspects = (0..<UInt8(Aspect.count)).compactMap { Aspect(rawValue: $0) }

  /// Every aspect with a mark, what is wrong below it, and a last line with what to do first. `option` is what names the
  /// board on a command line.
  func text(_ name: String, _ style: TextStyle, option: String) -> [String] {
    var lines = [style.coloured("Checking \(name)", 1), ""]
    for aspect in Self.aspects {
      lines.append("  " + mark(self[aspect], style) + " " + row(aspect))
      guard let problem = self[aspect].finding else { continue }
      lines += Wiring.wrapped(message(of: problem).description.capitalisedFirst + ".", to: 74).map { "      " + $0 }
      let arrow = "      " + style.mark("→ ", "-> ")
      lines += Self.lines(ofCure: fix(of: problem).description, behind: arrow).map { style.coloured($0, 96) }
    }
    lines.append("")
    if let first = firstError {
      let words = "Do this first: "
      let cure = Self.lines(ofCure: fix(of: first).description, behind: words)
      lines.append(style.coloured(words, 1) + cure[0].dropFirst(words.count))
      lines += cure.dropFirst()
    } else if board.bus == .emulated && board.lines.isEmulated {
      lines.append("All is well: sensor and lines are emulated, so nothing is needed.")
    } else {
      lines.append("All is well." + (board.bus == .emulated ? " The sensor is emulated." : ""))
      if board.bus != .emulated { lines.append("Whether the sensor itself works tells plumb selftest" + option + ".") }
    }
    return lines
  }

  /// What cures a problem, behind `beginning`, within 80 columns where it can be: a command stays whole, so that it can be
  /// copied, but its comment gets lines of its own.
  private static func lines(ofCure cure: String, behind beginning: String) -> [String] {
    guard beginning.count + cure.count > 80 else { return [beginning + cure] }
    let isCommand = !["write", "switch", "take", "log"].contains(cure.prefix { $0 != " " })
    if !isCommand { return wrapped(cure, behind: beginning).split(separator: "\n").map(String.init) }
    guard let mark = cure.firstRange(of: "  # ") else { return [beginning + cure] }
    let comment = wrapped(
      String(cure[mark.upperBound...]), behind: String(repeating: " ", count: beginning.count) + "# ")
    return [beginning + cure[..<mark.lowerBound]]
      + comment.split(separator: "\n").enumerated().map { index, line in
        index == 0 ? String(line) : line.prefix(beginning.count) + "# " + line.dropFirst(beginning.count + 2)
      }
  }

  private func mark(_ outcome: Outcome, _ style: TextStyle) -> String {
    switch outcome {
    case .passed, .emulated: return style.coloured(style.mark("✓", "ok  "), 32)
    case .skipped, .unknown: return style.coloured(style.mark("·", "-   "), 90)
    case .found(let problem):
      switch problem.severity {
      case .error: return style.coloured(style.mark("✗", "FAIL"), 31)
      case .warning: return style.coloured(style.mark("!", "warn"), 33)
      case .note: return style.coloured(style.mark("i", "note"), 96)
      }
    }
  }

  private func row(_ aspect: Aspect) -> String {
    let title = "\(aspect.title)"
    switch self[aspect] {
    case .emulated: return "\(title): emulated"
    case .skipped(let cause): return "\(title): waits for \(cause.title)"
    case .unknown: return "\(title): not known"
    case .passed, .found: return detail(of: aspect).map { "\(title): \($0)" } ?? title
    }
  }

  /// What was found where all is well.
  private func detail(of aspect: Aspect) -> String? {
    switch aspect {
    case .machine: machine.count > 0 ? printable(machine.description) : nil
    case .bus:
      switch board.bus {
      case .linux(let path): path.description
      case .emulated: nil
      }
    case .busSpeed: busHertz > 0 ? decimalText(Int64(busHertz), over: 1_000, places: 1) + " kHz" : nil
    case .address: board.sensor.address.text
    case .identity: "\(board.sensor.model.properName)"
    case .chip: chipNumber >= 0 ? "\(printable(chipLabel.description)), /dev/gpiochip\(chipNumber)" : nil
    case .lines: (0..<board.lines.count).map { "\(board.lines.offsets[$0])" }.joined(separator: " ")
    case .busAccess, .linesAccess, .pins: nil
    }
  }

  /// One object an aspect, and a summary.
  func json(_ name: String) -> [String] {
    let checks = Self.aspects.map { aspect in
      let start = "{\"event\":\"check\",\"check\":\"\(aspect.identifier)\",\"title\":\"\(aspect.title)\""
      switch self[aspect] {
      case .passed: return start + ",\"outcome\":\"passed\"}"
      case .emulated: return start + ",\"outcome\":\"emulated\"}"
      case .unknown: return start + ",\"outcome\":\"unknown\"}"
      case .skipped(let cause): return start + ",\"outcome\":\"skipped\",\"because\":\"\(cause.identifier)\"}"
      case .found(let problem):
        return start + ",\"outcome\":\"\(problem.severity.name)\",\"problem\":\"\(problem.identifier)\","
          + "\"detail\":\(message(of: problem).description.json),\"cure\":\(fix(of: problem).description.json)}"
      }
    }
    let first = firstError.map { "\"\($0.identifier)\"" } ?? "null"
    return checks + [
      "{\"event\":\"summary\",\"board\":\(name.json),\"machine\":\(machine.description.json),\"well\":\(exitCode == 0),"
        + "\"first_problem\":\(first),\"exit_code\":\(exitCode)}"
    ]
  }
}

extension Finding.Severity {
  /// The name in JSON.
  fileprivate var name: String {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "failed"
    }
  }
}

extension String {
  /// The text with a capital letter at its beginning.
  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
