package import FixedPoint
package import JSON
package import Vibration

// The object of the vibration in one second.
extension JSONWriter {
  /// Writes the strength of the vibration.
  package mutating func fields(of second: VibrationSecond) {
    field("rms_g", second.total)
    field("axes_rms_g", second.rms)
    field("axes_peak_g", second.peak)
    beginArray("edges_hz")
    for index in 0...second.edges.count { element(edge: second.edges[index]) }
    endArray()
    guard second.hasBands else { return nullField("bands_g") }
    beginArray("bands_g")
    for index in 0..<second.edges.count { element(second.rms(inBand: index), places: 6) }
    endArray()
  }

  /// Writes a band edge with three places, as in a board file, or with six if three are not enough to read it back
  /// exactly.
  private mutating func element(edge: Q16) {
    let raw: Int64 = widened(edge.raw)
    // Edges are not negative.
    let thousandths = (raw &* 1_000 &+ 0x8000) / 0x1_0000
    element(edge, places: (thousandths &* 0x1_0000 &+ 500) / 1_000 == raw ? 3 : 6)
  }
}

extension VibrationSecond {
  /// The vibration in `object`; nil if something is missing, or if its bands are invalid.
  package init?(_ object: JSONObject, from start: Instant) {
    guard let instant = object.instant(from: start), let total = object["rms_g"]?.q16,
      let rms = object["axes_rms_g"]?.vector, let peak = object["axes_peak_g"]?.vector, let list = object["edges_hz"],
      let edges = BandEdges(list)
    else { return nil }
    let bands = object["bands_g"].flatMap { $0.isNull ? nil : $0 }
    self.init(at: instant, total: total, rms: rms, peak: peak, edges, hasBands: bands != nil)
    guard let bands else { return }
    guard bands[edges.count] == nil else { return nil }
    for index in 0..<edges.count {
      guard let strength = bands[index]?.q16 else { return nil }
      setRMS(strength, inBand: index)
    }
  }
}

extension BandEdges {
  /// The edges in an array; nil if they are invalid.
  fileprivate init?(_ list: JSONValue) {
    var edges = InlineArray<9, Q16>(repeating: .zero)
    var count = 0
    while let value = list[count] {
      guard count < 9, let edge = value.q16 else { return nil }
      edges[count] = edge
      count &+= 1
    }
    do throws(VibrationError) { try self.init(edges.span.extracting(first: count)) } catch { return nil }
  }
}
