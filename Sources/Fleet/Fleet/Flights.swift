/// What has been handed out and is not yet acknowledged: at most 8 publications.
struct Flights {
  /// The most at once.
  static var most: Int { 8 }
  /// The most events and answers at once, so that there is always room for the state.
  static var mostQueued: Int { 6 }

  /// What was handed out.
  enum Cargo: Equatable {
    case none, state, status, farewell, discovery
    case event(slot: UInt8)
    case answer(slot: UInt8)

    /// Whether it comes from a queue.
    var isQueued: Bool {
      switch self {
      case .event, .answer: true
      default: false
      }
    }
  }

  private struct Flight {
    var token: UInt16 = 0
    var cargo = Cargo.none
  }

  private var flights = InlineArray<8, Flight>(repeating: Flight())
  private var lastToken: UInt16 = 0

  init() {}

  /// How many there are.
  var count: Int { count { _ in true } }

  /// How many are of a queue.
  var queuedCount: Int { count { $0.isQueued } }

  /// Whether `cargo` is among them.
  func has(_ cargo: Cargo) -> Bool { count { $0 == cargo } > 0 }

  private func count(_ isCounted: (Cargo) -> Bool) -> Int {
    var count = 0
    for index in 0..<Self.most where flights[index].cargo != .none && isCounted(flights[index].cargo) { count &+= 1 }
    return count
  }

  /// Begins a flight, and returns its token; 0 where there is no room.
  mutating func begin(_ cargo: Cargo) -> UInt16 {
    for index in 0..<Self.most where flights[index].cargo == .none {
      repeat { lastToken = lastToken &+ 1 } while lastToken == 0 || has(token: lastToken)
      flights[index] = Flight(token: lastToken, cargo: cargo)
      return lastToken
    }
    return 0
  }

  private func has(token: UInt16) -> Bool {
    for index in 0..<Self.most where flights[index].cargo != .none && flights[index].token == token { return true }
    return false
  }

  /// Ends the flight with `token`, and returns what it was.
  mutating func end(_ token: UInt16) -> Cargo {
    for index in 0..<Self.most where flights[index].token == token { return clear(index) }
    return .none
  }

  /// Ends any flight, and returns what it was; none where there is none.
  mutating func endAny() -> Cargo {
    for index in 0..<Self.most where flights[index].cargo != .none { return clear(index) }
    return .none
  }

  private mutating func clear(_ index: Int) -> Cargo {
    let cargo = flights[index].cargo
    flights[index] = Flight()
    return cargo
  }
}
