import Orientation

/// The columns of a recording as numbers for the script of a page: base64 of little-endian words in an object of JSON.
struct PlotNumbers {
  let json: String

  /// Where there is no value.
  private static let none = Int16.min

  init(_ data: PlotData, _ panels: [PlotPanel]) {
    let columns = data.columns.filled
    let forces = Self.shift(columns, [.x, .y, .z])
    let angles = Self.shift(columns, [.device, .pitch, .roll, .inclination, .steering])
    var times: [UInt8] = []
    var values: [UInt8] = []
    var states: [UInt8] = []
    for (index, column) in columns.enumerated() {
      let middle = column.first + (column.last - column.first) / 2
      Self.append((Double(middle) / 1e6).bitPattern, to: &times)
      for span in 0..<PlotTrace.spanCount {
        let shift = span < 3 ? forces : angles
        let isThere = column.low[span] <= column.high[span]
        let low = isThere ? Int16(clamping: column.low[span] >> shift) : Self.none
        let high = isThere ? Int16(clamping: column.high[span] >> shift) : Self.none
        Self.append(UInt16(bitPattern: low), to: &values)
        Self.append(UInt16(bitPattern: high), to: &values)
      }
      let isGap = index > 0 && column.first - columns[index - 1].last >= data.gapLimit
      Self.append(UInt32(column.states) | (isGap ? 1 << 15 : 0) | UInt32(column.marks) << 16, to: &states)
    }
    let reasons = (0...5).map { UnknownReason(rawValue: $0).map { "\($0.name)" } ?? "" }
    let names = (PlotBand.names.prefix(Pose.count) + reasons).map(\.json).joined(separator: ",")
    json = """
      {"from":\(Double(data.earliest) / 1e6),"to":\(Double(data.latest) / 1e6),"left":\(PlotDrawing.left),\
      "width":\(PlotDrawing.plotWidth),"strip":\(PlotDrawing.stripHeight),"force":\(1 << forces),"angle":\(1 << angles),
      "states":[\(names)],"letters":[\(PlotBand.letters.map(\.json).joined(separator: ","))],
      "panels":[\(panels.map(Self.object).joined(separator: ",\n"))],
      "times":"\(Self.base64(times))",
      "values":"\(Self.base64(values))",
      "known":"\(Self.base64(states))"}
      """
  }

  private static func object(_ panel: PlotPanel) -> String {
    let lines = panel.traces.map { trace, name in
      let spans = trace.wraps ? "[\(trace.rawValue),\(trace.negativeSpan)]" : "[\(trace.rawValue)]"
      let unit = trace.rawValue < 3 ? "g" : "°"
      return "{\"id\":\"\(trace)\",\"name\":\(name.json),\"unit\":\"\(unit)\",\"spans\":\(spans)}"
    }
    return "{\"top\":\(panel.top),\"height\":\(panel.height),\"low\":\(panel.low),\"high\":\(panel.high),"
      + "\"lines\":[\(lines.joined(separator: ","))]}"
  }

  /// By how many bits the values of some lines have to be shortened to fit in 16.
  private static func shift(_ columns: [PlotColumn], _ traces: [PlotTrace]) -> Int32 {
    var greatest: UInt32 = 1
    for column in columns {
      for span in traces.flatMap({ $0.wraps ? [$0.rawValue, $0.negativeSpan] : [$0.rawValue] })
      where column.low[span] <= column.high[span] {
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
