internal import JSON

/// Events that the broker has not acknowledged, in their order: the newest 64, and in the place of what was dropped how
/// many that were.
struct EventQueue {
  /// The most events that are kept.
  static var mostEvents: Int { 64 }
  /// The most places: those of the events, and of the marks between them.
  static var mostPlaces: Int { 72 }
  /// The most bytes of an event.
  static var longest: Int { 512 }

  private var backlog = Backlog()
  /// How many events were dropped.
  private(set) var dropped: UInt64 = 0

  private var eventCount: Int { backlog.places.count { $0.missed == 0 } }

  /// Adds an event.
  mutating func append(_ payload: [UInt8]) {
    while eventCount >= Self.mostEvents || backlog.places.count >= Self.mostPlaces { drop() }
    backlog.places.append(Backlog.Place(payload: payload))
  }

  /// Notes that `number` are missing here.
  mutating func append(missed number: UInt64) {
    guard number > 0 else { return }
    if let last = backlog.places.last, last.missed > 0, !last.isInFlight {
      backlog.places[backlog.places.count &- 1].missed = sum(last.missed, number)
      return
    }
    while backlog.places.count >= Self.mostPlaces { drop() }
    backlog.places.append(Backlog.Place(missed: number))
  }

  /// Whether all have arrived.
  var isEmpty: Bool { backlog.places.isEmpty }

  /// The oldest that is not in flight; nil where there is none.
  var next: [UInt8]? {
    guard let place = backlog.next.map({ backlog.places[$0] }) else { return nil }
    guard place.missed > 0 else { return place.payload }
    return json { writer in
      writer.beginObject()
      writer.field("event_type", "missed")
      writer.field("count", place.missed)
      writer.endObject()
    }
  }

  /// ``next`` is in flight from now on, with `token`.
  mutating func send(as token: UInt16) { backlog.send(as: token) }

  /// What has `token` has arrived.
  mutating func delivered(_ token: UInt16) { backlog.delivered(token) }

  /// What has `token` has not arrived, and is to be sent again.
  mutating func failed(_ token: UInt16) { backlog.failed(token) }

  /// Drops the oldest event that is not in flight, or joins two marks: one place or one event fewer.
  private mutating func drop() {
    for index in backlog.places.indices where !backlog.places[index].isInFlight {
      guard backlog.places[index].missed > 0 else {
        // It becomes the mark.
        backlog.places[index] = Backlog.Place(missed: 1)
        dropped = dropped &+ 1
        return
      }
      // A mark: what comes behind it joins it.
      let behind = index &+ 1
      guard behind < backlog.places.count, !backlog.places[behind].isInFlight else { continue }
      let joined = backlog.places.remove(at: behind)
      if joined.missed == 0 { dropped = dropped &+ 1 }
      backlog.places[index].missed = sum(backlog.places[index].missed, max(1, joined.missed))
      return
    }
    // All are in flight, which they never are: at most 6.
    backlog.places.removeFirst()
  }
}

/// The sum, saturating.
func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let (sum, overflows) = a.addingReportingOverflow(b)
  return overflows ? UInt64.max : sum
}
