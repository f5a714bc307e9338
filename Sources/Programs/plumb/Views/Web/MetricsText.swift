/// Writes metrics in one of the text formats.
///
/// - Source: the OpenMetrics specification 1.0, "Text format"; the Prometheus documentation, "Exposition formats".
package struct MetricsText: Sendable {
  /// A sample of a family: its labels and its value; without a value, it is left out.
  package struct Sample: Sendable {
    package var labels: [(name: String, value: String)]
    package var value: String?

    /// A count.
    package init(_ count: UInt64, _ labels: [(name: String, value: String)] = []) {
      (self.labels, value) = (labels, String(count))
    }

    /// A number with at most `places` decimals; left out if it is nil or not finite.
    package init(_ number: Double?, _ places: Int, _ labels: [(name: String, value: String)] = []) {
      self.labels = labels
      value = number.flatMap { $0.isFinite && $0.magnitude < 1e12 ? decimalText($0, places: places) : nil }
    }
  }

  private let format: MetricsFormat
  /// When the counters were 0, in seconds since 1970.
  private let created: String
  private var text = ""

  /// `created` is when the counters were 0, in seconds since 1970.
  package init(_ format: MetricsFormat, created: Double) {
    self.format = format
    self.created = decimalText(created, places: 3)
  }

  /// Adds a gauge; `unit`, in the plural, is the end of its name.
  package mutating func gauge(_ name: String, unit: String? = nil, _ help: String, _ samples: [Sample]) {
    add(name, "gauge", unit: unit, help, samples.map { (name, $0) })
  }

  /// Adds a counter; `name` excludes `_total`.
  package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
    switch format {
    case .prometheus: add("\(name)_total", "counter", help, samples.map { ("\(name)_total", $0) })
    case .openMetrics:
      // All lines of one metric come before the next.
      let lines = samples.flatMap { sample in
        var beginning = sample
        beginning.value = sample.value.map { _ in created }
        return [("\(name)_total", sample), ("\(name)_created", beginning)]
      }
      add(name, "counter", help, lines)
    }
  }

  /// Adds a stateset in which exactly the state called `present` is 1, or none.
  package mutating func states(_ name: String, _ help: String, _ states: [String], present: String?) {
    let samples = states.map { (name, Sample($0 == present ? 1 : 0, [(name, $0)])) }
    add(name, format == .openMetrics ? "stateset" : "gauge", help, samples)
  }

  /// Adds labels that do not change; `name` excludes `_info`.
  package mutating func info(_ name: String, _ help: String, _ labels: [(name: String, value: String)]) {
    let sample = ("\(name)_info", Sample(1, labels))
    switch format {
    case .prometheus: add("\(name)_info", "gauge", help, [sample])
    case .openMetrics: add(name, "info", help, [sample])
    }
  }

  /// The text of all families.
  package var bytes: [UInt8] { Array((text + (format == .openMetrics ? "# EOF\n" : "")).utf8) }

  /// Adds a family, if it has a sample; `help` contains neither line feeds nor backslashes.
  private mutating func add(
    _ name: String, _ type: String, unit: String? = nil, _ help: String, _ samples: [(name: String, sample: Sample)]
  ) {
    let lines = samples.compactMap { name, sample in
      sample.value.map { "\(name)\(Self.text(sample.labels)) \($0)\n" }
    }
    guard !lines.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    if format == .openMetrics, let unit { text += "# UNIT \(name) \(unit)\n" }
    text += lines.joined()
  }

  private static func text(_ labels: [(name: String, value: String)]) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ value: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": out += "\\\\".unicodeScalars
      case "\"": out += "\\\"".unicodeScalars
      case "\n": out += "\\n".unicodeScalars
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}
