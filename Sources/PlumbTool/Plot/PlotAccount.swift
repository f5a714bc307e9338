import FixedPoint
import Monitor

/// What was drawn, and to where.
struct PlotAccount {
  var path: String
  /// Of the picture, in bytes.
  var size: Int
  var data: PlotData

  private var span: Microseconds { Microseconds(data.span) }

  /// A line for people.
  var text: String {
    "Drawn: \(data.samples) \(data.samples == 1 ? "sample" : "samples"), \(span.tableText) s, to \(printable(path)) "
      + "(\((size + 500) / 1_000) kB)."
  }

  /// One object.
  var json: String {
    let counters = data.counters
    return "{\"event\":\"summary\",\"file\":\(path.json),\"bytes\":\(size),\"samples\":\(data.samples),"
      + "\"duration_s\":\(span.secondsText),\"pose_changes\":\(counters.poseChanges),\"shakes\":\(counters.shakes),"
      + "\"gaps\":\(data.gaps.count),\"gap_s\":\(Microseconds(data.gaps.total).secondsText),"
      + "\"backwards\":\(data.backwards)}"
  }
}
