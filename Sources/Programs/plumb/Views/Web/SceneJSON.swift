package import JSON
internal import Orientation

// A scene for the page and for scripts: the present figures, the fixed part, and the history.
extension Scene {
  /// Writes the present figures, in an object that has begun.
  ///
  /// `age` is the time since the last news of the loop, in s. `reason` is the name of the reason why the pose is
  /// unknown.
  package func writeFigures(age: Double, reason: String?, to writer: inout JSONWriter) {
    writer.field("t", elapsed, places: 3)
    writer.field("age_s", age, places: 2)
    switch pose {
    case .known(let number, let words, let meaning):
      // Scripts get the pose's name.
      writer.field("pose", Pose(rawValue: UInt8(clamping: number)).map { "\($0.name)" } ?? words)
      writer.field("number", number)
      writer.nullField("reason")
      writer.field("meaning", meaning)
    case .unknown(let words):
      writer.field("pose", "unknown")
      writer.nullField("number")
      writer.field("reason", reason)
      writer.field("meaning", words)
    }
    writer.field("x", force?.x, places: 4)
    writer.field("y", force?.y, places: 4)
    writer.field("z", force?.z, places: 4)
    for angle in angles { writer.field(key: "\(angle.name)_deg", force == nil ? nil : angle.degrees, places: 1) }
    writer.field("steering_deg", steering, places: 1)
    writer.field("scroll", [scroll.x, scroll.y], places: 4)
    writer.beginArray("lit")
    for lamp in lamps { writer.element(lamp.isLit ? 1 : 0) }
    writer.endArray()
    writer.beginArray("attitude")
    for axis in attitude.axes {
      writer.beginArray()
      for component in axis { writer.element(component, places: 4) }
      writer.endArray()
    }
    writer.endArray()
    writeFusion(to: &writer)
    writeVibration(to: &writer)
    writer.beginObject("counters")
    for (key, counter) in zip(Self.counterKeys, counters) { writer.field(key: key, counter.count) }
    writer.endObject()
  }

  /// Writes the fields of the fusion with a gyroscope; all null without one.
  private func writeFusion(to writer: inout JSONWriter) {
    let fresh = fusion.flatMap { $0.isFresh ? $0 : nil }
    let bias = fusion.flatMap { $0.isBiasKnown ? $0.bias : nil }
    func components(_ vector: Force?) -> [Double]? { vector.map { [$0.x, $0.y, $0.z] } }
    writer.field("up", components(fresh?.up), places: 6)
    writer.field("heading_deg", fresh?.heading, places: 1)
    writer.field("rate_dps", components(fresh?.rate), places: 2)
    writer.field("still", fresh?.isStill ?? isStill)
    writer.field("certainty", fresh?.certainty.name)
    writer.field("bias_dps", components(bias), places: 2)
    writer.field("temperature_c", fusion?.temperature, places: 1)
    if let fusion {
      writer.field("clipped_samples", fusion.clippedSamples)
    } else {
      writer.nullField("clipped_samples")
    }
  }

  private func writeVibration(to writer: inout JSONWriter) {
    guard let vibration else { return writer.nullField("vibration") }
    writer.beginObject("vibration")
    writer.field("rms_g", vibration.total, places: 4)
    writer.beginArray("bands")
    for band in vibration.bands {
      writer.beginObject()
      writer.field("band", band.name)
      writer.field("rms_g", band.rms, places: 4)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  /// The names of the counters for scripts, in order.
  private static let counterKeys = ["samples", "late_samples", "faults", "recoveries", "transactions", "shakes"]

  /// Writes the fixed part, in an object that has begun: the title and the names of the lines.
  package func writeSetting(to writer: inout JSONWriter) {
    writer.field("title", title)
    writer.beginArray("lamps")
    for lamp in lamps {
      writer.beginObject()
      writer.field("label", lamp.label)
      writer.field("pose", lamp.pose)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension History {
  /// The number of the present slice; -1 before the first.
  package var last: Int { slices.isEmpty ? -1 : number }

  /// Writes `slices`, from number `first` on, but at most the latest `limit`: the number, the minimum and maximum of x,
  /// y and z in mg or null, and the number of the pose or null.
  package func write(from first: Int, limit: Int, to writer: inout JSONWriter) {
    let count = min(limit, slices.count, max(0, last - first + 1))
    writer.beginArray("slices")
    for (index, slice) in slices.suffix(count).enumerated() {
      writer.beginArray()
      writer.element(last - count + 1 + index)
      if let ranges = slice.ranges {
        for range in ranges {
          writer.element(range.lowerBound * 1_000, places: 0)
          writer.element(range.upperBound * 1_000, places: 0)
        }
      } else {
        for _ in 0..<6 { writer.nullElement() }
      }
      if let pose = slice.pose { writer.element(pose) } else { writer.nullElement() }
      writer.endArray()
    }
    writer.endArray()
  }
}
