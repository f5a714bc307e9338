public import Gestures

// Observers: any number up to the log's readers, each at its own pace.
extension Monitor {
  /// The latest 32 events for at most 8 observers.
  public typealias Log = EventLog<Occurrence, 32, 8>

  /// One more observer, who reads what happens from now on. Throws `tooManyReaders` where there are 8 already.
  public mutating func observe() throws(EventLogError) -> Log.Cursor { try log.open() }

  /// What `observer` has not read yet: the next event, or how many it has missed; nil when it has read everything.
  ///
  /// Throws `unknownReader` for one that was dismissed.
  public mutating func next(for observer: Log.Cursor) throws(EventLogError) -> Log.Reading? { try log.next(observer) }

  /// Makes room for another observer. Throws `unknownReader` for one that was dismissed before.
  public mutating func dismiss(_ observer: Log.Cursor) throws(EventLogError) { try log.close(observer) }
}

// Scrolling.
extension Monitor {
  /// Makes the pose in which the board is held now the one in which nothing scrolls. On an error nothing changes.
  ///
  /// Throws `restMagnitude` before the first sample or while the board is not held still, and `restOpposite`. Without
  /// movement in the configuration nothing happens.
  public mutating func captureScrollRest() throws(TiltScrollError) { try movement?.captureRest() }

  /// Scrolls to `position` and stops there, until tilt goes on.
  public mutating func scroll(to position: TiltScroll.Position) { movement?.scroll(to: position) }
}
