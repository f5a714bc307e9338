package import FixedPoint
package import Monitor
package import Text

/// One of the things that a board does for a desktop. A ``DesktopLoop`` gives it what the owner says, and waits for it.
package protocol DesktopFunction: ~Copyable {
  /// How many samples a second it needs at present; 0 for events alone.
  var samples: Int32 { get }
  /// What to wait for until it is readable; -1 for nothing.
  var descriptor: Int32 { get }
  /// When ``turn(at:)`` has something to do even if nothing arrives; nil for never.
  var due: Instant? { get }
  /// Takes what the owner said: an event, a sample or its hello. `seen.snapshot` is what is known now.
  mutating func take(_ seen: borrowing Observation, at now: Instant)
  /// The owner is gone: nothing is known any more.
  mutating func lose(at now: Instant)
  /// Processes what has arrived at ``descriptor``, and what is due. Returns a line for people if something has changed
  /// for them.
  mutating func turn(at now: Instant) -> DesktopNotice?
  /// Puts back what it has changed.
  mutating func end()
}

extension DesktopFunction where Self: ~Copyable {
  package var samples: Int32 { 0 }
  package var descriptor: Int32 { -1 }
  package var due: Instant? { nil }
  package mutating func turn(at now: Instant) -> DesktopNotice? { nil }
}

/// A function that is off does nothing.
extension Optional: DesktopFunction where Wrapped: DesktopFunction & ~Copyable {
  package var samples: Int32 {
    switch self {
    case .some(let function): function.samples
    case .none: 0
    }
  }

  package var descriptor: Int32 {
    switch self {
    case .some(let function): function.descriptor
    case .none: -1
    }
  }

  package var due: Instant? {
    switch self {
    case .some(let function): function.due
    case .none: nil
    }
  }

  package mutating func take(_ seen: borrowing Observation, at now: Instant) { self?.take(seen, at: now) }
  package mutating func lose(at now: Instant) { self?.lose(at: now) }
  package mutating func turn(at now: Instant) -> DesktopNotice? { self?.turn(at: now) }
  package mutating func end() { self?.end() }
}

/// A line for people about a function.
package struct DesktopNotice: Equatable {
  /// Whether something does not work.
  package var isTrouble: Bool
  /// The line.
  package var line: ShortText<256>

  package init(_ line: ShortText<256>, isTrouble: Bool = false) { (self.line, self.isTrouble) = (line, isTrouble) }
}
