/// The style sheet of a plot: light by default, dark if the reader's system is.
///
/// The lines have the colours of Okabe and Ito, which remain distinct with any kind of colour vision.
enum PlotStyle {
  static func text(withRotation hasRotation: Bool) -> String {
    func all(_ lines: [String], _ poses: [String]) -> String {
      colours(lines: lines, poses: poses) + (hasRotation ? rotationColours(lines) : "")
    }
    return base + all(onLight, posesOnLight) + "@media (prefers-color-scheme:dark){\n" + dark
      + all(onDark, posesOnDark) + "}\n"
  }

  private static let traces = ["x", "y", "z", "device", "steering", "inclination", "pitch", "roll"]
  private static let onLight = [
    "#d55e00", "#009e73", "#0072b2", "#0072b2", "#b0508a", "#007a59", "#d55e00", "#0072b2",
  ]
  private static let onDark = [
    "#ff9248", "#2fcfa0", "#62b8f5", "#62b8f5", "#ef9fcb", "#2fcfa0", "#ff9248", "#62b8f5",
  ]
  private static let posesOnLight = ["#a3cdf0", "#f5b183", "#f3e27d", "#e2b0d4", "#98dcbb", "#c3bcb3"]
  private static let posesOnDark = ["#1f5f8b", "#95501f", "#756710", "#7d3f67", "#1b6e50", "#5c564e"]

  private static func colours(lines: [String], poses: [String]) -> String {
    zip(traces, lines).map { ".line.\($0){stroke:\($1)}" }.joined() + "\n"
      + poses.enumerated().map { ".p\($0){fill:\($1)}" }.joined() + "\n"
  }

  /// Rotation axes have the same colours as those of the force.
  private static func rotationColours(_ lines: [String]) -> String {
    zip(["rotationX", "rotationY", "rotationZ"], lines).map { ".line.\($0){stroke:\($1)}" }.joined() + "\n"
  }

  private static let dark = """
    .paper{fill:#0d1117}text{fill:#e6edf3}.subtitle,.tick,.note{fill:#aab6c2}.grid{stroke:#e6edf3;stroke-opacity:.16}
    .zero{stroke-opacity:.4}.frame{stroke:#8b949e}.rule{stroke:#30363d}.hatch{stroke:#8b949e}.tint{opacity:.38}
    .mark{stroke:#e6edf3}.mark.trouble,.mark.backwards{stroke:#ff7b72}.mark.shake{stroke:#e3b341}

    """

  private static let base = """
    text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu \
    Sans",sans-serif;font-size:16px;fill:#1f2933}
    .paper{fill:#fff}.title{font-size:25px;font-weight:700}.subtitle{font-size:18px;fill:#52606d}
    .heading{font-weight:700}.key{font-size:15px}.tick{font-size:15px;fill:#52606d}.note{font-size:15px;fill:#52606d}
    .label{font-size:15px}.end{text-anchor:end}.middle{text-anchor:middle}
    .grid{stroke:#1f2933;stroke-opacity:.13;stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
    .zero{stroke-opacity:.4}.frame{fill:none;stroke:#7b8794}.rule{stroke:#dde2e7;fill:none}
    .line{fill:none;stroke-width:17;stroke-linejoin:round;stroke-linecap:round}.sample.line{stroke-width:3}
    .hatch{stroke:#7b8794;stroke-width:2;stroke-opacity:.55;fill:none}.hatch.wide{stroke-width:20}
    .dead{fill:url(#wide)}.sample.dead{fill:url(#hatch);stroke:#7b8794}.p6{fill:url(#hatch)}g g>.p6{fill:url(#wide)}
    #tint .p6{fill:#7b8794;opacity:.7}
    .tint{opacity:.3}.mark{stroke:#1f2933;stroke-width:22;fill:none}.mark.trouble,.mark.backwards{stroke:#c92a2a}
    .mark.shake{stroke:#a16207}

    """
}
