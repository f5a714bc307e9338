/// The colour of a wire, in pictures and in terminals.
enum WireColour: String {
  case supply, ground, data, clock, address, select, ready
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  case none

  /// In the order of the poses.
  static let ofLights: [WireColour] = [
    .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
  ]

  /// On a light and on a dark background, each with a contrast of at least 3 to 1.
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

  /// The number of the colour in the terminal's palette of 16.
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
