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
