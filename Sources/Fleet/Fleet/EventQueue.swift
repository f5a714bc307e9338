internal import JSON

/// Events that the broker has not acknowledged, in order: the newest 64, with marks that count those that were dropped.
struct EventQueue {
  /// How many events are kept at most.
  static var mostEvents: Int { 64 }
  /// How many places there are at most: for the events, and for the marks between them.
  static var mostPlaces: Int { 72 }
  /// The maximum size of an event, in bytes.
  static var longest: Int { 512 }

  /// What waits, and what is in flight.
  var backlog = Backlog()
  /// How many events were dropped.
  private(set) var dropped: UInt64 = 0

  private var eventCount: Int { backlog.places.count { $0.missed == 0 } }

  /// Appends an event.
  mutating func append(_ payload: [UInt8]) {
    while eventCount >= Self.mostEvents || backlog.places.count >= Self.mostPlaces { drop() }
    backlog.places.append(Backlog.Place(payload: payload))
  }

  /// Notes that `number` events are missing here.
  mutating func append(missed number: UInt64) {
    guard number > 0 else { return }
    if let last = backlog.places.last, last.missed > 0, !last.isInFlight {
      backlog.places[backlog.places.count &- 1].missed = sum(last.missed, number)
      return
    }
    while backlog.places.count >= Self.mostPlaces { drop() }
    backlog.places.append(Backlog.Place(missed: number))
  }

  /// Whether all events have been delivered.
  var isEmpty: Bool { backlog.places.isEmpty }

  /// The oldest event or mark that is not in flight; nil if there is none.
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

  /// Drops the oldest event that is not in flight, or merges two marks: one event or one place fewer.
  private mutating func drop() {
    for index in backlog.places.indices where !backlog.places[index].isInFlight {
      guard backlog.places[index].missed > 0 else {
        // It becomes the mark.
        backlog.places[index] = Backlog.Place(missed: 1)
        dropped = dropped &+ 1
        return
      }
      // A mark absorbs what comes after it.
      let behind = index &+ 1
      guard behind < backlog.places.count, !backlog.places[behind].isInFlight else { continue }
      let joined = backlog.places.remove(at: behind)
      if joined.missed == 0 { dropped = dropped &+ 1 }
      backlog.places[index].missed = sum(backlog.places[index].missed, max(1, joined.missed))
      return
    }
    // All are in flight, which never happens: at most 6 are.
    backlog.places.removeFirst()
  }
}

/// The saturating sum.
func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let (sum, overflows) = a.addingReportingOverflow(b)
  return overflows ? UInt64.max : sum
}
