/// Payloads that the broker has not acknowledged, in their order.
struct Backlog {
  /// One of them.
  struct Place {
    var payload: [UInt8] = []
    /// How many events are missing here; 0 for a payload.
    var missed: UInt64 = 0
    /// What tells its delivery from others' while it is in flight; 0 while it waits.
    var token: UInt16 = 0

    var isInFlight: Bool { token != 0 }
  }

  var places: [Place] = []

  /// The oldest that waits; nil where there is none.
  var next: Int? { places.firstIndex { !$0.isInFlight } }

  /// The oldest that waits is in flight from now on, with `token`.
  mutating func send(as token: UInt16) {
    if let next { places[next].token = token }
  }

  /// What has `token` has arrived.
  mutating func delivered(_ token: UInt16) { places.removeAll { $0.token == token } }

  /// What has `token` has not arrived, and is to be sent again.
  mutating func failed(_ token: UInt16) {
    for index in places.indices where places[index].token == token { places[index].token = 0 }
  }
}
