import ArgumentParser
import BoardFile
import FixedPoint
import LinuxHAL
import Monitor
import Recordings
import Stream
import ToolInputs
import ToolOutput

/// `plumb replay`: runs the pipeline over a recording.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Runs a recording through the same filter and pose tracker.",
    usage: "plumb replay <file> [<options>]",
    discussion: """
      The file has a header line time_s,x_g,y_g,z_g and one sample a line: seconds, and specific force in g in the \
      board's frame (X right, Y up, Z out of the face; +1 g along the axis that points up). With a gyroscope \
      x_dps,y_dps,z_dps follow: the rotation rate in °/s about the same axes, counter-clockwise with the axis \
      pointing at you. The result depends on nothing else: the same file gives the same bytes. A file of any length \
      takes the same memory.

      A file with rotation rates goes through the fusion of both, any other through a low-pass, unless --gravity says \
      otherwise.

      What phyphox and Sensor Logger export is read too, with forces in m/s² and rotation in rad/s: see \
      docs/recording.md. Any other file with a time in seconds and three forces, and perhaps three rotation rates, is \
      read with --columns, and --unit and --rotation-unit if the units are not g and °/s.

      EXAMPLES:
        plumb replay movement.csv --samples --format json
        plumb replay movement.csv --gravity low-pass
        plumb replay movement.csv --board machine.ini --show vibration
        plumb replay movement.csv --speed realtime --share unix:/tmp/replay.stream

      EXIT CODES: 0 success; 64 wrong usage; 65 a bad line in the recording; 66 no such recording; 69 cannot be shared \
      there; 73 output cannot be written; 77 no permission
      """)

  @Argument(help: "The recording; - reads standard input.", completion: .file(extensions: ["csv"]))
  var file: String

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  @OptionGroup var recording: RecordingOptions

  @Option(
    help: ArgumentHelp(
      "A board file, or a board that comes with plumb: also measure what its [vibration] asks for, at its rate.",
      valueName: "file"),
    completion: .boards)
  var board: String?

  @OptionGroup var showing: Showing

  @OptionGroup var interface: InterfaceOptions

  @Option(help: "The speed of the recording's time: as fast as possible (fast) or real time (realtime).")
  var speed: SpeedOption.Speed = .fast

  @OptionGroup var sharing: ShareOptions

  func validate() throws {
    guard board != nil || !showing.show.contains(.vibration) else {
      throw ValidationError("--show vibration needs --board with a board file that has [vibration].")
    }
    if sharing.isSharing && speed == .fast { throw ValidationError("--share needs --speed realtime.") }
  }

  func run() throws { try reportingError { () throws(ToolError) in try replay() } }

  private func replay() throws(ToolError) {
    let description = try board.map { name throws(ToolError) in try readBoard(name) }
    guard description == nil || description?.vibration != nil || !showing.show.contains(.vibration) else {
      throw ToolError(.usage, "--show vibration needs [vibration] in the board file")
    }
    let recording = try self.recording.open(file)
    if speed == .realtime { try takeOverStopSignals() }
    let name = recording.name
    let gravity = self.recording.gravity(for: recording, in: Self.self)
    var board = try RecordedBoard(
      recording, gravity: gravity, movement: try interface.interface.movement(), board: description,
      knocks: showing.knocks(on: description))
    let token = sharing.madeToken()
    let announcement = ShareAnnouncement(sharing, token: token)
    var stage = try Stage(
      speed, start: board.start,
      owner: sharing.sharing(called: name, token: token)?.owner(of: description ?? .emulated, at: board.start))
    var reporter = Reporter(
      output: Output(isLive: speed == .realtime), format: format, shown: showing.shown,
      sizes: interface.interface.sizes,
      start: board.start,
      sensor: (description ?? .emulated).sensor)
    switch format {
    case .json: if let object = announcement.json { try reporter.output.line(object, always: true) }
    case .text: for line in announcement.lines + [reporter.heading] { try reporter.output.line(line) }
    }
    do {
      while !reporter.output.isClosed, let seen = try board.next() {
        guard stage.wait(for: board.latest.time) else { break }
        if stage.isShared { stage.share(board, seen) }
        if reporter.shows(seen) { try reporter.show(seen) }
      }
      stage.end()
    } catch {
      // The output before the malformed line comes before the error.
      try reporter.output.flush()
      throw error
    }
    if !reporter.output.isClosed, let warning = board.warning(about: name) {
      writeToStandardError(fitForTerminal(warning))
    }
    try reporter.conclude(board.summary)
  }
}

/// Plays a recording: in its own time if requested, and to those who share it.
private struct Stage: ~Copyable {
  /// The difference between the clock's time and the recording's; nil if nothing is waited for.
  private let offset: Microseconds?
  private var owner: StreamOwner?
  /// Whether there is an owner. Asked before a step is passed on, which copies it.
  let isShared: Bool

  init(_ speed: SpeedOption.Speed, start: Instant, owner: consuming StreamOwner?) {
    offset = speed == .realtime ? LinuxClock().now - start : nil
    isShared = owner != nil
    self.owner = owner
  }

  /// Waits until `time` of the recording, and serves clients meanwhile; returns false after a stop signal.
  mutating func wait(for time: Instant) -> Bool {
    guard let offset else { return true }
    let clock = LinuxClock()
    while !clock.sleep(until: time + offset) {
      guard StopSignals.received == nil else { return false }
      owner?.serve(at: clock.now - offset)
    }
    return StopSignals.received == nil
  }

  /// Sends the result of a step.
  mutating func share(_ board: borrowing RecordedBoard, _ seen: borrowing Observation) {
    owner?.observe(seen, raw: board.latest.measurement, at: board.latest.time)
  }

  mutating func end() { owner?.end("the recording is over") }
}
