internal import FixedPoint
internal import JSON

/// Answers to commands that the broker has not acknowledged: at most 8, each at least 0.1 s after the one before.
struct AnswerQueue: ~Copyable {
  private static var places: Int { 8 }
  private static var pause: Microseconds { .milliseconds(100) }

  private struct Place: ~Copyable {
    var payload = Payload<1_280>()
    var isInFlight = false
  }

  private var slots: InlineArray<8, Place>
  private var first = 0
  private var count = 0
  /// How many are not yet in flight.
  private(set) var waiting = 0
  private var earliest: Instant?
  /// How many found no place.
  var leftOut: UInt64 = 0

  init() { slots = InlineArray { _ in Place() } }

  /// Adds an answer that `body` writes; where there is no room, it is left out.
  mutating func append(_ body: (inout JSONWriter) -> Void) {
    guard count < Self.places else {
      leftOut = leftOut &+ 1
      return
    }
    let slot = (first &+ count) & 7
    slots[slot].isInFlight = false
    guard slots[slot].payload.write(body) else { return }
    count &+= 1
    waiting &+= 1
  }

  /// When the next one may be sent; nil for none, and for at once.
  var due: Instant? { waiting > 0 ? earliest : nil }

  /// Copies the oldest that is not in flight to `publication`, and returns its slot; nil where it is not time.
  mutating func send(at now: Instant, into publication: inout Publication) -> Int? {
    if let earliest, now < earliest, earliest - now <= Self.pause { return nil }
    for index in 0..<count {
      let slot = (first &+ index) & 7
      guard !slots[slot].isInFlight else { continue }
      slots[slot].isInFlight = true
      waiting &-= 1
      earliest = now + Self.pause
      publication.copy(slots[slot].payload)
      return slot
    }
    return nil
  }

  /// What is in `slot` has arrived. Those behind it wait for those before.
  mutating func delivered(_ slot: Int) {
    slots[slot].payload = Payload()
    while count > 0 && slots[first].payload.count == 0 {
      first = (first &+ 1) & 7
      count &-= 1
    }
  }

  /// What is in `slot` has not arrived, and is to be sent again.
  mutating func failed(_ slot: Int) {
    guard slots[slot].isInFlight else { return }
    slots[slot].isInFlight = false
    waiting &+= 1
  }
}
