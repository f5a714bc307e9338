import BoardFile
import FixedPoint
import HAL
import LinuxHAL
import Orientation
import PlumbStream
import PlumbViews
import Sensors
import ToolInputs
import ToolOutput

/// Supplies a walk with samples from the owner of a sensor, at most 100 a second.
struct HandsOnStream: ~Copyable {
  var stream: RawStream
  private let timeout: Microseconds?
  /// Since when the sensor has not delivered, and why; nil while it delivers.
  private var outage: (since: Instant, words: String)?
  /// How many samples in a row were equal.
  private var repeats = 0
  private var last: Vector3?
  private var isFrozen = false

  /// After an outage of this length the sensor is given up, because a user does not hold a board for longer.
  private static let patience = Microseconds.seconds(60)
  /// An owner that sends no raw sample for this long has none: it may replay a recording.
  private static let firstPatience = Microseconds.seconds(10)
  /// No working sensor repeats a sample this often. As in a session with a local board, a stuck sensor must not pass
  /// for a board held still.
  private static let mostRepeats = 32

  /// Connects to the owner that `options` name.
  init(_ options: HandsOnOptions, _ address: StreamAddress) throws(ToolError) {
    stream = try RawStream(address, token: try options.owner.token())
    timeout = options.timeout.map(SecondsOption.microseconds)
  }

  /// Runs `walk` to its end.
  mutating func run(_ walk: inout some HandsOnWalk) throws(ToolError) -> HandsOnSession.Ending {
    let start = LinuxClock().now
    let end = timeout.map { start + $0 }
    var heard = start
    var hasSamples = false
    walk.narrator.start = stream.start
    if walk.narrator.format == .text {
      try walk.narrator.line("\(stream.greeting); Ctrl-C stops without writing anything.")
    }
    try walk.begin()
    while !walk.narrator.isUnheard {
      let now = LinuxClock().now
      if let end, now > end {
        try walk.narrator.flush()
        throw ToolError(.data, "the time is up, and \(walk.missing); nothing was written")
      }
      switch try stream.next(until: min(end ?? now + .seconds(1), now + .seconds(1))) {
      case .stopped: return .stopped
      case .sample(let force, let rotation, let instant):
        (heard, hasSamples) = (LinuxClock().now, true)
        if try isStuck(force, &walk) { continue }
        let aligned = walk.alignment.applied(to: force)
        if try walk.take(aligned, rotation, at: instant) { return .complete }
      case .trouble(let words):
        walk.interrupt()
        outage = (outage?.since ?? LinuxClock().now, words)
        try walk.narrator.report("trouble", words, at: stream.now)
      case .recovery(let words):
        walk.interrupt()
        outage = nil
        try walk.narrator.report("recovery", "\(words); hold the board still again", at: stream.now)
      case .notice(let words): try walk.narrator.report("notice", words, at: stream.now)
      case .gap: walk.interrupt()
      case .silence: break
      }
      try Self.giveUp(walk, stream.address, outage, heard, hasSamples)
    }
    return .stopped
  }

  /// Whether the sensor repeats the same sample.
  private mutating func isStuck(_ force: Vector3, _ walk: inout some HandsOnWalk) throws(ToolError) -> Bool {
    repeats = force == last ? repeats + 1 : 0
    last = force
    // A sample shows that the sensor delivers again, whatever was reported before.
    if repeats == 0 && (isFrozen || outage != nil) {
      (isFrozen, outage) = (false, nil)
      walk.interrupt()
    }
    guard repeats >= Self.mostRepeats else { return false }
    if !isFrozen {
      isFrozen = true
      let words = SensorError.frozen.text(of: stream.description.sensor)
      outage = (LinuxClock().now, words)
      walk.interrupt()
      try walk.narrator.report("trouble", words, at: stream.now)
    }
    return true
  }

  /// Ends the walk if the sensor has not delivered for too long.
  ///
  /// Static, because a method that borrows a value of so many fields takes seconds to compile.
  private static func giveUp(
    _ walk: some HandsOnWalk, _ address: StreamAddress, _ outage: (since: Instant, words: String)?, _ heard: Instant,
    _ hasSamples: Bool
  ) throws(ToolError) {
    let now = LinuxClock().now
    if let outage, now - outage.since > patience {
      throw ToolError(.unavailable, "\(outage.words); nothing was written: \(walk.missing)")
    }
    guard outage == nil, now - heard > (hasSamples ? patience : firstPatience) else { return }
    throw ToolError(
      .unavailable,
      "the owner at \(printable("\(address)")) sends no samples of its sensor: a recording that is replayed has none; "
        + "nothing was written: \(walk.missing)")
  }
}
