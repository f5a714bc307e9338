import Emulation
import FixedPoint
import Monitor
import Orientation
import Sensors

/// A model that knows how the carousel turns, and judges the reports of a monitor.
///
/// It keeps no history: its memory does not grow with the length of the run.
struct Replay {
  /// How long after the beginning of a turn the old pose may still be reported: the turn, the dwell, and the time to
  /// detect frozen data or a hanging bus.
  static let latest: Int64 = 1_600_000
  /// How long the board's pose may be unknown at a time: a turn, consecutive faults, and the longest pause between
  /// two attempts.
  static let longest: Int64 = 4_000_000

  private(set) var complaints: [String] = []
  private(set) var poses = 0
  private(set) var recoveries = 0
  private(set) var troubles = 0
  /// The number of reported turns of the carousel.
  private(set) var turns = 0
  private var known: PoseState = .unknown(.notYetSampled)
  private var lastPose: Pose?
  private let start: Instant
  private var lastTime: Instant
  /// When the right pose was last known.
  private var rightAt: Instant

  /// For a run that begins at `start`.
  init(startingAt start: Instant = Instant(microseconds: 0)) { (self.start, lastTime, rightAt) = (start, start, start) }

  /// Takes the results of one turn of the loop.
  mutating func take(_ report: Observation, _ state: PoseState, at now: Instant) {
    for index in 0..<report.events.count {
      if let event = report.events[index] { take(event.event, at: event.at) }
    }
    if known != state { complain("state \(state) after \(known) was told", now) }
    let time = (now - start).count
    let right = Carousel.pose(at: time)
    if state == .known(right) { return rightAt = now }
    if (now - rightAt).count > Self.longest { complain("\(right) is not known since \(rightAt.microseconds)", now) }
    guard case .known(let pose) = state else { return }
    let phase = time % Carousel.hold
    if pose == Carousel.previousPose(at: time) && phase <= Self.latest { return }
    complain("\(pose) instead of \(right)", now)
  }

  private mutating func take(_ event: Event, at now: Instant) {
    if now < lastTime { complain("an event out of order", now) }
    lastTime = now
    switch event {
    case .pose(let from, let to, _):
      poses += 1
      if from != known.pose { complain("\(to) entered from \(from, default: "none"), not from \(known)", now) }
      if .known(to) == known { complain("\(to) told twice", now) }
      if to != lastPose {
        turns += lastPose == nil ? 0 : 1
        let expected = Carousel.poses[turns % Carousel.poses.count].pose
        if to != expected { complain("\(to) told as turn \(turns), not \(expected)", now) }
      }
      lastPose = to
      known = .known(to)
    case .trouble(let reason, _):
      troubles += 1
      known = .unknown(reason)
    case .recovered: recoveries += 1
    default: break
    }
  }

  private mutating func complain(_ text: String, _ now: Instant) {
    if complaints.count < 20 { complaints.append("at \(now.microseconds) µs: \(text)") }
  }
}
