import Foundation

/// A picture of `plumb plot`, measured by its own ticks and labels.
struct PNGPicture {
  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  let text: String

  init(_ text: String) { self.text = text }

  /// The paths with that attribute, as lines of points in tenths of the picture's units.
  func lines(_ attribute: String) throws -> [[Point]] {
    let pattern = try Regex("<path \(NSRegularExpression.escapedPattern(for: attribute))[^>]* d=\"([^\"]*)\"")
    let match = try unwrapped(text.firstMatch(of: pattern))
    return try Self.points(String(unwrapped(match.output[1].substring)))
  }

  /// The sub-paths of a path of lines.
  static func points(_ path: String) throws -> [[Point]] {
    var result: [[Point]] = []
    var place = Point(x: 0, y: 0)
    // Not within the loop, where it would be compiled again for each command.
    let number = /-?[0-9.]+/
    for command in path.matches(of: /([A-Za-z])([-0-9. ]*)/) {
      let numbers = try command.2.matches(of: number).map { try unwrapped(Double($0.output)) }
      guard numbers.count == (["M", "m", "l"].contains(command.1) ? 2 : command.1 == "z" ? 0 : 1) else {
        throw Missing()
      }
      switch command.1 {
      case "M": place = Point(x: numbers[0], y: numbers[1])
      case "m": place = Point(x: place.x + numbers[0], y: place.y + numbers[1])
      case "l": place = Point(x: place.x + numbers[0], y: place.y + numbers[1])
      case "h": place.x += numbers[0]
      case "v": place.y += numbers[0]
      case "z": continue
      default: throw Missing()
      }
      if command.1 == "M" { result.append([]) }
      if command.1 == "m", !result.isEmpty { result[result.count - 1] = [] }
      guard !result.isEmpty else { throw Missing() }
      result[result.count - 1].append(place)
    }
    return result
  }

  /// From tenths to the unit of an axis, by its ticks.
  struct Axis {
    var first: (place: Double, value: Double)
    var last: (place: Double, value: Double)

    func value(at place: Double) -> Double {
      first.value + (place - first.place) * (last.value - first.value) / (last.place - first.place)
    }

    func place(of value: Double) -> Double {
      first.place + (value - first.value) * (last.place - first.place) / (last.value - first.value)
    }
  }

  /// The vertical axis of the panel with that heading.
  func axis(of heading: String) throws -> Axis {
    let start = try unwrapped(text.range(of: ">\(heading)</text>")).upperBound
    let panel = text[start...]
    let group = try unwrapped(panel.range(of: "<g transform")).lowerBound
    let labels = panel[..<group].matches(of: /class="tick end"[^>]*>([^<]*)</).map { String($0.1) }
    let grid = try unwrapped(panel[group...].split(separator: "\n", maxSplits: 1).first)
    let places = grid.matches(of: /class="grid[^"]*" d="M0 (\d+)h/).compactMap { Double($0.1) }
    return try Self.axis(places, labels)
  }

  /// The time axis, in its labelled unit.
  func timeAxis() throws -> Axis {
    let labels = try unwrapped(text.firstMatch(of: #/(?s)<g id="times">(.*?)</g>/#)).1
    let left = try unwrapped(text.firstMatch(of: /<rect class="frame" x="(\d+)"/).flatMap { Double($0.1) })
    let upright = try unwrapped(text.firstMatch(of: #/<g class="upright">(.*?)</g>/#)).1
    let places = upright.matches(of: /d="M([0-9.]+)\s/).compactMap { Double($0.1) }.map { ($0 - left) * 10 }
    return try Self.axis(places, labels.matches(of: />([^<\n]+)</).map { String($0.1) })
  }

  private static func axis(_ places: [Double], _ labels: [String]) throws -> Axis {
    let values = try labels.map { try unwrapped(Double($0.replacing("−", with: "-"))) }
    guard places.count == values.count, values.count > 1 else { throw Missing() }
    return Axis(first: (places[0], values[0]), last: (places[places.count - 1], values[values.count - 1]))
  }

  /// A page's numbers by their name: base64 of words.
  func words<Word: FixedWidthInteger>(_ name: String, as type: Word.Type) throws -> [Word] {
    let match = try unwrapped(text.firstMatch(of: try Regex("\"\(name)\":\"([^\"]*)\"")))
    let data = try unwrapped(Data(base64Encoded: String(unwrapped(match.output[1].substring))))
    let size = Word.bitWidth / 8
    return stride(from: 0, to: data.count, by: size).map { start in
      (0..<size).reversed().reduce(0) { $0 << 8 | Word(truncatingIfNeeded: Int(data[start + $1])) }
    }
  }

  /// A page's number by its name.
  func number(_ name: String) throws -> Double {
    let match = try unwrapped(text.firstMatch(of: try Regex("\"\(name)\":(-?[0-9.e+-]+)")))
    return try unwrapped(Double(String(unwrapped(match.output[1].substring))))
  }
}
