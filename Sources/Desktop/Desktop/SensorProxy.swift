internal import CDesktop
internal import CSupport
package import FixedPoint
internal import Monitor
package import Orientation
internal import Retry
package import Service
internal import Text

/// `net.hadess.SensorProxy` on the system bus, in the place of iio-sensor-proxy: which edge is up, and the tilt, for
/// GNOME, Phosh, KDE and whatever else knows it. The bus's side of it is in C (cdesktop.h): only one in a process.
///
/// It appears on the bus once an owner has said hello, and then stays. `HasAccelerometer` is always true: mutter hears
/// of a change only while it has claimed, and from 50 on claims for the last time when it becomes true late. Without an
/// owner, everything is undefined.
package struct SensorProxy {
  private var posture = ProxyPosture()
  private var delays = RetryDelay(first: .milliseconds(250), longest: .seconds(10), jitter: 20)
  /// The last force, while the sensor watches for movement by itself and delivers no samples.
  private var resting: Vector3?
  /// Until when claims wait for a measurement; nil without a claim.
  private var patience: Instant?
  /// What was said last, which is not said twice.
  private var reported = ShortText<256>()
  /// When ``turn(at:)`` has something to do; nil before the first hello, and for never.
  private(set) var due: Instant?
  /// What is readable when something has arrived; -1 without a connection.
  private(set) var descriptor: Int32 = -1

  /// How long a claim waits for a measurement at most.
  private static var longestWait: Microseconds { .seconds(1) }

  /// Only the tilt needs samples.
  var samples: Int32 { patience == nil ? 0 : 5 }

  mutating func take(_ seen: borrowing Observation, at now: Instant) {
    resting = seen.snapshot.isAsleep ? seen.snapshot.force : nil
    if let reading = seen.reading { posture.take(gravity: reading.gravity) }
    posture.take(seen.snapshot.state)
    if descriptor >= 0 || due == nil { due = now }
  }

  mutating func turn(at now: Instant) -> DesktopNotice? {
    guard descriptor >= 0 || due.map({ now >= $0 }) ?? false else { return nil }
    let isMeasured = posture.tilt != .undefined || patience.map { now >= $0 } ?? false
    let result = unsafe cdesktop_bus_turn(posture.orientation.rawValue, posture.tilt.rawValue, isMeasured)
    descriptor = unsafe result.descriptor
    if unsafe result.claims == 0 {
      patience = nil
      posture.tilt = .undefined
    }
    due = patience.flatMap { now < $0 ? $0 : nil }
    if unsafe result.wait >= 0 { due = unsafe now + Microseconds(widened(result.wait)) }
    if unsafe result.claims > 0 && patience == nil {
      patience = now + Self.longestWait
      if let resting { posture.take(gravity: resting) }
      due = now
    }
    if descriptor < 0 { due = now + delays.next(random: csupport_random()) }
    if unsafe result.is_owned { delays.reset() }
    let news = unsafe result.news.map { unsafe ShortText<256>(cString: $0) }
    guard let news, news != reported else { return nil }
    reported = news
    return unsafe (news, !result.is_owned)
  }

  func end() { cdesktop_bus_close() }

  /// Fails without a system bus.
  package static func check() throws(ProgramError) {
    defer { cdesktop_bus_close() }
    if let why = unsafe cdesktop_bus_open() { throw ProgramError(.unavailable, unsafe Message(cString: why)) }
  }
}

/// What `net.hadess.SensorProxy` says about a board.
package struct ProxyPosture: Equatable, Sendable {
  /// The values of the two properties, as cdesktop.h numbers them.
  package enum Word: UInt32, Sendable {
    /// Of both: it is unknown.
    case undefined
    /// Of the orientation: which edge is up.
    case normal, bottomUp, leftUp, rightUp
    /// Of the tilt: how far the face is down or up, in order. Vertical is within 20° of it; beyond 70° it is flat.
    case faceDown, tiltedDown, vertical, tiltedUp, faceUp

    fileprivate init(elevation degrees: Int32) {
      switch degrees {
      case ...(-71): self = .faceDown
      case -70...(-21): self = .tiltedDown
      case -20...20: self = .vertical
      case 21...70: self = .tiltedUp
      default: self = .faceUp
      }
    }
  }

  /// `AccelerometerOrientation`. Face up and face down it stays as it was.
  package private(set) var orientation = Word.undefined
  /// `AccelerometerTilt`; undefined without samples.
  package var tilt = Word.undefined

  /// Nothing is known.
  package init() {}

  /// How far, in degrees, the face must be past 20° or 70° for the tilt to change. iio-sensor-proxy has no such margin,
  /// and flickers there.
  package static var margin: Int32 { 5 }

  /// Takes what is known of the pose. What is unknown is undefined at once.
  package mutating func take(_ state: PoseState) {
    switch state {
    case .known(.portrait): orientation = .normal
    case .known(.portraitUpsideDown): orientation = .bottomUp
    case .known(.landscapeLeft): orientation = .rightUp
    case .known(.landscapeRight): orientation = .leftUp
    case .known(.faceUp), .known(.faceDown): break
    case .unknown: self = ProxyPosture()
    }
  }

  /// Takes a measured gravity.
  package mutating func take(gravity: Vector3) {
    let elevation = 90 - (gravity.inclination.degrees.raw &+ 0x8000) >> 16
    let new = Word(elevation: elevation)
    let margin = new.rawValue > tilt.rawValue ? Self.margin : -Self.margin
    if tilt == .undefined || Word(elevation: elevation - margin) != tilt { tilt = new }
  }
}
