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

  /// Starts the functions of `scope` that `settings` enable; rotation needs no key.
  package init(_ settings: DesktopSettings, _ scope: Scope, at now: Instant) throws(ProgramError) {}

  /// How many samples a second they need at present.
  package var samples: Int32 { 0 }

  /// What to wait for until it is readable.
  package var descriptor: Int32 { -1 }

  /// When ``turn(at:)`` has something to do even if nothing arrives; nil for never.
  package var due: Instant? { nil }

  /// Takes what the owner said.
  package mutating func take(_ seen: borrowing Observation, at now: Instant) {}

  /// The owner is gone.
  package mutating func lose(at now: Instant) {}

  /// Processes what has arrived and what is due. Returns a line for people; nil if there is none left.
  package mutating func turn(at now: Instant) -> DesktopNotice? { nil }

  /// Puts back what they have changed.
  package mutating func end() {}
}
