package import FixedPoint
internal import JSON
package import FixedText

/// What a client requests in one line.
package enum Request: Equatable, Sendable {
  /// Samples.
  case samples(SampleWish)
  /// The counters at this interval; zero for never.
  case counters(every: Microseconds)
  /// The vibration of each second, or none.
  case vibration(Bool)
  /// One fresh reading.
  case reading
  /// The hello object again.
  case hello
  /// What the board file says about the sensor's mounting and calibration.
  case board
  /// An action.
  case command(Command)
  /// A token, right or wrong.
  case token(isRight: Bool)
  /// An empty token: the client has none, and wants to know at once whether it needs one.
  case noToken

  /// An action that a client can request.
  package enum Command: UInt8, Sendable {
    /// Takes the present attitude as the one in which angles are zero and nothing scrolls.
    case tare
    /// Reads the board file again.
    case reload
    /// Returns to the attitude in the board file.
    case untare

    /// The number of commands.
    static var count: Int { 3 }

    /// Its name in requests and answers.
    package var name: StaticString {
      switch self {
      case .tare: "tare"
      case .reload: "reload"
      case .untare: "untare"
      }
    }
  }

  /// What is wrong with a request, in words for the client.
  package enum Refusal: Error, Equatable, Sendable {
    /// The line is not a JSON object.
    case syntax
    /// The line is longer than the inbox.
    case tooLong
    /// An unknown request.
    case unknown
    /// The value of `samples`.
    case samples
    /// The value of `counters`.
    case counters
    /// The value of `vibration`.
    case vibration
    /// The value of `query`.
    case query
    /// The value of `command`.
    case command

    /// What to write instead.
    package var detail: StaticString {
      switch self {
      case .syntax: "a request is one JSON object a line, such as {\"samples\":10}"
      case .tooLong: "a request has at most 511 bytes, and a line end"
      case .unknown: "unknown request; the requests are samples, counters, vibration, query and command"
      case .samples: "samples is a number from 0 to 1000 (samples a second; 0 for none), \"all\" or \"raw\""
      case .counters: "counters is a number from 0.1 to 86400 (seconds from one to the next), or 0 for none"
      case .vibration: "vibration is true or false"
      case .query: "query is \"read\", \"hello\" or \"board\""
      case .command: "command is \"tare\", \"untare\" or \"reload\""
      }
    }
  }

  /// The request in `line`; nil for an empty line. `token` is the right one; nil if none is needed.
  package init?(_ line: UnsafeBufferPointer<UInt8>, token: Token?) throws(Refusal) {
    let isEmpty = unsafe line.isEmpty || line.count == 1 && line[0] == 0x0D
    guard !isEmpty else { return nil }
    let object: JSONObject
    do throws(JSONError) { object = try unsafe JSONObject(line) } catch { throw .syntax }
    // One value at a time: each is a kilobyte of stack.
    var key = Key.samples
    while true {
      if let value = object[key.name] {
        self = try Self(key, value, token: token)
        return
      }
      guard let next = Key(rawValue: key.rawValue &+ 1) else { throw .unknown }
      key = next
    }
  }

  /// The key that says what kind of request it is, in the order in which they are looked for.
  private enum Key: UInt8 {
    case samples, counters, vibration, query, command, token

    var name: StaticString {
      switch self {
      case .samples: "samples"
      case .counters: "counters"
      case .vibration: "vibration"
      case .query: "query"
      case .command: "command"
      case .token: "token"
      }
    }
  }

  @inline(never)
  private init(_ key: Key, _ value: borrowing JSONValue, token: Token?) throws(Refusal) {
    switch key {
    case .samples: self = .samples(try SampleWish(value))
    case .counters:
      guard let milliseconds = value.decimal(places: 3), milliseconds == 0 || (100...86_400_000).contains(milliseconds)
      else { throw .counters }
      self = .counters(every: .milliseconds(milliseconds))
    case .vibration:
      guard let isWanted = value.bool else { throw .vibration }
      self = .vibration(isWanted)
    case .query:
      if value.isString("read") {
        self = .reading
      } else if value.isString("hello") {
        self = .hello
      } else if value.isString("board") {
        self = .board
      } else {
        throw .query
      }
    case .command:
      guard let command = Command(value) else { throw .command }
      self = .command(command)
    case .token: self = value.isString("") ? .noToken : .token(isRight: Self.isRight(value, token))
    }
  }

  private static func isRight(_ value: borrowing JSONValue, _ token: Token?) -> Bool {
    token?.equals(value) ?? true
  }
}

extension Request.Command {
  @inline(never)
  fileprivate init?(_ value: borrowing JSONValue) {
    for index in 0..<Self.count {
      guard let command = Self(rawValue: UInt8(truncatingIfNeeded: index)), value.isString(command.name) else {
        continue
      }
      self = command
      return
    }
    return nil
  }
}

/// Which samples a client wants.
package enum SampleWish: Equatable, Sendable {
  /// None.
  case none
  /// Every one.
  case all
  /// Every one, uncalibrated and in the sensor frame.
  case raw
  /// At most one per interval, evenly spaced.
  case every(Microseconds)

  @inline(never)
  fileprivate init(_ value: borrowing JSONValue) throws(Request.Refusal) {
    if value.isString("all") {
      self = .all
    } else if value.isString("raw") {
      self = .raw
    } else if let millihertz = value.decimal(places: 3), (0...1_000_000).contains(millihertz) {
      self = millihertz == 0 ? .none : .every(Microseconds((1_000_000_000 &+ millihertz / 2) / millihertz))
    } else {
      throw .samples
    }
  }
}

/// Thins out the samples for a client that wants fewer than there are.
package struct Thinning: Equatable, Sendable {
  private var next: Instant?

  /// Starts with the next sample.
  package init() {}

  /// Whether the client gets the sample at `now`, with one every `period` and one wanted every `interval`.
  ///
  /// Half a period early counts, so that a sample that is slightly earlier than usual is not skipped. Over any time, at
  /// most one more sample is chosen than there are intervals.
  package mutating func chooses(_ now: Instant, every interval: Microseconds, period: Microseconds) -> Bool {
    let due = next ?? now
    guard now + Microseconds(period.count &>> 1) >= due else { return false }
    // After a pause the grid starts again.
    next = now - due > interval ? now + interval : due + interval
    return true
  }
}

/// What a TCP client must know: 16 to 128 bytes, the first line of a file.
@safe
package struct Token: Sendable {
  private var bytes = InlineArray<128, UInt8>(repeating: 0)
  private var count = 0

  /// The minimum length of a token.
  static var least: Int { 16 }

  /// The token that `fill` writes. `fill` returns the number of bytes, or a negative number. Nil for that, and for too
  /// few bytes.
  package init?(_ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int32) {
    var bytes = InlineArray<128, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    count = Int(truncatingIfNeeded: unsafe span.withUnsafeMutableBufferPointer { unsafe fill($0) })
    guard count >= Self.least, count <= 128 else { return nil }
    self.bytes = bytes
  }

  /// The token `text`; nil if it is too short.
  package init?(_ text: borrowing ShortText<128>) {
    let count = text.count
    guard count >= Self.least else { return nil }
    for index in 0..<count { bytes[index] = text[index] }
    self.count = count
  }

  /// Whether `value` is the token. Takes the same time wherever a wrong one differs.
  func equals(_ value: borrowing JSONValue) -> Bool {
    var index = 0
    var difference: UInt8 = 0
    let isString = value.forEachByte { byte in
      difference |= byte ^ (index < 128 ? bytes[index] : 0xFF)
      index &+= 1
    }
    return isString && index == count && difference == 0
  }
}
