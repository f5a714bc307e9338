package import FixedPoint
package import Monitor
package import Service

/// The functions that are switched on. One that is off costs nothing.
package struct DesktopFunctions: ~Copyable {
  /// Which functions a program has, if its settings enable them.
  package enum Scope {
    /// Those of the computer: the system bus and input devices.
    case computer
    /// Rotation, which belongs to a user's session.
    case session
    /// All.
    case all
  }

  private var proxy: SensorProxy?
  private var wheel: WheelDevice?
  private var scroll: ScrollDevice?
  private var motion: MotionDevice?
  private var rotation: ScreenRotation?

  /// Starts the functions of `scope` that `settings` enable; rotation needs no key.
  package init(_ settings: DesktopSettings, _ scope: Scope, at now: Instant) throws(ProgramError) {
    if scope != .computer { rotation = try ScreenRotation(settings, at: now) }
    guard scope != .session else { return }
    if settings.offersSensorProxy { proxy = SensorProxy() }
    if settings.hasWheel {
      wheel = try WheelDevice(SteeringWheel(range: settings.range, hasButtons: settings.hasButtons))
    }
    if settings.scrolls { scroll = try ScrollDevice(TiltWheel(speed: settings.speed)) }
    if settings.hasMotion { motion = try MotionDevice(MotionAxes()) }
  }

  /// How many samples a second they need at present.
  package var samples: Int32 { max(max(proxy.samples, wheel.samples), max(scroll.samples, motion.samples)) }

  /// What to wait for until it is readable.
  package var descriptor: Int32 { proxy.descriptor }

  /// When ``turn(at:)`` has something to do even if nothing arrives; nil for never.
  package var due: Instant? {
    earlier(earlier(proxy.due, rotation.due), earlier(earlier(wheel.due, scroll.due), motion.due))
  }

  /// Takes what the owner said.
  package mutating func take(_ seen: borrowing Observation, at now: Instant) {
    proxy.take(seen, at: now)
    wheel.take(seen, at: now)
    scroll.take(seen, at: now)
    motion.take(seen, at: now)
    rotation.take(seen, at: now)
  }

  /// The owner is gone.
  package mutating func lose(at now: Instant) {
    proxy.lose(at: now)
    wheel.lose(at: now)
    scroll.lose(at: now)
    motion.lose(at: now)
    rotation.lose(at: now)
  }

  /// Processes what has arrived and what is due. Returns a line for people; nil if there is none left.
  package mutating func turn(at now: Instant) -> DesktopNotice? {
    if let notice = proxy.turn(at: now) { return notice }
    if let notice = wheel.turn(at: now) { return notice }
    if let notice = scroll.turn(at: now) { return notice }
    if let notice = motion.turn(at: now) { return notice }
    return rotation.turn(at: now)
  }

  /// Locks or unlocks the screen's rotation.
  package mutating func toggleLock() { rotation?.toggleLock() }

  /// Puts back what they have changed.
  package mutating func end() {
    proxy.end()
    wheel.end()
    scroll.end()
    motion.end()
    rotation.end()
  }

  private func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
