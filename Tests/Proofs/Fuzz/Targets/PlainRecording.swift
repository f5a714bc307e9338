internal import FixedPoint
internal import Recordings
internal import Sensors

/// A recording read by its rules in the simplest way: whole, line by line, with the system's conversion of numbers.
struct PlainRecording {
  /// Microseconds, and the raw values of force and rotation.
  struct Sample: Equatable {
    var time: Int64
    var components: [Int32]
  }

  private(set) var samples: [Sample] = []
  /// The first line that must be rejected; 0 if the file as a whole must be, nil if nothing must.
  private(set) var brokenLine: Int?

  init(_ bytes: [UInt8], _ choice: RecordingFormat.Choice) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    if lines.last == [] { lines.removeLast() }
    guard var header = lines.first else {
      brokenLine = 0
      return
    }
    let isLong = header.count > 1_000
    if header.starts(with: [0xEF, 0xBB, 0xBF]) { header.removeFirst(3) }
    guard !isLong, let columns = Columns(header, choice) else {
      brokenLine = 1
      return
    }
    if columns.areNumbers { lines[0] = header } else { lines[0] = [] }
    for (index, line) in lines.enumerated() {
      guard line.count <= 1_000 else {
        brokenLine = index + 1
        return
      }
      let text = columns.separator == 0x09 ? line.filter { $0 != 0x09 } : line
      guard line.contains(0x09) && columns.separator == 0x09 || text.contains(where: { !isBlank($0) }) else { continue }
      guard let sample = columns.sample(line) else {
        brokenLine = index + 1
        return
      }
      samples.append(sample)
    }
    if samples.isEmpty { brokenLine = 0 }
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

/// The places of the values in a line, and their units.
private struct Columns {
  var separator: UInt8
  var places: [Int]
  var count: Int
  var isMetric = false
  var isRadian = false
  /// Whether the names of the values are numbers, so the first line is data.
  var areNumbers = false

  init?(_ header: [UInt8], _ choice: RecordingFormat.Choice) {
    separator = [0x09, 0x3B].first { header.contains($0) } ?? 0x2C
    var (names, isQuoted) = ([[UInt8]()], false)
    for byte in header {
      if byte == 0x22 { isQuoted.toggle() }
      if byte == separator && !isQuoted { names.append([]) } else { names[names.count - 1].append(byte) }
    }
    count = names.count
    let plain = names.map { name in
      var name = name[...]
      while let last = name.last, isBlank(last) || last == 0x22 { name.removeLast() }
      while let first = name.first, isBlank(first) || first == 0x22 { name.removeFirst() }
      return String(decoding: name, as: UTF8.self)
    }
    let small = plain.map { name in name.lowercased().map { $0 == "²" ? "^2" : String($0) }.joined() }
    places = []
    if choice.columns.isEmpty {
      guard let known = Self.known.first(where: { known in known.prefix(4).allSatisfy(small.contains) }) else {
        return nil
      }
      places = known.compactMap(small.firstIndex)
      guard places.count == 4 || places.count == 7 else { return nil }
      isMetric = known[1] != "x_g"
      isRadian = isMetric
    } else {
      for name in choice.columns {
        let number = Int(name).flatMap { $0 >= 1 && $0 <= count ? $0 - 1 : nil }
        guard let place = number ?? plain.firstIndex(of: name) ?? small.firstIndex(of: name.lowercased()) else {
          return nil
        }
        places.append(place)
      }
      guard Set(places).count == places.count else { return nil }
      isMetric = places[1...3].contains { small[$0].contains("m/s") }
      isRadian = places.dropFirst(4).contains { small[$0].contains("rad") }
      areNumbers = places.allSatisfy { number(Array(plain[$0].utf8), withComma: true) != nil }
    }
    if let unit = choice.unit { isMetric = unit == .metresPerSecondSquared }
    if let unit = choice.rotationUnit { isRadian = unit == .radiansPerSecond }
  }

  private static let known = [
    ["time_s", "x_g", "y_g", "z_g", "x_dps", "y_dps", "z_dps"],
    [
      "time (s)", "acceleration x (m/s^2)", "acceleration y (m/s^2)", "acceleration z (m/s^2)", "gyroscope x (rad/s)",
      "gyroscope y (rad/s)", "gyroscope z (rad/s)",
    ],
    ["seconds_elapsed", "x", "y", "z"],
    [
      "seconds_elapsed", "totalacceleration_x", "totalacceleration_y", "totalacceleration_z", "gyroscope_x",
      "gyroscope_y", "gyroscope_z",
    ],
  ]

  /// The sample in `line`; nil if it is wrong.
  func sample(_ line: [UInt8]) -> PlainRecording.Sample? {
    let fields = line.split(separator: separator, omittingEmptySubsequences: false)
    guard fields.count == count else { return nil }
    var values: [Double] = []
    for place in places {
      let text = fields[place].drop(while: isBlank).reversed().drop(while: isBlank).reversed()
      guard let value = number(Array(text), withComma: separator != 0x2C) else { return nil }
      values.append(value)
    }
    guard abs(values[0]) <= 1e12 else { return nil }
    var components: [Int32] = []
    for (index, value) in values.dropFirst().enumerated() {
      let (unit, limit) =
        index < 3 ? (isMetric ? 9.80665 : 1, 32_767.0) : (isRadian ? Double.pi / 180 : 1, 4_000)
      guard abs(value) <= limit * unit else { return nil }
      components.append(Int32((value / unit * 65_536).rounded()))
    }
    return PlainRecording.Sample(time: Int64((values[0] * 1e6).rounded()), components: components)
  }
}

/// The decimal number that makes up all of `text`; with a comma or a point before its decimals, or only with a point.
private func number(_ text: [UInt8], withComma: Bool) -> Double? {
  let text = text.map { withComma && $0 == 0x2C ? 0x2E : $0 }
  guard text.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
  guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
  return value
}

extension PlainRecording.Sample {
  init(_ sample: Recording.Sample) {
    time = sample.time.microseconds
    let force = sample.measurement.force
    components = [force.x.raw, force.y.raw, force.z.raw]
    if let rotation = sample.measurement.rotation { components += [rotation.x.raw, rotation.y.raw, rotation.z.raw] }
  }
}
