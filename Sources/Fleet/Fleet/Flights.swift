/// What has been handed out and is not yet acknowledged: at most 8 publications.
struct Flights {
  /// The most at once.
  static var most: Int { 8 }
  /// The most events and answers at once, so that there is always room for the state.
  static var mostQueued: Int { 6 }

  /// A publication that was handed out.
  struct Flight {
    var topic: Topic
    var token: UInt16
  }

  private var flights: [Flight] = []
  private var lastToken: UInt16 = 0

  /// How many there are.
  var count: Int { flights.count }

  /// How many are of a queue.
  var queuedCount: Int { flights.count { $0.topic == .event || $0.topic == .answer } }

  /// Whether one is on `topic`.
  func has(_ topic: Topic) -> Bool { flights.contains { $0.topic == topic } }

  /// Begins a flight, and returns its token, which is not 0.
  mutating func begin(_ topic: Topic) -> UInt16 {
    repeat { lastToken = lastToken &+ 1 } while lastToken == 0 || flights.contains { $0.token == lastToken }
    flights.append(Flight(topic: topic, token: lastToken))
    return lastToken
  }

  /// Ends the flight with `token`, and returns where it was published; nil for any other number.
  mutating func end(_ token: UInt16) -> Topic? {
    guard let index = flights.firstIndex(where: { $0.token == token }) else { return nil }
    return flights.remove(at: index).topic
  }

  /// Ends all of them.
  mutating func endAll() -> [Flight] {
    defer { flights = [] }
    return flights
  }
}
