internal import FixedPoint
internal import Glibc
internal import Vibration

/// The picture of a spectrum: each axis's density over frequency, on a logarithmic scale.
package struct SpectrumDrawing {
  private static let height = 360

  private let figures: SpectrumFigures
  private let frequency: PlotScale
  private let density: PlotScale
  /// The powers of ten at the ends of the scale, in g/√Hz.
  private let decades: ClosedRange<Int>
  private var svg = SVG()
  private var y = 80

  /// The picture as SVG.
  package static func text(_ figures: SpectrumFigures, title: String) -> String {
    var drawing = SpectrumDrawing(figures)
    drawing.draw(title)
    let name = SVG.escaped(title)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(PlotDrawing.width) \(drawing.y)" role="img" \
      aria-label="\(name)">
      <title>\(name)</title>
      <style>
      \(PlotStyle.text(withRotation: false))</style>
      <defs><clipPath id="clip"><path d="M-20-20h\(PlotDrawing.plotWidth * 10 + 40)v9000H-20z"/></clipPath></defs>
      <rect class="paper" width="100%" height="100%"/>

      """ + drawing.svg.body + "</svg>\n"
  }

  private init(_ figures: SpectrumFigures) {
    self.figures = figures
    let values = figures.densities.prefix(3).joined()
    let top = Int(log10(max(1e-6, values.max() ?? 1)).rounded(.up))
    // From the lowest value, but at least one decade and at most five.
    let least = values.filter { $0 > 0 }.min() ?? 1e-6
    decades = min(max(top - 5, Int(log10(least).rounded(.down))), top - 1)...top
    frequency = PlotScale(
      low: 0, high: Int64(figures.rate) * 65_536 / 2_000, start: 0, end: PlotDrawing.plotWidth * 10)
    density = PlotScale(
      low: Int64(decades.lowerBound) * 10_000, high: Int64(decades.upperBound) * 10_000, start: Self.height * 10, end: 0
    )
  }

  private mutating func draw(_ title: String) {
    svg.text("title", SVG.Point(x: 14, y: 36), PlotDrawing.cut(title, to: 44))
    svg.text("subtitle", SVG.Point(x: 14, y: 62), facts)
    y += 34
    svg.text("heading", SVG.Point(x: PlotDrawing.left, y: y - 9), "Density of the vibration, g/√Hz")
    svg.legend(SpectrumFigures.names.prefix(3).map { ($0, $0) }, y: y)
    var grid = ""
    for decade in decades {
      let place = density.place(Int64(decade) * 10_000)
      grid += "<path class=\"grid\" d=\"M0 \(place)h\(PlotDrawing.plotWidth * 10)\"/>"
      svg.text("tick end", SVG.Point(x: PlotDrawing.left - 8, y: y + (place + 5) / 10 + 5), Self.label(decade))
    }
    for tick in frequencies.ticks {
      grid += "<path class=\"grid\" d=\"M\(frequency.place(tick.value)) 0v\(Self.height * 10)\"/>"
    }
    svg.raw(PlotDrawing.group(y, grid, clipped: false))
    for (axis, name) in SpectrumFigures.names.prefix(3).enumerated() {
      let line = "<path id=\"line-\(name)\" class=\"line \(name)\" d=\"\(path(figures.densities[axis]))\"/>"
      svg.raw(PlotDrawing.group(y, line))
    }
    svg.rectangle("frame", x: PlotDrawing.left, y: y, width: PlotDrawing.plotWidth, height: Self.height)
    y += Self.height
    for tick in frequencies.ticks {
      svg.text(
        "tick middle", SVG.Point(x: PlotDrawing.left + (frequency.place(tick.value) + 5) / 10, y: y + 20), tick.label)
    }
    svg.text("tick middle", SVG.Point(x: PlotDrawing.left + PlotDrawing.plotWidth / 2, y: y + 42), "frequency, Hz")
    y += 62
  }

  private var frequencies: PlotTicks { .values(from: 0, to: frequency.high, count: 8) }

  private var facts: String {
    var facts = ["\(PlotDrawing.grouped(Int(figures.blocks))) \(figures.blocks == 1 ? "block" : "blocks")"]
    facts.append("\(decimalText(figures.step, places: 2)) Hz apart")
    if let line = figures.lines[3] {
      facts.append("strongest \(decimalText(line.frequency.double, places: 1)) Hz, \(line.rms.text(places: 4)) g RMS")
    }
    return facts.joined(separator: " · ")
  }

  /// The line through the densities of all bins; values below the scale are at its end.
  private func path(_ densities: [Double]) -> String {
    var path = PlotPath()
    for (index, value) in densities.enumerated() {
      let level = value > 0 ? Int64((log10(value) * 10_000).rounded()) : density.low
      let x = frequency.place(Int64(index + 1) * Int64(figures.rate) * 65_536 / (1_000 * Int64(figures.block)))
      let height = density.place(max(density.low, level))
      if index == 0 { path.move(x, height) } else { path.line(x, height) }
    }
    return path.text
  }

  /// Ten to the power `decade`, with a unit prefix.
  private static func label(_ decade: Int) -> String {
    let power = decade + 6
    guard power >= 0, decade <= 2 else { return "1e\(decade)" }
    let digits = ["1", "10", "100"][power % 3]
    return digits + ["µ", "m", ""][power / 3]
  }
}
