internal import FixedPoint
internal import JSON

/// Events that the broker has not acknowledged, in their order: the newest 64, and in the place of what was dropped how many
/// that were.
struct EventQueue: ~Copyable {
  /// The most events that are kept.
  static var mostEvents: Int { 64 }
  /// The most places: those of the events, and of the marks between them.
  static var places: Int { 72 }
  /// The most bytes of an event.
  static var longest: Int { 512 }

  private struct Place: ~Copyable {
    var payload = Payload<512>()
    var isTaken = false
    var isInFlight = false
    /// How many were dropped here; 0 for an event.
    var missed: UInt64 = 0
  }

  private var slots: InlineArray<72, Place>
  /// The slots in the order of their events; the first `count` count.
  private var order = InlineArray<72, UInt8>(repeating: 0)
  private(set) var count = 0
  private(set) var eventCount = 0
  /// How many events were dropped.
  private(set) var dropped: UInt64 = 0

  init() { slots = InlineArray { _ in Place() } }

  /// Adds an event that `body` writes; false where it does not fit, and nothing is added.
  mutating func append(_ body: (inout JSONWriter) -> Void) -> Bool {
    while eventCount >= Self.mostEvents || count >= Self.places { drop() }
    guard let slot = freeSlot, slots[slot].payload.write(body) else { return false }
    slots[slot].missed = 0
    take(slot)
    eventCount &+= 1
    return true
  }

  /// Notes that `number` are missing here.
  mutating func append(missed number: UInt64) {
    guard number > 0 else { return }
    if count > 0 {
      let last = slot(at: count &- 1)
      if slots[last].missed > 0 && !slots[last].isInFlight {
        slots[last].missed = sum(slots[last].missed, number)
        return
      }
    }
    while count >= Self.places { drop() }
    guard let slot = freeSlot else { return }
    slots[slot].missed = number
    take(slot)
  }

  /// The slot of the oldest that is not in flight; nil where there is none.
  var next: Int? {
    for position in 0..<count where !slots[slot(at: position)].isInFlight { return slot(at: position) }
    return nil
  }

  /// Copies what is in `slot` to `publication`; it is in flight from now on.
  mutating func send(_ slot: Int, into publication: inout Publication) {
    slots[slot].isInFlight = true
    let missed = slots[slot].missed
    guard missed > 0 else { return publication.copy(slots[slot].payload) }
    publication.write { writer in
      writer.beginObject()
      writer.field("event_type", "missed")
      writer.field("count", missed)
      writer.endObject()
    }
  }

  /// What is in `slot` has arrived.
  mutating func delivered(_ slot: Int) {
    for position in 0..<count where self.slot(at: position) == slot { return remove(position) }
  }

  /// What is in `slot` has not arrived, and is to be sent again.
  mutating func failed(_ slot: Int) { slots[slot].isInFlight = false }

  private func slot(at position: Int) -> Int {
    position >= 0 && position < Self.places ? Int(truncatingIfNeeded: order[position]) : 0
  }

  private var freeSlot: Int? {
    for slot in 0..<Self.places where !slots[slot].isTaken { return slot }
    return nil
  }

  private mutating func take(_ slot: Int) {
    slots[slot].isTaken = true
    slots[slot].isInFlight = false
    order[count] = UInt8(truncatingIfNeeded: slot)
    count &+= 1
  }

  private mutating func remove(_ position: Int) {
    let slot = slot(at: position)
    if slots[slot].missed == 0 { eventCount &-= 1 }
    slots[slot].isTaken = false
    count &-= 1
    var index = position
    while index < count && index < Self.places &- 1 {
      order[index] = order[index &+ 1]
      index &+= 1
    }
  }

  /// Drops the oldest event that is not in flight, or joins two marks: one place or one event fewer.
  private mutating func drop() {
    for position in 0..<count {
      let slot = slot(at: position)
      guard !slots[slot].isInFlight else { continue }
      guard slots[slot].missed > 0 else {
        // It becomes the mark.
        slots[slot].missed = 1
        eventCount &-= 1
        dropped = dropped &+ 1
        return
      }
      // A mark: what comes behind it joins it.
      let behind = self.slot(at: position &+ 1)
      guard position &+ 1 < count, !slots[behind].isInFlight else { continue }
      if slots[behind].missed == 0 { dropped = dropped &+ 1 }
      slots[slot].missed = sum(slots[slot].missed, max(1, slots[behind].missed))
      return remove(position &+ 1)
    }
    // All are in flight, which they never are: at most 6.
    remove(0)
  }
}

/// The sum, saturating.
func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let (sum, overflows) = a.addingReportingOverflow(b)
  return overflows ? UInt64.max : sum
}
