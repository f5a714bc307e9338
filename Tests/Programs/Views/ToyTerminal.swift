import PlumbViews

/// Understands only the codes that are sent, as in ECMA-48; written independently of the sender.
struct ToyTerminal {
  /// A cell: a character, and the SGR numbers in effect.
  struct Place: Equatable {
    var scalar: Unicode.Scalar = " "
    var modes: Set<Int> = []
  }

  let width: Int
  let height: Int
  private(set) var places: [Place]
  private(set) var unknown: [String] = []
  /// Whether a picture is being held back.
  private(set) var isUpdating = false
  private(set) var updates = 0
  private var (column, row) = (0, 0)
  private var modes: Set<Int> = []

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    places = Array(repeating: Place(), count: width * height)
  }

  mutating func feed(_ bytes: [UInt8]) {
    var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let first = rest.popFirst() {
      guard first == "\u{1B}" else {
        put(first)
        continue
      }
      guard rest.popFirst() == "[" else { return unknown.append("no CSI") }
      let end = rest.firstIndex { ("@"..."~").contains($0) } ?? rest.endIndex
      control(String(String.UnicodeScalarView(rest[..<end])), end < rest.endIndex ? rest[end] : "?")
      rest = rest[min(end + 1, rest.endIndex)...]
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    guard column < width && row < height && scalar.value >= 0x20 else { return unknown.append("outside: \(scalar)") }
    places[row * width + column] = Place(scalar: scalar, modes: modes)
    column += 1
  }

  private mutating func control(_ parameters: String, _ final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    switch (final, parameters) {
    case ("H", _) where numbers.count == 2: (row, column) = (numbers[0] - 1, numbers[1] - 1)
    case ("J", "2"): places = Array(repeating: Place(), count: places.count)
    case ("h", "?2026"):
      isUpdating = true
      updates += 1
    case ("l", "?2026"): isUpdating = false
    case ("m", _):
      for number in numbers { if number == 0 { modes = [] } else { modes.insert(number) } }
    default: unknown.append("\(parameters)\(final)")
    }
  }

  /// The cells of a terminal that shows `grid`.
  static func places(of grid: Grid, hasColour: Bool) -> [Place] {
    (0..<grid.height).flatMap { row in
      (0..<grid.width).map { column in
        let cell = grid[column, row]
        var modes: Set<Int> = []
        if cell.style.isBold { modes.insert(1) }
        if cell.style.isDim { modes.insert(2) }
        if cell.style.isInverse { modes.insert(7) }
        let colours: [Colour: Int] = [
          .black: 30, .red: 31, .green: 32, .yellow: 33, .blue: 34, .magenta: 35, .cyan: 36, .white: 37,
        ]
        if hasColour, let number = colours[cell.style.colour] { modes.insert(number) }
        return Place(scalar: cell.scalar, modes: modes)
      }
    }
  }
}
