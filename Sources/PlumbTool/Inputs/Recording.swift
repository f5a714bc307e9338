import FixedPoint
import Monitor

/// A recording of specific force over time: a CSV file with the columns `time_s,x_g,y_g,z_g`.
struct Recording {
  struct Sample {
    var time: Instant
    var force: Vector3
  }

  static let header = "time_s,x_g,y_g,z_g"

  private(set) var samples: [Sample] = []

  /// Reads all of `file`. Either all lines are good or the error names the first bad one.
  init(_ file: consuming InputFile) throws(ToolError) {
    var unseen = Progress(isQuiet: true)
    try self.init(file, telling: &unseen)
  }

  /// The same, telling how far it is.
  init(_ file: consuming InputFile, telling progress: inout Progress) throws(ToolError) {
    guard var first = try file.line() else {
      throw ToolError(.data, "\(file.name): the file is empty; a header \"\(Self.header)\" was expected")
    }
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { first.removeFirst(3) }
    guard first.filter({ ![0x20, 0x22, 0x0D].contains($0) }).elementsEqual(Self.header.utf8) else {
      throw ToolError(
        .data, "\(file.place): the header is \(quoted(trimmed(first[...]))); \"\(Self.header)\" was expected")
    }
    while let line = try file.line() {
      let text = trimmed(line[...])
      if !text.isEmpty { samples.append(try Self.sample(text, at: file.place)) }
      if samples.count & 0xFFF == 0 && progress.isDue() { progress.show("Reading: \(samples.count) samples …") }
    }
    guard !samples.isEmpty else { throw ToolError(.data, "\(file.name): there is no sample after the header") }
  }

  private static func sample(_ line: ArraySlice<UInt8>, at place: String) throws(ToolError) -> Sample {
    let fields = line.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard fields.count == 4 else {
      throw ToolError(.data, "\(place): \(fields.count) columns where 4 were expected, in \(quoted(line))")
    }
    // ±1e12 s and ±32767 g: what 64 bits of microseconds and Q16.16 can hold, with room for differences.
    let time = try number(fields[0], "time_s", limit: 1e12, at: place)
    let force = Vector3(
      x: q16(try number(fields[1], "x_g", limit: 32_767, at: place)),
      y: q16(try number(fields[2], "y_g", limit: 32_767, at: place)),
      z: q16(try number(fields[3], "z_g", limit: 32_767, at: place)))
    return Sample(time: Instant(microseconds: Int64((time * 1e6).rounded())), force: force)
  }

  private static func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }

  private static func number(_ field: ArraySlice<UInt8>, _ column: String, limit: Double, at place: String)
    throws(ToolError) -> Double
  {
    let text = trimmed(field)
    // Decimal digits, sign, point and exponent only: no hexadecimal, no words, and no NUL that would hide the rest.
    let isDecimal = text.allSatisfy { (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
    guard isDecimal, let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      throw ToolError(.data, "\(place): \(column) is \(quoted(text)), which is no number")
    }
    guard value.magnitude <= limit else {
      throw ToolError(.data, "\(place): \(column) is \(quoted(text)), beyond ±\(Int64(limit))")
    }
    return value
  }
}

/// A recording as if it happened now: the same pipeline as on a live board, as fast as possible, without suspicion of
/// samples.
struct RecordedBoard: ObservationSource {
  let start: Instant
  /// The sample of the last observation, as it was recorded.
  private(set) var latest: Recording.Sample
  private let samples: [Recording.Sample]
  private var index = 0
  private var monitor: Monitor
  /// The latest time so far: times may run backwards.
  private var end: Instant

  init(_ recording: Recording, movement: Movement.Configuration) {
    samples = recording.samples
    latest = samples.first ?? Recording.Sample(time: Instant(microseconds: 0), force: .zero)
    (start, end) = (latest.time, latest.time)
    var configuration = Monitor.Configuration.recording
    configuration.movement = movement
    monitor = Monitor(configuration, at: start)
  }

  mutating func next() -> Observation? {
    guard index < samples.count else { return nil }
    latest = samples[index]
    index += 1
    end = max(end, latest.time)
    return Observation(monitor.sampled(latest.force, at: latest.time), monitor)
  }

  var summary: Summary { Summary(duration: end - start, counters: monitor.counters) }
}

/// `bytes` without white space at either end.
private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
  var slice = bytes
  while let first = slice.first, isSpace(first) { slice = slice.dropFirst() }
  while let last = slice.last, isSpace(last) { slice = slice.dropLast() }
  return slice
}
