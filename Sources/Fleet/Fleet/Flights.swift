/// Publications that were handed out and are not acknowledged yet: at most 8.
struct Flights {
  /// The maximum number in flight.
  static var most: Int { 8 }
  /// The maximum number of events and answers in flight, so that there is always room for the state.
  static var mostQueued: Int { 6 }

  /// A publication in flight.
  struct Flight {
    var topic: Topic
    var token: UInt16
  }

  private var flights: [Flight] = []
  private var lastToken: UInt16 = 0

  /// The number in flight.
  var count: Int { flights.count }

  /// How many of them come from a queue, as all do that matter only at the time.
  var queuedCount: Int { flights.count { $0.topic.use == .passing } }

  /// Whether one of them is on `topic`.
  func has(_ topic: Topic) -> Bool { flights.contains { $0.topic == topic } }

  /// Begins a flight, and returns its token, which is not 0.
  mutating func begin(_ topic: Topic) -> UInt16 {
    repeat { lastToken = lastToken &+ 1 } while lastToken == 0 || flights.contains { $0.token == lastToken }
    flights.append(Flight(topic: topic, token: lastToken))
    return lastToken
  }

  /// Ends the flight with `token`, and returns its topic; nil for any other number.
  mutating func end(_ token: UInt16) -> Topic? {
    guard let index = flights.firstIndex(where: { $0.token == token }) else { return nil }
    return flights.remove(at: index).topic
  }

  /// Ends all flights.
  mutating func endAll() -> [Flight] {
    defer { flights = [] }
    return flights
  }
}
