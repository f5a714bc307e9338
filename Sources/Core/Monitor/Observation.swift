public import HAL
public import Vibration

/// What one step of a board brought, wherever it comes from: a loop or monitor here, or the stream of another process.
public struct Observation: Sendable {
  /// What happened, in order.
  public internal(set) var events = Events()
  /// The levels, where they differ from the ones before.
  public package(set) var levels: Levels?
  /// The sample, where one was taken in.
  public package(set) var reading: Reading?
  /// The vibration of the second that this step ended; nil where it did not end one, and where vibration is not
  /// watched.
  public package(set) var vibration: VibrationSecond?
  /// What is known after it.
  public package(set) var snapshot: Snapshot

  /// Nothing yet: what ``Loop/turn(into:)`` writes into.
  public init() { snapshot = .unknown }

  /// A step that has brought nothing yet, after which `snapshot` is known.
  package init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// Forgets what another step has brought, but for what is known after it.
  mutating func begin() {
    events.removeAll()
    (levels, reading, vibration) = (nil, nil, nil)
  }

  /// Adds something that happened in this step of another process.
  package mutating func add(_ occurrence: Occurrence) { events.append(occurrence.event, at: occurrence.at) }

  /// Calls `body` with each event of this step, in order.
  public func forEachEvent<Thrown: Error>(_ body: (Occurrence) throws(Thrown) -> Void) throws(Thrown) {
    for index in 0..<events.count {
      if let occurrence = events[index] { try body(occurrence) }
    }
  }
}
