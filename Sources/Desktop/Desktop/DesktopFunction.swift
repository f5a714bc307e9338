package import FixedPoint
package import Monitor
package import Text

/// One of the things that a board does for a desktop. A ``DesktopLoop`` gives it what the owner says, and waits for it.
package protocol DesktopFunction {
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
  /// Locks or unlocks what it changes for people: SIGUSR1.
  mutating func toggleLock()
  /// Puts back what it has changed.
  mutating func end()
}

extension DesktopFunction {
  package var samples: Int32 { 0 }
  package var descriptor: Int32 { -1 }
  package mutating func toggleLock() {}
}

/// Two functions as one. Either may be off, and then costs nothing.
package struct FunctionPair<First: DesktopFunction, Second: DesktopFunction>: DesktopFunction {
  var first: First?
  var second: Second?

  package var samples: Int32 { max(first?.samples ?? 0, second?.samples ?? 0) }

  /// There is one at most.
  package var descriptor: Int32 { max(first?.descriptor ?? -1, second?.descriptor ?? -1) }

  package var due: Instant? {
    guard let one = first?.due, let other = second?.due else { return first?.due ?? second?.due }
    return min(one, other)
  }

  package mutating func take(_ seen: borrowing Observation, at now: Instant) {
    first?.take(seen, at: now)
    second?.take(seen, at: now)
  }

  package mutating func lose(at now: Instant) {
    first?.lose(at: now)
    second?.lose(at: now)
  }

  package mutating func turn(at now: Instant) -> DesktopNotice? { first?.turn(at: now) ?? second?.turn(at: now) }

  package mutating func toggleLock() {
    first?.toggleLock()
    second?.toggleLock()
  }

  package mutating func end() {
    first?.end()
    second?.end()
  }
}

/// A line for people about a function.
package struct DesktopNotice: Equatable, Error {
  /// Whether something does not work.
  package var isTrouble: Bool
  /// The line.
  package var line: ShortText<256>

  package init(_ line: ShortText<256>, isTrouble: Bool = false) { (self.line, self.isTrouble) = (line, isTrouble) }
}
