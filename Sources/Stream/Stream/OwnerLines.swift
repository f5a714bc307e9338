internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import HAL
internal import Monitor
internal import Orientation
internal import Sensors
internal import Text
internal import Vibration

/// The lines that an owner sends: the objects of ``ObjectWriter``, with this owner's description.
///
/// Each function writes a line with its end, and returns its length.
struct OwnerLines: Sendable {
  var board: BoardDescription {
    get { owner.board }
    set {
      (owner.board, owner.period) = (newValue, newValue.sensor.period)
      writer = ObjectWriter(start: writer.start, sensor: newValue.sensor.place, code: newValue.lines.code)
      tare = newValue.tare
    }
  }

  /// The attitude in which angles are zero.
  var tare: Tare {
    get { owner.tare }
    set { (owner.tare, writer.tare) = (newValue, newValue) }
  }

  private var owner: OwnerDescription
  private var writer: ObjectWriter

  init(_ board: BoardDescription, _ name: ShortText<128>, start: Instant) {
    owner = OwnerDescription(
      identity: "\(csupport_share_process())-\(UInt64(bitPattern: start.microseconds))", name: name, board: board,
      period: board.sensor.period)
    writer = ObjectWriter(start: start, sensor: board.sensor.place, code: board.lines.code)
    writer.tare = board.tare
  }

  typealias Line = UnsafeMutableBufferPointer<UInt8>

  func event(_ occurrence: Occurrence, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(occurrence, to: &$0) }
  }

  func sample(_ reading: Reading, _ seen: Observation, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(reading, of: seen, to: &$0) }
  }

  func raw(_ measured: Measurement, at instant: Instant, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(raw: measured, at: instant, to: &$0) }
  }

  func vibration(_ second: VibrationSecond, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(second, to: &$0) }
  }

  func hello(_ snapshot: borrowing Snapshot, clients: Int, allowsCommands: Bool, at now: Instant, into line: Line)
    -> Int
  {
    unsafe writer.hello(
      owner, snapshot, clients: clients, allowsCommands: allowsCommands, at: now, into: line)
  }

  func board(at now: Instant, into line: Line) -> Int { unsafe writer.board(owner, at: now, into: line) }

  func counters(_ snapshot: borrowing Snapshot, clients: Int, missed: UInt64, at now: Instant, into line: Line) -> Int {
    unsafe writer.counters(snapshot, clients: clients, missed: missed, at: now, into: line)
  }

  func reading(_ fresh: FreshReading, into line: Line) -> Int {
    unsafe ObjectWriter.line(into: line) { writer.write(fresh, to: &$0) }
  }

  func error(_ detail: Message, into line: Line) -> Int { unsafe ObjectWriter.words("error", detail, into: line) }

  func tokenNeeded(into line: Line) -> Int { unsafe ObjectWriter.tokenNeeded(into: line) }

  func silence(_ reason: UnknownReason, _ cause: SensorError?, into line: Line) -> Int {
    unsafe error(cause?.message(of: board.sensor.place) ?? ShortText(reason.message), into: line)
  }

  func bye(_ detail: Message, into line: Line) -> Int { unsafe ObjectWriter.words("bye", detail, into: line) }

  func done(_ command: StaticString, into line: Line) -> Int { unsafe ObjectWriter.done(command, into: line) }
}
