public import FixedPoint
package import FixedText
public import Gestures
internal import HAL
public import Indication
public import JSON
public import Monitor
public import Orientation
public import Sensors
internal import StreamCodec
public import Text
public import Vibration

/// Writes the objects of a board, events, samples, readings and counters, as docs/output.md describes them.
///
/// Nothing else writes them: the stream, the tool and the daemon all use it. Each function writes one object without
/// the end of the line.
public struct ObjectWriter: Sendable {
  /// The instant at which `t` is zero.
  public let start: Instant
  /// The sensor, for messages about it.
  public let sensor: SensorPlace
  /// The code of the lines.
  public let code: LineCode
  /// The attitude in which angles are zero.
  public var tare = Tare.none
  /// The pose to which samples also give the relative angle; nil for none.
  public var relativeTo: Pose?
  /// The sizes of the scrolled content and of the viewport; samples then give the scroll offset in pixels.
  public var sizes: (content: TiltScroll.PixelSize, viewport: TiltScroll.PixelSize)?

  /// A writer for the board with `sensor` and lines in `code`.
  public init(start: Instant, sensor: SensorPlace, code: LineCode = .leds) {
    (self.start, self.sensor, self.code) = (start, sensor, code)
  }

  /// The scroll offset in pixels; nil if no sizes are given.
  public func pixels(_ position: TiltScroll.Position) -> TiltScroll.PixelOffset? {
    guard let sizes else { return nil }
    return position.offset(of: sizes.content, in: sizes.viewport)
  }

  /// Begins an object about something that happened at `instant`.
  @inline(__always)
  private func begin(_ event: StaticString, at instant: Instant, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("t", seconds: instant - start)
    writer.field("event", event)
  }
}

// Events.
extension ObjectWriter {
  /// Writes the object of an event.
  public func write(_ occurrence: Occurrence, to writer: inout JSONWriter) {
    write(occurrence.event, at: occurrence.at, to: &writer)
  }

  /// Writes the object of `event`.
  public func write(_ event: Event, at instant: Instant, to writer: inout JSONWriter) {
    beginObject(of: event, at: instant, to: &writer)
    writer.endObject()
  }

  /// Writes the object of `event` without its end, so that fields can be added. `detail`, the words of an owner in
  /// another process, replaces those about a fault or a notice of the sensor.
  package func beginObject(of event: Event, at instant: Instant, detail: Message? = nil, to writer: inout JSONWriter) {
    let words = event.kind.group == .sensor ? detail ?? event.detail(of: sensor) : nil
    beginObject(of: event, at: instant, words: words, to: &writer)
  }

  private func beginObject(of event: Event, at instant: Instant, words: Message?, to writer: inout JSONWriter) {
    begin(event.kind.name, at: instant, &writer)
    writer.fields(of: event, at: instant, tare, code, detail: words)
  }

  /// Writes the object of an event without words, for which firmware has no room. A reader has them.
  package func write(wordless occurrence: Occurrence, to writer: inout JSONWriter) {
    beginObject(of: occurrence.event, at: occurrence.at, words: nil, to: &writer)
    writer.endObject()
  }
}

// Samples.
extension ObjectWriter {
  /// Writes the object of `reading`, which was processed in the step that resulted in `seen`.
  public func write(_ reading: Reading, of seen: Observation, to writer: inout JSONWriter) {
    begin("sample", at: reading.instant, &writer)
    writer.fields(of: reading, seen.snapshot, tare, relativeTo: relativeTo)
    if let pixels = pixels(seen.snapshot.position) {
      writer.beginArray("scroll_px")
      writer.element(pixels.x)
      writer.element(pixels.y)
      writer.endArray()
    }
    writer.endObject()
  }

  /// Writes the object of what the sensor measured at `instant`, uncalibrated and in the sensor frame.
  public func write(raw measured: Measurement, at instant: Instant, to writer: inout JSONWriter) {
    begin("raw", at: instant, &writer)
    writer.fields(of: measured)
    writer.endObject()
  }

  /// Writes the object of the vibration in one second.
  public func write(_ second: VibrationSecond, to writer: inout JSONWriter) {
    begin("vibration", at: second.instant, &writer)
    writer.fields(of: second)
    writer.endObject()
  }

  /// Writes the object of a fresh reading, the answer to a query.
  public func write(_ fresh: FreshReading, to writer: inout JSONWriter) {
    begin("reading", at: fresh.instant, &writer)
    Self.write(fieldsOf: fresh, tare, to: &writer)
    writer.endObject()
  }

  /// Writes the fields of a reading, with angles relative to `tare`, in an object that has begun.
  package static func write(fieldsOf fresh: FreshReading, _ tare: Tare, to writer: inout JSONWriter) {
    let detail: StaticString? = if case .unknown(let reason) = fresh.state { reason.message } else { nil }
    writer.fields(of: fresh, tare, detail: detail)
  }
}
