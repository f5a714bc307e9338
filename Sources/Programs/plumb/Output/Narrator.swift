package import FixedPoint
import Glibc
package import JSON
import PlumbViews

/// Reports progress to a user who holds a board: events as lines, and a status that replaces the previous one on a
/// terminal.
package struct Narrator {
  package let format: Format
  /// When time starts.
  package var start = Instant(microseconds: 0)
  /// Whether the status is redrawn in place, and so may change often.
  let redraws: Bool

  private var output: Output
  /// The status shown last; nil if something else was written since.
  private var state: String?

  /// Moves up to the previous line and clears it.
  private static let back = "\u{1B}[1A\u{1B}[2K"

  package init(_ format: Format, isLive: Bool) {
    self.format = format
    output = Output(isLive: isLive)
    let terminal = unsafe getenv("TERM").map { unsafe String(cString: $0) }
    redraws = format == .text && isLive && isatty(STDOUT_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }

  /// Writes fields of an object.
  package typealias Fields = (inout JSONWriter) -> Void

  /// The field `detail`.
  package static func detail(_ words: String) -> Fields { { $0.field("detail", words) } }

  /// The object of `event` at `now`.
  private func object(_ event: StaticString, _ fields: [Fields], at now: Instant) -> String {
    JSONText.object { writer in
      writer.field("t", seconds: now - start)
      writer.field("event", event)
      for field in fields { field(&writer) }
    }
  }

  /// Whether the output is closed.
  package var isUnheard: Bool { output.isClosed }

  /// Writes a line that stays.
  package mutating func line(_ text: String) throws(ToolError) {
    state = nil
    try output.line(text, always: true)
  }

  /// Reports what happened to the sensor.
  package mutating func report(_ event: StaticString, _ words: String, at now: Instant) throws(ToolError) {
    switch format {
    case .text: try line(wrapped("\(event): \(words)", behind: stamp(now)))
    case .json: try line(object(event, [Self.detail(words)], at: now))
    }
  }

  /// Writes `text` for people, or `event` with `fields` for scripts.
  package mutating func say(_ text: String, event: StaticString, _ fields: [Fields], at now: Instant) throws(ToolError)
  {
    switch format {
    case .text: try line(wrapped(text, behind: stamp(now)))
    case .json: try line(object(event, fields, at: now))
    }
  }

  /// Shows the status: for people `text`, followed by `progress` if it is redrawn; for scripts the event `status` with
  /// `fields`. An unchanged status is not repeated.
  package mutating func show(_ text: String, progress: Q16? = nil, _ fields: [Fields], at now: Instant)
    throws(ToolError)
  {
    let bar = redraws ? progress.map(Self.bar) ?? "" : ""
    guard state != text + bar else { return }
    let isFollowing = state != nil
    switch format {
    case .text: try output.line((redraws && isFollowing ? Self.back : "") + stamp(now) + text + bar)
    case .json: try output.line(object("status", fields, at: now))
    }
    state = text + bar
  }

  /// Reports that the user has stopped everything.
  package mutating func stop() throws(ToolError) {
    let words =
      format == .text ? "Stopped: nothing was written." : JSONText.object("stopped") { $0.field("written", false) }
    try line(overInterrupt(STDOUT_FILENO) + words)
    try flush()
  }

  /// Writes out everything.
  package mutating func flush() throws(ToolError) { try output.flush() }

  private func stamp(_ now: Instant) -> String {
    (now - start).tableText.rightAligned(to: 8) + "  "
  }

  /// A bar of ten places.
  private static func bar(_ share: Q16) -> String {
    let full = max(0, min(10, Int(share.raw) * 10 / 65_536))
    return " [" + String(repeating: "#", count: full) + String(repeating: "·", count: 10 - full) + "]"
  }
}
