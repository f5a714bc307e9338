import BoardFile
import Emulation
import FixedPoint
import Monitor
import PlumbViews

/// Drives a board's loop for people who look over the network.
struct ServePlan: ShownBoard {
  var motion: NamedMotion
  var seed: UInt64?
  var format: Format
  var listener: ServeListener
  var token: String?
  /// What `run` shows when it is not told otherwise.
  var showing: Showing

  func invite(to board: BoardDescription, start: Instant) throws(Failure) -> ServeAudience {
    let mailbox = ServeMailbox(start: start)
    let rule = AccessRule(listener.address, token: token)
    let server = ServeServer(listener, rule, ServeShow(board, motion, showing, start: start, mailbox))
    let thread = try ServeThread.begin(server)
    let announcement = ServeAnnouncement(listener.address, token: token)
    var reporter = Reporter(
      output: Output(isLive: true), format: .json, showing: showing, start: start, sensor: board.sensor,
      code: board.lines.code)
    for line in format == .json ? [announcement.json] : announcement.lines(board.title(motion)) {
      try reporter.output.line(line, always: true)
    }
    return ServeAudience(mailbox, thread, format == .json ? reporter : nil)
  }
}
