/// What a client asks the owner of a sensor for.
public enum StreamRequest: Equatable, Sendable {
  /// Samples beside the events, until another such request.
  case samples(Samples)
  /// The counters every so many seconds, until another such request; 0 ends them.
  case counters(every: Int)
  /// The vibration of each second, until another such request. Where the owner's board file does not ask for it, an
  /// error comes.
  case vibration(Bool)
  /// One fresh reading, answered with ``StreamCodec/StreamMessage/reading(_:words:)``, or an error while the sensor delivers
  /// nothing.
  case read
  /// What the owner has and knows now, answered with ``StreamCodec/StreamMessage/hello(_:)``.
  case hello
  /// How the sensor sits on the board and what corrects it, answered with ``StreamCodec/StreamMessage/board(_:)``.
  case board
  /// A command, such as `tare`, answered with ``StreamCodec/StreamMessage/done(command:)`` or an error. Only over a Unix socket,
  /// and only where the owner's board file allows commands.
  case command(String)

  /// How many samples.
  public enum Samples: Equatable, Sendable {
    /// None.
    case none
    /// At most so many a second, evenly thinned.
    case perSecond(Int)
    /// Each.
    case all
    /// Each, in the sensor's own frame, uncalibrated.
    case raw
  }

  /// Whether it holds until another such request, so that a client repeats it on each connection.
  var isStanding: Bool {
    switch self {
    case .samples, .counters, .vibration: true
    case .read, .hello, .board, .command: false
    }
  }

  /// Whether `other` takes its place.
  func isReplaced(by other: StreamRequest) -> Bool {
    switch (self, other) {
    case (.samples, .samples), (.counters, .counters), (.vibration, .vibration): true
    default: false
    }
  }

  /// The line, without its line feed.
  var line: String {
    switch self {
    case .samples(.none): "{\"samples\":0}"
    case .samples(.perSecond(let count)): "{\"samples\":\(max(0, count))}"
    case .samples(.all): "{\"samples\":\"all\"}"
    case .samples(.raw): "{\"samples\":\"raw\"}"
    case .counters(let seconds): "{\"counters\":\(max(0, seconds))}"
    case .vibration(let isWanted): "{\"vibration\":\(isWanted)}"
    case .read: "{\"query\":\"read\"}"
    case .hello: "{\"query\":\"hello\"}"
    case .board: "{\"query\":\"board\"}"
    case .command(let name): "{\"command\":\(quoted(name))}"
    }
  }
}

/// `text` as a string of JSON.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": result += "\\" + String(scalar)
    case _ where scalar.value < 0x20:
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
