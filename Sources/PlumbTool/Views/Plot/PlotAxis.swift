/// Round numbers along an axis.
struct PlotTicks {
  /// The tick marks: the value, in the units of the axis, and what is written there.
  var ticks: [(value: Int64, label: String)] = []
  /// What the numbers count.
  var unit = ""

  /// Times from `earliest` to `latest`, in microseconds, in a unit that suits them; about `count` of them.
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

  /// Values from `low` to `high` in Q16.16; about `count` of them.
  static func values(from low: Int64, to high: Int64, count: Int64) -> PlotTicks {
    // In thousandths, whose round numbers are round.
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

  /// The next number of 1, 2, 5, 10, 20, … from `least` on; times `unit` where that is less.
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

  /// With the sign of minus, which is as wide as that of plus.
  private static func minus(_ text: String) -> String { text.replacing("-", with: "−") }
}

/// How a span of numbers is laid along a span of a picture, in tenths of its units.
struct PlotScale {
  var low: Int64
  var high: Int64
  /// Where `low` and `high` are.
  var start: Int
  var end: Int

  /// Where `value` is. The same division gives the same bits on every machine.
  func place(_ value: Int64) -> Int {
    guard high > low else { return (start + end) / 2 }
    let share = Double(value - low) / Double(high - low)
    return start + Int((share * Double(end - start)).rounded())
  }
}

/// A path of SVG in the making, in whole tenths of the picture's units, by small steps.
struct PlotPath {
  private(set) var text = ""
  private var x = 0
  private var y = 0
  /// Whether the last step was a move, so that nothing is to be seen of it yet.
  private var isAlone = false

  /// Begins anew at a point.
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

  /// Makes a point without lines visible.
  mutating func dot() {
    if isAlone { text += "m-6 0h12" }
    isAlone = false
  }
}
