package import FixedPoint
import Glibc
package import JSON
import PlumbViews

/// Reports progress to a user who holds a board: events as lines, and a state that replaces the last one on a terminal.
package struct Narrator {
  package let format: Format
  /// When time began.
  package var start = Instant(microseconds: 0)
  /// Whether the state is drawn again in its place, and so may change often.
  let redraws: Bool

  private var output: Output
  /// The state shown last; nil where something else came since.
  private var state: String?

  /// Goes up to the line before and clears it.
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

  /// Says something that stays.
  package mutating func line(_ text: String) throws(ToolError) {
    state = nil
    try output.line(text, always: true)
  }

  /// Says what happened to the sensor.
  package mutating func report(_ event: StaticString, _ words: String, at now: Instant) throws(ToolError) {
    switch format {
    case .text: try line(wrapped("\(event): \(words)", behind: stamp(now)))
    case .json: try line(object(event, [Self.detail(words)], at: now))
    }
  }

  /// Says something for people, or for scripts the event `event` with `fields`.
  package mutating func say(_ text: String, event: StaticString, _ fields: [Fields], at now: Instant) throws(ToolError)
  {
    switch format {
    case .text: try line(wrapped(text, behind: stamp(now)))
    case .json: try line(object(event, fields, at: now))
    }
  }

  /// Shows how it is now: for people `text` and, where it is drawn again and again, `progress` behind it; for scripts
  /// the event `status` with `fields`. What is the same as before is not said again.
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

  /// Says that the user has stopped it all.
  package mutating func stop() throws(ToolError) {
    let words =
      format == .text ? "Stopped: nothing was written." : JSONText.object("stopped") { $0.field("written", false) }
    try line(overInterrupt(STDOUT_FILENO) + words)
    try flush()
  }

  /// Hands everything to the system.
  package mutating func flush() throws(ToolError) { try output.flush() }

  private func stamp(_ now: Instant) -> String {
    let text = (now - start).tableText
    return String(repeating: " ", count: max(0, 8 - text.count)) + text + "  "
  }

  /// Ten places that fill.
  private static func bar(_ share: Q16) -> String {
    let full = max(0, min(10, Int(share.raw) * 10 / 65_536))
    return " [" + String(repeating: "#", count: full) + String(repeating: "·", count: 10 - full) + "]"
  }
}
