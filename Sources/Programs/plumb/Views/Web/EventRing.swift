internal import JSON

/// Identifies an event: its number, and the run of the program, since each run counts from 0.
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

/// The latest events, each as a line of JSON, for any number of readers with their own positions.
package struct EventRing: Sendable {
  /// How many events are kept.
  package static let capacity = 256
  /// How many past events a new reader gets at most.
  package static let recent = 12

  package let run: String
  private var kept: [String] = []
  private var head = 0
  /// The number of the next event, which is the number of events so far.
  package private(set) var next: UInt64 = 0

  package init(run: String) { self.run = run }

  /// The number of the oldest stored event.
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

  /// Where a reader starts: after the last event it has received, otherwise with the last few.
  package func start(after last: EventID?) -> UInt64 {
    if let last, last.run == run, last.number < next { return last.number + 1 }
    return next - UInt64(min(Self.recent, kept.count))
  }

  /// The events from number `first` on, and how many of those were lost.
  package func events(from first: UInt64) -> (missed: UInt64, events: [(id: EventID, json: String)]) {
    let begin = max(first, oldest)
    guard begin < next else { return (0, []) }
    let events = (begin..<next).map { number in
      let place = (head + Int(number - oldest)) % kept.count
      return (EventID(run: run, number: number), kept[place])
    }
    return (begin - min(first, begin), events)
  }

  /// The same as messages for a browser, after one that says how many were lost.
  ///
  /// That message has the number of the last lost event: without a number, a browser would reconnect from too early an
  /// event.
  package func messages(from first: UInt64) -> String {
    let (missed, events) = events(from: first)
    var text = ""
    if missed > 0, let next = events.first?.id.number {
      text = ServerSentEvent.text("note", Self.missed(missed), id: EventID(run: run, number: next - 1))
    }
    for (id, json) in events { text += ServerSentEvent.text("note", json, id: id) }
    return text
  }

  /// The event that replaces `count` lost ones.
  package static func missed(_ count: UInt64) -> String {
    let text = count == 1 ? "1 event was dropped: too many at once" : "\(count) events were dropped: too many at once"
    return JSONText.object("missed") { writer in
      writer.field("count", count)
      writer.field("weight", "trouble")
      writer.field("text", text)
    }
  }
}

/// Messages for a browser's `EventSource`.
///
/// - Source: the HTML Standard, 9.2 (server-sent events).
package enum ServerSentEvent {
  /// A message; `data` must not contain line feeds.
  package static func text(_ event: String, _ data: String, id: EventID? = nil) -> String {
    (id.map { "id: \($0.text)\n" } ?? "") + "event: \(event)\ndata: \(data)\n\n"
  }

  /// Makes a browser reconnect one second after losing the connection.
  package static let retry = "retry: 1000\n\n"
}
