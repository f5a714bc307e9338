/// The colour of a wire, in pictures and in terminals.
enum WireColour: String {
  case supply, ground, data, clock, address, select, ready
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  case none

  /// In the order of the poses.
  static let ofLights: [WireColour] = [
    .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
  ]

  /// The colour on a light background and on a dark one, with a contrast of at least 3 to 1 on each, and its code on a
  /// terminal.
  private var row: (onLight: String, onDark: String, terminal: Int) {
    switch self {
    case .supply: ("#d92d20", "#ff6b60", 91)
    case .ground: ("#1f2933", "#e6edf3", 1)
    case .data: ("#1d5fd1", "#6ea8ff", 94)
    case .clock: ("#b28600", "#f2cc3d", 93)
    case .address: ("#12803c", "#4fd67f", 92)
    case .select: ("#e2660b", "#ff9d4d", 33)
    case .ready: ("#a61e4d", "#f783ac", 95)
    case .portrait: ("#0c8599", "#3bc9db", 36)
    case .portraitUpsideDown: ("#7a3ff2", "#b197fc", 35)
    case .landscapeLeft: ("#d6336c", "#faa2c1", 95)
    case .landscapeRight: ("#5c940d", "#a9e34b", 32)
    case .faceUp: ("#1c7ed6", "#74c0fc", 96)
    case .faceDown: ("#8d5524", "#d9a679", 31)
    case .none: ("#868e96", "#8b949e", 90)
    }
  }

  var onLight: String { row.onLight }
  var onDark: String { row.onDark }
  var terminal: Int { row.terminal }
}

extension WiringDrawing {
  /// The colours of the wires, with the data-ready wire's only if there is one.
  private var colours: [WireColour] {
    let ready = wiring.sensorPins.contains { $0.colour == .ready } ? [WireColour.ready] : []
    return [.supply, .ground, .data, .clock, .address, .select] + ready + WireColour.ofLights
  }

  /// The style sheet: light by default, dark if the reader's system is.
  var style: String {
    let dark = """
      .paper,.rim-fill{fill:#0d1117}.rim{stroke:#0d1117}text{fill:#e6edf3}.subtitle,.pin,.faint{fill:#9aa7b4}
      .used.pin{fill:#e6edf3}.label{fill:#161b22;stroke:#30363d}.header{fill:#30363d}
      .hole{fill:#0d1117;stroke:#8b949e}.number{fill:#9aa7b4}.first{stroke:#ffd33d}
      .module{fill:#1b4b9c;stroke:#6ea8ff}.resistor{fill:#e8d8b0;stroke:#9c8a5a}.diode{fill:#0d1117}.rule{stroke:#30363d}

      """
    return Self.base + wires { $0.onLight } + "@media (prefers-color-scheme:dark){\n" + dark + wires { $0.onDark }
      + "}\n"
  }

  private func wires(_ colour: (WireColour) -> String) -> String {
    colours.map {
      ".wire.\($0.rawValue),.diode.\($0.rawValue),.label.\($0.rawValue){stroke:\(colour($0))}.dot.\($0.rawValue){fill:\(colour($0))}\n"
    }
    .joined()
  }

  private static let base = """
    text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu \
    Sans",sans-serif;font-size:17px;fill:#1f2933}
    .paper{fill:#fff}.title{font-size:30px;font-weight:700}.subtitle{font-size:19px;fill:#52606d}
    .corner{font-size:16px;font-weight:600}.heading{font-size:20px;font-weight:700}.strong{font-size:18px;font-weight:600}
    .pin{text-anchor:middle;font-size:16px;fill:#7b8794}.used.pin{font-weight:700;font-size:15px;fill:#1f2933}
    .label{fill:#f8f9fa;stroke:#dde2e7}.used.label{stroke-width:2.5}
    .header{fill:#343a40}.hole{fill:#fff;stroke:#adb5bd}.used.hole{fill:#fff;stroke:none}
    .number{text-anchor:middle;font-size:13px;fill:#7b8794}.used.number{font-weight:700;fill:#1f2933}
    .first{fill:none;stroke:#ffd33d;stroke-width:2}
    .wire{fill:none;stroke-width:5}.rim{fill:none;stroke:#fff;stroke-width:10}
    .module{fill:#2560c4;stroke:#173f85;stroke-width:2}.hollow{fill:#fff;opacity:.85}.chip{fill:#12161b}
    .pad{fill:#e9c46a;stroke:#8a6d1d;stroke-width:1.5}text.silk{fill:#fff;font-size:16px;font-weight:600;text-anchor:end}
    .middle{text-anchor:middle}
    .resistor{fill:#f1e3bd;stroke:#a08b54;stroke-width:1.5}.orange{fill:#e8590c}.brown{fill:#6b3e14}.gold{fill:#c9971c}
    .diode{fill:#fff;stroke-width:3;stroke-linejoin:round}.faint{fill:#52606d;font-size:16px}.end{text-anchor:end}
    .rule{stroke:#dde2e7;stroke-width:2}

    """
}

extension SVG {
  /// Draws a wire along `points` with rounded corners, and with a rim in the background colour to set off crossings.
  mutating func wire(_ colour: WireColour, _ points: [Point]) {
    raw("<path class=\"rim\" d=\"\(Self.path(points))\"/>")
    plainWire(colour, points)
  }

  /// The same without a rim, for a wire that crosses nothing.
  mutating func plainWire(_ colour: WireColour, _ points: [Point]) {
    raw("<path class=\"wire \(colour.rawValue)\" d=\"\(Self.path(points))\"/>")
  }
}
