package import BoardFile
package import FixedPoint
package import FixedText
internal import HAL
internal import Indication
package import JSON
package import Monitor
package import Orientation
internal import Sensors
internal import StreamCodec
internal import Text

/// Who an owner is, and its board.
package struct OwnerDescription: Sendable {
  /// Identifies this run of the owner.
  package var identity: ShortText<48>
  /// The owner's name for the board.
  package var name: ShortText<128>
  /// The board.
  package var board: BoardDescription
  /// The time from one sample to the next.
  package var period: Microseconds
  /// The attitude in which angles are zero.
  package var tare: Tare

  /// An owner of `board`.
  package init(identity: ShortText<48>, name: ShortText<128>, board: BoardDescription, period: Microseconds) {
    (self.identity, self.name, self.board, self.period) = (identity, name, board, period)
    tare = board.tare
  }
}

// What only a stream has: hello, counters, and messages about the stream itself.
extension ObjectWriter {
  /// The maximum length of a stream's line, including its end.
  package static var longestLine: Int { 1_024 }

  /// Memory for a line.
  package typealias Line = UnsafeMutableBufferPointer<UInt8>

  /// Writes the object that `body` writes as a line. Returns its length including its end; 0 if it does not fit.
  package static func line(into line: Line, _ body: (inout JSONWriter) -> Void) -> Int {
    var writer = unsafe JSONWriter(line)
    body(&writer)
    writer.endLine()
    return writer.isCut ? 0 : writer.count
  }

  /// Writes the hello line, and returns its length.
  ///
  /// Leaves out the undetected events, and then cuts names, if the line would be too long. If that is not enough, it
  /// leaves out the counters' kinds of faults and reasons; this takes nearly all of them, in great numbers.
  package func hello(
    _ owner: borrowing OwnerDescription, _ snapshot: borrowing Snapshot, clients: Int, allowsCommands: Bool,
    at now: Instant, into line: Line
  ) -> Int {
    var snapshot = copy snapshot
    snapshot.tare = owner.tare
    let (sensor, code) = (owner.board.sensor, code)
    var hello = StreamHello(
      version: ShortText(Release.version), owner: ShortText(cutting: owner.identity), board: owner.name,
      sensor: ShortText(sensor.modelName), address: sensor.address.rawValue, bus: owner.board.busName,
      rateInMillihertz: (1_000_000_000 &+ owner.period.count / 2) / max(1, owner.period.count),
      rangeInG: sensor.configuration.rangeInG, gyroscopeRange: sensor.configuration.rangeInDegreesPerSecond,
      chip: owner.board.lines.chip, code: code, undetected: owner.board.undetected, allowsCommands: allowsCommands,
      time: now - start, snapshot: snapshot, clients: UInt64(bitPattern: widened(count: clients)))
    let limits: InlineArray<5, Int> = [128, 128, 32, 12, 0]
    for index in 0..<5 {
      let length = unsafe write(hello, names: limits[index], hasKinds: true, line)
      if length > 0 { return length }
      hello.undetected = nil
    }
    return unsafe write(hello, names: 0, hasKinds: false, line)
  }

  private func write(_ hello: borrowing StreamHello, names: Int, hasKinds: Bool, _ line: Line) -> Int {
    var writer = unsafe JSONWriter(line)
    writer.beginObject()
    writer.field("event", "hello")
    writer.fields(of: hello, from: start, names: names, hasKinds: hasKinds)
    writer.endObject()
    writer.endLine()
    return writer.isCut ? 0 : writer.count
  }

  /// Writes the line about the sensor's mounting and calibration, and returns its length. Cuts the name if the line
  /// would be too long.
  package func board(_ owner: borrowing OwnerDescription, at now: Instant, into line: Line) -> Int {
    let length = unsafe board(owner, now, name: 128, line)
    return length > 0 ? length : unsafe board(owner, now, name: 32, line)
  }

  private func board(_ owner: borrowing OwnerDescription, _ now: Instant, name: Int, _ line: Line) -> Int {
    let sensor = owner.board.sensor
    let board = StreamBoard(
      name: owner.name, mounting: sensor.mounting, calibration: sensor.calibration,
      rotationCalibration: sensor.configuration.usesGyroscope ? sensor.rotationCalibration : nil)
    var writer = unsafe JSONWriter(line)
    writer.beginObject()
    writer.field("t", seconds: now - start)
    writer.field("event", "board")
    writer.fields(of: board, name: name)
    writer.endObject()
    writer.endLine()
    return writer.isCut ? 0 : writer.count
  }

  /// Writes the counters line for a client that has missed `missed` lines, and returns its length. Leaves out the kinds
  /// of faults and the reasons if the line would be too long.
  package func counters(
    _ snapshot: borrowing Snapshot, clients: Int, missed: UInt64, at now: Instant, into line: Line
  ) -> Int {
    let length = unsafe counters(snapshot, clients, missed, now, hasKinds: true, line)
    return length > 0 ? length : unsafe counters(snapshot, clients, missed, now, hasKinds: false, line)
  }

  private func counters(
    _ snapshot: borrowing Snapshot, _ clients: Int, _ missed: UInt64, _ now: Instant, hasKinds: Bool, _ line: Line
  ) -> Int {
    var writer = unsafe JSONWriter(line)
    writer.beginObject()
    writer.field("t", seconds: now - start)
    writer.field("event", "counters")
    writer.fields(countersOf: snapshot, hasKinds: hasKinds)
    writer.field("clients", clients)
    writer.field("missed", missed)
    writer.endObject()
    writer.endLine()
    return writer.isCut ? 0 : writer.count
  }

  /// Writes the line that replaces `count` lost ones, and returns its length, at most 48.
  package static func missed(_ count: UInt64, into line: Line) -> Int {
    unsafe self.line(into: line) { write(missed: count, to: &$0) }
  }

  /// Writes the object that replaces `count` lost lines.
  package static func write(missed count: UInt64, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("event", "missed")
    writer.fields(missed: count)
    writer.endObject()
  }

  /// Writes a message about the stream, `error` or `bye`, and returns its length. Cuts a message that needs many
  /// escapes.
  package static func words(_ event: StaticString, _ detail: Message, into line: Line) -> Int {
    let length = unsafe words(event, detail, atMost: 384, line)
    return length > 0 ? length : unsafe words(event, detail, atMost: 160, line)
  }

  private static func words(_ event: StaticString, _ detail: Message, atMost length: Int, _ line: Line) -> Int {
    unsafe self.line(into: line) { writer in
      writer.beginObject()
      writer.field("event", event)
      writer.fields(words: detail, atMost: length)
      writer.endObject()
    }
  }

  /// Writes the error for a client that has sent no token, and returns its length. Programs recognize it by `needs`.
  package static func tokenNeeded(into line: Line) -> Int {
    unsafe self.line(into: line) { writer in
      writer.beginObject()
      writer.field("event", "error")
      writer.field("needs", "token")
      writer.field("detail", "this owner needs a token: pass it with --from-token FILE")
      writer.endObject()
    }
  }

  /// Writes the line that confirms a command, and returns its length.
  package static func done(_ command: StaticString, into line: Line) -> Int {
    unsafe self.line(into: line) { writer in
      writer.beginObject()
      writer.field("event", "done")
      writer.fields(done: command)
      writer.endObject()
    }
  }
}
