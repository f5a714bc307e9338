/// Round numbers along an axis.
struct PlotTicks {
  /// The tick marks: each value, in the unit of the axis, and its label.
  var ticks: [(value: Int64, label: String)] = []
  /// The unit of the labels.
  var unit = ""

  /// About `count` times from `earliest` to `latest`, in microseconds, with labels in a suitable unit.
  static func time(from earliest: Int64, to latest: Int64, count: Int64) -> PlotTicks {
    let span = latest - earliest
    let units: [(name: String, size: Int64, limit: Int64, steps: [Int64])] = [
      ("µs", 1, 500, []), ("ms", 1_000, 500_000, []), ("s", 1_000_000, 300_000_000, []),
      ("min", 60_000_000, 10_800_000_000, [1, 2, 5, 10, 15, 30].map { $0 * 60_000_000 }),
      ("h", 3_600_000_000, 259_200_000_000, [30, 60, 120, 180, 360, 720].map { $0 * 60_000_000 }),
      ("days", 86_400_000_000, .max, []),
    ]
    let unit = span == 0 ? units[2] : units.first { span <= $0.limit } ?? units[5]
    let least = max(1, span / count)
    let step = unit.steps.first { $0 >= least } ?? round(least, unit: unit.size)
    return PlotTicks(
      ticks: multiples(of: step, from: earliest, to: latest) { decimalText($0, over: unit.size, places: 6) },
      unit: unit.name)
  }

  /// About `count` values from `low` to `high`, in Q16.16.
  static func values(from low: Int64, to high: Int64, count: Int64) -> PlotTicks {
    // In thousandths, so that the labels are round numbers.
    let step = round(max(1, (high - low) * 1_000 / 65_536 / count), unit: 1)
    return PlotTicks(
      ticks: multiples(of: step, from: low * 1_000 / 65_536, to: high * 1_000 / 65_536) {
        decimalText($0, over: 1_000, places: 3)
      }.map { ($0.value * 65_536 / 1_000, minus($0.label)) })
  }

  /// The given whole degrees, in Q16.16.
  static func degrees(_ values: [Int64]) -> PlotTicks {
    PlotTicks(ticks: values.map { ($0 * 65_536, minus(String($0))) })
  }

  /// The first number of 1, 2, 5, 10, 20, … (times `unit`, if `least` is above it) that is at least `least`.
  private static func round(_ least: Int64, unit: Int64) -> Int64 {
    var power = least > unit ? unit : 1
    while power <= least / 10 { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? power * 10
  }

  private static func multiples(
    of step: Int64, from low: Int64, to high: Int64, _ label: (Int64) -> String
  ) -> [(value: Int64, label: String)] {
    var ticks: [(Int64, String)] = []
    var value = low / step * step
    if value < low { value += step }
    while value <= high {
      ticks.append((value, label(value)))
      value += step
    }
    return ticks
  }

  /// `text` with a minus sign, which is as wide as a plus, in place of the hyphen.
  private static func minus(_ text: String) -> String { text.replacing("-", with: "−") }
}

/// Maps a range of numbers to a range in the picture, in tenths of its units.
struct PlotScale {
  var low: Int64
  var high: Int64
  /// The positions of `low` and `high`.
  var start: Int
  var end: Int

  /// The position of `value`. IEEE 754 division results in the same bits on every machine.
  func place(_ value: Int64) -> Int {
    guard high > low else { return (start + end) / 2 }
    let share = Double(value - low) / Double(high - low)
    return start + Int((share * Double(end - start)).rounded())
  }
}

/// The data of an SVG path in relative steps, in tenths of the picture's units.
struct PlotPath {
  private(set) var text = ""
  private var x = 0
  private var y = 0
  /// Whether the last step was a move, which has drawn nothing yet.
  private var isAlone = false

  /// Starts a new line at a point.
  mutating func move(_ x: Int, _ y: Int) {
    dot()
    text += "M\(x) \(y)"
    (self.x, self.y, isAlone) = (x, y, true)
  }

  /// A straight line to a point.
  mutating func line(_ x: Int, _ y: Int) {
    let (dx, dy) = (x - self.x, y - self.y)
    if dx == 0 && dy == 0 { return }
    text += dx == 0 ? "v\(dy)" : dy == 0 ? "h\(dx)" : dy < 0 ? "l\(dx)\(dy)" : "l\(dx) \(dy)"
    (self.x, self.y, isAlone) = (x, y, false)
  }

  /// A box.
  mutating func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
    text += "M\(x) \(y)h\(width)v\(height)h\(-width)z"
  }

  /// Draws a dot if the last point has no line.
  mutating func dot() {
    if isAlone { text += "m-6 0h12" }
    isAlone = false
  }
}
