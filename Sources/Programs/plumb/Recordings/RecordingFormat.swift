internal import PlumbViews

/// The columns of a recording, as found in its header: in Plumb's own format, in an export of phyphox or Sensor Logger,
/// or in any other file whose columns are named.
package struct RecordingFormat {
  /// The unit of a recorded force.
  package enum Unit: String, CaseIterable {
    case g
    case metresPerSecondSquared = "m/s2"
  }

  /// The unit of a recorded rotation rate.
  package enum RotationUnit: String, CaseIterable {
    case degreesPerSecond = "dps"
    case radiansPerSecond = "rad/s"
  }

  /// What is given instead of being read from the header.
  package struct Choice {
    /// The names or numbers, from 1, of the four or seven columns; empty for those of a known header.
    package var columns: [String] = []
    package var unit: Unit?
    package var rotationUnit: RotationUnit?

    package init() {}
  }

  /// Time, the three components of the force, and those of the rotation if the file has them, as written in the file.
  package typealias Values = InlineArray<7, Double>

  /// The recorded value of 1 g: 1, or 9.80665 for m/s².
  package let scale: Double
  /// The recorded value of 1 °/s: 1, or π/180 for rad/s.
  package let rotationScale: Double
  /// Whether the file has rotation rates.
  package let hasRotation: Bool
  private let separator: UInt8
  /// The alternative decimal separator: a comma, unless it separates columns.
  private let point: UInt8
  /// For each column, which of the values it has; -1 for none.
  private var roles: [Int] = []
  /// The names of the columns of the values.
  private let names: [String]
  /// The maximum magnitude of each value. Like the powers, not an inline array, which would be copied for each number.
  private let limits: [Double]
  /// The powers of ten that a Double represents exactly.
  private let powers = (0..<23).map(Self.power)

  /// ±1e12 s and ±32767 g are what 64-bit microseconds and Q16.16 can hold, with room for differences. ±4000 °/s is
  /// twice the widest range of the sensors.
  private static let greatest: (time: Double, force: Double, rotation: Double) = (1e12, 32_767, 4_000)

  /// The columns of a file.
  private struct Columns {
    /// The names of time, x, y and z in lower case, or their positions.
    var names: [String]
    var unit: Unit
    /// The names of the rotation about x, y and z.
    var rotation: [String]
    var rotationUnit: RotationUnit
  }

  /// The known headers.
  private static let known: [Columns] = [
    Columns(
      names: ["time_s", "x_g", "y_g", "z_g"], unit: .g,
      rotation: ["x_dps", "y_dps", "z_dps"], rotationUnit: .degreesPerSecond),
    Columns(
      names: ["time (s)", "acceleration x (m/s^2)", "acceleration y (m/s^2)", "acceleration z (m/s^2)"],
      unit: .metresPerSecondSquared,
      rotation: ["gyroscope x (rad/s)", "gyroscope y (rad/s)", "gyroscope z (rad/s)"], rotationUnit: .radiansPerSecond),
    Columns(
      names: ["seconds_elapsed", "x", "y", "z"], unit: .metresPerSecondSquared, rotation: [],
      rotationUnit: .radiansPerSecond),
    Columns(
      names: ["seconds_elapsed", "totalacceleration_x", "totalacceleration_y", "totalacceleration_z"],
      unit: .metresPerSecondSquared,
      rotation: ["gyroscope_x", "gyroscope_y", "gyroscope_z"], rotationUnit: .radiansPerSecond),
  ]

  /// The positions of the values among the columns of a file, and their units.
  private typealias Found = (
    places: [Int], unit: Unit, rotationUnit: RotationUnit
  )

  /// Reads the header of `file`.
  package init(of file: inout InputFile, _ choice: Choice) throws(InputError) {
    guard let line = try file.nextLine() else {
      throw InputError(.data, "\(file.name): the file is empty; a header \"\(Recording.header)\" was expected")
    }
    var first = file.bytes[line]
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { first = first.dropFirst(3) }
    separator = first.contains(0x09) ? 0x09 : first.contains(0x3B) ? 0x3B : 0x2C
    let found = Self.fields(of: first, separatedBy: separator).map(Self.trimmedName)
    let (columns, unit, rotationUnit) = try Self.columns(choice, in: found, first, at: file.place)
    names = columns.map { found[$0] }
    hasRotation = columns.count > 4
    scale = (choice.unit ?? unit) == .g ? 1 : 9.80665
    rotationScale = (choice.rotationUnit ?? rotationUnit) == .degreesPerSecond ? 1 : .pi / 180
    limits = Self.limits(scale, rotationScale)
    roles = found.indices.map { columns.firstIndex(of: $0) ?? -1 }
    point = separator == 0x2C ? 0x2E : 0x2C
    // Without a header the first line is data, after a byte order mark.
    if !choice.columns.isEmpty, columns.allSatisfy({ Self.isNumber(found[$0]) }) {
      file.putBack(first.startIndex..<line.upperBound)
    }
  }

  private static func limits(_ scale: Double, _ rotationScale: Double) -> [Double] {
    let (force, rotation) = (greatest.force * scale, greatest.rotation * rotationScale)
    return [greatest.time, force, force, force, rotation, rotation, rotation]
  }

  private static func power(_ exponent: Int) -> Double {
    var power = 1.0
    for _ in 0..<exponent { power *= 10 }
    return power
  }

  /// The positions of the values among the columns `found` in the header `line`, and their units.
  private static func columns(
    _ choice: Choice, in found: [String], _ line: ArraySlice<UInt8>, at place: String
  ) throws(InputError) -> Found {
    let plain = found.map { $0.lowercased().replacing("²", with: "^2") }
    if !choice.columns.isEmpty {
      let columns = try choice.columns.map { name throws(InputError) in
        // A number first, because a file without a header has data in place of names.
        if let number = Int(name), (1...found.count).contains(number) { return number - 1 }
        if let index = found.firstIndex(of: name) ?? plain.firstIndex(of: name.lowercased()) { return index }
        throw InputError(.data, "\(place): there is no column \(quoted(name.utf8)); \(listed(found))")
      }
      // As given they differ, but a name and a number can mean the same column.
      guard Set(columns).count == columns.count else {
        throw InputError(.data, "\(place): --columns names a column of this file twice; \(listed(found))")
      }
      return (
        columns, columns[1..<4].contains { plain[$0].contains("m/s") } ? .metresPerSecondSquared : .g,
        columns[4...].contains { plain[$0].contains("rad") } ? .radiansPerSecond : .degreesPerSecond
      )
    }
    for known in known {
      let columns = known.names.compactMap { plain.firstIndex(of: $0) }
      guard columns.count == 4 else { continue }
      let rotation = known.rotation.compactMap { plain.firstIndex(of: $0) }
      guard rotation.count == 0 || rotation.count == 3 else {
        let missing = known.rotation.filter { !plain.contains($0) }.map { "\"\($0)\"" }.joined(separator: " and ")
        throw InputError(
          .data, "\(place): rotation takes three columns, and \(missing) is not among these; \(listed(found))")
      }
      return (columns + rotation, known.unit, known.rotationUnit)
    }
    if plain.contains(where: { $0.hasPrefix("linear acceleration") }) {
      throw InputError(
        .data, "\(place): linear acceleration lacks gravity, which Plumb needs; export the acceleration with g")
    }
    throw InputError(
      .data,
      "\(place): the header is \(quoted(trimmedBytes(line), upTo: 120)); \"\(Recording.header)\" was expected, or the header "
        + "of phyphox or Sensor Logger; name the columns of any other file with --columns (\(listed(found)))")
  }

  /// The columns of a header, for a message.
  private static func listed(_ found: [String]) -> String {
    let some = found.prefix(12).enumerated().map { "\($0.offset + 1) \(quoted($0.element.utf8))" }
    return "the columns are " + some.joined(separator: ", ") + (found.count > 12 ? " and more" : "")
  }

  /// The fields of a header; a separator in quotation marks is part of a name.
  private static func fields(of line: ArraySlice<UInt8>, separatedBy separator: UInt8) -> [ArraySlice<UInt8>] {
    var isQuoted = false
    return line.split(omittingEmptySubsequences: false) { byte in
      if byte == 0x22 { isQuoted.toggle() }
      return byte == separator && !isQuoted
    }
  }

  /// A name without the blanks and quotation marks around it.
  package static func trimmedName(_ bytes: some BidirectionalCollection<UInt8>) -> String {
    func isAround(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x22].contains(byte) }
    let trimmed = bytes.drop(while: isAround)
    let end = trimmed.lastIndex { !isAround($0) }
    return end.map { String(decoding: trimmed[...$0], as: UTF8.self) } ?? ""
  }

  private static func isNumber(_ text: String) -> Bool {
    Self.number(text.utf8.map { $0 == 0x2C ? 0x2E : $0 }[...]) != nil
  }
}

// The numbers of a row.
extension RecordingFormat {
  /// `bytes` without leading and trailing white space; tabs that separate columns stay.
  package func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    Self.trimmedBytes(bytes, tabs: separator != 0x09)
  }

  private static func trimmedBytes(_ bytes: ArraySlice<UInt8>, tabs: Bool = true) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0D || (byte == 0x09 && tabs) }
    let rest = bytes.drop(while: isSpace)
    return rest.lastIndex { !isSpace($0) }.map { rest[...$0] } ?? []
  }

  /// The values of the row in `line`, if it is well-formed and each of its numbers is exact: digits of at most 2^53,
  /// times or divided by a power of ten up to 22, become a Double in one operation, rounded as the system's conversion
  /// rounds. Nil if `values(_:at:)` must decide.
  @inline(__always)
  package func exactValues(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Values? {
    var values = Values(repeating: 0)
    var (at, end) = (line.lowerBound, line.upperBound)
    while end > at && (bytes[end - 1] == 0x0D || bytes[end - 1] == 0x20) { end -= 1 }
    for column in roles.indices {
      let role = roles[column]
      if role >= 0 {
        while at < end && bytes[at] == 0x20 { at += 1 }
        guard let value = exactNumber(bytes, &at, end), value.magnitude <= limits[role] else { return nil }
        values[role] = value
        while at < end && bytes[at] == 0x20 { at += 1 }
      } else {
        while at < end && bytes[at] != separator { at += 1 }
      }
      if column + 1 < roles.count {
        guard at < end && bytes[at] == separator else { return nil }
        at += 1
      }
    }
    return at == end ? values : nil
  }

  @inline(__always)
  private func exactNumber(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int) -> Double? {
    guard at < end else { return nil }
    let isNegative = bytes[at] == 0x2D
    if isNegative || bytes[at] == 0x2B { at += 1 }
    var digits: UInt64 = 0
    let start = at
    Self.takeDigits(bytes, &at, end, &digits)
    var count = at - start
    guard count > 0 else { return nil }
    var exponent = 0
    if at < end && (bytes[at] == 0x2E || bytes[at] == point) {
      at += 1
      let begin = at
      Self.takeDigits(bytes, &at, end, &digits)
      exponent = begin - at
      guard exponent < 0 else { return nil }
      count -= exponent
    }
    // With more digits the sum may have overflowed.
    guard count <= 18 && digits <= 1 << 53 else { return nil }
    if at < end && bytes[at] | 0x20 == 0x65 {
      at += 1
      guard at < end else { return nil }
      let isSmall = bytes[at] == 0x2D
      if isSmall || bytes[at] == 0x2B { at += 1 }
      var power: UInt64 = 0
      let begin = at
      Self.takeDigits(bytes, &at, end, &power)
      guard at > begin && at - begin <= 3 else { return nil }
      exponent += isSmall ? -Int(power) : Int(power)
    }
    guard (-22...22).contains(exponent) else { return nil }
    let value = exponent < 0 ? Double(digits) / powers[-exponent] : Double(digits) * powers[exponent]
    return isNegative ? -value : value
  }

  @inline(__always)
  private static func takeDigits(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int, _ digits: inout UInt64) {
    while at < end {
      let digit = bytes[at] &- 0x30
      guard digit < 10 else { return }
      digits = digits &* 10 &+ UInt64(digit)
      at += 1
    }
  }

  /// The values of the row `line`; an error says what is wrong with it.
  package func values(_ line: ArraySlice<UInt8>, at place: String) throws(InputError) -> Values {
    let fields = line.split(separator: separator, omittingEmptySubsequences: false)
    guard fields.count == roles.count else {
      throw InputError(
        .data, "\(place): \(fields.count) columns where \(roles.count) were expected, in \(quoted(line))")
    }
    var values = Values(repeating: 0)
    for (field, role) in zip(fields, roles) where role >= 0 {
      values[role] = try value(field, role, at: place)
    }
    return values
  }

  private func value(_ field: ArraySlice<UInt8>, _ role: Int, at place: String) throws(InputError) -> Double {
    let text = Self.trimmedBytes(field)
    guard let value = Self.number(point == 0x2C ? text.map { $0 == 0x2C ? 0x2E : $0 }[...] : text) else {
      throw InputError(.data, "\(place): \(printable(names[role])) is \(quoted(text)), which is not a number")
    }
    let limit = limits[role]
    guard value.magnitude <= limit else {
      let words = role > 3 ? "\(Int64(Self.greatest.rotation)) °/s" : "\(Int64(limit))"
      throw InputError(.data, "\(place): \(printable(names[role])) is \(quoted(text)), beyond ±\(words)")
    }
    return value
  }

  /// The number in `text`: only decimal digits, sign, point and exponent; no hexadecimal, no words, and no NUL, which
  /// would hide the rest.
  private static func number(_ text: ArraySlice<UInt8>) -> Double? {
    let isDecimal = text.allSatisfy { (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
    guard isDecimal, let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}
