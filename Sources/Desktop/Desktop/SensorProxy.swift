internal import CDesktop
internal import CSupport
internal import FixedPoint
internal import Monitor
internal import Retry
package import Text

/// `net.hadess.SensorProxy` on the system bus, in the place of iio-sensor-proxy: which edge is up, and the tilt, for
/// GNOME, Phosh, KDE and whatever else knows it. The bus's side of it is in C (cdesktop.h): only one in a process.
///
/// It appears on the bus once an owner has said hello, and then stays. `HasAccelerometer` is always true: mutter hears
/// of a change only while it has claimed, and from 50 on claims for the last time when it becomes true late. Without an
/// owner, everything is undefined.
package struct SensorProxy {
  private var posture = ProxyPosture()
  /// Whether an owner has said hello, ever.
  private var isFound = false
  private var isConnected = false
  private var delays = RetryDelay(first: .milliseconds(250), longest: .seconds(10), jitter: 20)
  /// The last force, while the sensor watches for movement by itself and delivers no samples.
  private var resting: Vector3?
  /// Until when claims wait for a measurement; nil without a claim.
  private var patience: Instant?
  /// The last trouble, which is not said twice.
  private var reported = ShortText<256>()
  private(set) var due: Instant?

  /// How long a claim waits for a measurement at most.
  private static var longestWait: Microseconds { .seconds(1) }
  /// After how long a full bus is tried again.
  private static var pause: Microseconds { .milliseconds(20) }

  /// Only the tilt needs samples.
  var samples: Int32 { patience == nil ? 0 : 5 }

  var descriptor: Int32 { cdesktop_bus_descriptor() }

  mutating func take(_ seen: borrowing Observation, at now: Instant) {
    resting = seen.snapshot.isAsleep ? seen.snapshot.force : nil
    if let reading = seen.reading { posture.take(gravity: reading.gravity) }
    posture.take(seen.snapshot.state)
    if isConnected || !isFound { due = now }
    isFound = true
  }

  mutating func turn(at now: Instant) -> DesktopNotice? {
    if !isConnected {
      guard isFound, due.map({ now >= $0 }) ?? true else { return nil }
      if let why = unsafe cdesktop_bus_open() {
        close(at: now)
        return trouble(unsafe ShortText(cString: why))
      }
      isConnected = true
    }
    let isMeasured = posture.tilt != .undefined || patience.map { now >= $0 } ?? false
    let result = cdesktop_bus_turn(posture.orientation.rawValue, posture.tilt.rawValue, isMeasured)
    due = result.has_arrived ? now : result.is_waiting ? now + Self.pause : patience.flatMap { now < $0 ? $0 : nil }
    if result.claims == 0 {
      patience = nil
      posture.forgetTilt()
    } else if patience == nil {
      patience = now + Self.longestWait
      if let resting { posture.take(gravity: resting) }
      due = now
    }
    switch result.news {
    case CDESKTOP_BUS_OWNED:
      delays.reset()
      reported = ShortText()
      return DesktopNotice(line: "net.hadess.SensorProxy is on the system bus")
    case CDESKTOP_BUS_TAKEN:
      return trouble(
        """
        another program has net.hadess.SensorProxy, usually iio-sensor-proxy: \
        sudo systemctl mask --now iio-sensor-proxy
        """)
    case CDESKTOP_BUS_DENIED:
      close(at: now)
      return trouble("this user may not own net.hadess.SensorProxy: install the package plumb-desktop, or use sudo")
    case CDESKTOP_BUS_CLOSED:
      close(at: now)
      return trouble("the system bus has closed the connection")
    default: return nil
    }
  }

  mutating func end() {
    cdesktop_bus_close()
    (isConnected, patience) = (false, nil)
  }

  /// Why there is no system bus; nil if there is one.
  package static func missingBus() -> ShortText<256>? {
    let why = unsafe cdesktop_bus_open()
    cdesktop_bus_close()
    return unsafe why.map { unsafe ShortText(cString: $0) }
  }

  private mutating func close(at now: Instant) {
    end()
    due = now + delays.next(random: csupport_random())
  }

  private mutating func trouble(_ line: ShortText<256>) -> DesktopNotice? {
    guard reported != line else { return nil }
    reported = line
    return DesktopNotice(line: line, isTrouble: true)
  }
}
