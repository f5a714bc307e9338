/// The colour of a wire, in pictures and in terminals.
enum WireColour: String {
  case supply, ground, data, clock, address, select, ready
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  case none

  /// In the order of the poses.
  static let ofLights: [WireColour] = [
    .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
  ]

  /// On a light background, with a contrast of at least 3 to 1.
  var onLight: String {
    switch self {
    case .supply: "#d92d20"
    case .ground: "#1f2933"
    case .data: "#1d5fd1"
    case .clock: "#b28600"
    case .address: "#12803c"
    case .select: "#e2660b"
    case .ready: "#a61e4d"
    case .portrait: "#0c8599"
    case .portraitUpsideDown: "#7a3ff2"
    case .landscapeLeft: "#d6336c"
    case .landscapeRight: "#5c940d"
    case .faceUp: "#1c7ed6"
    case .faceDown: "#8d5524"
    case .none: "#868e96"
    }
  }

  var onDark: String {
    switch self {
    case .supply: "#ff6b60"
    case .ground: "#e6edf3"
    case .data: "#6ea8ff"
    case .clock: "#f2cc3d"
    case .address: "#4fd67f"
    case .select: "#ff9d4d"
    case .ready: "#f783ac"
    case .portrait: "#3bc9db"
    case .portraitUpsideDown: "#b197fc"
    case .landscapeLeft: "#faa2c1"
    case .landscapeRight: "#a9e34b"
    case .faceUp: "#74c0fc"
    case .faceDown: "#d9a679"
    case .none: "#8b949e"
    }
  }

  /// The number of the colour in the terminal's 16-colour palette.
  var terminal: Int {
    switch self {
    case .supply: 91
    case .ground: 1
    case .data: 94
    case .clock: 93
    case .address: 92
    case .select: 33
    case .ready: 95
    case .portrait: 36
    case .portraitUpsideDown: 35
    case .landscapeLeft: 95
    case .landscapeRight: 32
    case .faceUp: 96
    case .faceDown: 31
    case .none: 90
    }
  }
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
