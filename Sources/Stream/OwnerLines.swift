internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import HAL
internal import JSON
internal import Monitor
internal import Orientation
internal import Sensors
internal import Text

/// The lines that an owner sends: the objects of ``ObjectWriter`` with what this owner is.
///
/// Each function writes a line with its end, and returns its length.
struct OwnerLines: Sendable {
  var board: BoardDescription
  private let name: ShortText<128>
  private let start: Instant
  private let identity: ShortText<48>

  init(_ board: BoardDescription, _ name: ShortText<128>, start: Instant) {
    (self.board, self.name, self.start) = (board, name, start)
    identity = "\(csupport_share_process())-\(UInt64(bitPattern: start.microseconds))"
  }

  typealias Line = UnsafeMutableBufferPointer<UInt8>

  private func write(_ line: Line, _ body: (inout JSONWriter) -> Void) -> Int {
    var writer = unsafe JSONWriter(line)
    writer.beginObject()
    body(&writer)
    writer.endObject()
    writer.endLine()
    return writer.count
  }

  func event(_ occurrence: Occurrence, levels: Levels, into line: Line) -> Int {
    unsafe write(line) { writer in
      writer.field("t", seconds: occurrence.at - start)
      switch occurrence.event {
      case .pose(let from, let to, _):
        writer.field("event", "pose")
        writer.field("from", from.name)
        writer.field("to", to.name)
      case .trouble(let reason, _):
        writer.field("event", "trouble")
        writer.field("reason", reason.name)
      default: writer.field("event", "other")
      }
    }
  }

  func sample(_ reading: Reading, _ seen: Observation, into line: Line) -> Int {
    unsafe write(line) { writer in
      writer.field("t", seconds: reading.instant - start)
      writer.field("event", "sample")
      writer.field("x", reading.force.x)
      writer.field("y", reading.force.y)
      writer.field("z", reading.force.z)
      writer.field("pose", reading.state.name)
    }
  }

  func raw(_ measured: Measurement, at instant: Instant, into line: Line) -> Int {
    unsafe write(line) { writer in
      writer.field("t", seconds: instant - start)
      writer.field("event", "raw")
      writer.field("x", measured.force.x)
      writer.field("y", measured.force.y)
      writer.field("z", measured.force.z)
    }
  }

  func hello(
    _ present: Present, clients: Int, allowsCommands: Bool, at now: Instant, into line: Line
  ) -> Int {
    unsafe write(line) { writer in
      writer.field("event", "hello")
      writer.field("protocol", 1)
      writer.field("plumb", Release.version)
      writer.field("pose", present.state.name)
      writer.field("t", seconds: now - start)
      writer.field("events", present.events)
      writer.field("clients", clients)
    }
  }

  func counters(_ present: Present, clients: Int, missed: UInt64, at now: Instant, into line: Line) -> Int {
    unsafe write(line) { writer in
      writer.field("t", seconds: now - start)
      writer.field("event", "counters")
      writer.field("samples", present.counters.samples)
      writer.field("late_samples", present.counters.lateSamples)
      writer.field("clients", clients)
      writer.field("missed", missed)
    }
  }

  func reading(_ snapshot: Snapshot, into line: Line) -> Int {
    unsafe write(line) { writer in
      writer.field("t", seconds: snapshot.instant - start)
      writer.field("event", "reading")
    }
  }

  func error(_ detail: ShortText<384>, into line: Line) -> Int { unsafe plain("error", detail, line) }
  func silence(_ reason: UnknownReason, _ cause: SensorError?, into line: Line) -> Int {
    unsafe error(cause?.message(of: board.sensor.place) ?? ShortText(reason.message), into: line)
  }
  func bye(_ detail: ShortText<384>, into line: Line) -> Int { unsafe plain("bye", detail, line) }

  private func plain(_ event: StaticString, _ detail: ShortText<384>, _ line: Line) -> Int {
    unsafe write(line) { writer in
      writer.field("event", event)
      detail.withSpan { writer.field("detail", $0) }
    }
  }

  func done(_ command: StaticString, into line: Line) -> Int {
    unsafe write(line) { writer in
      writer.field("event", "done")
      writer.field("command", command)
    }
  }
}

enum ObjectWriter {
  static func missed(_ count: UInt64, into line: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var writer = unsafe JSONWriter(line)
    writer.beginObject()
    writer.field("event", "missed")
    writer.field("count", count)
    writer.endObject()
    writer.endLine()
    return writer.count
  }
}
