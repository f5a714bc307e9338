internal import Orientation

// A scene as the page and scripts get it: the present figures, the fixed part, and the past.
extension Scene {
  /// The present figures as fields of an object, without the braces.
  ///
  /// `age`: time since the last news of the loop, s. `reason`: the name of the reason why the pose is unknown.
  package func figures(age: Double, reason: String?) -> String {
    var fields = ["\"t\":\(JSONText.number(elapsed, 3))", "\"age_s\":\(JSONText.number(age, 2))"]
    switch pose {
    case .known(let number, let words, let meaning):
      // Scripts get the pose's name.
      let name = Pose(rawValue: UInt8(clamping: number)).map { "\($0.name)" } ?? words
      fields.append("\"pose\":\(JSONText.string(name)),\"number\":\(number),\"reason\":null")
      fields.append("\"meaning\":\(JSONText.string(meaning))")
    case .unknown(let words):
      fields.append("\"pose\":\"unknown\",\"number\":null,\"reason\":\(reason.map(JSONText.string) ?? "null")")
      fields.append("\"meaning\":\(JSONText.string(words))")
    }
    for (name, value) in [("x", force?.x), ("y", force?.y), ("z", force?.z)] {
      fields.append("\"\(name)\":\(value.map { JSONText.number($0, 4) } ?? "null")")
    }
    for angle in angles {
      let value = force == nil ? nil : angle.degrees
      fields.append("\"\(angle.name)_deg\":\(value.map { JSONText.number($0, 1) } ?? "null")")
    }
    fields.append("\"steering_deg\":\(JSONText.number(steering, 1))")
    fields.append("\"scroll\":\(JSONText.array([scroll.x, scroll.y], 4))")
    fields.append("\"lit\":[\(lamps.map { $0.isLit ? "1" : "0" }.joined(separator: ","))]")
    fields.append("\"attitude\":[\(attitude.axes.map { JSONText.array($0, 4) }.joined(separator: ","))]")
    fields += fusionFields
    let counts = zip(Self.counterKeys, counters).map { "\"\($0)\":\($1.count)" }
    fields.append("\"counters\":{\(counts.joined(separator: ","))}")
    return fields.joined(separator: ",")
  }

  /// The fields of the fusion with a gyroscope; all null without one.
  private var fusionFields: [String] {
    let fresh = fusion.flatMap { $0.isFresh ? $0 : nil }
    let bias = fusion.flatMap { $0.isBiasKnown ? $0.bias : nil }
    func array(_ vector: Force?, _ places: Int) -> String {
      vector.map { JSONText.array([$0.x, $0.y, $0.z], places) } ?? "null"
    }
    func number(_ value: Double?, _ places: Int) -> String { value.map { JSONText.number($0, places) } ?? "null" }
    return [
      "\"up\":" + array(fresh?.up, 6), "\"heading_deg\":" + number(fresh?.heading, 1),
      "\"rate_dps\":" + array(fresh?.rate, 2), "\"still\":" + (fresh.map { "\($0.isStill)" } ?? "null"),
      "\"certainty\":" + (fresh.map { JSONText.string($0.certainty.rawValue) } ?? "null"),
      "\"bias_dps\":" + array(bias, 2), "\"temperature_c\":" + number(fusion?.temperature, 1),
      "\"clipped_samples\":" + (fusion.map { "\($0.clippedSamples)" } ?? "null"),
    ]
  }

  /// The names of the counters for scripts, in order.
  private static let counterKeys = ["samples", "late_samples", "faults", "recoveries", "transactions", "shakes"]

  /// The fixed part as fields of an object: the title and the names of the lines.
  package var setting: String {
    let lamps = lamps.map { lamp in
      "{\"label\":\(JSONText.string(lamp.label)),\"pose\":\(lamp.pose.map(String.init) ?? "null")}"
    }
    return "\"title\":\(JSONText.string(title)),\"lamps\":[\(lamps.joined(separator: ","))]"
  }
}

extension History {
  /// The number of the present slice; -1 before the first.
  package var last: Int { slices.isEmpty ? -1 : number }

  /// The slices from number `first` on, at most the latest `limit`: number, least and greatest x, y and z in mg or
  /// null, number of the pose or null.
  package func json(from first: Int, limit: Int) -> String {
    let count = min(limit, slices.count, max(0, last - first + 1))
    let shown = slices.suffix(count).enumerated().map { index, slice in
      let ranges = slice.ranges?.flatMap { [$0.lowerBound, $0.upperBound] }
      let values = ranges?.map { JSONText.number($0 * 1_000, 0) } ?? Array(repeating: "null", count: 6)
      let number = last - count + 1 + index
      return "[\(number),\(values.joined(separator: ",")),\(slice.pose.map(String.init) ?? "null")]"
    }
    return "[" + shown.joined(separator: ",") + "]"
  }
}
