/// Which event it is, and of which run of the program: another run counts anew.
package struct EventID: Equatable, Sendable {
  package var run: String
  package var number: UInt64

  package init(run: String, number: UInt64) { (self.run, self.number) = (run, number) }

  /// Reads `RUN-NUMBER`.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 32, let number = UInt64(parts[1]) else {
      return nil
    }
    self.init(run: String(parts[0]), number: number)
  }

  package var text: String { "\(run)-\(number)" }
}

/// The last events, each as a line of JSON, for any number of readers that each remember where they are.
package struct EventRing: Sendable {
  /// So many are kept.
  package static let capacity = 256
  /// So many of the past does a new reader get.
  package static let recent = 12

  package let run: String
  private var kept: [String] = []
  private var head = 0
  /// How many came so far: the number of the next one.
  package private(set) var next: UInt64 = 0

  package init(run: String) { self.run = run }

  /// The number of the oldest one that is kept.
  private var oldest: UInt64 { next - UInt64(kept.count) }

  package mutating func append(_ json: String) {
    if kept.count < Self.capacity {
      kept.append(json)
    } else {
      kept[head] = json
      head = (head + 1) % Self.capacity
    }
    next += 1
  }

  /// Where a reader begins: behind the event that it has had last, else with the last few.
  package func start(after last: EventID?) -> UInt64 {
    if let last, last.run == run, last.number < next { return last.number + 1 }
    return next - UInt64(min(Self.recent, kept.count))
  }

  /// The events from number `first` on; and how many before them are gone that should have been there.
  package func events(from first: UInt64) -> (missed: UInt64, events: [(id: EventID, json: String)]) {
    let begin = max(first, oldest)
    guard begin < next else { return (0, []) }
    let events = (begin..<next).map { number in
      let place = (head + Int(number - oldest)) % kept.count
      return (EventID(run: run, number: number), kept[place])
    }
    return (begin - min(first, begin), events)
  }

  /// The same as a browser reads them; before them, how many are gone.
  ///
  /// What is gone is told under the number of the last one that is: without any, a browser would take it for one that it has
  /// had.
  package func messages(from first: UInt64) -> String {
    let (missed, events) = events(from: first)
    var text = ""
    if missed > 0, let next = events.first?.id.number {
      text = ServerSentEvent.text("note", Self.missed(missed), id: EventID(run: run, number: next - 1))
    }
    for (id, json) in events { text += ServerSentEvent.text("note", json, id: id) }
    return text
  }

  /// What is told of so many events that nobody has any more.
  package static func missed(_ count: UInt64) -> String {
    let text = count == 1 ? "1 event came too fast to be kept" : "\(count) events came too fast to be kept"
    return "{\"event\":\"missed\",\"count\":\(count),\"weight\":\"trouble\",\"text\":\"\(text)\"}"
  }
}

/// Messages of the kind that a browser's `EventSource` reads.
///
/// - Source: the HTML Standard, 9.2 (server-sent events).
package enum ServerSentEvent {
  /// A message; `data` must have no ends of lines.
  package static func text(_ event: String, _ data: String, id: EventID? = nil) -> String {
    (id.map { "id: \($0.text)\n" } ?? "") + "event: \(event)\ndata: \(data)\n\n"
  }

  /// After how many milliseconds a browser comes back that has lost the connection.
  package static let retry = "retry: 1000\n\n"
}
