import ArgumentParser
import BoardFile
import FixedPoint
import HAL
import JSON
import Orientation
import PlumbStream
import PlumbViews
import Monitor
import Stream
import StreamCodec
import Text
import ToolInputs
import ToolOutput

/// `plumb status`: what the owner of a sensor is doing.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the owner of a sensor, such as plumbd: its sensor, pose, counters and clients.",
    usage: "plumb status [--from <address>] [<options>]",
    discussion: """
      Without --from it asks the service of this computer, at \(StreamAddress.systemPath), or the owner that \
      PLUMB_STREAM names.

      EXAMPLES:
        plumb status
        plumb status --from ssh:pi --format json

      EXIT CODES: 0 OK; 64 wrong usage; 69 no owner, or its sensor does not deliver; 77 no permission
      """)

  @OptionGroup var owner: OwnerOptions

  @Option(help: "Output format: text for people, json for scripts (one object).")
  var format: Format = .text

  func run() throws {
    let address = owner.from ?? SourceOptions.usualAddress(in: Self.self) ?? .unix(path: StreamAddress.systemPath)
    try reportingError { () throws(ToolError) in
      let stream = try StreamSource(address, token: try owner.token())
      var output = Output(isLive: false)
      for line in lines(stream) { try output.line(line) }
      try output.flush()
      if let trouble = Self.trouble(stream.hello) {
        throw ToolError(.unavailable, "the owner at \(address): \(trouble)")
      }
    }
  }

  /// What is wrong; nil if all is well. A pose that is unknown because the board moves is not trouble.
  private static func trouble(_ hello: StreamHello) -> String? {
    hello.snapshot.silence.map { "the sensor does not deliver: \($0.message)" }
  }

  private func lines(_ stream: StreamSource) -> [String] {
    let hello = stream.hello
    guard format == .text else {
      let object = JSONText.object("status") { writer in
        writer.field("from", "\(stream.address)")
        writer.field("well", Self.trouble(hello) == nil)
        writer.field("hello", json: stream.helloLine)
      }
      return [object]
    }
    let (known, counters) = (hello.snapshot, hello.snapshot.counters)
    let span = hello.time - (known.since - Instant(microseconds: 0))
    let pose =
      switch known.state {
      case .known(let pose): "\(pose.words)"
      case .unknown(let reason): "unknown: \(reason.message)"
      }
    let chip = hello.chip.count == 0 ? "" : "; lines of \(printable(hello.chip))"
    var rows = [
      ("owner", "plumb \(printable(hello.version)), running for \(hello.time.durationText)"),
      ("board", printable(hello.board) + chip),
      ("sensor", stream.sensorWords),
      ("pose", "\(pose), for \(span.durationText)"),
      ("samples", "\(counters.samples), \(counters.lateSamples) late, \(counters.lostSamples) lost"),
      ("faults", "\(counters.faults), \(counted(counters.recoveries, "recovery", "recoveries"))"),
      (
        "events",
        "\(known.events), of them \(counted(counters.poseChanges, "change", "changes")) of pose and "
          + counted(counters.shakes, "shake", "shakes")
      ),
      ("clients", "\(hello.clients), including this one"),
    ]
    var kinds: [String] = []
    counters.faultKinds.forEachPositive { kind, count in kinds.append("\(kind) \(count)") }
    if !kinds.isEmpty { rows.insert(("", kinds.sorted().joined(separator: ", ")), at: 6) }
    return rows.map { wrapped($0.1, behind: $0.0.padded(to: 10)) }
  }
}
