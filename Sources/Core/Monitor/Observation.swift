public import HAL
public import Vibration

/// The result of one step of a board, from a local loop or monitor or from the stream of another process.
public struct Observation: Sendable {
  /// The events, in order.
  public internal(set) var events = Events()
  /// The levels, if they have changed.
  public package(set) var levels: Levels?
  /// The sample, if one was taken in.
  public package(set) var reading: Reading?
  /// The vibration of the second that ended with this step; nil if none ended, or if vibration is not watched.
  public package(set) var vibration: VibrationSecond?
  /// What is known after the step.
  public package(set) var snapshot: Snapshot

  /// An empty observation for ``Loop/turn(into:)`` to write into.
  public init() { snapshot = .unknown }

  /// An empty step, after which `snapshot` is known.
  package init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// Clears the results of another step, except for the snapshot.
  mutating func begin() {
    events.removeAll()
    (levels, reading, vibration) = (nil, nil, nil)
  }

  /// Adds an event of this step of another process.
  package mutating func add(_ occurrence: Occurrence) { events.append(occurrence.event, at: occurrence.at) }

  /// Calls `body` with each event of this step, in order.
  public func forEachEvent<Thrown: Error>(_ body: (Occurrence) throws(Thrown) -> Void) throws(Thrown) {
    for index in 0..<events.count {
      if let occurrence = events[index] { try body(occurrence) }
    }
  }
}
