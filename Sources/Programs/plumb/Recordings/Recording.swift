package import FixedPoint
package import Sensors

/// A recording of specific force over time, and of rotation if there was a gyroscope, read sample by sample: a CSV file
/// with the columns `time_s,x_g,y_g,z_g`, or `time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps`, or in another format that
/// `RecordingFormat` knows.
package struct Recording: ~Copyable {
  package struct Sample {
    package var time: Instant
    package var measurement: Measurement

    package init(time: Instant, measurement: Measurement) {
      self.time = time
      self.measurement = measurement
    }
  }

  package static let header = "time_s,x_g,y_g,z_g"
  package static let headerWithRotation = header + ",x_dps,y_dps,z_dps"

  private var file: InputFile
  private let format: RecordingFormat
  /// The number of samples so far.
  package private(set) var samples = 0

  /// Reads the header of `file`.
  package init(_ file: consuming InputFile, _ choice: RecordingFormat.Choice) throws(InputError) {
    format = try RecordingFormat(of: &file, choice)
    self.file = file
  }

  /// What messages call it.
  package var name: String { file.name }

  /// Whether samples have rotation rates: all, or none.
  package var hasRotation: Bool { format.hasRotation }

  /// The next sample; nil after the last one. A malformed line is an error, and so is a recording without samples.
  package mutating func next() throws(InputError) -> Sample? {
    while let line = try file.nextLine() {
      guard let values = format.exactValues(file.bytes.span, line) else {
        guard let sample = try slowSample(line) else { continue }
        samples += 1
        return sample
      }
      samples += 1
      return sample(values)
    }
    guard samples > 0 else { throw InputError(.data, "\(file.name): there is no sample after the header") }
    return nil
  }

  /// Progress of reading, in percent; nil if unknown, as for a pipe.
  package var share: Int64? { file.size.map { min(100, file.position * 100 / $0) } }

  /// The sample in a line that may be malformed or empty, or has numbers that only the system's conversion reads
  /// exactly.
  private func slowSample(_ line: Range<Int>) throws(InputError) -> Sample? {
    let line = format.trimmed(file.bytes[line])
    guard !line.isEmpty else { return nil }
    return sample(try format.values(line, at: file.place))
  }

  /// The sample with `values`, which are within the limits.
  @inline(__always)
  private func sample(_ values: RecordingFormat.Values) -> Sample {
    let (scale, rotationScale) = (format.scale, format.rotationScale)
    let force = Vector3(
      x: Self.q16(values[1], scale), y: Self.q16(values[2], scale), z: Self.q16(values[3], scale))
    let rotation =
      format.hasRotation
      ? Vector3(
        x: Self.q16(values[4], rotationScale), y: Self.q16(values[5], rotationScale),
        z: Self.q16(values[6], rotationScale)) : nil
    return Sample(
      time: Instant(microseconds: Self.rounded(values[0] * 1e6)),
      measurement: Measurement(force: force, rotation: rotation))
  }

  /// `value` / `scale` as Q16.16.
  @inline(__always)
  private static func q16(_ value: Double, _ scale: Double) -> Q16 {
    Q16(raw: Int32(rounded((scale == 1 ? value : value / scale) * 65_536)))
  }

  /// The nearest integer, ties away from zero: like `rounded()`, but without a call.
  @inline(__always)
  private static func rounded(_ value: Double) -> Int64 {
    let whole = Int64(value)
    let rest = value - Double(whole)
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  }
}
