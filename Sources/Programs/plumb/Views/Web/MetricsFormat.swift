/// The text formats of metrics.
package enum MetricsFormat: CaseIterable, Sendable {
  /// Prometheus text format 0.0.4.
  case prometheus
  /// OpenMetrics 1.0.
  case openMetrics

  /// The media type without its character set, which is UTF-8 in both.
  package var type: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4"
    case .openMetrics: "application/openmetrics-text; version=1.0.0"
    }
  }

  /// The format for a request with this `Accept` field.
  ///
  /// It is the one with the higher quality. If they are equal, it is OpenMetrics if the field names it rather than
  /// matching it with a wildcard, otherwise the older format, which every program can read. If the field excludes both,
  /// the older one is sent anyway, as RFC 9110 allows, so that a person sees the figures with any client.
  ///
  /// - Source: RFC 9110, 12.5.1.
  package init(accept: String?) {
    let ranges = MediaRange.ranges(accept ?? "*/*")
    let (open, old) = (Self.openMetrics.rating(by: ranges), Self.prometheus.rating(by: ranges))
    let isNamed = open.quality > 0 && open.specificity > MediaRange.wildcards
    let isPreferred = open.quality > old.quality || (open.quality == old.quality && isNamed)
    self = isPreferred ? .openMetrics : .prometheus
  }

  /// The quality, in thousandths, that the most specific of `ranges` gives to this format; 0 if none includes it.
  private func rating(by ranges: [MediaRange]) -> (quality: Int, specificity: Int) {
    var best = (quality: 0, specificity: -1)
    for range in ranges {
      guard let specificity = range.specificity(for: self), specificity > best.specificity else { continue }
      best = (range.quality, specificity)
    }
    return best
  }

  fileprivate var name: (type: String, subtype: String) {
    switch self {
    case .prometheus: ("text", "plain")
    case .openMetrics: ("application", "openmetrics-text")
    }
  }

  fileprivate var version: String {
    switch self {
    case .prometheus: "0.0.4"
    case .openMetrics: "1.0.0"
    }
  }
}

/// One element of an `Accept` field.
private struct MediaRange {
  private let type: String
  private let subtype: String
  private let parameters: [(name: String, value: String)]
  /// In thousandths.
  let quality: Int

  /// The highest specificity of a range with a wildcard.
  static let wildcards = 1

  /// The valid elements of `field`; others are ignored.
  static func ranges(_ field: String) -> [MediaRange] { split(field, at: ",").compactMap(MediaRange.init) }

  private init?(_ text: String) {
    let parts = Self.split(text, at: ";")
    let name = parts[0].split(separator: "/", omittingEmptySubsequences: false).map { $0.lowercased() }
    guard name.count == 2, !name[0].isEmpty, !name[1].isEmpty else { return nil }
    var (parameters, quality): ([(name: String, value: String)], Int) = ([], 1_000)
    for part in parts.dropFirst() where !part.isEmpty {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { return nil }
      let (name, value) = (pair[0].lowercased(), Self.unquoted(String(pair[1])))
      if name == "q" {
        guard let given = Self.quality(value) else { return nil }
        quality = given
        // What follows the quality is not part of a media type.
        break
      }
      parameters.append((name, value))
    }
    (type, subtype, self.parameters, self.quality) = (name[0], name[1], parameters, quality)
  }

  /// How specifically it names `format`: 0 for any type, 1 for any of its type, 2 or more for it and its parameters;
  /// nil if it does not include it.
  func specificity(for format: MetricsFormat) -> Int? {
    if type == "*" { return subtype == "*" ? 0 : nil }
    guard type == format.name.type else { return nil }
    if subtype == "*" { return 1 }
    guard subtype == format.name.subtype else { return nil }
    let isIncluded = parameters.allSatisfy { name, value in
      switch name {
      case "version": value == format.version
      case "charset": value.lowercased() == "utf-8"
      // How names with letters outside the older format are written; there are none.
      case "escaping": true
      default: false
      }
    }
    return isIncluded ? 2 + parameters.count : nil
  }

  /// A number from 0 to 1 with at most three decimals, in thousandths.
  private static func quality(_ text: String) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let places = parts.count == 2 ? String(parts[1]) : ""
    guard parts[0] == "0" || parts[0] == "1", places.utf8.count <= 3,
      places.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let rest = Int(places + String(repeating: "0", count: 3 - places.utf8.count))
    else { return nil }
    let quality = (parts[0] == "1" ? 1_000 : 0) + rest
    return quality <= 1_000 ? quality : nil
  }

  /// The parts of `text` between unquoted marks, without the blanks around them; at least one.
  private static func split(_ text: String, at mark: Unicode.Scalar) -> [String] {
    var (parts, part): ([String], String.UnicodeScalarView) = ([], .init())
    var (isQuoted, isEscaped) = (false, false)
    for scalar in text.unicodeScalars {
      if !isQuoted && scalar == mark {
        parts.append(trimmed(part))
        part = .init()
        continue
      }
      if scalar == "\"" && !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && scalar == "\\" && !isEscaped
      part.append(scalar)
    }
    return parts + [trimmed(part)]
  }

  private static func trimmed(_ text: String.UnicodeScalarView) -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
    return String(String.UnicodeScalarView(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed()))
  }

  private static func unquoted(_ text: String) -> String {
    guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    var (out, isEscaped) = (String.UnicodeScalarView(), false)
    for scalar in text.unicodeScalars.dropFirst().dropLast() {
      if scalar == "\\" && !isEscaped {
        isEscaped = true
      } else {
        out.append(scalar)
        isEscaped = false
      }
    }
    return String(out)
  }
}
