package import BoardFile
package import FixedPoint
internal import HAL
package import Monitor
package import Orientation
package import Sensors
package import FixedText
package import Vibration

/// The lines that an owner sends: the objects of ``ObjectWriter``, with this owner's description.
///
/// Each function writes a line with its end, and returns its length.
package struct OwnerLines: Sendable {
  /// The board.
  package var board: BoardDescription {
    get { owner.board }
    set {
      (owner.board, owner.period) = (newValue, newValue.sensor.period)
      writer = ObjectWriter(start: writer.start, sensor: newValue.sensor.place, code: newValue.lines.code)
      tare = newValue.tare
    }
  }

  /// The attitude in which angles are zero.
  package var tare: Tare {
    get { owner.tare }
    set { (owner.tare, writer.tare) = (newValue, newValue) }
  }

  private var owner: OwnerDescription
  private var writer: ObjectWriter

  /// The lines of the owner of `board`, which it calls `name`; its run, which begins at `start`, is `identity`.
  package init(_ board: BoardDescription, _ name: ShortText<128>, identity: ShortText<48>, start: Instant) {
    owner = OwnerDescription(identity: identity, name: name, board: board, period: board.sensor.period)
    writer = ObjectWriter(start: start, sensor: board.sensor.place, code: board.lines.code)
    writer.tare = board.tare
  }

  /// Memory for a line.
  package typealias Line = UnsafeMutableBufferPointer<UInt8>

  /// An event.
  package func event(_ occurrence: Occurrence, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(occurrence, to: &$0) }
  }

  /// An event without words.
  package func wordless(_ occurrence: Occurrence, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(wordless: occurrence, to: &$0) }
  }

  /// A sample.
  package func sample(_ reading: Reading, _ seen: Observation, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(reading, of: seen, to: &$0) }
  }

  /// A sample as the sensor measured it.
  package func raw(_ measured: Measurement, at instant: Instant, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(raw: measured, at: instant, to: &$0) }
  }

  /// The vibration of a second.
  package func vibration(_ second: VibrationSecond, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(second, to: &$0) }
  }

  /// The owner, and what it knows.
  package func hello(
    _ snapshot: borrowing Snapshot, clients: Int, allowsCommands: Bool, at now: Instant, into line: Line
  )
    -> Int
  {
    unsafe writer.hello(
      owner, snapshot, clients: clients, allowsCommands: allowsCommands, at: now, into: line)
  }

  /// The sensor's mounting and calibration.
  package func board(at now: Instant, into line: Line) -> Int { unsafe writer.board(owner, at: now, into: line) }

  /// The counters, and how many lines the client has missed.
  package func counters(_ snapshot: borrowing Snapshot, clients: Int, missed: UInt64, at now: Instant, into line: Line)
    -> Int
  {
    unsafe writer.counters(snapshot, clients: clients, missed: missed, at: now, into: line)
  }

  /// The answer to a query.
  package func reading(_ fresh: FreshReading, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(fresh, to: &$0) }
  }

  /// What is wrong with a request.
  package func error(_ detail: Message, into line: Line) -> Int {
    unsafe ObjectWriter.words("error", detail, into: line)
  }

  /// That a token is needed.
  package func tokenNeeded(into line: Line) -> Int { unsafe ObjectWriter.tokenNeeded(into: line) }

  /// Why there is no reading.
  package func silence(_ reason: UnknownReason, _ cause: SensorError?, into line: Line) -> Int {
    unsafe error(cause?.message(of: board.sensor.place) ?? ShortText(reason.message), into: line)
  }

  /// Why the stream ends.
  package func bye(_ detail: Message, into line: Line) -> Int { unsafe ObjectWriter.words("bye", detail, into: line) }

  /// That a command was carried out.
  package func done(_ command: StaticString, into line: Line) -> Int { unsafe ObjectWriter.done(command, into: line) }
}
