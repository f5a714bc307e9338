internal import CPageFiles
internal import JSON
internal import Orientation
internal import Text

/// The picture as a page with readout and zoom. Without scripts, it shows only the picture.
package enum PlotPage {
  /// How many columns it contains at most: four times those of the picture, because it can be zoomed.
  package static let columnLimit = 4 * PlotDrawing.columnLimit

  package static func text(_ data: PlotData, title: String) -> String {
    let (picture, panels) = PlotDrawing.drawn(data, title: title, isEmbedded: true)
    let name = SVG.escaped(title)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline';script-src \
      'unsafe-inline'">
      <title>\(name)</title>
      <style>
      \(style)</style>
      <main>
      <div id="tools" hidden>
      <div id="buttons"><button data-key="+" aria-label="zoom in">+</button><button data-key="-" aria-label="zoom \
      out">−</button><button data-key="ArrowLeft" aria-label="earlier">←</button><button data-key="ArrowRight" \
      aria-label="later">→</button><button data-key="0">all</button><span id="range"></span></div>
      <div id="read" aria-live="off">Point at the picture to read values; drag across it to zoom in.</div>
      </div>
      \(picture)<div id="desk"></div>
      </main>
      <script type="application/json" id="data">
      \(PlotNumbers(data, panels).json)
      </script>
      <script>
      \(script)</script>
      </html>

      """
  }

  /// Redraws the picture for a part of its time, from the same columns.
  private static let script = unsafe String(page_file_plot_js())

  private static let style = """
    body{margin:0;background:#fff;color:#1f2933;font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
    main{max-width:60rem;margin:0 \
    auto}svg{display:block;width:100%;height:auto;touch-action:pan-y;user-select:none;-webkit-user-select:none}
    #tools:not([hidden]){position:sticky;top:0;background:#fff;padding:.5rem .8rem;border-bottom:1px solid \
    #dde2e7;z-index:1}
    #buttons{display:flex;gap:.4rem;align-items:center;flex-wrap:wrap}
    button{font:inherit;min-width:2.6rem;min-height:2.2rem;border:1px solid \
    #7b8794;border-radius:6px;background:#f5f7f9;color:inherit}
    #range{margin-left:.4rem}#read{min-height:4.4em;font-variant-numeric:tabular-nums}#read b{font-weight:600}#read \
    span{white-space:nowrap;margin-right:.9em}
    #cursor{stroke:#c92a2a;stroke-width:1.5;fill:none;pointer-events:none}#chosen{fill:#0072b2;opacity:.2;pointer-events:none}
    @media (prefers-color-scheme:dark){body,#tools:not([hidden]){background:#0d1117;color:#e6edf3}#tools:not([hidden]){border-color:#30363d}
    button{background:#21262d;border-color:#8b949e}#cursor{stroke:#ff7b72}#chosen{fill:#62b8f5}}
    #desk{display:none}
    @media (min-width:70rem){main{max-width:100rem}.split #desk{display:grid;grid-template-columns:1fr 1fr;gap:0 1rem;align-items:start}
    .split #picture{position:absolute;width:0;height:0}#tools:not([hidden]){display:flex;gap:1.5rem;align-items:center;padding:.3rem .8rem}
    #buttons{flex:none}#read{min-height:3em}}

    """
}

/// The columns as numbers for the page's script: little-endian words in base64, in a JSON object.
struct PlotNumbers {
  let json: String

  /// The number for no value.
  private static let none = Int16.min

  init(_ data: PlotData, _ panels: [PlotPanel]) {
    let columns = data.columns.filled
    let longestInterval = data.times.longestInterval
    let forces = Self.shift(columns, [.x, .y, .z])
    let angles = Self.shift(columns, [.device, .pitch, .roll, .inclination, .steering])
    let rotations = Self.shift(columns, [.rotationX, .rotationY, .rotationZ])
    let hasRotation = columns.contains(where: \.hasRotation)
    var times: [UInt8] = []
    var values: [UInt8] = []
    var states: [UInt8] = []
    for (index, column) in columns.enumerated() {
      let middle = column.first + (column.last - column.first) / 2
      Self.append((Double(middle) / 1e6).bitPattern, to: &times)
      for span in 0..<PlotTrace.spanCount(withRotation: hasRotation) {
        let shift = span < 3 ? forces : span < PlotTrace.rotationX.span ? angles : rotations
        let isThere = column.low[span] <= column.high[span]
        let low = isThere ? Int16(clamping: column.low[span] >> shift) : Self.none
        let high = isThere ? Int16(clamping: column.high[span] >> shift) : Self.none
        Self.append(UInt16(bitPattern: low), to: &values)
        Self.append(UInt16(bitPattern: high), to: &values)
      }
      let isGap = index > 0 && column.first - columns[index - 1].last > longestInterval
      let known = UInt32(column.states) | (isGap ? 1 << 15 : 0) | UInt32(column.marks) << 16
      Self.append(known | UInt32(column.gap.rawValue) << 24, to: &states)
    }
    let reasons = (0...5).map { UnknownReason(rawValue: $0).map { "\($0.message)" } ?? "" }
    let names = JSONText.array(of: PlotBand.names.prefix(Pose.count) + reasons)
    let rotation = hasRotation ? ",\"rotation\":\(1 << rotations)" : ""
    json = """
      {"from":\(Double(data.earliest) / 1e6),"to":\(Double(data.latest) / 1e6),"left":\(PlotDrawing.left),"width":\(PlotDrawing.plotWidth),"strip":\(PlotDrawing.stripHeight),"force":\(1 << forces),"angle":\(1 << angles)\(rotation),
      "states":\(names),"short":\(JSONText.array(of: PlotBand.shortNames)),"letters":\(JSONText.array(of: PlotBand.letters)),
      "gaps":[\(PlotGap.allCases.map { JSONText.array(of: $0.names) }.joined(separator: ","))],
      "panels":[\(panels.map(Self.object).joined(separator: ",\n"))],
      "times":"\(Self.base64(times))",
      "values":"\(Self.base64(values))",
      "known":"\(Self.base64(states))"}
      """
  }

  private static func object(_ panel: PlotPanel) -> String {
    JSONText.object { writer in
      writer.field("top", panel.top)
      writer.field("height", panel.height)
      writer.field("low", panel.low)
      writer.field("high", panel.high)
      writer.beginArray("lines")
      for (trace, name) in panel.traces {
        writer.beginObject()
        writer.field("id", "\(trace)")
        writer.field("name", name)
        writer.field("unit", "\(trace.unit)")
        writer.beginArray("spans")
        for span in trace.spans { writer.element(span) }
        writer.endArray()
        writer.endObject()
      }
      writer.endArray()
    }
  }

  /// By how many bits the values of some lines must be shifted right to fit into 16.
  private static func shift(_ columns: [PlotColumn], _ traces: [PlotTrace]) -> Int32 {
    var greatest: UInt32 = 1
    for column in columns {
      for span in traces.flatMap(\.spans) where column.low[span] <= column.high[span] {
        greatest = max(greatest, max(column.low[span].magnitude, column.high[span].magnitude))
      }
    }
    return max(0, Int32(32 - greatest.leadingZeroBitCount) - 14)
  }

  private static func append(_ word: some FixedWidthInteger, to bytes: inout [UInt8]) {
    var rest = word
    for _ in 0..<(word.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes bytes in base64.
  ///
  /// - Source: RFC 4648, 4.
  private static func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = (0..<3).map { start + $0 < bytes.count ? UInt32(bytes[start + $0]) : 0 }
      let bits = group[0] << 16 | group[1] << 8 | group[2]
      let count = min(3, bytes.count - start) + 1
      for place in 0..<4 {
        text.append(place < count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
