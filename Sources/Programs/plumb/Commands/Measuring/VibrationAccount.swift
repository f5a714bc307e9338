import FixedPoint
import JSON
import PlumbViews
import ToolInputs
import ToolOutput
import Vibration

/// The figures of a vibration over all of its seconds.
struct VibrationAccount {
  /// The edges of the bands.
  let edges: BandEdges
  private(set) var samples: UInt64 = 0
  private(set) var duration: Microseconds = .zero
  /// Sums of squares, and of means times their number of samples; the axes are x, y, z.
  private var squares = [0.0, 0, 0]
  private var means = [0.0, 0, 0]
  private var peaks = [Q16.zero, .zero, .zero]

  init(_ edges: BandEdges) { self.edges = edges }

  /// Adds a second.
  mutating func take(_ report: VibrationReport) {
    let level = report.level
    let count = Double(level.samples)
    samples += UInt64(level.samples)
    duration = duration + (report.end - report.start)
    for (axis, rms) in level.rms.components.enumerated() { squares[axis] += count * rms.double * rms.double }
    for (axis, mean) in level.mean.components.enumerated() { means[axis] += count * mean.double }
    for (axis, peak) in level.peak.components.enumerated() { peaks[axis] = max(peaks[axis], peak) }
  }

  /// The root mean square of x, y, z and all, in g.
  private var strengths: [Double] {
    (squares + [squares.reduce(0, +)]).map { samples > 0 ? ($0 / Double(samples)).squareRoot() : 0 }
  }

  /// The peak divided by the root mean square; nil without vibration.
  private var crests: [Double?] {
    zip(peaks, strengths).map { $1 > 0 ? $0.double / $1 : nil }
  }

  private var gravity: [Double] { means.map { samples > 0 ? $0 / Double(samples) : 0 } }

  /// The names of the bands, made of their edges.
  private var bandNames: [String] {
    (0..<edges.count).map { edges.name(ofBand: $0) }
  }

  /// The tables for people.
  func text(_ figures: SpectrumFigures) -> [String] {
    func row(_ name: String, _ cells: [String]) -> String {
      name.padded(to: 18) + cells.map { $0.rightAligned(to: 10) }.joined()
    }
    func grams(_ value: Double) -> String { figure(value, places: 4, width: 0, sign: false) }
    var lines = [
      row("", SpectrumFigures.names), row("RMS, g", strengths.map(grams)),
      row("peak, g", peaks.map { grams($0.double) }),
      row("crest factor", crests.map { $0.map { figure($0, places: 2, width: 0, sign: false) } ?? "–" }),
      row("mean, g", gravity.map { figure($0, places: 3, width: 0, sign: $0 < 0) }),
    ]
    guard figures.blocks > 0 else { return lines }
    lines.append(
      row(
        "strongest, Hz",
        figures.lines.map { $0.map { figure($0.frequency.double, places: 2, width: 0, sign: false) } ?? "–" }))
    lines.append(row("  RMS, g", figures.lines.map { $0.map { grams($0.rms.double) } ?? "–" }))
    for (band, name) in bandNames.enumerated() {
      lines.append(row(name, figures.bands.map { grams($0[band].double) }))
    }
    return lines
  }

  /// What the figures are based on, for people.
  func sentence(_ figures: SpectrumFigures) -> String {
    let gaps = figures.gaps > 0 ? ", " + counted(figures.gaps, "gap", "gaps") : ""
    let beginning =
      "Summary: \(duration.tableText) s, \(counted(samples, "sample", "samples")) at \(rateText(figures)) Hz\(gaps); "
    guard figures.blocks > 0 else {
      return beginning + "too few samples without a gap for a spectrum, which takes \(figures.block + 4)."
    }
    return beginning + "spectrum of \(counted(figures.blocks, "block", "blocks")) of \(figures.block), "
      + "\(decimalText(figures.step, places: 3)) Hz apart."
  }

  private func rateText(_ figures: SpectrumFigures) -> String {
    decimalText(Int64(figures.rate), over: 1_000, places: 2)
  }

  /// The objects for scripts: the spectrum if there is one, and a summary.
  func json(_ figures: SpectrumFigures) -> [String] {
    let summary = JSONText.object("summary") { writer in
      writer.field("samples", samples)
      writer.field("duration_s", seconds: duration)
      writer.field("rate_hz", decimal: Int64(figures.rate), over: 1_000, places: 3)
      writer.field("gaps", figures.gaps)
      writer.field("rms_g", strengths[3], places: 6)
      writer.field("axes_rms_g", Array(strengths.prefix(3)), places: 6)
      writer.field("axes_peak_g", peaks.map(\.double), places: 6)
      writer.beginArray("axes_crest")
      for crest in crests { writer.element(crest, places: 3) }
      writer.endArray()
      writer.field("mean_g", gravity, places: 6)
      writer.beginArray("edges_hz")
      for index in 0...edges.count { writer.element(edges[index]) }
      writer.endArray()
      guard figures.blocks > 0 else {
        writer.nullField("bands_g")
        writer.nullField("strongest_hz")
        writer.nullField("strongest_g")
        return
      }
      writer.field("bands_g", figures.bands[3].map(\.double), places: 6)
      writer.field("strongest_hz", figures.lines[3]?.frequency.double, places: 3)
      writer.field("strongest_g", figures.lines[3]?.rms.double, places: 6)
    }
    guard figures.blocks > 0 else { return [summary] }
    let spectrum = JSONText.object("spectrum") { writer in
      writer.field("block", figures.block)
      writer.field("blocks", figures.blocks)
      writer.field("step_hz", figures.step, places: 6)
      writer.field("x", figures.densities[0], places: 6)
      writer.field("y", figures.densities[1], places: 6)
      writer.field("z", figures.densities[2], places: 6)
      writer.field("all", figures.densities[3], places: 6)
    }
    return [spectrum, summary]
  }
}

extension Vector3 {
  /// The components x, y, z.
  var components: [Q16] { [x, y, z] }
}
