/// Payloads that the broker has not acknowledged, in order.
struct Backlog {
  /// A payload, or a mark for missing events.
  struct Place {
    var payload: [UInt8] = []
    /// How many events are missing here; 0 for a payload.
    var missed: UInt64 = 0
    /// Identifies its delivery while it is in flight; 0 while it waits.
    var token: UInt16 = 0

    var isInFlight: Bool { token != 0 }
  }

  var places: [Place] = []

  /// The oldest place that waits; nil if there is none.
  var next: Int? { places.firstIndex { !$0.isInFlight } }

  /// Notes that the oldest waiting place is in flight from now on, with `token`.
  mutating func send(as token: UInt16) {
    if let next { places[next].token = token }
  }

  /// Removes the place with `token`, which has been delivered.
  mutating func delivered(_ token: UInt16) { places.removeAll { $0.token == token } }

  /// Makes the place with `token` wait again, because it was not delivered.
  mutating func failed(_ token: UInt16) {
    for index in places.indices where places[index].token == token { places[index].token = 0 }
  }
}
