/// A client's request to the owner of a sensor.
public enum StreamRequest: Equatable, Sendable {
  /// Samples in addition to events, until another such request.
  case samples(Samples)
  /// The counters at this interval in seconds, until another such request; 0 ends them.
  case counters(every: Int)
  /// The vibration of each second, until another such request. The answer is an error if the owner's board file does
  /// not ask for vibration.
  case vibration(Bool)
  /// One fresh reading, answered with ``StreamCodec/StreamMessage/reading(_:words:)``, or with an error while the
  /// sensor delivers nothing.
  case read
  /// What the owner is and knows now, answered with ``StreamCodec/StreamMessage/hello(_:)``.
  case hello
  /// The sensor's mounting and calibration, answered with ``StreamCodec/StreamMessage/board(_:)``.
  case board
  /// A command, such as `tare`, answered with ``StreamCodec/StreamMessage/done(command:)`` or an error. Only over a
  /// Unix socket, and only if the owner's board file allows commands.
  case command(String)

  /// Which samples.
  public enum Samples: Equatable, Sendable {
    /// None.
    case none
    /// At most this many per second, thinned evenly.
    case perSecond(Int)
    /// Every sample.
    case all
    /// Every sample, uncalibrated and in the sensor frame.
    case raw
  }

  /// Whether the request lasts until another such request, so that a client repeats it on each connection.
  var isStanding: Bool {
    switch self {
    case .samples, .counters, .vibration: true
    case .read, .hello, .board, .command: false
    }
  }

  /// Whether `other` replaces this request.
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

/// `text` as a JSON string.
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
