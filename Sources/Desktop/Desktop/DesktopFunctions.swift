package import FixedPoint
package import Monitor
package import Service
package import Text

/// What a board does for a desktop: each function that is enabled. A ``DesktopLoop`` gives it what the owner says, and
/// waits for it.
package struct DesktopFunctions {
  private(set) var proxy: SensorProxy?
  var rotation: ScreenRotation?
  private(set) var wheel: InputDevice<SteeringWheel>?
  private var scroll: InputDevice<TiltWheel>?
  private var motion: InputDevice<MotionAxes>?

  /// Starts those that the settings enable: with `serve` those of the computer, which are the system bus and input
  /// devices; with `rotate` that of a user's session, which needs no key.
  package init(_ settings: DesktopSettings, serve: Bool, rotate: Bool) throws(ProgramError) {
    if rotate { rotation = try ScreenRotation(settings) }
    guard serve else { return }
    if settings.has(.sensorProxy) { proxy = SensorProxy() }
    if settings.has(.wheel) {
      wheel = try InputDevice(SteeringWheel(range: settings[.range], hasButtons: settings.has(.buttons)))
    }
    if settings.has(.scroll) { scroll = try InputDevice(TiltWheel(speed: settings[.speed])) }
    if settings.has(.motion) { motion = try InputDevice(MotionAxes()) }
  }

  /// How many samples a second they need at present; 0 for events alone.
  package var samples: Int32 {
    max(
      max(proxy?.samples ?? 0, wheel?.logic.samples ?? 0), max(scroll?.logic.samples ?? 0, motion?.logic.samples ?? 0))
  }

  /// Takes what the owner said: an event, a sample or its hello. `seen.snapshot` is what is known now: that the sensor
  /// is silent, if the owner is gone.
  package mutating func take(_ seen: borrowing Observation, at now: Instant) {
    proxy?.take(seen, at: now)
    rotation?.decision.take(seen.snapshot.state, at: now)
    wheel?.take(seen, at: now)
    scroll?.take(seen, at: now)
    motion?.take(seen, at: now)
  }

  /// Processes what has arrived at ``descriptor``, and what is due. Returns a line for people if something has changed
  /// for them; it is then to be called again.
  package mutating func turn(at now: Instant) -> DesktopNotice? {
    proxy?.turn(at: now) ?? rotation?.turn(at: now) ?? wheel?.turn(at: now) ?? scroll?.turn(at: now)
      ?? motion?.turn(at: now)
  }

  /// Puts back what they have changed.
  package mutating func end() {
    proxy?.end()
    rotation?.end()
    wheel?.end()
    scroll?.end()
    motion?.end()
  }
}

/// A line for people about a function, and whether something does not work.
package typealias DesktopNotice = (line: ShortText<256>, isTrouble: Bool)
